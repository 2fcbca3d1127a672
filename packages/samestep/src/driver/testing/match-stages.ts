import type { LocalOptions } from '../local/play-local.ts'
import { playLocal } from '../local/play-local.ts'
import type { Match } from '../match/match.ts'
import type { LedgerRender, LedgerShape } from './driver-world.ts'
import { WorkerWorld } from './worker-world.ts'

/** A match of the ledger, of whichever kind. */
export type AnyLedgerMatch = Match<LedgerShape, LedgerRender>

/** What of the options all kinds of matches have. */
export type SharedOptions = Omit<LocalOptions<LedgerShape>, 'seed' | 'timing'>

/** A way to play the ledger, in virtual time. */
export class MatchStage {
  readonly world = new WorkerWorld()
  readonly #begin: (world: WorkerWorld, options: SharedOptions) => Promise<AnyLedgerMatch>
  #match: AnyLedgerMatch | undefined

  constructor(begin: MatchStage['begin']) {
    this.#begin = begin
  }

  get begin(): (world: WorkerWorld, options: SharedOptions) => Promise<AnyLedgerMatch> {
    return this.#begin
  }

  async join(options: SharedOptions = {}): Promise<AnyLedgerMatch> {
    this.#match = await this.#begin(this.world, { guard: false, ...options })
    return this.#match
  }

  /** Lets time pass, with a picture 60 times per second where there is something to draw. */
  async pass(ms: number): Promise<void> {
    const { timing } = this.world
    for (const endMs = timing.nowMs() + ms; timing.nowMs() < endMs; ) {
      await timing.pass(16)
      if (this.#match?.status === 'active') this.#match.advance(timing.nowMs())
    }
  }
}

/** Each way there is to play, by the name of its function. */
export const matchStages: { readonly [name: string]: () => MatchStage } = {
  playLocal: () =>
    new MatchStage(async ({ timing, game }, options) => playLocal(game, { timing, ...options })),
  joinMatch: () => new MatchStage((world, options) => world.seat(options)),
  joinMatchInWorker: () =>
    new MatchStage((world, options) => {
      world.serve()
      return world.seatInWorker(options)
    }),
}
