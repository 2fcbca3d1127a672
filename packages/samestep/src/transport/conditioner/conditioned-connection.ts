import type { Channel } from '../../link/channel.ts'
import { copyBytes } from '../../link/copy-bytes.ts'
import type { LinkSide } from '../../link/packet-format.ts'
import { assertPacketSize, makeEnd } from '../closing.ts'
import { closeTimeoutMs } from '../connect-timeout.ts'
import type { Connection, ConnectionEnd, ConnectionHandler } from '../connection.ts'
import { brokenCode } from '../connection.ts'
import { HandlerGate } from '../handler-gate.ts'
import type { ConditionerStats, Timing } from './conditioned-path.ts'
import { ConditionedPath } from './conditioned-path.ts'
import type { LinkConditions } from './link-conditions.ts'

/** What a conditioned connection is made of. */
export interface ConditionedOptions {
  readonly timing: Timing
  readonly stats: ConditionerStats
  readonly seed: number
  readonly name: string
  readonly onEnded: () => void
}

/** What the other side is told when this one breaks: there is no way to just vanish. */
const vanishedCode = 4000

/** A connection whose packets take their time, or worse. */
export class ConditionedConnection implements Connection, ConnectionHandler {
  // Relays wrap every connection, and mostly nothing is to be done: then these are all that is looked
  // at for a packet. Each more would cost a cache miss.
  readonly #inner: Connection
  readonly #stats: ConditionerStats
  /** Who hears a packet while every one of them passes at once. */
  #direct: ConnectionHandler | undefined
  /** Whether every packet that is sent passes at once. */
  #isPassing = false
  readonly kind: 'stream' | 'datagram'
  readonly transport: string
  readonly packetBytesMax: number
  readonly isAuthentic: boolean
  readonly remote: string
  readonly #options: ConditionedOptions
  readonly #gate = new HandlerGate()
  readonly #sending: ConditionedPath
  readonly #receiving: ConditionedPath
  /** The lane that loses nothing, there and back, where the connection has one beside the other. */
  readonly #reliableSending: ConditionedPath | undefined
  readonly #reliableReceiving: ConditionedPath | undefined
  /** Ours is the inner one's: both ends must use it. */
  readonly makeChannel?: (side: LinkSide, nowMs: number) => Channel
  readonly isReliable?: (packet: Uint8Array) => boolean
  #handler: ConnectionHandler | undefined
  #ownEnd: ConnectionEnd | undefined
  #undo: (() => void) | undefined

  constructor(inner: Connection, options: ConditionedOptions) {
    this.kind = inner.kind
    this.transport = inner.transport
    this.packetBytesMax = inner.packetBytesMax
    this.isAuthentic = inner.isAuthentic ?? false
    this.remote = inner.remote
    this.#inner = inner
    this.#stats = options.stats
    this.#options = options
    const { timing, stats, seed, name } = options
    const shared = {
      kind: inner.kind,
      timing,
      stats,
      seed,
      packetBytesMax: inner.packetBytesMax,
      // This stands above the encryption of the transport, and a real line below it.
      isDamageHeard: !this.isAuthentic,
      onOverflow: () => this.break('the conditioner cannot hold more'),
    }
    this.#sending = new ConditionedPath({
      ...shared,
      name: `${name}/sending`,
      deliver: (packet) => inner.send(packet),
    })
    this.#receiving = new ConditionedPath({
      ...shared,
      name: `${name}/receiving`,
      deliver: (packet) => this.#hear(packet),
    })
    if (inner.makeChannel !== undefined) {
      this.makeChannel = (side, nowMs) => inner.makeChannel!(side, nowMs)
    }
    if (inner.isReliable === undefined) return
    this.isReliable = (packet) => inner.isReliable!(packet)
    const lane = { ...shared, kind: 'stream' as const }
    this.#reliableSending = new ConditionedPath({
      ...lane,
      name: `${name}/reliable sending`,
      deliver: (packet) => inner.send(packet),
    })
    this.#reliableReceiving = new ConditionedPath({
      ...lane,
      name: `${name}/reliable receiving`,
      deliver: (packet) => this.#hear(packet),
    })
  }

  get backlogBytes(): number {
    return this.#gate.isEnded ? 0 : this.#inner.backlogBytes + this.#heldBytes
  }

  get #heldBytes(): number {
    return this.#sending.backlogBytes + (this.#reliableSending?.backlogBytes ?? 0)
  }

  setConditions(sending: LinkConditions, receiving: LinkConditions): void {
    this.#lookClosely()
    this.#sending.setConditions(sending)
    this.#receiving.setConditions(receiving)
    this.#reliableSending?.setConditions(sending)
    this.#reliableReceiving?.setConditions(receiving)
  }

  open(handler: ConnectionHandler): void {
    this.#handler = handler
    this.#gate.open(handler)
    this.#inner.open(this)
  }

  /** What the connection below received. */
  handlePacket(bytes: Uint8Array): void {
    const direct = this.#direct
    if (direct === undefined) {
      this.#receive(bytes)
    } else {
      this.#stats.sent++
      this.#stats.delivered++
      direct.handlePacket(bytes)
    }
  }

  /** The connection below is over. */
  handleClosed(end: ConnectionEnd): void {
    this.#lookClosely()
    if (this.#ownEnd !== undefined) this.#finish(this.#ownEnd)
    else this.#lastReceiving.sendMark(() => this.#finish(end))
  }

  send(packet: Uint8Array): void {
    if (this.#isPassing) {
      this.#stats.sent++
      this.#stats.delivered++
      this.#inner.send(packet)
      return
    }
    assertPacketSize(packet, this)
    if (this.#ownEnd !== undefined) return
    const path = this.#laneOf(packet, this.#sending, this.#reliableSending)
    this.#isPassing = path.isOpen && this.#reliableSending === undefined
    if (path.countPassing()) this.#inner.send(packet)
    else path.send(packet)
  }

  close(code: number, reason: string): void {
    const end = makeEnd(code, reason)
    if (this.#ownEnd !== undefined || this.#gate.isEnded) return
    this.#ownEnd = end
    this.#lookClosely()
    this.#gate.mute()
    const closeInner = () => this.#inner.close(code, reason)
    const path = this.#reliableSending ?? this.#sending
    path.sendMark(closeInner)
    // A farewell that is stuck in a stall must not keep the connection for ever.
    this.#undo = this.#options.timing.schedule(closeInner, closeTimeoutMs)
  }

  markKnown(): void {
    this.#inner.markKnown?.()
  }

  /** Ends it without a farewell: the handler hears 1006, later. */
  break(reason: string): void {
    if (this.#ownEnd !== undefined || this.#gate.isEnded) return
    this.#ownEnd = { code: brokenCode, reason }
    this.#lookClosely()
    this.#gate.mute()
    this.#sending.end()
    this.#reliableSending?.end()
    this.#inner.close(vanishedCode, reason)
  }

  #receive(bytes: Uint8Array): void {
    const path = this.#laneOf(bytes, this.#receiving, this.#reliableReceiving)
    const isDirect = path.isOpen && this.#reliableReceiving === undefined && this.#gate.isHearing
    if (isDirect) this.#direct = this.#handler
    if (path.countPassing()) this.#hear(bytes)
    // Lent for the call: whatever has to wait needs its own copy.
    else path.send(copyBytes(bytes))
  }

  /** From now on packets may not pass at once any more. */
  #lookClosely(): void {
    this.#direct = undefined
    this.#isPassing = false
  }

  /** The lane behind whose packets the end is heard: what matters most is said there. */
  get #lastReceiving(): ConditionedPath {
    return this.#reliableReceiving ?? this.#receiving
  }

  #laneOf(
    packet: Uint8Array,
    usual: ConditionedPath,
    reliable: ConditionedPath | undefined,
  ): ConditionedPath {
    return reliable !== undefined && this.isReliable!(packet) ? reliable : usual
  }

  #hear(packet: Uint8Array): void {
    if (!this.#gate.handlePacket(packet) && this.kind === 'stream') this.break('never opened')
  }

  #finish(end: ConnectionEnd): void {
    this.#undo?.()
    this.#sending.end()
    this.#receiving.end()
    this.#reliableSending?.end()
    this.#reliableReceiving?.end()
    this.#options.onEnded()
    this.#gate.end(end)
  }
}
