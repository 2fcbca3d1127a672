import { mixChain } from '../../sim/hash/mix.ts'
import type { TurnHash } from '../../wire/ticks/turn-hash.ts'
import { roundness } from '../../wire/ticks/turn-hash.ts'

/**
 * The hashes that a client reports: the chain over the sync hashes of all executed ticks, as of the
 * roundest tick since the last report. {@link TurnHash} explains why that tick.
 */
export class HashReports {
  /** The chain over every executed tick, from tick 0 on. */
  readonly #chain = new Uint32Array(2)
  #executedTick = -1
  #reportedTick = -1
  /** The roundest tick since the last report, and the chain as of then. */
  #tick = -1
  #lo = 0
  #hi = 0

  /** A tick was executed, and these are the words of its sync hash. */
  note(tick: number, words: Uint32Array): void {
    mixChain(this.#chain, words[0] as number, words[1] as number)
    const isFirst = this.#executedTick === this.#reportedTick
    this.#executedTick = tick
    // Between two ticks that are equally round there is always a rounder one.
    if (!isFirst && roundness(tick) < roundness(this.#tick)) return
    this.#tick = tick
    this.#lo = this.#chain[0] as number
    this.#hi = this.#chain[1] as number
  }

  /** The chain as of the newest executed tick: low word, high word. */
  get chain(): Uint32Array {
    return this.#chain
  }

  /** A state was loaded, together with its chain. */
  restore(tick: number, chain: Uint32Array): void {
    this.#chain.set(chain)
    this.#executedTick = tick
    this.#reportedTick = tick
  }

  /**
   * The hash for a turn that acknowledges ticks up to `received`; `undefined` if there is nothing new.
   */
  take(received: number): TurnHash | undefined {
    const executedTick = this.#executedTick
    // A turn cannot carry the hash of a tick that it does not acknowledge.
    if (executedTick === this.#reportedTick || executedTick > received) return undefined
    this.#reportedTick = executedTick
    return { executedTick, tick: this.#tick, lo: this.#lo, hi: this.#hi }
  }
}
