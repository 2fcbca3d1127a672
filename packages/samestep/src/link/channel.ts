import type { LanesStats } from './lane-stats.ts'

/**
 * One conversation over one transport connection, in messages instead of packets. Client and relay
 * speak to a channel; whether a stream or datagrams carry it is no concern of theirs, except that
 * ticks are repeated by their sender on datagrams and never on streams.
 */
export interface Channel {
  readonly kind: 'stream' | 'datagram'
  /**
   * Takes what the transport received. A stranger's bytes: whatever is wrong is dropped and counted.
   * They are lent until {@link pollMessage} has nothing more to give, so poll at once.
   */
  handlePacket(bytes: Uint8Array, nowMs: number): void
  handleTime(nowMs: number): void
  /** Queues a message that arrives once, in sequence, or the channel fails. */
  sendControl(message: Uint8Array, nowMs: number): void
  /**
   * Sends a message at once. On datagrams it may be lost, or be overtaken and come late. Lasting bytes
   * are such as never change: many channels may send the same, and none needs a copy.
   */
  sendTick(message: Uint8Array, nowMs: number, isLasting?: boolean): void
  /**
   * Queues a part of something large: as reliable as control and behind everything else. False when
   * the lane is full: offer it again later.
   */
  sendBulk(message: Uint8Array, nowMs: number): boolean
  /** The next received message, or `undefined`. Borrowed: valid until the next call on the channel. */
  pollMessage(): ChannelMessage | undefined
  /** The next packet for the transport, or `undefined`. Owned by the caller. */
  pollPacket(): Uint8Array | undefined
  /** When {@link handleTime} next has work to do; `Infinity` when it never will. */
  wakeAtMs(): number
  /** Says goodbye. What control lane holds is still sent; then the state becomes `closed`. */
  close(code: number, nowMs: number): void
  readonly state: ChannelState
  readonly stats: ChannelStats
}

/**
 * Makes the channel for a link that has just opened. `nowMs` is the time of the machine that will own
 * it, which is not the driver's: see {@link MachineClock}.
 */
export type ChannelFactory = (nowMs: number) => Channel

/** Which lane a message came by. */
export interface ChannelMessage {
  /** `late` for a tick message that newer ones overtook: what it says may be out of date. */
  readonly lane: 'control' | 'tick' | 'late' | 'bulk'
  readonly bytes: Uint8Array
}

/** Whether a channel can still be used. */
export type ChannelState =
  | { readonly name: 'open' }
  | { readonly name: 'closing'; readonly code: number }
  /** `code` is what either side closed with; `lost` means that the other side went silent. */
  | { readonly name: 'closed'; readonly code: number | 'lost' }

/** What a channel counts, both ways (REL-16). Numbers only grow, estimates aside. */
export interface ChannelStats {
  readonly packetsSent: number
  readonly packetsReceived: number
  readonly bytesSent: number
  readonly bytesReceived: number
  /** Bytes of headers and acknowledgements among the bytes sent. */
  readonly overheadBytes: number
  readonly messagesSent: number
  readonly messagesReceived: number
  readonly packetsLost: number
  readonly packetsResent: number
  readonly packetsDropped: number
  /** Smoothed round trip and its variation; `undefined` before the first measurement. */
  readonly rttMs: number | undefined
  readonly rttVariationMs: number | undefined
  /** Share of packets lost lately, 0 to 1. */
  readonly lossShare: number
  /**
   * How long a packet waits in front of the line, as far as that is known. On datagrams, by how much
   * round trips exceed the smallest of late: a queue, or a way that became longer. On streams, what
   * the transport holds.
   */
  readonly queueMs: number
  /** What each lane carried. */
  readonly lanes: LanesStats
}
