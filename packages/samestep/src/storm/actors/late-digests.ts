import type { DigestJob } from '../../client/state/digests.ts'
import { digestNow } from '../../client/state/digests.ts'

/**
 * Hashes what a client asks for as a platform does: later, and not always in sequence. How much later
 * follows from how many there were, so that it takes no draw from anybody. All times are those of the
 * client's own clock.
 */
export class LateDigests {
  readonly #answer: (job: DigestJob, hashes: Uint8Array, nowMs: number) => void
  #waiting: { readonly job: DigestJob; readonly atMs: number }[] = []
  #count = 0

  constructor(answer: (job: DigestJob, hashes: Uint8Array, nowMs: number) => void) {
    this.#answer = answer
  }

  /** Every third is answered at once, as by a machine that has nothing else to do. */
  ask(job: DigestJob, nowMs: number): void {
    this.#count += 1
    const lateMs = (this.#count % 3) * ((this.#count * 17) % 61)
    if (lateMs === 0) this.#answer(job, digestNow(job), nowMs)
    else this.#waiting.push({ job, atMs: nowMs + lateMs })
  }

  handleTime(nowMs: number): void {
    if (nowMs < this.wakeAtMs()) return
    const due = this.#waiting.filter(({ atMs }) => atMs <= nowMs)
    this.#waiting = this.#waiting.filter(({ atMs }) => atMs > nowMs)
    for (const { job } of due) this.#answer(job, digestNow(job), nowMs)
  }

  wakeAtMs(): number {
    let soonest = Number.POSITIVE_INFINITY
    for (const { atMs } of this.#waiting) soonest = Math.min(soonest, atMs)
    return soonest
  }
}
