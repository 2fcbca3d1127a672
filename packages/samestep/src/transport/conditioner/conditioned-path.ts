/**
 * One direction of a conditioned link: what becomes of each packet, and when it arrives.
 *
 *     packet ──► too large? cut? queue full? ──► lost? ──► damaged? doubled? ──► waits ──► deliver
 *                datagrams vanish                 a stream's packet comes late instead
 */
import { EventHeap } from '../../base/heap.ts'
import { Prng } from '../../base/prng.ts'
import { damagePacket } from './damage.ts'
import type { LinkConditions } from './link-conditions.ts'
import { clearLink, isClear } from './link-conditions.ts'
import { LossBursts } from './loss-bursts.ts'

/** Where time comes from, so that tests can make it. */
export interface Timing {
  readonly nowMs: () => number
  /** Runs `action` later, never inside this call. The function that it returns forgets it. */
  readonly schedule: (action: () => void, delayMs: number) => () => void
}

/** What became of all packets of a conditioner. */
export interface ConditionerStats {
  sent: number
  delivered: number
  /**
   * Lost at random, in a burst, or to damage that the transport finds out. For streams: packets that
   * came late because of it.
   */
  lost: number
  /** Lost to a cut. */
  cut: number
  tooLarge: number
  queueFull: number
  duplicated: number
  reordered: number
  /** Damaged: heard so, or lost where the transport finds it out. */
  corrupted: number
}

/** What a path is made of. */
export interface PathOptions {
  readonly kind: 'stream' | 'datagram'
  readonly timing: Timing
  readonly stats: ConditionerStats
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
export const heldBytesMax = 16_777_216
/** However slow the traffic is, being overtaken costs no more than this. */
const displacedMsMax = 2_000
/** A copy takes another way: it comes this much later on average, plus jitter. */
const copyLateMs = 2
/** Weight of a new gap between packets in the smoothed one. */
const gapWeight = 1 / 8
/** The shortest time after which TCP sends again by its timer, and the longest. */
const rtoMsMin = 200
const rtoMsMax = 60_000
/** Beyond this many losses in a row the stream is as good as cut. */
const retriesMax = 12
/** Bytes of one segment of a stream: what is lost or arrives as a whole. */
const segmentBytes = 1_200

type Entry = Uint8Array | (() => void)

/** One direction of one connection. */
export class ConditionedPath {
  readonly #options: PathOptions
  readonly #each: Prng
  readonly #rare: Prng
  readonly #heap = new EventHeap()
  /** What waits, by its number in the heap. */
  readonly #entries: (Entry | undefined)[] = []
  readonly #free: number[] = []
  #heldBytes = 0
  #conditions: LinkConditions = clearLink
  #isClear = true
  #bursts: LossBursts | undefined
  #undo: (() => void) | undefined
  /** When the wire is free again, with limited bandwidth. */
  #busyUntilMs = 0
  /** Nothing that keeps its place arrives before this. */
  #lastArrivalMs = 0
  #lastSendMs = 0
  /** Smoothed time between packets: tells how long a delay displaces by one packet. */
  #gapMs = 10
  #isEnded = false

  constructor(options: PathOptions) {
    this.#options = options
    this.#each = new Prng(options.seed, `${options.name}/each`)
    this.#rare = new Prng(options.seed, `${options.name}/rare`)
  }

  /** Bytes that wait for bandwidth or for the end of a stall, not those that travel. */
  get backlogBytes(): number {
    if (this.#isHolding) return this.#heldBytes
    const { bytesPerSecond } = this.#conditions
    if (bytesPerSecond === 0) return 0
    const waitMs = Math.max(0, this.#busyUntilMs - this.#options.timing.nowMs())
    return Math.ceil((waitMs * bytesPerSecond) / 1000)
  }

  /** Replaces what the path does from now on. What is on its way keeps its time. */
  setConditions(conditions: LinkConditions): void {
    const nowMs = this.#options.timing.nowMs()
    const { burst } = conditions
    if (burst === null) {
      this.#bursts = undefined
    } else if (burst !== this.#conditions.burst) {
      const prng = new Prng(this.#options.seed, `${this.#options.name}/burst`)
      this.#bursts = new LossBursts(burst, prng, nowMs)
    }
    this.#conditions = conditions
    this.#isClear = isClear(conditions)
    this.#wakeUp()
  }

  /** Whether a packet would pass at once. */
  get isOpen(): boolean {
    return this.#isClear && this.#heap.size === 0
  }

  /** Counts a packet that passes at once; false when it has to go by {@link send}. */
  countPassing(): boolean {
    if (!this.#isClear || this.#isEnded || this.#heap.size > 0) return false
    this.#options.stats.sent++
    this.#options.stats.delivered++
    return true
  }

  /** Takes a packet, for which nobody else has a use any more. */
  send(packet: Uint8Array): void {
    if (this.countPassing()) {
      this.#options.deliver(packet)
      return
    }
    if (this.#isEnded) return
    this.#options.stats.sent++
    if (this.#heldBytes + packet.length > heldBytesMax) {
      this.#options.stats.queueFull++
      if (this.#options.kind === 'stream') this.#options.onOverflow()
      return
    }
    if (this.#options.kind === 'stream') this.#sendStream(packet)
    else this.#sendDatagram(packet)
  }

  /** Runs `mark` behind everything that was sent before: the place of an end. */
  sendMark(mark: () => void): void {
    if (this.#isEnded) return
    if (this.isOpen) mark()
    else this.#push(mark, Math.max(this.#lastArrivalMs, this.#nowMs() + this.#conditions.latencyMs))
  }

  /** Forgets what waits, and takes nothing more. */
  end(): void {
    this.#isEnded = true
    this.#undo?.()
    this.#entries.length = 0
    this.#heldBytes = 0
  }

  #sendStream(packet: Uint8Array): void {
    const nowMs = this.#nowMs()
    const draw = this.#each.unit()
    const departMs = this.#departMs(packet.length, nowMs) + this.#travelMs()
    const lateMs = draw < this.#streamLoss(packet.length, nowMs) ? this.#recoveryMs(nowMs) : 0
    if (lateMs > 0) this.#options.stats.lost++
    this.#lastSendMs = nowMs
    this.#lastArrivalMs = Math.max(this.#lastArrivalMs, departMs + lateMs)
    this.#push(packet, this.#lastArrivalMs)
  }

  #sendDatagram(packet: Uint8Array): void {
    const { stats } = this.#options
    const conditions = this.#conditions
    const nowMs = this.#nowMs()
    // The same draws for every packet, before anything is decided.
    const isLost = this.#each.chance(this.#lossAt(nowMs))
    const travelMs = this.#travelMs()
    const isDoubled = this.#each.chance(conditions.duplicate)
    const isOvertaken = this.#each.chance(conditions.reorder)
    const isDamaged = this.#each.chance(conditions.corrupt)
    this.#gapMs += (nowMs - this.#lastSendMs - this.#gapMs) * gapWeight
    this.#lastSendMs = nowMs
    const { bytesPerSecond, queueBytes, packetBytesMax } = conditions
    if (packetBytesMax > 0 && packet.length > packetBytesMax) {
      stats.tooLarge++
    } else if (conditions.isCut) {
      stats.cut++
    } else if (bytesPerSecond > 0 && this.backlogBytes + packet.length > queueBytes) {
      stats.queueFull++
    } else {
      const departMs = this.#departMs(packet.length, nowMs)
      const isRejected = isDamaged && !this.#options.isDamageHeard
      if (isDamaged && !isLost) stats.corrupted++
      if (isLost || isRejected) stats.lost++
      else this.#arrive(packet, departMs + travelMs, { isDoubled, isOvertaken, isDamaged })
    }
  }

  #arrive(
    packet: Uint8Array,
    atMs: number,
    fate: { isDoubled: boolean; isOvertaken: boolean; isDamaged: boolean },
  ): void {
    const { stats, packetBytesMax } = this.#options
    const bytes = fate.isDamaged ? damagePacket(packet, this.#rare, packetBytesMax) : packet
    if (fate.isDoubled) {
      stats.duplicated++
      const lateMs = (this.#conditions.jitterMs + copyLateMs) * this.#rare.exponential()
      this.#push(bytes, atMs + lateMs)
    }
    let arrivalMs = Math.max(this.#lastArrivalMs, atMs)
    if (fate.isOvertaken) {
      stats.reordered++
      const packets = 1 + this.#rare.below(Math.max(1, this.#conditions.reorderPackets))
      // Half a gap more, so that the last of those packets is surely before it.
      arrivalMs += Math.min(displacedMsMax, (packets + 0.5) * this.#gapMs)
    } else {
      this.#lastArrivalMs = arrivalMs
    }
    this.#push(bytes, arrivalMs)
  }

  #push(entry: Entry, atMs: number): void {
    const item = this.#free.pop() ?? this.#entries.length
    this.#entries[item] = entry
    if (typeof entry !== 'function') this.#heldBytes += entry.length
    this.#heap.push(item, atMs, 0)
    this.#wakeUp()
  }

  /** Sets the timer for the first that arrives. */
  #wakeUp(): void {
    this.#undo?.()
    this.#undo = undefined
    if (this.#heap.size === 0 || this.#isHolding || this.#isEnded) return
    const delayMs = Math.max(0, this.#heap.nextTime - this.#nowMs())
    this.#undo = this.#options.timing.schedule(() => this.#deliverDue(), delayMs)
  }

  #deliverDue(): void {
    this.#undo = undefined
    const nowMs = this.#nowMs()
    // A handler may change the conditions, or end everything, between two of them.
    while (this.#heap.nextTime <= nowMs && !this.#isHolding && !this.#isEnded) {
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
    if (kind === 'datagram' && this.#conditions.isCut) {
      stats.cut++
      return
    }
    stats.delivered++
    deliver(packet)
  }

  /** Whether what waits has to wait for a change of the conditions. */
  get #isHolding(): boolean {
    const { isClogged, isCut } = this.#conditions
    return isClogged || (isCut && this.#options.kind === 'stream')
  }

  /** When `byteLength` bytes that are sent now have left, behind all that was sent before. */
  #departMs(byteLength: number, nowMs: number): number {
    const { bytesPerSecond } = this.#conditions
    if (bytesPerSecond === 0) return nowMs
    this.#busyUntilMs = Math.max(nowMs, this.#busyUntilMs) + (byteLength * 1000) / bytesPerSecond
    return this.#busyUntilMs
  }

  /** Latency and what comes on top; one draw, needed or not. */
  #travelMs(): number {
    const { latencyMs, jitterMs } = this.#conditions
    return latencyMs + jitterMs * this.#each.exponential()
  }

  #lossAt(nowMs: number): number {
    const { loss, burst } = this.#conditions
    return this.#bursts?.isBad(nowMs) ? Math.max(loss, burst?.loss ?? 0) : loss
  }

  /** The chance that at least one segment is lost. */
  #streamLoss(byteLength: number, nowMs: number): number {
    const kept = 1 - this.#lossAt(nowMs)
    return kept === 1 ? 0 : 1 - kept ** Math.ceil(byteLength / segmentBytes)
  }

  /** How much later a lost packet of a stream comes: a quick repeat, then timers that double. */
  #recoveryMs(nowMs: number): number {
    const roundTripMs = 2 * (this.#conditions.latencyMs + this.#conditions.jitterMs)
    const isBusy = nowMs - this.#lastSendMs < roundTripMs
    let lateMs = Math.max(10, roundTripMs * (isBusy ? 1.25 : 2))
    let rtoMs = Math.max(rtoMsMin, 2 * roundTripMs)
    for (let retry = 0; retry < retriesMax; retry++) {
      if (!this.#rare.chance(this.#lossAt(nowMs))) break
      lateMs += rtoMs
      rtoMs = Math.min(rtoMs * 2, rtoMsMax)
    }
    return lateMs
  }

  #nowMs(): number {
    return this.#options.timing.nowMs()
  }
}
