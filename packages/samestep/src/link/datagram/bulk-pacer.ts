import { bulkSegmentsMax, segmentBytesMax } from '../limits.ts'
import type { PathEstimator } from './path-estimator.ts'

/** Unconfirmed bytes at the start: what QUIC and TCP begin with. */
const windowInitial = 10 * segmentBytesMax
/** Never fewer: a path that loses a lot still carries four packets per round trip. */
const windowMin = 4 * segmentBytesMax
const windowMax = bulkSegmentsMax * segmentBytesMax
/** Growth per round trip once the path's limit was seen, on an empty path. */
const windowStep = 2 * segmentBytesMax

/**
 * Time that bulk may add to every tick by filling queues on the path. Jitter is not a queue, so what
 * the round trip varies by comes on top.
 */
const queueMsMax = 25

/** Doubling ends at the first sign of a queue: it will be twice as long before the next judgement. */
const startRiseMsMax = 10

/** Sending a little faster than the window allows keeps the window, not the pace, the limit. */
const paceFactor = 1.25
/** A late timer may be made up for by this much at once; more would be a burst in front of a tick. */
const burstMs = 8
/** The round trip that is assumed before one is measured. */
const roundMsInitial = 200
/** The shortest round that is paced: below it, timers are too coarse. */
const roundMsMin = 5

/**
 * Decides when the bulk lane may send, so that ticks on the same path are not delayed: a window of
 * unconfirmed bytes, spread evenly over the round trip, judged once per round.
 *
 *     queues are too long        window × 0.8
 *     packets were lost          window × (1 − share / 2): random loss of a radio link costs little,
 *                                loss of everything halves it
 *     neither                    window doubles until the first sign of trouble, then grows by two
 *                                packets, by less the longer the queues are
 *
 * After a timeout it starts over with the smallest window.
 */
export class BulkPacer {
  readonly #path: PathEstimator
  #windowBytes: number = windowInitial
  #isStarting = true
  #nextAtMs = Number.NEGATIVE_INFINITY
  #roundEndMs = Number.NEGATIVE_INFINITY
  #ackedBytes = 0
  #lostBytes = 0
  #wasLimited = false

  constructor(path: PathEstimator) {
    this.#path = path
  }

  /** Bytes that may be unconfirmed. */
  get windowBytes(): number {
    return this.#windowBytes
  }

  /**
   * When the next bulk packet may go out, given the unconfirmed bytes of all lanes. `Infinity` while
   * the window is full: then an acknowledgement or a timeout changes it, not the passing of time.
   */
  sendAtMs(inFlightBytes: number): number {
    return inFlightBytes < this.#windowBytes ? this.#nextAtMs : Number.POSITIVE_INFINITY
  }

  handleSent(bytes: number, inFlightBytes: number, nowMs: number): void {
    if (nowMs >= this.#roundEndMs) this.#endRound(nowMs)
    if (inFlightBytes * 2 >= this.#windowBytes) this.#wasLimited = true
    const bytesPerMs = (this.#windowBytes * paceFactor) / this.#roundMs()
    this.#nextAtMs = Math.max(this.#nextAtMs, nowMs - burstMs) + bytes / bytesPerMs
  }

  handleAcked(bytes: number, nowMs: number): void {
    this.#ackedBytes += bytes
    if (nowMs >= this.#roundEndMs) this.#endRound(nowMs)
  }

  handleLost(bytes: number): void {
    this.#lostBytes += bytes
  }

  /** Nothing was confirmed for a long time: whatever was known about the path is void. */
  handleTimeout(): void {
    this.#windowBytes = windowMin
    this.#isStarting = false
    this.#ackedBytes = 0
    this.#lostBytes = 0
  }

  #roundMs(): number {
    return Math.max(this.#path.rttMs ?? roundMsInitial, roundMsMin)
  }

  #endRound(nowMs: number): void {
    const total = this.#ackedBytes + this.#lostBytes
    const queue = this.#path.queueMs / (queueMsMax + (this.#path.rttVariationMs ?? 0))
    if (this.#path.riseMs > startRiseMsMax || this.#lostBytes > 0) this.#isStarting = false
    let window = this.#windowBytes
    if (queue > 1) window *= 0.8
    else if (this.#lostBytes > 0) window *= 1 - this.#lostBytes / total / 2
    // A window that was not used proves nothing, and must not grow by it.
    if (queue < 1 && this.#ackedBytes > 0 && this.#wasLimited) {
      window += this.#isStarting ? window : windowStep * (1 - queue)
    }
    this.#windowBytes = Math.min(Math.max(window, windowMin), windowMax)
    this.#ackedBytes = 0
    this.#lostBytes = 0
    this.#wasLimited = false
    this.#roundEndMs = nowMs + this.#roundMs()
  }
}
