import type { InvestigatedMatch, MatchCopy } from '../../desync/investigate/match-copy.ts'
import type { RecentTicks } from '../../desync/recent/recent-ticks.ts'
import type { KeptState } from '../../desync/recent/snapshot-ring.ts'
import { loadSnapshot, saveSnapshot } from '../../sim/game/copies/snapshots.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import { mixChain } from '../../sim/hash/mix.ts'
import type { Trace } from '../../sim/trace/trace.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { InputMapping } from '../../wire/ticks/input-layout.ts'
import type { RunningOptions } from '../run/match-simulation.ts'
import { makeSimulation } from '../run/match-simulation.ts'
import { TickRunner } from '../run/tick-runner.ts'

/** A second simulation of a match that runs, to run its ticks in again. */
class RunningCopy<G extends GameShape, R> implements MatchCopy {
  readonly chain = new Uint32Array(2)
  readonly #simulation: Simulation<G, R>
  readonly #runner: TickRunner<G, R>
  readonly #words = new Uint32Array(2)

  constructor(simulation: Simulation<G, R>, mapping: InputMapping) {
    this.#simulation = simulation
    this.#runner = new TickRunner(simulation, mapping)
    this.#noteHash()
  }

  get simulation(): Simulation {
    return this.#simulation as unknown as Simulation
  }

  load({ snapshot, words }: KeptState): void {
    loadSnapshot(this.#simulation, snapshot, { sameMatch: true })
    const { slots } = this.#runner
    slots.set(words.subarray(0, slots.length))
    this.chain.set(words.subarray(slots.length))
  }

  run(bundle: Uint8Array): void {
    this.#runner.run(bundle)
    this.#noteHash()
  }

  save(): KeptState {
    return {
      tick: this.#simulation.matchTick,
      snapshot: saveSnapshot(this.#simulation, { encoding: 'raw' }),
      words: Uint32Array.of(...this.#runner.slots, ...this.chain),
    }
  }

  /** A chain begins with the hash of tick 0, as that of the match does. */
  #noteHash(): void {
    this.#simulation.syncHashWordsAt(this.#simulation.matchTick, this.#words)
    mixChain(this.chain, this.#words[0] as number, this.#words[1] as number)
  }
}

/** What is known of a match before any of its ticks. */
export type MatchBeginning = Pick<MessageBody<'RelaySeated'>, 'config' | 'seed' | 'matchId'>

/** A copy of a match at tick 0, with every write recorded if a trace is given. */
export function makeMatchCopy<G extends GameShape, R>(
  game: Game<G, R>,
  beginning: MatchBeginning,
  options: RunningOptions,
  trace?: Trace,
): MatchCopy {
  // A guard throws where the match itself, in production, went on.
  const simulation = makeSimulation(game, beginning, { ...options, guard: false }, trace)
  return new RunningCopy(simulation, new InputMapping(game.inputCodec.fields))
}

/** The match as whoever looks into a desync sees it. */
export function investigated<G extends GameShape, R>(
  game: Game<G, R>,
  seated: MessageBody<'RelaySeated'>,
  options: RunningOptions,
  recent: RecentTicks,
  saveNow: () => KeptState,
): InvestigatedMatch {
  return {
    recent,
    saveNow,
    makeCopy: (trace?: Trace) => makeMatchCopy(game, seated, options, trace),
  }
}
