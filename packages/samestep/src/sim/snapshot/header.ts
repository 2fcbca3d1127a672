/**
 * The head of a snapshot says what it is a snapshot of, so that none is ever loaded into another game,
 * another version, or another match by mistake.
 *
 *      0  u32 magic | u16 format version | u8 encoding | u8 0
 *      8  u32 bytes of this head | u32 sections
 *     16  u32 bytes of the body in the file | u32 once inflated
 *     24  u32 bytes of all contents once unpacked | u32 tick
 *     32  u32 game version | u8 bytes of engine | u8 of game id | u8 of match id | u8 0
 *     40  fingerprint, 32 bytes
 *     72  engine | game id | match id, in UTF-8
 */
import { assert } from '../../base/assert.ts'
import { UsageError, WireError } from '../../base/errors.ts'
import { alignUp, type SnapshotBuffer } from './buffer.ts'
import type { SnapshotEncoding } from './format.ts'
import { checksumBytes, snapshotEncodings, snapshotFormatVersion, snapshotMagic } from './format.ts'
import {
  deflateRatioMax,
  fingerprintBytes,
  matchIdBytesMax,
  nameBytesMax,
  snapshotBytesMax,
  snapshotSectionsMax,
} from './limits.ts'
import { readText } from './names.ts'

/** What a snapshot is of. */
export interface SnapshotHeader {
  /** Version of the library that wrote it. For people: nothing is decided by it. */
  readonly engine: string
  readonly gameId: string
  /** Version of the game that wrote it: decides which columns the file may lack. */
  readonly gameVersion: number
  /** SHA-256 of everything that decides compatibility. */
  readonly fingerprint: Uint8Array
  readonly matchId: string
  /** The match tick after which the state was saved. */
  readonly tick: number
}

/** The head of a snapshot as it was read, with what it says about the bytes behind it. */
export interface SnapshotInfo extends SnapshotHeader {
  readonly encoding: SnapshotEncoding
  readonly sectionCount: number
  /** Bytes of the head, of the body in the file, and of the body once inflated. */
  readonly headBytes: number
  readonly storedBytes: number
  readonly bodyBytes: number
  /** What the state takes in memory: all cells and all byte sections. */
  readonly contentBytes: number
}

const fingerprintAt = 40
const textsAt = fingerprintAt + fingerprintBytes

/** Where in the head the sizes stand that are known only once the body is written. */
export const sectionCountAt = 12
export const storedBytesAt = 16
export const bodyBytesAt = 20
export const contentBytesAt = 24

/** Writes a head whose sizes are filled in later. */
export function writeHeader(
  out: SnapshotBuffer,
  header: SnapshotHeader,
  encoding: SnapshotEncoding,
): void {
  assert(header.fingerprint.length === fingerprintBytes, 'A fingerprint has 32 bytes')
  assert(isU32(header.tick), 'A tick is a u32')
  assert(out.length === 0, 'A head comes first')
  assert(isU32(header.gameVersion), 'A game version is a u32')
  out.reserve(textsAt)
  out.bytes.fill(0, 0, textsAt)
  out.bytes.set(header.fingerprint, fingerprintAt)
  out.length = textsAt
  const engineBytes = writeText(out, 'engine', header.engine, nameBytesMax)
  const gameIdBytes = writeText(out, 'game id', header.gameId, nameBytesMax)
  const matchIdBytes = writeText(out, 'match id', header.matchId, matchIdBytesMax)
  out.pad()
  const { bytes, view } = out
  view.setUint32(0, snapshotMagic, true)
  view.setUint16(4, snapshotFormatVersion, true)
  bytes[6] = snapshotEncodings.indexOf(encoding)
  view.setUint32(8, out.length, true)
  view.setUint32(28, header.tick, true)
  view.setUint32(32, header.gameVersion, true)
  bytes[36] = engineBytes
  bytes[37] = gameIdBytes
  bytes[38] = matchIdBytes
}

/**
 * Reads only the head of a snapshot: what a list of saves shows. Its sizes fit the bytes and the limit,
 * but nothing behind the head has been looked at. Throws {@link WireError}.
 */
export function readSnapshotHeader(bytes: Uint8Array, maxBytes = snapshotBytesMax): SnapshotInfo {
  if (maxBytes > snapshotBytesMax) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot accept snapshots of ${maxBytes} bytes: the limit is ${snapshotBytesMax}`,
    )
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const encoding = checkStart(bytes, view)
  const gameIdAt = textsAt + bytes[36]!
  const matchIdAt = gameIdAt + bytes[37]!
  const textsEnd = matchIdAt + bytes[38]!
  const sizes = {
    headBytes: view.getUint32(8, true),
    storedBytes: view.getUint32(storedBytesAt, true),
    bodyBytes: view.getUint32(bodyBytesAt, true),
    contentBytes: view.getUint32(contentBytesAt, true),
  }
  if (sizes.headBytes !== alignUp(textsEnd)) {
    throw fault('SS_WIRE_OUT_OF_RANGE', 8, `its head cannot have ${sizes.headBytes} bytes`)
  }
  if (textsEnd - matchIdAt > matchIdBytesMax) {
    throw fault('SS_WIRE_TOO_LARGE', 38, `its match id has ${textsEnd - matchIdAt} bytes`)
  }
  checkSizes(sizes, encoding, bytes.length, maxBytes)
  const sectionCount = view.getUint32(sectionCountAt, true)
  if (sectionCount > snapshotSectionsMax) {
    throw fault('SS_WIRE_TOO_LARGE', sectionCountAt, `it has ${sectionCount} sections`)
  }
  checkZeros(bytes, 7, 8)
  checkZeros(bytes, 39, 40)
  checkZeros(bytes, textsEnd, sizes.headBytes)
  return {
    engine: readText(bytes, textsAt, gameIdAt),
    gameId: readText(bytes, gameIdAt, matchIdAt),
    gameVersion: view.getUint32(32, true),
    fingerprint: new Uint8Array(bytes.subarray(fingerprintAt, textsAt)),
    matchId: readText(bytes, matchIdAt, textsEnd),
    tick: view.getUint32(28, true),
    encoding,
    sectionCount,
    headBytes: sizes.headBytes,
    storedBytes: sizes.storedBytes,
    bodyBytes: sizes.bodyBytes,
    contentBytes: sizes.contentBytes,
  }
}

/** What a snapshot is expected to be of: only the items given are compared. */
export type ExpectedHeader = { readonly [K in keyof SnapshotHeader]?: SnapshotHeader[K] }

const itemNames = {
  gameId: 'game',
  gameVersion: 'game version',
  fingerprint: 'fingerprint',
  matchId: 'match',
  tick: 'tick',
  engine: 'engine',
} as const

/** Throws `SS_WIRE_MISMATCH`, with both values, unless a snapshot is what is expected. */
export function expectHeader(header: SnapshotHeader, expected: ExpectedHeader): void {
  for (const item of Object.keys(itemNames) as (keyof typeof itemNames)[]) {
    const wanted = expected[item]
    if (wanted === undefined || show(header[item]) === show(wanted)) continue
    const found = show(header[item])
    throw new WireError(
      'SS_WIRE_MISMATCH',
      0,
      `Cannot use this snapshot: its ${itemNames[item]} is ${found}; it must be ${show(wanted)}`,
    )
  }
}

/** Throws unless all bytes are zero. */
export function checkZeros(bytes: Uint8Array, start: number, end: number): void {
  let bits = 0
  for (let at = start; at < end; at++) bits |= bytes[at]!
  if (bits !== 0) throw fault('SS_WIRE_NOT_CANONICAL', start, 'a gap is not zero')
}

function checkStart(bytes: Uint8Array, view: DataView): SnapshotEncoding {
  if (bytes.length < 8) throw fault('SS_WIRE_TRUNCATED', bytes.length, 'it ends too early')
  if (view.getUint32(0, true) !== snapshotMagic) {
    throw fault('SS_WIRE_BAD_MAGIC', 0, 'these bytes are not one')
  }
  const version = view.getUint16(4, true)
  if (version !== snapshotFormatVersion) {
    throw fault('SS_WIRE_BAD_VERSION', 4, `its format is ${version}, not ${snapshotFormatVersion}`)
  }
  const encoding = snapshotEncodings[bytes[6]!]
  if (encoding === undefined) throw fault('SS_WIRE_UNKNOWN', 6, `encoding ${bytes[6]} is unknown`)
  if (bytes.length < textsAt) throw fault('SS_WIRE_TRUNCATED', bytes.length, 'it ends too early')
  return encoding
}

interface Sizes {
  readonly headBytes: number
  readonly storedBytes: number
  readonly bodyBytes: number
  readonly contentBytes: number
}

function checkSizes(
  { headBytes, storedBytes, bodyBytes, contentBytes }: Sizes,
  encoding: SnapshotEncoding,
  fileBytes: number,
  maxBytes: number,
): void {
  const largest = Math.max(storedBytes, bodyBytes, contentBytes, fileBytes)
  if (largest > maxBytes) {
    throw fault(
      'SS_WIRE_TOO_LARGE',
      storedBytesAt,
      `it has ${largest} bytes; the limit is ${maxBytes}`,
    )
  }
  const isDeflated = encoding === 'deflate'
  const growth = isDeflated ? deflateRatioMax : 1
  if (bodyBytes > storedBytes * growth || (!isDeflated && bodyBytes !== storedBytes)) {
    const claim = `${storedBytes} bytes cannot become ${bodyBytes}`
    throw fault('SS_WIRE_OUT_OF_RANGE', bodyBytesAt, claim)
  }
  const wanted = headBytes + alignUp(storedBytes) + checksumBytes
  if (fileBytes < wanted)
    throw fault('SS_WIRE_TRUNCATED', fileBytes, `it should have ${wanted} bytes`)
  if (fileBytes > wanted) {
    throw fault('SS_WIRE_TRAILING_BYTES', wanted, `${fileBytes - wanted} bytes are left over`)
  }
}

function writeText(out: SnapshotBuffer, what: string, text: string, bytesMax: number): number {
  const size = out.writeText(text)
  if (size <= bytesMax) return size
  throw new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot save under a ${what} of ${size} bytes: the limit is ${bytesMax}`,
  )
}

function isU32(value: number): boolean {
  return value >>> 0 === value
}

function show(value: string | number | Uint8Array): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return `'${value}'`
  return Array.from(value, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function fault(code: WireError['code'], offset: number, what: string): WireError {
  return new WireError(code, offset, `Cannot read a snapshot: ${what}`)
}
