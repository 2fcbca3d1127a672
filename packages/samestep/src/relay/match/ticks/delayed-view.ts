/**
 * What the spectators of a match may see, if they see it with a delay.
 *
 *     sealed      1 2 3 4 5 6 7 8 9          the players get each tick at once
 *     visible     . . . . 1 2 3 4 5          spectators get it when it is old enough
 *                 └ delay ┘
 *
 * The delay is enforced here, at the relay: a client cannot show what it was never sent.
 */
export class DelayedView {
  readonly delayMs: number
  /** When each tick that is not visible yet becomes visible, by tick modulo the length. */
  #dueAtMs = new Float64Array(firstRingTicks)
  #visibleTick = 0
  #sealedTick = 0

  constructor(delayMs: number) {
    this.delayMs = delayMs
  }

  /** The newest tick that is old enough; 0 for none. */
  get visibleTick(): number {
    return this.#visibleTick
  }

  /** Whether the match has begun, so that there is something to hold back. */
  get isOn(): boolean {
    return this.#sealedTick > 0
  }

  /** A tick was sealed, and the next one follows after `intervalMs`. */
  noteSealed(tick: number, nowMs: number, intervalMs: number): void {
    this.#note(tick, nowMs + heldMs(this.delayMs, intervalMs))
    this.#advance(nowMs)
  }

  /**
   * Continues where another relay stopped. The age of its ticks is not known, so those that are still
   * kept count as new: a crash must not show anything early.
   */
  restore(firstTick: number, sealedTick: number, nowMs: number): void {
    this.#visibleTick = firstTick - 1
    this.#sealedTick = firstTick - 1
    for (let tick = firstTick; tick <= sealedTick; tick++) this.#note(tick, nowMs + this.delayMs)
  }

  /** When a tick becomes visible: in the past for visible ones, `Infinity` for those to come. */
  dueAtMs(tick: number): number {
    if (tick <= this.#visibleTick) return Number.NEGATIVE_INFINITY
    if (tick > this.#sealedTick) return Number.POSITIVE_INFINITY
    return this.#dueAtMs[tick % this.#dueAtMs.length] as number
  }

  #note(tick: number, atMs: number): void {
    if (tick - this.#visibleTick > this.#dueAtMs.length) this.#grow()
    this.#dueAtMs[tick % this.#dueAtMs.length] = atMs
    this.#sealedTick = tick
  }

  #advance(nowMs: number): void {
    while (this.dueAtMs(this.#visibleTick + 1) <= nowMs) this.#visibleTick += 1
  }

  #grow(): void {
    const before = this.#dueAtMs
    this.#dueAtMs = new Float64Array(2 * before.length)
    for (let tick = this.#visibleTick + 1; tick <= this.#sealedTick; tick++) {
      this.#dueAtMs[tick % this.#dueAtMs.length] = before[tick % before.length] as number
    }
  }
}

/**
 * Delayed ticks are sent when newer ones are sealed. A delay of whole ticks plus a half falls between
 * two seals, so that a clock that is a little early or late does not send none at one seal and two at
 * the next.
 */
function heldMs(delayMs: number, intervalMs: number): number {
  return (Math.ceil(delayMs / intervalMs) + 0.5) * intervalMs
}

/** Room at first, in ticks: about two seconds. */
const firstRingTicks = 64
