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

/** The client's options that a running match uses. */
export interface RunningOptions {
  readonly development?: boolean
  /**
   * Makes game code throw if it calls something that differs between machines, and detects writes to
   * the state from outside a tick. On by default in development.
   */
  readonly guard?: boolean
  readonly kernel?: 'auto' | 'wasm' | 'js'
  /**
   * Memory in bytes for the last seconds of the match, from which a desync is explained. The default of
   * 8 MiB is enough for several states of 1 MB. With 0, a desync is reported but not explained.
   */
  readonly desyncMemoryBytes?: number
  /**
   * Whether the hash of the whole state is reported regularly, to be compared with others. On by
   * default; not needed if all players are in this process.
   */
  readonly isStateReported?: boolean
  /** Observes ticks as they run, in this thread: see `SimulationObserver`. */
  readonly observer?: SimulationObserver
  /**
   * Answers a relay's questions about a desync. If missing, the event `investigate` asks for one: see
   * `Client.investigateWith`.
   */
  readonly investigate?: MakeAnswerer
  /** Called with every sealed bundle before it runs. For checks; must not change the state. */
  readonly onBundle?: (tick: number, bundle: Uint8Array) => void
  /**
   * Called with this client's input for every tick. The slots are valid only during the call. For
   * checks.
   */
  readonly onInput?: (tick: number, slots: Uint32Array) => void
}

/** Parts that a match takes over instead of creating its own. */
export interface KeptParts<G extends GameShape, R> {
  readonly bots?: BotOutbox | undefined
  readonly orders?: OrderOutbox | undefined
  /** The received state is loaded into it, so that the object that is drawn stays the same. */
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
