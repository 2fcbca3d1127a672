import type { Cheat, Cheater } from './cheat.ts'

/**
 * Holds back everything for seconds, then lets it go: shown as silent or lagging, and stays; nobody waits
 * for him (T-34).
 */
export class LagSwitch implements Cheat {
  /** Longer than it holds back, so that it plays in between. */
  readonly everyMs = 12_000
  readonly #cheater: Cheater

  constructor(cheater: Cheater) {
    this.#cheater = cheater
  }

  commit(): boolean {
    this.#cheater.hold(2_000 + this.#cheater.random.below(4_000))
    return true
  }
}
