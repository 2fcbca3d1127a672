import type { Channel } from '../../link/channel.ts'
import type { LinkSide } from '../../link/datagram/packet-format.ts'
import type { PathConditions } from '../../netem/conditions.ts'
import type { PathStats } from '../../netem/path.ts'
import { assertPacketSize, makeEnd } from '../closing.ts'
import { closeTimeoutMs } from '../connect-timeout.ts'
import type { Connection, ConnectionEnd, ConnectionHandler } from '../connection.ts'
import { brokenCode } from '../connection.ts'
import { HandlerGate } from '../handler-gate.ts'
import type { Timing } from '../timing.ts'
import { ConditionedPath } from './conditioned-path.ts'

/** What a conditioned connection is made of. */
export interface ConditionedOptions {
  readonly timing: Timing
  readonly stats: PathStats
  readonly seed: number
  readonly name: string
  readonly onEnded: () => void
}

/** What the other side is told when this one breaks: there is no way to just vanish. */
const vanishedCode = 4000

/** A connection whose packets take their time, or worse. */
export class ConditionedConnection implements Connection, ConnectionHandler {
  readonly kind: 'stream' | 'datagram'
  readonly transport: string
  readonly packetBytesMax: number
  readonly isAuthentic: boolean
  readonly remote: string
  readonly ticketData?: Uint8Array
  /** Ours is the inner one's: both ends must use it. */
  readonly makeChannel?: (side: LinkSide, nowMs: number) => Channel
  readonly isReliable?: (packet: Uint8Array) => boolean
  readonly #inner: Connection
  readonly #options: ConditionedOptions
  readonly #gate = new HandlerGate()
  readonly #sending: Lanes
  readonly #receiving: Lanes
  #ownEnd: ConnectionEnd | undefined
  #undo: (() => void) | undefined

  constructor(inner: Connection, options: ConditionedOptions) {
    this.kind = inner.kind
    this.transport = inner.transport
    this.packetBytesMax = inner.packetBytesMax
    this.isAuthentic = inner.isAuthentic ?? false
    this.remote = inner.remote
    if (inner.ticketData !== undefined) this.ticketData = inner.ticketData
    this.#inner = inner
    this.#options = options
    const onOverflow = () => this.break('the conditioner cannot hold more')
    const hear = (packet: Uint8Array) => this.#hear(packet)
    const send = (packet: Uint8Array) => inner.send(packet)
    this.#sending = new Lanes(inner, options, 'sending', send, onOverflow)
    this.#receiving = new Lanes(inner, options, 'receiving', hear, onOverflow)
    if (inner.makeChannel !== undefined) {
      this.makeChannel = (side, nowMs) => inner.makeChannel!(side, nowMs)
    }
    if (inner.isReliable !== undefined) this.isReliable = (packet) => inner.isReliable!(packet)
  }

  get backlogBytes(): number {
    return this.#gate.isEnded ? 0 : this.#inner.backlogBytes + this.#sending.backlogBytes
  }

  setConditions(sending: PathConditions, receiving: PathConditions): void {
    this.#sending.setConditions(sending, receiving)
    this.#receiving.setConditions(receiving, sending)
  }

  open(handler: ConnectionHandler): void {
    this.#gate.open(handler)
    this.#inner.open(this)
  }

  /** What the connection below received. */
  handlePacket(bytes: Uint8Array): void {
    this.#receiving.laneOf(bytes).send(bytes, true)
  }

  /** The connection below is over. */
  handleClosed(end: ConnectionEnd): void {
    if (this.#ownEnd !== undefined) this.#finish(this.#ownEnd)
    else this.#receiving.last.sendMark(() => this.#finish(end))
  }

  send(packet: Uint8Array): void {
    assertPacketSize(packet, this)
    if (this.#ownEnd === undefined) this.#sending.laneOf(packet).send(packet)
  }

  close(code: number, reason: string): void {
    const end = makeEnd(code, reason)
    if (this.#ownEnd !== undefined || this.#gate.isEnded) return
    this.#ownEnd = end
    this.#gate.mute()
    const closeInner = () => this.#inner.close(code, reason)
    this.#sending.last.sendMark(closeInner)
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
    this.#gate.mute()
    this.#sending.end()
    this.#inner.close(vanishedCode, reason)
  }

  #hear(packet: Uint8Array): void {
    if (!this.#gate.handlePacket(packet) && this.kind === 'stream') this.break('never opened')
  }

  #finish(end: ConnectionEnd): void {
    this.#undo?.()
    this.#sending.end()
    this.#receiving.end()
    this.#options.onEnded()
    this.#gate.end(end)
  }
}

/** One direction: a path, and one more that loses nothing where the connection has such a lane. */
class Lanes {
  readonly #inner: Connection
  readonly #usual: ConditionedPath
  readonly #reliable: ConditionedPath | undefined

  constructor(
    inner: Connection,
    { timing, stats, seed, name }: ConditionedOptions,
    way: 'sending' | 'receiving',
    deliver: (packet: Uint8Array) => void,
    onOverflow: () => void,
  ) {
    const { kind, packetBytesMax } = inner
    // This stands above the encryption of the transport, and a real line below it.
    const isDamageHeard = !(inner.isAuthentic ?? false)
    const shared = { timing, stats, seed, packetBytesMax, isDamageHeard, deliver, onOverflow }
    this.#inner = inner
    this.#usual = new ConditionedPath({ ...shared, kind, name: `${name}/${way}` })
    if (inner.isReliable === undefined) return
    const reliable = { kind: 'stream', name: `${name}/reliable ${way}` } as const
    this.#reliable = new ConditionedPath({ ...shared, ...reliable })
  }

  /** The lane behind whose packets an end is heard: what matters most is said there. */
  get last(): ConditionedPath {
    return this.#reliable ?? this.#usual
  }

  get backlogBytes(): number {
    return this.#usual.backlogBytes + (this.#reliable?.backlogBytes ?? 0)
  }

  laneOf(packet: Uint8Array): ConditionedPath {
    return this.#reliable !== undefined && this.#inner.isReliable!(packet) ? this.last : this.#usual
  }

  setConditions(conditions: PathConditions, back: PathConditions): void {
    this.#usual.setConditions(conditions, back)
    this.#reliable?.setConditions(conditions, back)
  }

  end(): void {
    this.#usual.end()
    this.#reliable?.end()
  }
}
