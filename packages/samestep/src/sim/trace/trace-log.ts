import { UsageError } from '../../base/errors.ts'
import { encodeUtf8 } from '../../base/utf8.ts'
import { mixBytes, mixNode } from '../hash/mix.ts'
import { traceBlockEntries } from '../limits.ts'
import type { Json } from '../schema/field.ts'
import type { Column } from '../state/columns.ts'
import type { CallSite } from './call-site.ts'
import type { TraceKind, TracePlace } from './trace-entry.ts'

/**
 * The entries of a trace, and a hash over all entries so far for every so many of them. Two machines
 * that exchange a few of these hashes find the first entry on which they differ, without sending what
 * they wrote: see trace-search.ts.
 *
 *     entries  0 … 255 │ 256 … 511 │ 512 …        the last `entriesMax` are kept
 *     hashes         P₁          P₂               all are kept: Pₖ is over the first k blocks
 *
 * Call sites are no part of a hash: two builds of the same game have other lines.
 */

/** A value that was written: a cell as its number, anything else as JSON. */
export type RawValue = Json

/** One entry as it is kept. What a person reads is made of it when somebody asks. */
export interface TraceItem {
  readonly index: number
  readonly kind: TraceKind
  readonly tick: number
  readonly where: TracePlace
  readonly name: string
  readonly part: string
  readonly row: number | undefined
  readonly field: string
  readonly before: RawValue
  readonly after: RawValue
  /** Says what cells mean; `undefined` where values are not cells. */
  readonly column: Column | undefined
  readonly frames: readonly CallSite[]
}

/** Which entries are kept. Hashes are over all of them in any case. */
export interface TraceLogOptions {
  /** The most entries that are kept; 65 536 by default. */
  readonly entriesMax?: number
  /**
   * Keep this entry and those that follow, as many as fit, and no later ones. By default the last ones
   * are kept. For a second run, when the first one said where to look.
   */
  readonly keepFrom?: number
}

/** Some ticks of a large game; about 15 MB. */
const entriesMaxDefault = 65_536

/** Words of one entry under its hash. */
const itemWords = 16

/** A log of writes: only what is recent is kept, but all of it is hashed. */
export class TraceLog {
  readonly entriesMax: number
  readonly #keepFrom: number | undefined
  readonly #ring: TraceItem[] = []
  /** Two words per whole block: the hash over everything up to its end. */
  #prefixes = new Uint32Array(2 * 64)
  /** Words 0 and 1: the hash so far. Words 2 and 3: the hash of the newest entry. */
  readonly #hash = new Uint32Array(4)
  readonly #texts = new Map<string, number>()
  #count = 0

  constructor(options: TraceLogOptions = {}) {
    const { entriesMax = entriesMaxDefault, keepFrom } = options
    const isFine = Number.isInteger(entriesMax) && entriesMax >= traceBlockEntries
    if (!isFine || !(keepFrom === undefined || Number.isInteger(keepFrom))) {
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        `Cannot keep ${entriesMax} entries of a trace from ${keepFrom ?? 'its end'}: write whole numbers, and at least ${traceBlockEntries} entries`,
      )
    }
    this.entriesMax = entriesMax
    this.#keepFrom = keepFrom
  }

  /** How many entries there were, kept or not. */
  get count(): number {
    return this.#count
  }

  /** Whether the next entry will be kept: only then is it worth finding out its line. */
  get keepsNext(): boolean {
    return this.#isKept(this.#count, this.#count + 1)
  }

  clear(): void {
    this.#ring.length = 0
    this.#hash.fill(0)
    this.#count = 0
  }

  append(item: Omit<TraceItem, 'index'>): void {
    const index = this.#count
    this.#hashItem(item)
    mixNode(this.#hash, 0, 2, this.#hash, 0)
    this.#count = index + 1
    if (this.#count % traceBlockEntries === 0) this.#keepPrefix()
    if (this.#isKept(index, this.#count)) {
      const entry = { index, ...item }
      this.#ring[index % this.entriesMax] = entry
    }
  }

  /** An entry; `undefined` when it is no longer kept, or never was. */
  item(index: number): TraceItem | undefined {
    if (index < 0 || index >= this.#count || !this.#isKept(index, this.#count)) return undefined
    return this.#ring[index % this.entriesMax]
  }

  /**
   * The hash over the first `entries` entries, as two words in `out`. False when it cannot be told:
   * inside a block it takes the block's entries, and they may be gone.
   */
  prefixWords(entries: number, out: Uint32Array): boolean {
    if (entries < 0 || entries > this.#count) return false
    if (entries === this.#count) {
      out[0] = this.#hash[0] as number
      out[1] = this.#hash[1] as number
      return true
    }
    const block = Math.floor(entries / traceBlockEntries)
    out[0] = block === 0 ? 0 : (this.#prefixes[2 * block - 2] as number)
    out[1] = block === 0 ? 0 : (this.#prefixes[2 * block - 1] as number)
    return this.#extend(block * traceBlockEntries, entries, out)
  }

  /** Takes the hash in `out` from the first `from` entries to the first `to`. */
  #extend(from: number, to: number, out: Uint32Array): boolean {
    const [lo, hi] = [this.#hash[0] as number, this.#hash[1] as number]
    const hash = this.#hash
    hash[0] = out[0] as number
    hash[1] = out[1] as number
    let isWhole = true
    for (let index = from; index < to; index++) {
      const item = this.item(index)
      if (item === undefined) {
        isWhole = false
        break
      }
      this.#hashItem(item)
      mixNode(hash, 0, 2, hash, 0)
    }
    out[0] = hash[0] as number
    out[1] = hash[1] as number
    hash[0] = lo
    hash[1] = hi
    return isWhole
  }

  #isKept(index: number, count: number): boolean {
    const from = this.#keepFrom
    if (from === undefined) return index >= count - this.entriesMax
    return index >= from && index < from + this.entriesMax
  }

  #keepPrefix(): void {
    const at = 2 * (this.#count / traceBlockEntries - 1)
    if (at === this.#prefixes.length) {
      const larger = new Uint32Array(2 * at)
      larger.set(this.#prefixes)
      this.#prefixes = larger
    }
    this.#prefixes[at] = this.#hash[0] as number
    this.#prefixes[at + 1] = this.#hash[1] as number
  }

  /** Everything of an entry but its line, as 64 bits in words 2 and 3. */
  #hashItem(item: Omit<TraceItem, 'index'>): void {
    words[0] = this.#textHash(item.kind)
    words[1] = item.tick
    words[2] = this.#textHash(item.where)
    words[3] = this.#textHash(item.name)
    words[4] = this.#textHash(item.part)
    words[5] = item.row ?? -1
    words[6] = this.#textHash(item.field)
    this.#putValue(item.before, 8)
    this.#putValue(item.after, 12)
    mixBytes(wordBytes, this.#hash, 2)
  }

  /** A number by its bits, so that 0 and -0 differ as they do in a running tick. */
  #putValue(value: RawValue, at: number): void {
    if (typeof value === 'number') {
      words[at] = 1
      // There is one NaN: which of its bit patterns an engine shows is its own affair.
      numbers[0] = Number.isNaN(value) ? Number.NaN : value
      words[at + 1] = numberWords[0] as number
      words[at + 2] = numberWords[1] as number
      return
    }
    const text = JSON.stringify(value) ?? ''
    words[at] = 2
    mixBytes(encodeUtf8(text), numberWords, 0)
    words[at + 1] = numberWords[0] as number
    words[at + 2] = numberWords[1] as number
  }

  /** 32 bits of a name. Names repeat for ever, so each is hashed once. */
  #textHash(text: string): number {
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    mixBytes(encodeUtf8(text), textWords, 0)
    const hash = (textWords[0] as number) | 0
    // Paths inside plain values come without end.
    if (this.#texts.size >= textsMax) this.#texts.clear()
    this.#texts.set(text, hash)
    return hash
  }
}

/** Names whose hashes are remembered: more than a game has fields. */
const textsMax = 4_096

const words = new Int32Array(itemWords)
const wordBytes = new Uint8Array(words.buffer)
const numbers = new Float64Array(1)
const numberWords = new Uint32Array(numbers.buffer)
const textWords = new Uint32Array(2)
