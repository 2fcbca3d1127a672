import type { Motion } from '../../../client/pacing/tick-pacer.ts'

/**
 * Where between two ticks a picture is that another thread has made. Threads have clocks of their own
 * beginning; what a message took at the least tells how far apart they are.
 */
export class PictureClock {
  /** Our clock minus theirs, and the shortest way of a message. */
  #offsetMs = Number.POSITIVE_INFINITY
  #motion: Motion = { head: 0, atMs: 0, ticksPerMs: 0 }
  #tick = 0
  #shownAlpha = 0

  /** A picture came. */
  note(tick: number, motion: Motion, sentAtMs: number, nowMs: number): void {
    this.#offsetMs = Math.min(this.#offsetMs, nowMs - sentAtMs)
    this.#motion = motion
    if (tick !== this.#tick) this.#shownAlpha = 0
    this.#tick = tick
  }

  /** 0 at the tick before, 1 at the one that came last; never back while that is the last. */
  alpha(nowMs: number): number {
    const { head, atMs, ticksPerMs } = this.#motion
    const sinceMs = Math.max(nowMs - this.#offsetMs - atMs, 0)
    const alpha = Math.min(Math.max(head + sinceMs * ticksPerMs - this.#tick, 0), 1)
    if (alpha > this.#shownAlpha) this.#shownAlpha = alpha
    return this.#shownAlpha
  }
}
