import { assert } from '../base/assert.ts'
import { BitReader } from '../base/bit-reader.ts'
import { BitWriter } from '../base/bit-writer.ts'
import { WireError } from '../base/errors.ts'
import { sha256 } from '../sim/hash/sha256.ts'
import { seatsMax, traceBlockEntries } from '../sim/limits.ts'
import type { StructField } from '../sim/schema/index.ts'
import { bool, bytes, list, oneOf, optional, seat, struct, text, u32 } from '../sim/schema/index.ts'
import { matchNameBytesMax } from '../wire/limits.ts'
import {
  findingFields,
  probeChainsMax,
  probeEntriesMax,
  probeFieldBytesMax,
  probeGroupsMax,
  probeKinds,
  probeLabelBytesMax,
  probeMachineBytesMax,
  probePiecesMax,
  probeSidesMax,
  probeValueBytesMax,
  statePiece,
  traceEntryFields,
} from '../wire/messages/desync-probes.ts'
import { matchConfig } from '../wire/messages/match-config.ts'
import { excerptBytesMax } from './record-excerpt.ts'
import type { PairFinding } from './search/pair-finding.ts'
import type { FindingSeats } from './tell-finding.ts'

/**
 * The file that says all that is known of a desync: `.desync`. It stands for itself, and says itself
 * whether it is whole.
 *
 *     "SSDESYNC" | u32 version | u32 bytes of the body | body | SHA-256 of all before
 *
 * The body is the fields below, bit-packed as messages are: whatever is read from it has a maximum.
 *
 * A relay writes what both sides said; a player's client what it was told, and what it has itself. With a
 * state from before the bad tick, or all bundles from the first on, anybody can run the tick again.
 */

/** Why there is a state, or none. */
export const stateOutcomes = [
  'kept',
  /** The record reaches back to the first tick, or another side has the same state. */
  'not-needed',
  /** The machine has none from before the tick any more. */
  'forgotten',
  'too-large',
  'no-answer',
] as const

/** Why there is a state, or none. */
export type StateOutcome = (typeof stateOutcomes)[number]

const seats = list(seat, seatsMax)
const rerun = optional(probeKinds.rerun.answer)
const outside = optional(probeKinds.outside.answer)
const entries = list(traceEntryFields, probeEntriesMax)

const prefixes = list(u32, 2 * traceBlockEntries)

const place = struct({
  part: text(probeFieldBytesMax),
  row: optional(u32),
  field: text(probeFieldBytesMax),
  tick: u32,
  hasValues: bool,
  a: optional(text(probeValueBytesMax)),
  b: optional(text(probeValueBytesMax)),
})

const write = struct({
  index: u32,
  a: optional(traceEntryFields),
  b: optional(traceEntryFields),
  excerptA: entries,
  excerptB: entries,
  blockStart: u32,
  prefixesA: prefixes,
  prefixesB: prefixes,
})

const pair = struct({
  seatsA: seats,
  seatsB: seats,
  stage: oneOf(['located', 'traced']),
  tick: u32,
  isExact: bool,
  leaves: list(text(probeLabelBytesMax), probeGroupsMax),
  leafCount: u32,
  place: optional(place),
  rerunA: rerun,
  rerunB: rerun,
  write: optional(write),
  areWritesSame: bool,
  outsideA: outside,
  outsideB: outside,
})

/** What the machines of a group say of themselves. */
const side = struct({
  seats,
  /** Engine and platform. */
  machine: text(probeMachineBytesMax),
  /** The chains over all sync hashes after these ticks, up to the bad one. */
  firstTick: u32,
  chains: list(optional(struct({ lo: u32, hi: u32 })), probeChainsMax),
  stateOutcome: oneOf(stateOutcomes),
  state: optional(struct({ tick: u32, bytes: u32, pieces: list(statePiece, probePiecesMax) })),
})

const record = struct({ firstTick: u32, bundles: bytes(excerptBytesMax) })

const fileFields = struct({
  /** Of whoever wrote it. */
  engine: text(64),
  /** The seat of the client that wrote it; `undefined` for a relay. */
  savedBy: optional(seat),
  matchId: text(64),
  matchName: text(matchNameBytesMax),
  gameId: text(63),
  gameVersion: u32,
  fingerprint: bytes(32),
  seed: text(64),
  config: matchConfig,
  tick: u32,
  agreedTick: optional(u32),
  groups: list(seats, seatsMax),
  culprits: seats,
  pairs: list(pair, 8),
  /** What a client was told of all that. */
  told: optional(findingFields),
  sides: list(side, probeSidesMax),
  record: optional(record),
})

type BodyOf<F> = F extends StructField<infer T> ? T : never
type FileBody = BodyOf<typeof fileFields>
type PairBody = BodyOf<typeof pair>

/** What the machines of a group say of themselves. */
export type DesyncSide = BodyOf<typeof side>

/** Two groups of seats, and how their machines went apart. */
export interface ComparedPair {
  readonly seats: FindingSeats
  readonly finding: PairFinding
}

/** What a `.desync` file says. */
export interface DesyncFile extends Omit<FileBody, 'pairs'> {
  readonly pairs: readonly ComparedPair[]
}

const magic = Uint8Array.from('SSDESYNC', (letter) => letter.charCodeAt(0))
const version = 3
const headBytes = magic.length + 8
const hashBytes = 32

/** Bytes of the largest file that is read: far more than one ever has. */
export const desyncFileBytesMax = 25_165_824

assert(fileFields.bitsMax / 8 + headBytes + hashBytes <= desyncFileBytesMax, 'A file is read whole')

/** The bytes of a file. */
export function encodeDesyncFile(file: DesyncFile): Uint8Array {
  const fields = fileFields as unknown as StructField<object>
  const body = { ...file, pairs: file.pairs.map(toBody) }
  assert(fields.accepts(body), 'A desync file that does not fit its own fields')
  const writer = new BitWriter(1_024)
  fields.write(writer, body)
  const content = writer.finish()
  const bytes = new Uint8Array(headBytes + content.byteLength + hashBytes)
  const view = new DataView(bytes.buffer)
  bytes.set(magic)
  view.setUint32(magic.length, version, true)
  view.setUint32(magic.length + 4, content.byteLength, true)
  bytes.set(content, headBytes)
  const end = headBytes + content.byteLength
  bytes.set(sha256(bytes.subarray(0, end)), end)
  return bytes
}

/** @throws WireError for anything but a whole file of this version. */
export function decodeDesyncFile(bytes: Uint8Array): DesyncFile {
  const refuse = (
    code: 'SS_WIRE_MISMATCH' | 'SS_WIRE_BAD_VERSION' | 'SS_WIRE_TRUNCATED',
    why: string,
  ) => new WireError(code, 0, `Cannot read the desync file: ${why}`)
  if (bytes.byteLength < headBytes + hashBytes || magic.some((byte, at) => bytes[at] !== byte)) {
    throw refuse('SS_WIRE_MISMATCH', 'it is none')
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found = view.getUint32(magic.length, true)
  if (found !== version) {
    throw refuse('SS_WIRE_BAD_VERSION', `it is of version ${found}; this is version ${version}`)
  }
  const end = headBytes + view.getUint32(magic.length + 4, true)
  if (bytes.byteLength !== end + hashBytes) throw refuse('SS_WIRE_TRUNCATED', 'it is not whole')
  const hash = sha256(bytes.subarray(0, end))
  if (hash.some((byte, at) => bytes[end + at] !== byte)) {
    throw refuse('SS_WIRE_MISMATCH', 'it was changed or damaged')
  }
  const reader = new BitReader()
  reader.reset(bytes.slice(headBytes, end))
  const { pairs, ...rest } = fileFields.read(reader) as FileBody
  reader.end()
  return { ...rest, pairs: pairs.map(fromBody) }
}

function toBody({ seats: [seatsA, seatsB], finding }: ComparedPair): PairBody {
  const { place: at, write: wrote, reruns, outside: changed, leaves, ...rest } = finding
  return {
    ...rest,
    seatsA: [...seatsA],
    seatsB: [...seatsB],
    leaves: [...leaves],
    place: at && {
      part: at.part,
      row: at.row,
      field: at.field,
      tick: at.tick,
      hasValues: at.values !== undefined,
      a: at.values?.[0],
      b: at.values?.[1],
    },
    rerunA: reruns[0],
    rerunB: reruns[1],
    write: wrote && {
      index: wrote.index,
      a: wrote.sides[0],
      b: wrote.sides[1],
      excerptA: [...wrote.excerpts[0]],
      excerptB: [...wrote.excerpts[1]],
      blockStart: wrote.blockStart,
      prefixesA: [...wrote.prefixes[0]],
      prefixesB: [...wrote.prefixes[1]],
    },
    outsideA: changed[0],
    outsideB: changed[1],
  }
}

function fromBody(body: PairBody): ComparedPair {
  const { seatsA, seatsB, place: at, write: wrote, rerunA, rerunB, ...rest } = body
  const { outsideA, outsideB, ...known } = rest
  return {
    seats: [seatsA, seatsB],
    finding: {
      ...known,
      place: at && {
        part: at.part,
        row: at.row,
        field: at.field,
        tick: at.tick,
        values: at.hasValues ? [at.a, at.b] : undefined,
      },
      reruns: [rerunA, rerunB],
      write: wrote && {
        index: wrote.index,
        sides: [wrote.a, wrote.b],
        excerpts: [wrote.excerptA, wrote.excerptB],
        blockStart: wrote.blockStart,
        prefixes: [wrote.prefixesA, wrote.prefixesB],
      },
      outside: [outsideA, outsideB],
    },
  }
}
