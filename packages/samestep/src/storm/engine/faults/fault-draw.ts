import type { Prng } from '../../../base/prng.ts'

/** `mild` stays where play must go on; `full` goes to the end of the range. */
export type FaultLevel = 'mild' | 'full'

/** What a kind of fault is drawn with. */
export class FaultDraw {
  readonly prng: Prng
  readonly level: FaultLevel
  readonly names: readonly string[]
  readonly #durationMs: number

  constructor(prng: Prng, level: FaultLevel, names: readonly string[], durationMs: number) {
    this.prng = prng
    this.level = level
    this.names = names
    this.#durationMs = durationMs
  }

  node(): string {
    return this.prng.pick(this.names)
  }

  way(): 'out' | 'in' | 'both' {
    return this.prng.pick(['out', 'in', 'both'])
  }

  /** A time within the plan for something that takes from `minMs` to `maxMs`. */
  span(minMs: number, maxMs: number): { readonly atMs: number; readonly durationMs: number } {
    const longestMs = Math.min(maxMs, this.#durationMs)
    const durationMs = Math.round(this.prng.logUniform(Math.min(minMs, longestMs), longestMs))
    return { atMs: this.prng.below(this.#durationMs - durationMs + 1), durationMs }
  }

  /** A moment within the plan. */
  moment(): { readonly atMs: number; readonly durationMs: number } {
    return { atMs: this.prng.below(this.#durationMs), durationMs: 0 }
  }

  /** A strength in three digits or so: plans are read by people. */
  strength(min: number, mildMax: number, fullMax: number): number {
    const value = this.prng.logUniform(min, this.level === 'mild' ? mildMax : fullMax)
    return value < 1 ? Math.ceil(value * 10_000) / 10_000 : Math.round(value)
  }
}
