import { assert } from '../base/assert.ts'
import { BitWriter } from '../base/bit-writer.ts'
import { crc32 } from '../base/crc32.ts'
import type { StructField } from '../sim/schema/index.ts'
import type { RecordEntry } from './entries.ts'
import { entryTypes, rawKinds } from './entries.ts'
import {
  checkBytes,
  headBytes,
  loadU32,
  makeHead,
  matchMark,
  moreMark,
  recordIdBytes,
  storeU32,
  writeVarint,
} from './format.ts'
import { entryBytesMax, entryFrameBytesMax, recordMatchesMax } from './limits.ts'

/** Shared by all writers: calls do not overlap. */
const fields = new BitWriter(1_024)

/** Room for what one wake-up of a busy relay writes, so that most writers never grow. */
const initialBytes = 4_096

/**
 * Writes a record: entries in, bytes out. It keeps nothing but what nobody has taken yet, and the check
 * that the next entry goes on from.
 */
export class RecordWriter {
  #buffer = new Uint8Array(initialBytes)
  #length = 0
  #taken = 0
  #check: number
  #match = 0
  #matchCount = 0

  /** `id` is eight bytes that no other file has. */
  constructor(id: Uint8Array) {
    assert(id.byteLength === recordIdBytes, 'The id of a record has eight bytes')
    const head = makeHead(id)
    this.#buffer.set(head)
    this.#length = head.byteLength
    this.#check = loadU32(head, headBytes - checkBytes)
  }

  /** Bytes that wait for {@link take}. */
  get waitingBytes(): number {
    return this.#length
  }

  /** Bytes of the whole record so far. */
  get totalBytes(): number {
    return this.#taken + this.#length
  }

  /** The number that the next new match of this file gets. */
  get nextMatch(): number {
    return this.#matchCount
  }

  /** What was written since the last call. Borrowed: valid until something else is written. */
  take(): Uint8Array {
    const bytes = this.#buffer.subarray(0, this.#length)
    this.#taken += this.#length
    this.#length = 0
    return bytes
  }

  /** Appends the bundle of the next tick of a match. */
  appendBundle(match: number, bundle: Uint8Array, isLast = true): void {
    this.#append(match, rawKinds.bundle, bundle, isLast)
  }

  /** Appends entries of one match that count together, or not at all. */
  appendGroup(match: number, entries: readonly RecordEntry[]): void {
    const last = entries.length - 1
    for (let index = 0; index <= last; index++) {
      this.append(match, entries[index] as RecordEntry, index === last)
    }
  }

  /** Appends one entry. Our own values: one that does not fit is a bug. */
  append(match: number, entry: RecordEntry, isLast = true): void {
    if (entry.name === 'bundle' || entry.name === 'waiting' || entry.name === 'kept') {
      this.#append(match, rawKinds[entry.name], entry.body, isLast)
      return
    }
    const type = entryTypes[entry.name]
    const struct = type.fields as unknown as StructField<object>
    assert(struct.accepts(entry.body), `A ${entry.name} that does not fit its own fields`)
    if (entry.name === 'match' && match === this.#matchCount) this.#matchCount += 1
    fields.reset()
    struct.write(fields, entry.body)
    this.#append(match, type.kind, fields.view(), isLast)
  }

  #append(match: number, kind: number, bytes: Uint8Array, isLast: boolean): void {
    const size = bytes.byteLength
    assert(size <= entryBytesMax && match < recordMatchesMax, 'An entry that no reader would take')
    assert(match < this.#matchCount, 'An entry about a match that this record does not know')
    this.#reserve(size + entryFrameBytesMax)
    const buffer = this.#buffer
    const start = this.#length
    const isOther = match !== this.#match
    buffer[start] = kind | (isLast ? 0 : moreMark) | (isOther ? matchMark : 0)
    let at = start + 1
    if (isOther) at = writeVarint(buffer, at, match)
    at = writeVarint(buffer, at, size)
    if (size > loopBytesMax) buffer.set(bytes, at)
    else for (let index = 0; index < size; index++) buffer[at + index] = bytes[index]!
    at += size
    this.#check = crc32(buffer, at, start, this.#check)
    storeU32(buffer, at, this.#check)
    this.#length = at + checkBytes
    this.#match = match
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#buffer.length) return
    const larger = new Uint8Array(Math.max(needed, 2 * this.#buffer.length))
    larger.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = larger
  }
}

/** Up to this length a loop copies faster than `set`, as in `BitWriter`. */
const loopBytesMax = 64
