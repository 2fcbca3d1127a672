/**
 * One direction of a conditioned connection: a path of `netem` with real packets and a timer.
 *
 *     packet ──► netem: lost, or when it arrives ──► waits in the heap ──► timer ──► deliver
 */

import { copyBytes } from '../../base/copy-bytes.ts'
import { EventHeap } from '../../base/heap.ts'
import type { PathConditions } from '../../netem/conditions.ts'
import { clearPath, isClear } from '../../netem/conditions.ts'
import { sendDatagram } from '../../netem/datagram.ts'
import type { PathStats } from '../../netem/path.ts'
import { makePathRandom, Path } from '../../netem/path.ts'
import { resume, sendMessage, stall } from '../../netem/stream.ts'
import type { Timing } from '../timing.ts'

/** What a path is made of. */
export interface PathOptions {
  readonly kind: 'stream' | 'datagram'
  readonly timing: Timing
  readonly stats: PathStats
  readonly seed: number
  /** Names the random streams of this direction. */
  readonly name: string
  /** The largest packet that arrives: damage makes none larger. */
  readonly packetBytesMax: number
  /** Whether damaged packets arrive. Where the transport proves what it delivers, they are lost. */
  readonly isDamageHeard: boolean
  readonly deliver: (packet: Uint8Array) => void
  /** A stream holds more than it should: it has to break. */
  readonly onOverflow: () => void
}

/** Bytes that one direction holds at most: a stall of minutes at the rate of a busy match. */
const heldBytesMax = 16_777_216

type Entry = Uint8Array | (() => void)

/** One direction of one connection. */
export class ConditionedPath {
  readonly #options: PathOptions
  readonly #path: Path
  readonly #heap = new EventHeap()
  /** What waits, by its number in the heap. */
  readonly #entries: (Entry | undefined)[] = []
  readonly #free: number[] = []
  readonly #emit = (_: Path, packet: Uint8Array, atUs: number): void => this.#push(packet, atUs)
  #heldBytes = 0
  /** The way of the acknowledgements, which tells a stream how long recovering takes. */
  #back: PathConditions = clearPath
  #isClear = true
  #undo: (() => void) | undefined
  #isEnded = false

  constructor(options: PathOptions) {
    const { seed, name, stats, isDamageHeard, packetBytesMax } = options
    this.#options = options
    const range = isDamageHeard ? { bytesMin: 1, bytesMax: packetBytesMax } : undefined
    this.#path = new Path(clearPath, makePathRandom(seed, name), stats, range)
  }

  /** Bytes that wait for bandwidth or for the end of a stall, not those that travel. */
  get backlogBytes(): number {
    const nowUs = this.#nowUs()
    const isStanding = this.#isHolding || nowUs < this.#path.notBeforeUs
    return isStanding ? this.#heldBytes : Math.ceil(this.#path.queuedBytes(nowUs))
  }

  /** Replaces what the path does from now on. What is on its way keeps its time. */
  setConditions(conditions: PathConditions, back: PathConditions): void {
    const nowUs = this.#nowUs()
    this.#path.setConditions(conditions, nowUs)
    this.#back = back
    this.#isClear = isClear(conditions)
    if (this.#path.stalledSinceUs >= 0 && !this.#isHolding) resume(this.#path, nowUs)
    this.#wakeUp()
  }

  /** Sends a packet. Whoever only lends its bytes says so: those that wait are copied then. */
  send(packet: Uint8Array, isLent = false): void {
    if (this.#isEnded) return
    const { kind, stats, deliver, onOverflow } = this.#options
    if (this.#isOpen) {
      stats.sent++
      stats.delivered++
      deliver(packet)
    } else if (this.#heldBytes + packet.length > heldBytesMax) {
      stats.sent++
      stats.queueFull++
      if (kind === 'stream') onOverflow()
    } else {
      const kept = isLent ? copyBytes(packet) : packet
      const nowUs = this.#nowUs()
      if (kind === 'datagram') sendDatagram(this.#path, kept, nowUs, this.#emit)
      else this.#push(kept, sendMessage(this.#path, kept.length, nowUs, this.#back))
    }
  }

  /** Runs `mark` behind everything that was sent before: the place of an end. */
  sendMark(mark: () => void): void {
    if (this.#isEnded) return
    const { lastArrivalUs, conditions } = this.#path
    if (this.#isOpen) mark()
    else this.#push(mark, Math.max(lastArrivalUs, this.#nowUs() + conditions.latencyMs * 1000))
  }

  /** Forgets what waits, and takes nothing more. */
  end(): void {
    this.#isEnded = true
    this.#undo?.()
    this.#entries.length = 0
    this.#heldBytes = 0
  }

  /** Whether a packet would pass at once. */
  get #isOpen(): boolean {
    return this.#isClear && this.#heap.size === 0
  }

  /** Whether what waits has to wait for a change of the conditions. */
  get #isHolding(): boolean {
    const { isClogged, isCut } = this.#path.conditions
    return isClogged || (isCut && this.#options.kind === 'stream')
  }

  #push(entry: Entry, atUs: number): void {
    const item = this.#free.pop() ?? this.#entries.length
    this.#entries[item] = entry
    if (typeof entry !== 'function') this.#heldBytes += entry.length
    this.#heap.push(item, atUs, 0)
    this.#wakeUp()
  }

  /** When the first that waits may arrive, as far as is known; `Infinity` when it may not. */
  get #dueUs(): number {
    if (this.#isEnded || this.#isHolding) return Number.POSITIVE_INFINITY
    return Math.max(this.#heap.nextTime, this.#path.notBeforeUs)
  }

  /** Sets the timer for the first that arrives. */
  #wakeUp(): void {
    this.#undo?.()
    this.#undo = undefined
    const nowUs = this.#nowUs()
    const isStream = this.#options.kind === 'stream'
    if (isStream && this.#isHolding && this.#heap.size > 0) stall(this.#path, nowUs)
    const dueUs = this.#dueUs
    if (dueUs === Number.POSITIVE_INFINITY) return
    const delayMs = Math.max(0, dueUs - nowUs) / 1000
    this.#undo = this.#options.timing.schedule(() => this.#deliverDue(), delayMs)
  }

  #deliverDue(): void {
    this.#undo = undefined
    const nowUs = this.#nowUs()
    // A handler may change the conditions, or end everything, between two of them.
    while (this.#dueUs <= nowUs) {
      const item = this.#heap.pop()
      const entry = this.#entries[item]!
      this.#entries[item] = undefined
      this.#free.push(item)
      if (typeof entry === 'function') entry()
      else this.#deliver(entry)
    }
    this.#wakeUp()
  }

  #deliver(packet: Uint8Array): void {
    const { kind, stats, deliver } = this.#options
    this.#heldBytes -= packet.length
    if (kind === 'datagram' && this.#path.isCut) {
      stats.cut++
      return
    }
    stats.delivered++
    deliver(packet)
  }

  #nowUs(): number {
    return Math.round(this.#options.timing.nowMs() * 1000)
  }
}
