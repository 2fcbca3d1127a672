import { goneMs, halfOpenMs, hiddenMsMax, unresponsiveMs } from '../../wire/patience.ts'
import type { Awake } from './progress.ts'

/** Nothing comes from a client any more. What of that is told goes by how long it lasts. */
export class Silence {
  readonly name = 'silent'
  /** What the client did before it. */
  before: Awake
  /** What is still to be told. */
  #next: 'half-open' | 'unresponsive' | 'gone' = 'half-open'

  constructor(before: Awake) {
    this.before = before
  }

  /** How long it lasts before the next of it is told. */
  get patienceMs(): number {
    if (this.before.name === 'hidden') return hiddenMsMax
    if (this.#next === 'half-open') return halfOpenMs
    return this.#next === 'unresponsive' ? unresponsiveMs : goneMs
  }

  /** What is to be told now of a silence since a time; its end is not told here. */
  take(sinceMs: number, nowMs: number): 'half-open' | 'unresponsive' | undefined {
    const next = this.#next
    if (next === 'gone' || nowMs < sinceMs + this.patienceMs) return undefined
    this.#next = next === 'half-open' ? 'unresponsive' : 'gone'
    return next
  }
}
