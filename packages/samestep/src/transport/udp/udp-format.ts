/**
 * The datagrams, byte by byte. Numbers are little-endian.
 *
 *     HELLO      01 version ephemeral(32) zeros                               1 232 bytes, always
 *     CHALLENGE  02 version echo(8) cookie(21)                                   31
 *     INIT       03 version pattern cookie(21) Noise message 1
 *     ACCEPT     04 version echo(8) Noise message 2 {code u16, session u32, token(16)}
 *     FINISH     05 version session(4) Noise message 3                            XX only
 *     RESET      06 version token(16)                                            18
 *
 *     packet     1cpa0nnn  session(4, to the server only)  sequence(n+1)  encrypted  tag(16)
 *                 │││└ phase of the newest key that came from the other side
 *                 ││└─ phase of the key that encrypted this
 *                 │└── 1: a control frame, 0: a packet of the link machine
 *
 * The first message of a client that is encrypted (1 of IK, 3 of XX) carries {protocol u32, ticket}.
 * A sequence has as few bytes as it needs: one value has one encoding.
 */

import type { NoisePattern } from './crypto/noise-handshake.ts'
import {
  cookieBytes,
  echoBytes,
  helloBytes,
  keyBytes,
  resetTokenBytes,
  sequenceBytesMax,
  sessionIdBytes,
  tagBytes,
  ticketBytesMax,
  udpPayloadBytesMax,
  udpVersion,
} from './limits.ts'

/** First bytes of the datagrams of a handshake. */
export const kinds = {
  hello: 1,
  challenge: 2,
  init: 3,
  accept: 4,
  finish: 5,
  reset: 6,
} as const

/** What the third byte of INIT says. */
const patternCodes = { IK: 1, XX: 2 } as const

/** The first bytes of a packet have this bit, those of a handshake have not. */
export const packetMark = 0x80
const controlMark = 0x40
const phaseMark = 0x20
const ackMark = 0x10
const reservedMark = 0x08

const initHeadBytes = 3 + cookieBytes
const acceptHeadBytes = 2 + echoBytes
const finishHeadBytes = 2 + sessionIdBytes
const serverPayloadBytes = 2 + sessionIdBytes + resetTokenBytes

/** Both sides mix this in, so that no other protocol over the same keys can be mistaken for it. */
export const prologue = Uint8Array.from(Buffer.from(`samestep udp ${udpVersion}`, 'latin1'))

const helloPadding = new Uint8Array(helloBytes - 2 - keyBytes)

/** Where a datagram comes from or goes to. */
export interface UdpAddress {
  readonly address: string
  readonly port: number
}

/** Whether two addresses are the same. */
export function isSameAddress(a: UdpAddress, b: UdpAddress): boolean {
  return a.port === b.port && a.address === b.address
}

/** HELLO. */
export function writeHello(ephemeral: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(helloBytes)
  bytes[0] = kinds.hello
  bytes[1] = udpVersion
  bytes.set(ephemeral, 2)
  return bytes
}

/** The ephemeral key of a HELLO; `undefined` unless it is exactly one. */
export function readHello(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length !== helloBytes) return undefined
  if (Buffer.compare(bytes.subarray(2 + keyBytes), helloPadding) !== 0) return undefined
  return bytes.subarray(2, 2 + keyBytes)
}

/** CHALLENGE, with room for the cookie behind {@link challengeCookieAt}. */
export function writeChallenge(ephemeral: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(2 + echoBytes + cookieBytes)
  bytes[0] = kinds.challenge
  bytes[1] = udpVersion
  bytes.set(ephemeral.subarray(0, echoBytes), 2)
  return bytes
}

/** Where the cookie stands in a CHALLENGE. */
export const challengeCookieAt = 2 + echoBytes

/** The cookie of a CHALLENGE that answers the HELLO with this key. */
export function readChallenge(bytes: Uint8Array, ephemeral: Uint8Array): Uint8Array | undefined {
  if (bytes.length !== challengeCookieAt + cookieBytes || !isEcho(bytes, ephemeral))
    return undefined
  return bytes.slice(challengeCookieAt)
}

/** INIT. */
export function writeInit(
  pattern: NoisePattern,
  cookie: Uint8Array,
  message: Uint8Array,
): Uint8Array {
  const bytes = new Uint8Array(initHeadBytes + message.length)
  bytes[0] = kinds.init
  bytes[1] = udpVersion
  bytes[2] = patternCodes[pattern]
  bytes.set(cookie, 3)
  bytes.set(message, initHeadBytes)
  return bytes
}

/** What an INIT says. */
export interface Init {
  readonly pattern: NoisePattern
  readonly cookie: Uint8Array
  readonly message: Uint8Array
  /** The client's ephemeral key, with which its message begins. */
  readonly ephemeral: Uint8Array
}

/** Bytes of an INIT's message: what stands there besides the ticket, and with the longest one. */
const ikBytesMin = keyBytes + keyBytes + tagBytes + 4 + tagBytes
const ikBytesMax = ikBytesMin + ticketBytesMax

/** Reads an INIT, whose message may be anything of a possible length. */
export function readInit(bytes: Uint8Array): Init | undefined {
  const size = bytes.length - initHeadBytes
  const isIk = bytes[2] === patternCodes.IK && size >= ikBytesMin && size <= ikBytesMax
  const isXx = bytes[2] === patternCodes.XX && size === keyBytes
  if (!isIk && !isXx) return undefined
  const message = bytes.subarray(initHeadBytes)
  return {
    pattern: isIk ? 'IK' : 'XX',
    cookie: bytes.subarray(3, initHeadBytes),
    message,
    ephemeral: message.subarray(0, keyBytes),
  }
}

/** ACCEPT. */
export function writeAccept(ephemeral: Uint8Array, message: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(acceptHeadBytes + message.length)
  bytes[0] = kinds.accept
  bytes[1] = udpVersion
  bytes.set(ephemeral.subarray(0, echoBytes), 2)
  bytes.set(message, acceptHeadBytes)
  return bytes
}

/** The message of an ACCEPT that answers the INIT with this key. */
export function readAccept(bytes: Uint8Array, ephemeral: Uint8Array): Uint8Array | undefined {
  if (bytes.length <= acceptHeadBytes || bytes.length > udpPayloadBytesMax) return undefined
  return isEcho(bytes, ephemeral) ? bytes.subarray(acceptHeadBytes) : undefined
}

/** FINISH. */
export function writeFinish(sessionId: number, message: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(finishHeadBytes + message.length)
  bytes[0] = kinds.finish
  bytes[1] = udpVersion
  writeNumber(bytes, 2, sessionIdBytes, sessionId)
  bytes.set(message, finishHeadBytes)
  return bytes
}

/** What a FINISH says. */
export interface Finish {
  readonly sessionId: number
  readonly message: Uint8Array
}

/** Reads a FINISH. */
export function readFinish(bytes: Uint8Array): Finish | undefined {
  const size = bytes.length - finishHeadBytes
  const sizeMin = keyBytes + tagBytes + 4 + tagBytes
  if (size < sizeMin || size > sizeMin + ticketBytesMax) return undefined
  return {
    sessionId: readNumber(bytes, 2, sessionIdBytes),
    message: bytes.subarray(finishHeadBytes),
  }
}

/** What a client tells in its first encrypted message. */
export interface ClientPayload {
  /** Which protocol it speaks above this transport. */
  readonly protocol: number
  readonly ticket: Uint8Array
}

/** The bytes of a {@link ClientPayload}. */
export function writeClientPayload(payload: ClientPayload): Uint8Array {
  const bytes = new Uint8Array(4 + payload.ticket.length)
  writeNumber(bytes, 0, 4, payload.protocol)
  bytes.set(payload.ticket, 4)
  return bytes
}

/** Reads a {@link ClientPayload}. */
export function readClientPayload(bytes: Uint8Array): ClientPayload | undefined {
  if (bytes.length < 4 || bytes.length > 4 + ticketBytesMax) return undefined
  return { protocol: readNumber(bytes, 0, 4), ticket: bytes.slice(4) }
}

/** What a server tells in its message. */
export interface ServerPayload {
  /** 0, or the close code with which it refuses. */
  readonly code: number
  readonly sessionId: number
  /** By which the server will be believed that it has forgotten the session. */
  readonly resetToken: Uint8Array
}

/** The bytes of a {@link ServerPayload}. */
export function writeServerPayload(payload: ServerPayload): Uint8Array {
  const bytes = new Uint8Array(serverPayloadBytes)
  writeNumber(bytes, 0, 2, payload.code)
  writeNumber(bytes, 2, sessionIdBytes, payload.sessionId)
  bytes.set(payload.resetToken, 2 + sessionIdBytes)
  return bytes
}

/** Reads a {@link ServerPayload}. */
export function readServerPayload(bytes: Uint8Array): ServerPayload | undefined {
  if (bytes.length !== serverPayloadBytes) return undefined
  return {
    code: readNumber(bytes, 0, 2),
    sessionId: readNumber(bytes, 2, sessionIdBytes),
    resetToken: bytes.slice(2 + sessionIdBytes),
  }
}

/** RESET. */
export function writeReset(token: Uint8Array): Uint8Array {
  return Uint8Array.of(kinds.reset, udpVersion, ...token)
}

/** The token of a RESET. */
export function readReset(bytes: Uint8Array): Uint8Array | undefined {
  const isReset = bytes[0] === kinds.reset && bytes[1] === udpVersion
  return isReset && bytes.length === 2 + resetTokenBytes ? bytes.subarray(2) : undefined
}

/** What stands in front of an encrypted packet. */
export interface PacketHead {
  readonly isControl: boolean
  readonly phase: 0 | 1
  readonly ackPhase: 0 | 1
  /** To which session; `undefined` in packets to a client. */
  readonly sessionId: number | undefined
  readonly sequence: number
}

/** The bytes of a {@link PacketHead}. */
export function writeHead(head: PacketHead): Uint8Array {
  const sequenceBytes = sequenceBytesOf(head.sequence)
  const idBytes = head.sessionId === undefined ? 0 : sessionIdBytes
  const bytes = new Uint8Array(1 + idBytes + sequenceBytes)
  bytes[0] =
    packetMark |
    (head.isControl ? controlMark : 0) |
    (head.phase * phaseMark) |
    (head.ackPhase * ackMark) |
    (sequenceBytes - 1)
  if (head.sessionId !== undefined) writeNumber(bytes, 1, idBytes, head.sessionId)
  writeNumber(bytes, 1 + idBytes, sequenceBytes, head.sequence)
  return bytes
}

/** How many bytes the head of a packet takes. */
export function headBytesOf(bytes: Uint8Array, hasSession: boolean): number {
  return 1 + (hasSession ? sessionIdBytes : 0) + (bytes[0]! & 7) + 1
}

/** Reads the head of a packet, behind which there is room for something encrypted. */
export function readHead(bytes: Uint8Array, hasSession: boolean): PacketHead | undefined {
  const mark = bytes[0]
  if (mark === undefined || (mark & packetMark) === 0 || (mark & reservedMark) !== 0) {
    return undefined
  }
  const end = headBytesOf(bytes, hasSession)
  // An empty packet says nothing, so there is none.
  if (bytes.length <= end + tagBytes || bytes.length > udpPayloadBytesMax) return undefined
  const sequenceBytes = (mark & 7) + 1
  if (sequenceBytes > sequenceBytesMax) return undefined
  const highest = bytes[end - 1]!
  if (sequenceBytes > 1 && highest === 0) return undefined
  // 2⁵³ and more, where numbers begin to be rounded.
  if (sequenceBytes === sequenceBytesMax && highest > 0x1f) return undefined
  return {
    isControl: (mark & controlMark) !== 0,
    phase: (mark & phaseMark) === 0 ? 0 : 1,
    ackPhase: (mark & ackMark) === 0 ? 0 : 1,
    sessionId: hasSession ? readNumber(bytes, 1, sessionIdBytes) : undefined,
    sequence: readNumber(bytes, end - sequenceBytes, sequenceBytes),
  }
}

function isEcho(bytes: Uint8Array, ephemeral: Uint8Array): boolean {
  return Buffer.compare(bytes.subarray(2, 2 + echoBytes), ephemeral.subarray(0, echoBytes)) === 0
}

/** The bits up to 2³¹ by shifts, which are many times faster than divisions, and the rest alike. */
function writeNumber(bytes: Uint8Array, at: number, size: number, value: number): void {
  const low = value >>> 0
  const high = (value - low) / 2 ** 32
  for (let index = 0; index < size; index++) {
    bytes[at + index] = index < 4 ? low >>> (8 * index) : high >>> (8 * (index - 4))
  }
}

function sequenceBytesOf(sequence: number): number {
  if (sequence < 2 ** 8) return 1
  if (sequence < 2 ** 16) return 2
  if (sequence < 2 ** 24) return 3
  if (sequence < 2 ** 32) return 4
  if (sequence < 2 ** 40) return 5
  return sequence < 2 ** 48 ? 6 : 7
}

/** Exact up to 2⁵³−1, where bit operations would end at 2³¹. */
function readNumber(bytes: Uint8Array, at: number, size: number): number {
  let value = 0
  for (let index = size - 1; index >= 0; index--) value = value * 256 + bytes[at + index]!
  return value
}
