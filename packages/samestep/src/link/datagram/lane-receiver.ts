import { copyBytes } from '../../base/copy-bytes.ts'
import type { Inbox } from '../inbox.ts'
import type { LaneCounters } from '../lane-stats.ts'
import { laneMessageBytesMax } from '../limits.ts'
import { low16 } from './sequence.ts'

interface EarlySegment {
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

/** Room for the beginning of a message of several segments: a few of them. */
const beginningBytes = 4_096

/**
 * The receiving half of a reliable lane: segments come in any sequence, doubled or not; messages go
 * to the inbox whole, once, in the sequence in which they were sent.
 *
 * Memory is bounded by the window of early segments and by one unfinished message; it grows with the
 * bytes that came, never with a number that they claim.
 */
export class LaneReceiver {
  readonly #lane: 'control' | 'bulk'
  readonly #inbox: Inbox
  readonly #counters: LaneCounters | undefined
  readonly #segmentsMax: number
  #nextNumber: number
  /** Segments behind a gap, at the place of their distance from the next one. */
  readonly #early: (EarlySegment | undefined)[] = []
  #earlyBytes = 0
  /** The beginning of a message whose last segment is missing. */
  #begun = new Uint8Array(0)
  #begunBytes = 0

  constructor(
    lane: 'control' | 'bulk',
    inbox: Inbox,
    { segmentsMax, firstNumber }: { readonly segmentsMax: number; readonly firstNumber: number },
    counters?: LaneCounters,
  ) {
    this.#counters = counters
    this.#lane = lane
    this.#inbox = inbox
    this.#segmentsMax = segmentsMax
    this.#nextNumber = low16(firstNumber)
  }

  /** Bytes of memory that unfinished messages take. */
  get heldBytes(): number {
    return this.#earlyBytes + this.#begun.length
  }

  /** Whether an honest sender can send this number now: again, next, or within its window. */
  accepts(number: number): boolean {
    const ahead = low16(number - this.#nextNumber)
    return ahead < this.#segmentsMax || ahead >= 0x8000
  }

  /**
   * Takes the bytes from `start` to before `end` as an accepted segment. False when its message
   * grows too long: the sender does not speak this protocol.
   */
  handleSegment(
    number: number,
    isLast: boolean,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): boolean {
    const ahead = low16(number - this.#nextNumber)
    if (ahead >= this.#segmentsMax) return true
    if (ahead > 0) {
      if (this.#early[ahead] !== undefined) return true
      while (this.#early.length < ahead) this.#early.push(undefined)
      this.#early[ahead] = { bytes: copyBytes(bytes, start, end), isLast }
      this.#earlyBytes += end - start
      return true
    }
    if (!this.#append(isLast, bytes, start, end)) return false
    this.#early.shift()
    this.#nextNumber = low16(this.#nextNumber + 1)
    return this.#appendEarly()
  }

  /** Forgets everything that is not a whole message. */
  clear(): void {
    this.#early.length = 0
    this.#earlyBytes = 0
    this.#begun = new Uint8Array(0)
    this.#begunBytes = 0
  }

  #appendEarly(): boolean {
    for (let next = this.#early[0]; next !== undefined; next = this.#early[0]) {
      this.#early.shift()
      this.#earlyBytes -= next.bytes.length
      if (!this.#append(next.isLast, next.bytes, 0, next.bytes.length)) return false
      this.#nextNumber = low16(this.#nextNumber + 1)
    }
    return true
  }

  #append(isLast: boolean, bytes: Uint8Array, start: number, end: number): boolean {
    if (isLast && this.#begunBytes === 0) {
      this.#give(copyBytes(bytes, start, end))
      return true
    }
    const length = this.#begunBytes + end - start
    if (length > laneMessageBytesMax) return false
    if (length > this.#begun.length) this.#grow(length)
    this.#begun.set(bytes.subarray(start, end), this.#begunBytes)
    this.#begunBytes = length
    if (!isLast) return true
    this.#give(this.#begun.slice(0, length))
    this.#begun = new Uint8Array(0)
    this.#begunBytes = 0
    return true
  }

  #give(message: Uint8Array): void {
    this.#inbox.push(this.#lane, message)
    this.#counters?.noteReceived(message.length)
  }

  #grow(length: number): void {
    const wanted = Math.max(length, 2 * this.#begun.length, beginningBytes)
    const grown = new Uint8Array(Math.min(wanted, laneMessageBytesMax))
    grown.set(this.#begun.subarray(0, this.#begunBytes))
    this.#begun = grown
  }
}
