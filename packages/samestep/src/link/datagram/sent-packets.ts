import { assert } from '../../base/assert.ts'
import {
  maskBits,
  reorderPacketsMax,
  reorderPacketsMin,
  sentPacketsMax,
  staleMs,
} from '../limits.ts'
import { expand16, firstOf } from './sequence.ts'

const slotMask = sentPacketsMax - 1
assert((sentPacketsMax & slotMask) === 0, 'The ring of sent packets must be a power of two')

const isResolved = 0
const isInFlight = 1
const isLost = 2

/**
 * What became of every packet that was sent: acknowledged, lost or still in flight. Numbers are
 * never used twice, so it is always clear which transmission an acknowledgement means (Karn's
 * problem does not arise).
 *
 *     lost by gap    a packet at least `reorder gap` newer was acknowledged, this one not
 *     lost by time   it is older than {@link staleMs} when another one is sent
 *     lost by room   the ring of records is full
 *
 * A packet that was merely late widens the gap: on a path that reorders, patience is cheaper than
 * sending everything twice. It stays counted as lost.
 */
export class SentPackets {
  /** Numbers of acknowledged packets with something reliable, late ones too. The owner empties it. */
  readonly ackedNumbers: number[] = []
  /** The same for lost ones. */
  readonly lostNumbers: number[] = []

  // `private` instead of `#` for the reason given in BitWriter.
  private readonly state = new Uint8Array(sentPacketsMax)
  private readonly reliable = new Uint8Array(sentPacketsMax)
  private readonly sentAtMs = new Float64Array(sentPacketsMax)
  private readonly first: number
  private next: number
  /** Every number below has its verdict. */
  private floor: number
  private newest: number
  /** Which numbers before the newest acknowledged one are known to be acknowledged. */
  private known = 0
  private gap: number = reorderPacketsMin
  private acked = 0
  private lost = 0
  private inFlight = 0

  constructor(firstNumber: number) {
    this.first = firstOf(firstNumber)
    this.next = this.first
    this.floor = this.first
    this.newest = this.first - 1
  }

  /** The number that the next packet gets. */
  get nextNumber(): number {
    return this.next
  }

  get ackedCount(): number {
    return this.acked
  }

  get lostCount(): number {
    return this.lost
  }

  get inFlightCount(): number {
    return this.inFlight
  }

  /** Packets sent since the newest one that the other side confirmed. */
  get silentCount(): number {
    return this.next - 1 - this.newest
  }

  /** Notes that a packet was sent. `isReliable` when it carries something that must arrive. */
  add(isReliable: boolean, nowMs: number): number {
    const number = this.next++
    if (number - this.floor >= sentPacketsMax) this.sweepTo(number - sentPacketsMax)
    this.sweepStale(nowMs)
    const slot = number & slotMask
    this.state[slot] = isInFlight
    this.reliable[slot] = isReliable ? 1 : 0
    this.sentAtMs[slot] = nowMs
    this.inFlight++
    return number
  }

  /** Whether an acknowledgement names only packets that were sent. */
  isPossible(ack: number, mask: number): boolean {
    const newestSent = this.next - 1
    const number = expand16(ack, newestSent)
    if (number > newestSent || number < this.first) return false
    const before = number - this.first
    return before >= maskBits || mask >>> before === 0
  }

  /**
   * Takes a possible acknowledgement. Returns when the newest packet was sent if this is the first
   * word about it, for measuring the round trip.
   */
  handleAck(low: number, mask: number): number | undefined {
    const ack = expand16(low, this.next - 1)
    const ahead = ack - this.newest
    let sentAtMs: number | undefined
    let fresh: number
    if (ahead > 0) {
      const before = ahead < maskBits ? this.known << ahead : 0
      const known = ahead <= maskBits ? before | (1 << (ahead - 1)) : 0
      fresh = mask & ~known
      this.known = mask | known
      this.newest = ack
      if (this.next - ack <= sentPacketsMax) sentAtMs = this.sentAtMs[ack & slotMask]!
      this.resolveAcked(ack)
    } else {
      // Older news, seen from the newest packet. What reaches further back is decided already.
      const shift = -ahead
      const seen = shift < maskBits ? mask << shift : 0
      const named = shift > 0 && shift <= maskBits ? 1 << (shift - 1) : 0
      fresh = (seen | named) & ~this.known
      this.known |= fresh
    }
    while (fresh !== 0) {
      const bit = 31 - Math.clz32(fresh & -fresh)
      fresh &= fresh - 1
      this.resolveAcked(this.newest - 1 - bit)
    }
    this.sweepTo(this.newest - this.gap)
    return sentAtMs
  }

  /** Gives up a packet that is still in flight: its time is over. */
  giveUp(number: number): void {
    if (this.next - number > sentPacketsMax) return
    if (this.state[number & slotMask] === isInFlight) this.resolveLost(number)
  }

  private resolveAcked(number: number): void {
    if (number < this.first || this.next - number > sentPacketsMax) return
    const slot = number & slotMask
    const state = this.state[slot]
    if (state === isResolved) return
    if (state === isInFlight) {
      this.acked++
      this.inFlight--
    } else {
      this.gap = Math.min(reorderPacketsMax, Math.max(this.gap, this.newest - number + 1))
    }
    this.state[slot] = isResolved
    if (this.reliable[slot] === 1) this.ackedNumbers.push(number)
  }

  private resolveLost(number: number): void {
    const slot = number & slotMask
    this.state[slot] = isLost
    this.lost++
    this.inFlight--
    if (this.reliable[slot] === 1) this.lostNumbers.push(number)
  }

  /** Gives every packet up to `number` its verdict. */
  private sweepTo(number: number): void {
    for (; this.floor <= number; this.floor++) {
      if (this.state[this.floor & slotMask] === isInFlight) this.resolveLost(this.floor)
    }
  }

  private sweepStale(nowMs: number): void {
    for (const end = this.next - 1; this.floor < end; this.floor++) {
      const slot = this.floor & slotMask
      if (this.state[slot] !== isInFlight) continue
      if (nowMs - this.sentAtMs[slot]! < staleMs) return
      this.resolveLost(this.floor)
    }
  }
}
