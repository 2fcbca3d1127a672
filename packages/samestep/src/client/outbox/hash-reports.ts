import { mixChain } from '../../sim/hash/mix.ts'
import type { TurnHash } from '../../wire/ticks/turn-hash.ts'
import { roundness } from '../../wire/ticks/turn-hash.ts'

/**
 * What a client reports of its state: the chain over the sync hashes of all ticks that it executed, as of
 * the roundest tick since the last report. {@link TurnHash} says why that one.
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

  /** The state after a tick came from elsewhere, and the chain with it. */
  restore(tick: number, chain: Uint32Array): void {
    this.#chain.set(chain)
    this.#executedTick = tick
    this.#reportedTick = tick
  }

  /** What a turn says that confirms ticks up to `received`; `undefined` for nothing new. */
  take(received: number): TurnHash | undefined {
    const executedTick = this.#executedTick
    // A client that is catching up confirms less than it has; its hash would lie ahead of that.
    if (executedTick === this.#reportedTick || executedTick > received) return undefined
    this.#reportedTick = executedTick
    return { executedTick, tick: this.#tick, lo: this.#lo, hi: this.#hi }
  }
}
