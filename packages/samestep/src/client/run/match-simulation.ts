import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { SimulationObserver } from '../../sim/game/run/observers.ts'
import { Simulation } from '../../sim/game/run/simulation.ts'
import { readOptions } from '../../sim/game/run/simulation-options.ts'
import type { Trace } from '../../sim/trace/trace.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { orderPolicyOf } from '../../wire/messages/order-policy.ts'
import type { MakeAnswerer } from '../desync/probe-desk.ts'
import type { BotOutbox } from '../outbox/bot-outbox.ts'
import type { OrderOutbox } from '../outbox/order-outbox.ts'

/** What a running match needs to know of the client's choices. */
export interface RunningOptions {
  readonly development?: boolean
  /**
   * Makes game code that calls what differs between machines throw, and notices writes to the state
   * from outside a tick. By default in development.
   */
  readonly guard?: boolean
  readonly kernel?: 'auto' | 'wasm' | 'js'
  /**
   * Bytes of memory for the last seconds of the match, from which a desync is explained. 8 MiB by
   * default, enough for several states of 1 MB; 0 for none: a desync is then told, and not explained.
   */
  readonly desyncMemoryBytes?: number
  /**
   * Whether the hash of the whole state is reported now and then, for others to compare. On by default;
   * nobody needs it where all players are in this process.
   */
  readonly isStateReported?: boolean
  /** Watches the ticks run, in this thread: see `SimulationObserver`. */
  readonly observer?: SimulationObserver
  /**
   * Answers a relay's questions about a desync. Without, the event `investigate` says that somebody
   * should: see `Client.investigateWith`.
   */
  readonly investigate?: MakeAnswerer
  /** Told of every sealed bundle that is about to run. For checks: it must not touch the state. */
  readonly onBundle?: (tick: number, bundle: Uint8Array) => void
  /** Told of the own input of every tick, as slots that are borrowed. For checks. */
  readonly onInput?: (tick: number, slots: Uint32Array) => void
}

/** What a match goes on with that was there before. */
export interface KeptParts<G extends GameShape, R> {
  readonly bots?: BotOutbox | undefined
  readonly orders?: OrderOutbox | undefined
  /** A state that comes is loaded into it, so that whoever draws it has the same one as before. */
  readonly simulation?: Simulation<G, R> | undefined
}

/** The simulation of a match, at tick 0. */
export function makeSimulation<G extends GameShape, R>(
  game: Game<G, R>,
  seated: Pick<MessageBody<'RelaySeated'>, 'config' | 'seed' | 'matchId'>,
  { development, guard, kernel, observer }: RunningOptions,
  trace?: Trace,
): Simulation<G, R> {
  const { config, seed, matchId } = seated
  return new Simulation(game, {
    ...(development === undefined ? {} : { development }),
    ...(guard === undefined ? {} : { guard }),
    ...(kernel === undefined ? {} : { kernel }),
    ...(observer === undefined ? {} : { observer }),
    ...(trace === undefined ? {} : { trace }),
    seed,
    matchId,
    seats: config.seats,
    orderPolicy: orderPolicyOf(config),
    options: readOptions(game, config.options),
  })
}
