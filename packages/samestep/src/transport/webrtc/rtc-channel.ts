/**
 * The channel over two data channels: ticks by the lane that loses, control and bulk by the one that
 * does not. It is made of the two channels that exist, each doing what it is best at:
 *
 *     sendTick             ──► DatagramChannel ──► packets from 20 on    ──► lane of ticks
 *     sendControl, -Bulk   ──► StreamChannel   ──► pieces, 00 or 01 first ──► reliable lane
 *
 * The datagram half measures the path, keeps the link alive and notices silence; its own reliable
 * lanes stay empty, because sending again what SCTP already sends again would only add load. The
 * stream half keeps bulk behind everything else and says goodbye behind the last control message.
 *
 * Pieces are no larger than a datagram. SCTP sends a message in one go, so a snapshot part of 64 KB
 * would hold up the ticks behind it; in pieces, ticks go between them.
 */

import { copyBytes } from '../../base/copy-bytes.ts'
import type { Channel, ChannelMessage, ChannelState, ChannelStats } from '../../link/channel.ts'
import { DatagramChannel } from '../../link/datagram/datagram-channel.ts'
import type { LinkSide } from '../../link/datagram/packet-format.ts'
import type { LanesStats } from '../../link/lane-stats.ts'
import { addLanes } from '../../link/lane-stats.ts'
import { StreamChannel } from '../../link/stream/stream-channel.ts'
import { closeCodes } from '../../wire/codes.ts'
import { datagramBytesMax, streamPacketBytesMax } from '../../wire/limits.ts'

/** The first byte from which on a packet belongs to the lane of ticks: it acknowledges or carries. */
export const tickByteMin = 0x20

/** First byte of a piece: the last one of its packet, or not. */
const lastPiece = 0x00
const morePieces = 0x01

const pieceBytesMax = datagramBytesMax - 1

/** How the channel is made. */
export interface RtcChannelOptions {
  /** Who began. */
  readonly side: LinkSide
  /** How much the transport has taken and not sent yet; bulk waits for it. */
  readonly backlogBytes?: () => number
  /** As for a datagram channel. */
  readonly silenceMsMax?: number
}

/** A channel over two lanes. */
export class RtcChannel implements Channel {
  /** Ticks may be lost, so their sender repeats them. */
  readonly kind = 'datagram'
  /** What both halves count. Packets of the reliable lane count once, whatever their pieces. */
  readonly stats: ChannelStats
  readonly #ticks: DatagramChannel
  readonly #rest: StreamChannel
  readonly #counts: BothStats
  /** A packet of the stream half that is being cut, and how far. */
  #cut: Uint8Array | undefined
  #cutAt = 0
  /** Pieces of a packet that is not whole yet. */
  #pieces: Uint8Array[] = []
  #piecesBytes = 0
  /** Set when a stranger broke the rules of pieces. */
  #failure: ChannelState | undefined

  constructor({ side, backlogBytes, silenceMsMax }: RtcChannelOptions, nowMs: number) {
    this.#ticks = new DatagramChannel(
      {
        // A peer connection is one conversation, and DTLS checks every byte.
        epoch: 0,
        checksum: false,
        side,
        ...(silenceMsMax === undefined ? {} : { silenceMsMax }),
      },
      nowMs,
    )
    this.#rest = new StreamChannel(nowMs, backlogBytes)
    this.#counts = new BothStats(this.#ticks.stats, this.#rest.stats)
    this.stats = this.#counts
  }

  get state(): ChannelState {
    if (this.#failure !== undefined) return this.#failure
    const { state } = this.#rest
    return state.name !== 'closed' && this.#ticks.state.name === 'closed'
      ? this.#ticks.state
      : state
  }

  /** Bytes of messages that the channel holds. */
  get heldBytes(): number {
    return this.#ticks.heldBytes + this.#rest.heldBytes + this.#piecesBytes
  }

  handlePacket(bytes: Uint8Array, nowMs: number): void {
    const first = bytes[0]
    if (this.#isClosed || first === undefined) this.#counts.dropped++
    else if (first >= tickByteMin) this.#ticks.handlePacket(bytes, nowMs)
    else if (first === lastPiece || first === morePieces) this.#handlePiece(bytes, nowMs)
    else this.#counts.dropped++
  }

  handleTime(nowMs: number): void {
    this.#ticks.handleTime(nowMs)
    this.#rest.handleTime(nowMs)
  }

  sendControl(message: Uint8Array, nowMs: number): void {
    this.#rest.sendControl(message, nowMs)
  }

  sendTick(message: Uint8Array, nowMs: number): void {
    if (this.state.name === 'open') this.#ticks.sendTick(message, nowMs)
  }

  sendBulk(message: Uint8Array, nowMs: number): boolean {
    return !this.#isClosed && this.#rest.sendBulk(message, nowMs)
  }

  pollMessage(): ChannelMessage | undefined {
    const message = this.#rest.pollMessage()
    if (message !== undefined) return message
    for (let next = this.#ticks.pollMessage(); next; next = this.#ticks.pollMessage()) {
      // The reliable lanes of the datagram half are not in use: only a stranger fills them.
      if (next.lane === 'tick' || next.lane === 'late') return next
      this.#counts.dropped++
    }
    return undefined
  }

  pollPacket(): Uint8Array | undefined {
    if (this.#isClosed) return undefined
    const packet = this.#ticks.pollPacket()
    if (packet !== undefined) return packet
    if (this.#cut === undefined) {
      this.#cut = this.#rest.pollPacket()
      this.#cutAt = 0
    }
    return this.#cut === undefined ? undefined : this.#takePiece(this.#cut)
  }

  wakeAtMs(): number {
    if (this.#isClosed) return Number.POSITIVE_INFINITY
    return Math.min(this.#ticks.wakeAtMs(), this.#rest.wakeAtMs())
  }

  close(code: number, nowMs: number): void {
    if (!this.#isClosed) this.#rest.close(code, nowMs)
  }

  get #isClosed(): boolean {
    return this.state.name === 'closed'
  }

  #takePiece(packet: Uint8Array): Uint8Array {
    const start = this.#cutAt
    const end = Math.min(start + pieceBytesMax, packet.length)
    const piece = new Uint8Array(end - start + 1)
    piece[0] = end < packet.length ? morePieces : lastPiece
    piece.set(packet.subarray(start, end), 1)
    this.#counts.pieceBytes++
    this.#cutAt = end
    if (end === packet.length) this.#cut = undefined
    return piece
  }

  #handlePiece(piece: Uint8Array, nowMs: number): void {
    const isLast = piece[0] === lastPiece
    if (isLast && this.#pieces.length === 0) {
      this.#rest.handlePacket(piece.subarray(1), nowMs)
      return
    }
    // Only the last piece may be shorter: otherwise empty ones could go on for ever.
    const isWhole = isLast ? piece.length > 1 : piece.length === datagramBytesMax
    this.#piecesBytes += piece.length - 1
    if (!isWhole || this.#piecesBytes > streamPacketBytesMax) {
      this.#pieces = []
      this.#piecesBytes = 0
      this.#failure = { name: 'closed', code: closeCodes['bad-message'] }
      this.#counts.dropped++
      return
    }
    this.#pieces.push(copyBytes(piece, 1))
    if (isLast) this.#rest.handlePacket(this.#takeWhole(), nowMs)
  }

  #takeWhole(): Uint8Array {
    const packet = new Uint8Array(this.#piecesBytes)
    let at = 0
    for (const piece of this.#pieces) {
      packet.set(piece, at)
      at += piece.length
    }
    this.#pieces = []
    this.#piecesBytes = 0
    return packet
  }
}

/** Both halves in one. Loss and round trip are those of the ticks: SCTP hides its own. */
class BothStats implements ChannelStats {
  /** Packets that belonged to neither half. */
  dropped = 0
  /** First bytes of pieces that were sent. */
  pieceBytes = 0
  readonly #ticks: ChannelStats
  readonly #rest: ChannelStats

  constructor(ticks: ChannelStats, rest: ChannelStats) {
    this.#ticks = ticks
    this.#rest = rest
  }

  get packetsSent(): number {
    return this.#ticks.packetsSent + this.#rest.packetsSent
  }

  get packetsReceived(): number {
    return this.#ticks.packetsReceived + this.#rest.packetsReceived
  }

  get bytesSent(): number {
    return this.#ticks.bytesSent + this.#rest.bytesSent + this.pieceBytes
  }

  get bytesReceived(): number {
    return this.#ticks.bytesReceived + this.#rest.bytesReceived
  }

  get overheadBytes(): number {
    return this.#ticks.overheadBytes + this.#rest.overheadBytes + this.pieceBytes
  }

  get messagesSent(): number {
    return this.#ticks.messagesSent + this.#rest.messagesSent
  }

  get messagesReceived(): number {
    return this.#ticks.messagesReceived + this.#rest.messagesReceived
  }

  get packetsLost(): number {
    return this.#ticks.packetsLost
  }

  get packetsResent(): number {
    return this.#ticks.packetsResent
  }

  get packetsDropped(): number {
    return this.#ticks.packetsDropped + this.#rest.packetsDropped + this.dropped
  }

  get rttMs(): number | undefined {
    return this.#ticks.rttMs
  }

  get rttVariationMs(): number | undefined {
    return this.#ticks.rttVariationMs
  }

  get queueMs(): number {
    return this.#ticks.queueMs
  }

  get lossShare(): number {
    return this.#ticks.lossShare
  }

  get lanes(): LanesStats {
    return addLanes(this.#ticks.lanes, this.#rest.lanes)
  }
}
