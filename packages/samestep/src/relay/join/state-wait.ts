/** Why somebody needs a state: it never had one, one from long ago, or another one than most. */
type Need = 'newcomer' | 'returning' | 'resync'

/** A member has to get the state of the match first: no tick is of use to it before. */
export class StateWait {
  readonly #need: Need
  /**
   * The newest tick that its client may have run before. It never goes back: an older state would have
   * it run ticks, and end orders, a second time.
   */
  readonly haveTick: number
  /** Since when it downloads; `undefined` before it has begun to. */
  #fetchesSinceMs: number | undefined

  constructor(need: Need, haveTick: number) {
    this.#need = need
    this.haveTick = haveTick
  }

  /** Whether it is the state that it begins to play from. */
  get isNewcomer(): boolean {
    return this.#need === 'newcomer'
  }

  /** Whether it has another state than most, and waits for theirs. */
  get isResyncing(): boolean {
    return this.#need === 'resync'
  }

  /** Whether it has begun to download. */
  get isFetching(): boolean {
    return this.#fetchesSinceMs !== undefined
  }

  /** It begins to download. */
  noteFetching(nowMs: number): void {
    this.#fetchesSinceMs = nowMs
  }

  /** Another link carries it: the download begins anew there. */
  handleAttached(): void {
    this.#fetchesSinceMs = undefined
  }

  /** What its line carried when so many bytes are here; `undefined` where nothing was downloaded. */
  bytesPerSecond(bytes: number, nowMs: number): number | undefined {
    if (this.#fetchesSinceMs === undefined) return undefined
    return bytes / (Math.max(nowMs - this.#fetchesSinceMs, 1) / 1_000)
  }
}
