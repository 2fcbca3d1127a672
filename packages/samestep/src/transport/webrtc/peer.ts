/**
 * One RTCPeerConnection with its two lanes, whoever implements it: a browser, or a native library in
 * Node. The lanes are negotiated beforehand (fixed numbers on both sides), so that no peer can open
 * others and none has to be announced.
 *
 *     ticks     unordered, never sent again
 *     reliable  in sequence, sent until it arrives
 */

/** The lane of ticks: its number on both sides, and what `createDataChannel` is told. */
export const tickLane = {
  label: 'ticks',
  init: { negotiated: true, id: 0, ordered: false, maxRetransmits: 0 },
} as const

/** The reliable lane. */
export const reliableLane = {
  label: 'reliable',
  init: { negotiated: true, id: 1, ordered: true },
} as const

/** A STUN or TURN server. */
export interface IceServer {
  /** `stun:stun.example.org:3478`, `turn:turn.example.org:3478?transport=udp`. */
  readonly url: string
  /** For TURN. */
  readonly username?: string
  readonly credential?: string
}

/** How a peer finds a path to another. */
export interface IceOptions {
  /** Defaults to none, which is enough if one side has a public address. */
  readonly iceServers?: readonly IceServer[]
  /** Connect only through a TURN server, so that peers do not learn each other's addresses (T-103). */
  readonly relayOnly?: boolean
}

/** Half of an agreement. */
export type DescriptionKind = 'offer' | 'answer'

/** Hears of a peer. Never called inside a call to the peer. */
export interface RtcPeerHandler {
  /** What the other side needs to know first. */
  handleDescription(kind: DescriptionKind, sdp: string): void
  /** An address to try. Never before the description. */
  handleCandidate(candidate: string, mid: string): void
  /** A way was found: the other side has answered by it. Not every platform tells. */
  handleReached(): void
  /** There is no way to the other side, or none any more. */
  handleBroken(reason: string): void
  /** A callback of the peer or of its lanes met an error of ours: this connection cannot go on. */
  handleFault(error: unknown): void
}

/** Hears of a lane. Never called inside a call to the lane. */
export interface RtcLaneHandler {
  handleOpen(): void
  /** `bytes` are lent for the call. */
  handleBytes(bytes: Uint8Array): void
  handleText(text: string): void
  handleClosed(): void
}

/** One data channel. */
export interface RtcLane {
  /** Bytes that were given to it and are not on their way yet. */
  readonly bufferedBytes: number
  /** Called once, before anything can come. */
  open(handler: RtcLaneHandler): void
  /** False when it could not be sent: the lane is not open, or its buffer is full. */
  sendBytes(bytes: Uint8Array): boolean
  sendText(text: string): boolean
}

/** One connection to one peer. */
export interface RtcPeer {
  readonly ticks: RtcLane
  readonly reliable: RtcLane
  /** Where the other side is, if that can be known, once lanes are open. */
  readonly remoteAddress: string | undefined
  /** Called once, before anything else. */
  open(handler: RtcPeerHandler): void
  /** Begins: the description of an offer follows. */
  offer(): void
  /** Takes an offer: the description of an answer follows. */
  answer(offerSdp: string): void
  /** Takes the answer to an offer. */
  acceptAnswer(sdp: string): void
  /** Takes an address of the other side. After its description. */
  addCandidate(candidate: string, mid: string): void
  /** Ends all of it at once. May be called again. */
  close(): void
}

/** Makes a peer. Throws when the platform has none. */
export type MakePeer = (options: IceOptions) => RtcPeer
