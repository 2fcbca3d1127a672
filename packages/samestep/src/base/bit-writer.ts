import { assert } from './assert.ts'
import { copyBytes } from './copy-bytes.ts'

/** Room for a typical input, order or control message, so that most writers never grow. */
const initialBytes = 64

/** Up to this length a loop copies faster than `set`, which has to look at everything first. */
const loopBytesMax = 64

/** Views up to this length are kept: what an ordinary tick sends, up or down. */
const keptViewBytesMax = 255

/**
 * Packs values into bytes: the lowest bit first, little-endian, no gaps. A `BitReader` that asks for
 * the same counts in the same sequence gets the values back.
 *
 * Keep a writer and {@link reset} it: it keeps its memory, so that steady use makes no garbage.
 */
export class BitWriter {
  // Fields are `private`, not `#`: bundlers that target older engines turn `#` into a WeakMap, which
  // would make this the slowest class of all instead of the fastest.
  private buffer: Uint8Array
  /** Whole bytes in {@link buffer}. */
  private length = 0
  /** Up to 31 bits that do not fill a word yet, lowest first; all higher bits are zero. */
  private word = 0
  private wordBits = 0
  /** Views of {@link buffer} that were given out, by their length. */
  private views: (Uint8Array | undefined)[] = []

  constructor(capacityBytes: number = initialBytes) {
    this.buffer = new Uint8Array(Math.max(capacityBytes, 8))
  }

  /** Bytes written so far; a begun byte counts. */
  get byteLength(): number {
    return this.length + ((this.wordBits + 7) >>> 3)
  }

  /** Bits written so far. */
  get bitLength(): number {
    return this.length * 8 + this.wordBits
  }

  /**
   * Appends the lowest `count` bits of `value`, 0 to 32. All higher bits of `value` must be zero,
   * except that 32 bits may be given signed.
   */
  bits(value: number, count: number): void {
    // One test in the hot path: a value with stray bits would corrupt its neighbours silently.
    if (count >>> 0 < 32 ? value >>> count !== 0 : count !== 32) refuse(value, count)
    const { wordBits } = this
    const word = this.word | (value << wordBits)
    const total = wordBits + count
    if (total < 32) {
      this.word = word
      this.wordBits = total
      return
    }
    this.flushWord(word)
    // A shift by 32 would be a shift by 0, hence the case.
    this.word = wordBits === 0 ? 0 : value >>> (32 - wordBits)
    this.wordBits = total - 32
  }

  /** Fills the begun byte, if any, with zero bits. */
  align(): void {
    const rest = this.wordBits & 7
    if (rest !== 0) this.bits(0, 8 - rest)
  }

  /** Appends whole bytes, aligned or not. They are copied at once. */
  bytes(source: Uint8Array): void {
    const size = source.length
    if ((this.wordBits & 7) !== 0) {
      const wordsEnd = size & ~3
      for (let at = 0; at < wordsEnd; at += 4) this.bits(wordAt(source, at), 32)
      for (let at = wordsEnd; at < size; at++) this.bits(source[at]!, 8)
      return
    }
    this.flushBytes()
    this.reserve(size)
    if (size > loopBytesMax) this.buffer.set(source, this.length)
    else for (let at = 0; at < size; at++) this.buffer[this.length + at] = source[at]!
    this.length += size
  }

  /** Forgets everything written and keeps the memory. */
  reset(): void {
    this.length = 0
    this.word = 0
    this.wordBits = 0
  }

  /** A copy of what was written, the last byte filled with zero bits. Writing may go on. */
  finish(): Uint8Array {
    this.storeTail()
    return copyBytes(this.buffer, 0, this.byteLength)
  }

  /** What was written, borrowed: it is valid until something else is written. */
  view(): Uint8Array {
    this.storeTail()
    const { byteLength } = this
    if (byteLength > keptViewBytesMax) return this.buffer.subarray(0, byteLength)
    // Messages have few lengths, and making a view takes longer than writing a short message.
    let view = this.views[byteLength]
    if (view === undefined) {
      while (this.views.length <= byteLength) this.views.push(undefined)
      view = this.buffer.subarray(0, byteLength)
      this.views[byteLength] = view
    }
    return view
  }

  /** Puts the begun word behind the whole bytes without counting it as written. */
  private storeTail(): void {
    this.reserve(4)
    storeWord(this.buffer, this.length, this.word)
  }

  private flushWord(word: number): void {
    this.reserve(4)
    storeWord(this.buffer, this.length, word)
    this.length += 4
  }

  /** Moves the whole bytes of the word, when it has nothing but whole bytes, into the buffer. */
  private flushBytes(): void {
    this.storeTail()
    this.length += this.wordBits >>> 3
    this.word = 0
    this.wordBits = 0
  }

  private reserve(more: number): void {
    const needed = this.length + more
    if (needed <= this.buffer.length) return
    const larger = new Uint8Array(Math.max(needed, this.buffer.length * 2))
    larger.set(this.buffer.subarray(0, this.length))
    this.buffer = larger
    this.views = []
  }
}

function storeWord(buffer: Uint8Array, at: number, word: number): void {
  buffer[at] = word
  buffer[at + 1] = word >>> 8
  buffer[at + 2] = word >>> 16
  buffer[at + 3] = word >>> 24
}

function wordAt(source: Uint8Array, at: number): number {
  return source[at]! | (source[at + 1]! << 8) | (source[at + 2]! << 16) | (source[at + 3]! << 24)
}

function refuse(value: number, count: number): never {
  assert(false, `Cannot write ${value} in ${count} bits: it does not fit`)
}
