import { BitReader } from '../base/bit-reader.ts'
import { crc32 } from '../base/crc32.ts'
import { WireError } from '../base/errors.ts'
import type { Field } from '../sim/schema/index.ts'
import { bundleBytesMax } from '../wire/limits.ts'
import type { EntryBody, RecordEntry } from './entries.ts'
import { entryTypes, rawKinds } from './entries.ts'
import type { RecordHead } from './format.ts'
import {
  checkBytes,
  headBytes,
  kindMask,
  loadU32,
  matchMark,
  moreMark,
  readHead,
  varintBytesMax,
} from './format.ts'
import { recordMatchesMax } from './limits.ts'

/** One entry, and where it stands. */
export interface RecordItem {
  readonly entry: RecordEntry
  /** Which match of the file it is about. */
  readonly match: number
  /** Whether the group that it belongs to is complete with it. */
  readonly isLast: boolean
  /** The tick of a bundle; of anything else the newest tick before it. */
  readonly tick: number
  /** Where it begins, in bytes from the start of the file. */
  readonly offset: number
}

/** A place between two entries from which a file can be read on: see {@link RecordReader.place}. */
export interface RecordPlace {
  /** In bytes from the start of the file. */
  readonly offset: number
  readonly version: number
  readonly check: number
  readonly matchCount: number
  /** The match of the entry before, and its newest tick there. */
  readonly match: number
  readonly tick: number
}

/** How to read an entry of one kind. */
type EntryReader = {
  readonly name: RecordEntry['name']
  readonly bytesMax: number
  readonly field: Field<unknown> | undefined
}

const bits = new BitReader()
const noBytes = new Uint8Array(0)

/**
 * Reads a record as it comes, in pieces of any size. It holds one entry at the most, and allocates
 * nothing for a length before that length was checked.
 *
 *     push(bytes) ──► next() until there is none ──► push(bytes) …
 *
 * The bytes are a stranger's: {@link next} throws a `WireError` at the first entry that is not right,
 * and again whenever it is called after that. What it gave before is whole.
 */
export class RecordReader {
  #buffer: Uint8Array = noBytes
  #start = 0
  #end = 0
  #offset = 0
  #check = 0
  #match = 0
  #head: RecordHead | undefined
  #kinds: ReadonlyMap<number, EntryReader> | undefined
  /** The newest tick by match. */
  #ticks: number[] = []
  #fault: WireError | undefined

  /**
   * Reads a file from its beginning, or from a place in it: then the bytes that are given are those from
   * its offset on, and of other matches than its own the ticks are not known.
   */
  constructor(place?: RecordPlace) {
    if (place === undefined) return
    this.#head = { version: place.version, id: noBytes }
    this.#kinds = entryReaders(place.version)
    this.#offset = place.offset
    this.#check = place.check
    this.#match = place.match
    this.#ticks = new Array<number>(place.matchCount).fill(0)
    this.#ticks[place.match] = place.tick
  }

  /** Where the next entry begins; `undefined` before the head was read. */
  get place(): RecordPlace | undefined {
    if (this.#head === undefined) return undefined
    return {
      offset: this.#offset,
      version: this.#head.version,
      check: this.#check,
      matchCount: this.#ticks.length,
      match: this.#match,
      tick: this.#ticks[this.#match] ?? 0,
    }
  }

  /** What the head said; `undefined` before it was read. */
  get head(): RecordHead | undefined {
    return this.#head
  }

  /** Bytes of the file up to the end of the last whole entry. */
  get wholeBytes(): number {
    return this.#offset
  }

  /** Bytes that were given and belong to no whole entry yet. */
  get waitingBytes(): number {
    return this.#end - this.#start
  }

  /** Adds bytes. They are copied. */
  push(bytes: Uint8Array): void {
    const left = this.#end - this.#start
    if (this.#end + bytes.byteLength > this.#buffer.byteLength) {
      const needed = left + bytes.byteLength
      const buffer =
        needed <= this.#buffer.byteLength ? this.#buffer : new Uint8Array(Math.max(needed, 1_024))
      buffer.set(this.#buffer.subarray(this.#start, this.#end))
      this.#buffer = buffer
      this.#start = 0
      this.#end = left
    }
    this.#buffer.set(bytes, this.#end)
    this.#end += bytes.byteLength
  }

  /**
   * The next entry; `undefined` when more bytes are needed for it.
   *
   * @throws WireError at the first byte of an entry that is not what a writer writes.
   */
  next(): RecordItem | undefined {
    if (this.#fault !== undefined) throw this.#fault
    try {
      if (this.#head === undefined && !this.#takeHead()) return undefined
      return this.#takeEntry()
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      this.#fault = new WireError(error.code, this.#offset, error.message)
      throw this.#fault
    }
  }

  #takeHead(): boolean {
    if (this.waitingBytes < headBytes) return false
    const bytes = this.#buffer.subarray(this.#start, this.#start + headBytes)
    const head = readHead(bytes)
    this.#kinds = entryReaders(head.version)
    this.#check = loadU32(bytes, headBytes - checkBytes)
    this.#start += headBytes
    this.#offset = headBytes
    this.#head = head
    return true
  }

  #takeEntry(): RecordItem | undefined {
    if (this.waitingBytes < 2) return undefined
    const first = this.#buffer[this.#start] as number
    const kind = this.#kinds?.get(first & kindMask)
    if (kind === undefined) {
      throw this.#refuse('SS_WIRE_UNKNOWN', `Cannot accept an entry of kind ${first & kindMask}`)
    }
    let at = this.#start + 1
    let match = this.#match
    if ((first & matchMark) !== 0) {
      const number = this.#varint(at)
      if (number === undefined) return undefined
      if (number.value === match) {
        throw this.#refuse('SS_WIRE_NOT_CANONICAL', 'Cannot accept a match that is named again')
      }
      match = number.value
      at = number.end
    }
    const length = this.#varint(at)
    if (length === undefined) return undefined
    // Before anything is kept for it.
    if (length.value > kind.bytesMax) {
      throw this.#refuse(
        'SS_WIRE_TOO_LARGE',
        `Cannot accept a ${kind.name} of ${length.value} bytes`,
      )
    }
    const end = length.end + length.value
    if (end + checkBytes > this.#end) return undefined
    const check = crc32(this.#buffer, end, this.#start, this.#check)
    if (loadU32(this.#buffer, end) !== check) {
      throw this.#refuse('SS_WIRE_BAD_CHECKSUM', `Cannot accept a ${kind.name}: its check differs`)
    }
    const entry = this.#decode(kind, length.end, end)
    const tick = this.#tickOf(entry, match)
    const item = { entry, match, isLast: (first & moreMark) === 0, tick, offset: this.#offset }
    this.#check = check
    this.#match = match
    this.#offset += end + checkBytes - this.#start
    this.#start = end + checkBytes
    return item
  }

  #decode({ name, field }: EntryReader, start: number, end: number): RecordEntry {
    if (field === undefined) {
      return { name, body: this.#buffer.slice(start, end) } as RecordEntry
    }
    bits.reset(this.#buffer, start, end)
    const body = field.read(bits)
    bits.end()
    return { name, body } as RecordEntry
  }

  /** Which tick an entry stands at: matches are known before anything is said of them. */
  #tickOf(entry: RecordEntry, match: number): number {
    const ticks = this.#ticks
    if (match > ticks.length || (match === ticks.length && entry.name !== 'match')) {
      throw this.#refuse('SS_WIRE_UNKNOWN', `Cannot accept a ${entry.name} of an unknown match`)
    }
    if (entry.name === 'match') ticks[match] = 0
    if (entry.name === 'bundle') ticks[match] = (ticks[match] as number) + 1
    if (entry.name === 'gap') ticks[match] = this.#skip(entry.body, ticks[match] as number)
    return ticks[match] as number
  }

  #skip({ firstTick, lastTick }: EntryBody<'gap'>, sealedTick: number): number {
    if (firstTick === sealedTick + 1 && lastTick >= firstTick) return lastTick
    throw this.#refuse(
      'SS_WIRE_OUT_OF_RANGE',
      `Cannot accept a gap from ${firstTick} to ${lastTick} behind tick ${sealedTick}`,
    )
  }

  /** A varint; `undefined` when its bytes are not all there. */
  #varint(start: number): { readonly value: number; readonly end: number } | undefined {
    let value = 0
    for (let index = 0; index < varintBytesMax; index++) {
      if (start + index >= this.#end) return undefined
      const byte = this.#buffer[start + index] as number
      value |= (byte & 0x7f) << (7 * index)
      if (byte > 0x7f) continue
      if (byte === 0 && index > 0) break
      if (value >= recordMatchesMax) break
      return { value, end: start + index + 1 }
    }
    throw this.#refuse('SS_WIRE_NOT_CANONICAL', 'Cannot accept a number that is written too long')
  }

  #refuse(code: WireError['code'], message: string): WireError {
    return new WireError(code, this.#offset, `${message}, at byte ${this.#offset}`)
  }
}

/** How entries of a version of the format are read. */
function entryReaders(version: number): ReadonlyMap<number, EntryReader> {
  const readers = new Map<number, EntryReader>()
  for (const [name, kind] of Object.entries(rawKinds)) {
    const reader = { name: name as RecordEntry['name'], bytesMax: bundleBytesMax, field: undefined }
    readers.set(kind, reader)
  }
  for (const [name, { kind, fields }] of Object.entries(entryTypes)) {
    const field = (fields as unknown as Field<unknown>).atVersion(version)
    const bytesMax = Math.ceil(field.bitsMax / 8)
    readers.set(kind, { name: name as RecordEntry['name'], bytesMax, field })
  }
  return readers
}
