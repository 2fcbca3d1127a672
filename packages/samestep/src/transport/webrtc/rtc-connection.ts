/**
 * A connection over two data channels. It is of kind `datagram`, because ticks may be lost; what must
 * arrive goes by the reliable lane. Which lane a packet takes is told by its first byte, so that a
 * driver hands over packets as to any other connection:
 *
 *     00 to 1f   the reliable lane: pieces of control and bulk, made by {@link RtcChannel}
 *     20 to ff   the lane of ticks: every packet of a DatagramChannel begins like that
 *
 * The end travels as a text on the reliable lane, which packets never are: `close 4009 match over`.
 */
import type { Channel } from '../../link/channel.ts'
import type { LinkSide } from '../../link/datagram/packet-format.ts'
import { closeCodes } from '../../wire/codes.ts'
import { datagramBytesMax } from '../../wire/limits.ts'
import { assertPacketSize, clipReason, makeEnd, reasonBytesMax } from '../closing.ts'
import type { Connection, ConnectionEnd, ConnectionHandler } from '../connection.ts'
import { brokenCode } from '../connection.ts'
import { guardEntrance } from '../entrance.ts'
import { HandlerGate } from '../handler-gate.ts'
import { farewellMsMax, reliableBacklogBytesMax, tickBacklogBytesMax } from './limits.ts'
import type { RtcLane, RtcPeer } from './peer.ts'
import { RtcChannel, tickByteMin } from './rtc-channel.ts'

/** What the maker of a connection wants to know. */
export interface RtcConnectionEvents {
  /** Both lanes are open. */
  handleReady(): void
  /** The connection is over, and the peer closed. Once. */
  handleOver(end: ConnectionEnd): void
  /** Whoever uses the connection threw, or this side did in a timer. The connection must end. */
  handleFault(error: unknown): void
}

/** A connection over one peer. Made before its lanes are open; given away when they are. */
export class RtcConnection implements Connection {
  readonly kind = 'datagram'
  readonly transport = 'webrtc'
  readonly isAuthentic = true
  readonly packetBytesMax = datagramBytesMax
  /** Tells the listener that the other end has said who it is. */
  markKnown?: () => void
  readonly #peer: RtcPeer
  readonly #remote: string
  readonly #events: RtcConnectionEvents
  readonly #gate = new HandlerGate()
  #lanesToOpen = 2
  /** What this side closed with, while the other side has not heard it. */
  #farewell: ConnectionEnd | undefined
  #farewellTimer: ReturnType<typeof setTimeout> | undefined
  #isOver = false

  constructor(peer: RtcPeer, remote: string, events: RtcConnectionEvents) {
    this.#peer = peer
    this.#remote = remote
    this.#events = events
    this.#openLane(peer.ticks, (bytes) => bytes[0]! >= tickByteMin)
    this.#openLane(peer.reliable, (bytes) => bytes[0]! < tickByteMin)
  }

  get backlogBytes(): number {
    if (this.#isOver) return 0
    return this.#peer.ticks.bufferedBytes + this.#peer.reliable.bufferedBytes
  }

  get remote(): string {
    return this.#peer.remoteAddress ?? this.#remote
  }

  open(handler: ConnectionHandler): void {
    // The gate calls it from microtasks too, where an error would be uncaught.
    this.#gate.open({
      handlePacket: this.#guard((bytes) => handler.handlePacket(bytes)),
      handleClosed: this.#guard((end) => handler.handleClosed(end)),
    })
  }

  /** Makes the channel that uses both lanes as they are meant. */
  makeChannel(side: LinkSide, nowMs: number): Channel {
    return new RtcChannel({ side, backlogBytes: () => this.backlogBytes }, nowMs)
  }

  isReliable(packet: Uint8Array): boolean {
    return packet[0]! < tickByteMin
  }

  send(packet: Uint8Array): void {
    assertPacketSize(packet, this)
    if (this.#isOver || this.#farewell !== undefined) return
    const { ticks, reliable } = this.#peer
    if (!this.isReliable(packet)) {
      if (ticks.bufferedBytes <= tickBacklogBytesMax) ticks.sendBytes(packet)
    } else if (reliable.bufferedBytes > reliableBacklogBytesMax || !reliable.sendBytes(packet)) {
      // Leaving one out would break the promise of the lane.
      this.close(closeCodes['too-slow'], 'too slow')
    }
  }

  close(code: number, reason: string): void {
    const end = makeEnd(code, reason)
    if (this.#isOver || this.#farewell !== undefined) return
    this.#farewell = end
    this.#gate.mute()
    const isSaid = this.#peer.reliable.sendText(`close ${end.code} ${end.reason}`)
    // The other side closes the peer as soon as it has heard; closing it here would cut that short.
    const waitMs = isSaid ? farewellMsMax : 0
    this.#farewellTimer = setTimeout(
      this.#guard(() => this.#finish(end)),
      waitMs,
    )
  }

  /** The peer is gone. */
  handleBroken(reason: string): void {
    this.#finish(this.#farewell ?? { code: brokenCode, reason })
  }

  #openLane(lane: RtcLane, isOfLane: (bytes: Uint8Array) => boolean): void {
    lane.open({
      handleOpen: () => {
        this.#lanesToOpen -= 1
        if (this.#lanesToOpen === 0) this.#events.handleReady()
      },
      handleBytes: (bytes) => {
        // A packet on the wrong lane was not sent by our code, and may break the sequence.
        if (bytes.length === 0 || bytes.length > this.packetBytesMax || !isOfLane(bytes)) return
        const isTaken = this.#gate.handlePacket(bytes)
        if (!isTaken && lane === this.#peer.reliable) this.close(closeCodes.rate, 'never opened')
      },
      handleText: (text) => {
        if (lane === this.#peer.reliable) this.#handleText(text)
      },
      handleClosed: () => this.handleBroken('lane closed'),
    })
  }

  #handleText(text: string): void {
    const [, code, reason] = /^close (1000|4\d{3}) (.*)$/s.exec(text) ?? []
    if (code === undefined || reason === undefined) return
    // Bytes of UTF-8 are at most three for each unit, so longer texts need not be looked at.
    const isShort = reason.length <= reasonBytesMax
    // Who is closing already keeps to the own reason.
    this.#finish(
      this.#farewell ?? { code: Number(code), reason: isShort ? clipReason(reason) : '' },
    )
  }

  #finish(end: ConnectionEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#farewellTimer)
    // Whatever fails on the way: the maker counts its connections by this.
    try {
      this.#peer.close()
      this.#gate.end(end)
    } finally {
      this.#events.handleOver(end)
    }
  }

  #guard<Args extends readonly unknown[]>(callback: (...args: Args) => void) {
    return guardEntrance(callback, (error) => {
      // What still waits is for somebody who just failed.
      this.#gate.mute()
      this.#events.handleFault(error)
    })
  }
}
