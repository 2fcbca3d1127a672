/**
 * Reads raw deflate (RFC 1951) into exactly as many bytes as were announced.
 *
 * Its own reader, because the bytes are a stranger's: it stops at the announced length and not at the
 * end of a bomb, it does a bounded amount of work per byte of input, it accepts only what is used up to
 * the last bit, and it gives the same answer on every platform.
 *
 * fflate, which writes, is no reader for strangers. It builds a table of 32 768 entries for each block
 * that brings a code of 15 bits: a megabyte of such blocks without content costs it nine seconds of CPU,
 * ten minutes for the largest file. It does not say how much it read, nor that a copy left the room
 * that it was given.
 */
import { WireError } from '../../base/errors.ts'
import {
  codeBitsMax,
  distanceBases,
  distanceExtras,
  distanceSymbols,
  endSymbol,
  fixedDistanceLengths,
  fixedLiteralLengths,
  lengthBases,
  lengthCodeSymbols,
  lengthExtras,
  lengthSequence,
  literalSymbols,
  reversed,
} from './deflate-tables.ts'

/**
 * Codes up to this length are found in one look. Small, because a stranger can ask for a new table with
 * every 20 bytes: filling 512 entries is cheap, filling 32 768 would be an attack.
 */
const lookBits = 9

/** Bytes of output per block below which a stream is an attack: empty blocks cost time, not bytes. */
const blockOutputMin = 64

/** A prefix code, ready for decoding. */
class Decoder {
  // Fields are `private`, not `#`: bundlers that target older engines would make hot loops crawl.
  /** By the next bits of input: symbol × 16 + length of its code, or 0 for longer codes. */
  private readonly quick = new Uint16Array(1 << lookBits)
  /** Symbols in the sequence of their codes. */
  private readonly symbols = new Uint16Array(288)
  private readonly perLength = new Uint16Array(codeBitsMax + 1)
  private readonly places = new Uint16Array(codeBitsMax + 2)
  private readonly codes = new Uint16Array(codeBitsMax + 2)

  /** Takes the lengths of the codes. Returns whether they make a code that reads every input. */
  prepare(lengths: Uint8Array, symbols: number): 'complete' | 'incomplete' | 'impossible' {
    const perLength = this.perLength.fill(0)
    for (let symbol = 0; symbol < symbols; symbol++) perLength[lengths[symbol]!]!++
    perLength[0] = 0
    const { places, codes } = this
    places[1] = 0
    codes[1] = 0
    let room = 1
    for (let bits = 1; bits <= codeBitsMax; bits++) {
      room = room * 2 - perLength[bits]!
      if (room < 0) return 'impossible'
      places[bits + 1] = places[bits]! + perLength[bits]!
      codes[bits + 1] = (codes[bits]! + perLength[bits]!) << 1
    }
    this.quick.fill(0)
    for (let symbol = 0; symbol < symbols; symbol++) {
      const bits = lengths[symbol]!
      if (bits === 0) continue
      this.symbols[places[bits]!++] = symbol
      const code = codes[bits]!++
      if (bits > lookBits) continue
      const entry = symbol * 16 + bits
      for (let index = reversed(code, bits); index < 1 << lookBits; index += 1 << bits) {
        this.quick[index] = entry
      }
    }
    return room === 0 ? 'complete' : 'incomplete'
  }

  /** Symbol × 16 + length of the code that `bits` begins with, or -1. `bits` holds at least 15. */
  find(bits: number): number {
    const entry = this.quick[bits & ((1 << lookBits) - 1)]!
    return entry === 0 ? this.findLong(bits) : entry
  }

  private findLong(bits: number): number {
    let code = 0
    let first = 0
    let place = 0
    for (let length = 1; length <= codeBitsMax; length++) {
      code |= bits & 1
      bits >>>= 1
      const count = this.perLength[length]!
      if (code - first < count) return this.symbols[place + code - first]! * 16 + length
      place += count
      first = (first + count) << 1
      code <<= 1
    }
    return -1
  }
}

const fixedLiterals = new Decoder()
const fixedDistances = new Decoder()
const literals = new Decoder()
const distances = new Decoder()
const lengthCodes = new Decoder()
const codeLengths = new Uint8Array(literalSymbols + 2 + distanceSymbols + 2)

fixedLiterals.prepare(fixedLiteralLengths, fixedLiteralLengths.length)
fixedDistances.prepare(fixedDistanceLengths, fixedDistanceLengths.length)

/** Decompresses `input` into `length` bytes. Throws {@link WireError}, and nothing else. */
export function inflate(input: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  return new Inflater(input, new Uint8Array(length)).run()
}

class Inflater {
  private readonly input: Uint8Array
  private readonly output: Uint8Array<ArrayBuffer>
  /** The next byte of input. */
  private at = 0
  /** Bits taken from the input but not used yet, lowest first. */
  private hold = 0
  private held = 0
  private filled = 0

  constructor(input: Uint8Array, output: Uint8Array<ArrayBuffer>) {
    this.input = input
    this.output = output
  }

  run(): Uint8Array<ArrayBuffer> {
    let isLast = false
    let blocksLeft = 16 + Math.floor(this.output.length / blockOutputMin)
    while (!isLast) {
      if (blocksLeft-- === 0) throw this.fault('SS_WIRE_TOO_LARGE', 'it has too many blocks')
      isLast = this.take(1) === 1
      const kind = this.take(2)
      if (kind === 0) this.copyStored()
      else if (kind === 1) this.readSymbols(fixedLiterals, fixedDistances)
      else if (kind === 2) this.readDynamic()
      else throw this.fault('SS_WIRE_OUT_OF_RANGE', 'a block is of kind 3')
      if (this.isPastEnd()) throw this.fault('SS_WIRE_TRUNCATED', 'it ends too early')
    }
    if (this.filled < this.output.length) {
      const made = `it makes ${this.filled} bytes instead of ${this.output.length}`
      throw this.fault('SS_WIRE_TRUNCATED', made)
    }
    this.finish()
    return this.output
  }

  private finish(): void {
    const unread = this.input.length - this.at + (this.held >>> 3)
    if (unread > 0) throw this.fault('SS_WIRE_TRAILING_BYTES', `${unread} bytes are left over`)
    if (this.take(this.held & 7) !== 0) {
      throw this.fault('SS_WIRE_NOT_CANONICAL', 'bits are set behind its end')
    }
  }

  private copyStored(): void {
    this.take(this.held & 7)
    const size = this.take(16)
    if (this.take(16) !== (size ^ 0xffff)) {
      throw this.fault('SS_WIRE_OUT_OF_RANGE', 'a stored block contradicts its length')
    }
    // Whole bytes may have been taken in advance.
    const start = this.at - (this.held >>> 3)
    const end = start + size
    if (end > this.input.length) throw this.fault('SS_WIRE_TRUNCATED', 'a stored block breaks off')
    this.checkRoom(size)
    this.output.set(this.input.subarray(start, end), this.filled)
    this.filled += size
    this.at = end
    this.hold = 0
    this.held = 0
  }

  private readDynamic(): void {
    const literalCount = this.take(5) + 257
    const distanceCount = this.take(5) + 1
    const lengthCount = this.take(4) + 4
    if (literalCount > literalSymbols || distanceCount > distanceSymbols) {
      throw this.fault('SS_WIRE_OUT_OF_RANGE', 'a block has codes for symbols that do not exist')
    }
    codeLengths.fill(0, 0, lengthCodeSymbols)
    for (let index = 0; index < lengthCount; index++) {
      codeLengths[lengthSequence[index]!] = this.take(3)
    }
    if (lengthCodes.prepare(codeLengths, lengthCodeSymbols) !== 'complete') this.refuseCode()
    this.readLengths(literalCount + distanceCount)
    if (!isUsable(literals.prepare(codeLengths, literalCount), codeLengths, literalCount)) {
      this.refuseCode()
    }
    const rest = codeLengths.subarray(literalCount)
    if (!isUsable(distances.prepare(rest, distanceCount), rest, distanceCount)) this.refuseCode()
    this.readSymbols(literals, distances)
  }

  private readLengths(count: number): void {
    let index = 0
    while (index < count) {
      const symbol = this.symbol(lengthCodes)
      if (symbol < 16) {
        codeLengths[index++] = symbol
        continue
      }
      if (symbol === 16 && index === 0) this.refuseCode()
      const value = symbol === 16 ? codeLengths[index - 1]! : 0
      const times =
        symbol === 16 ? 3 + this.take(2) : symbol === 17 ? 3 + this.take(3) : 11 + this.take(7)
      if (index + times > count) this.refuseCode()
      codeLengths.fill(value, index, index + times)
      index += times
    }
  }

  /** The hot loop: literals until a length, then a copy, until the block ends. */
  private readSymbols(literals: Decoder, distances: Decoder): void {
    const output = this.output
    for (;;) {
      const symbol = this.symbol(literals)
      if (symbol < endSymbol) {
        if (this.filled >= output.length) this.checkRoom(1)
        output[this.filled++] = symbol
        continue
      }
      if (symbol === endSymbol) return
      const lengthIndex = symbol - 257
      if (lengthIndex >= lengthBases.length) this.refuseCode()
      const length = lengthBases[lengthIndex]! + this.take(lengthExtras[lengthIndex]!)
      const distanceIndex = this.symbol(distances)
      const distance = distanceBases[distanceIndex]! + this.take(distanceExtras[distanceIndex]!)
      if (distance > this.filled) {
        throw this.fault('SS_WIRE_OUT_OF_RANGE', 'a copy begins before the first byte')
      }
      this.checkRoom(length)
      this.copy(distance, length)
    }
  }

  private copy(distance: number, length: number): void {
    const output = this.output
    let to = this.filled
    const end = to + length
    // Byte by byte: a copy may overlap itself, which is how runs are written.
    for (let from = to - distance; to < end; from++, to++) output[to] = output[from]!
    this.filled = end
  }

  private symbol(decoder: Decoder): number {
    if (this.held < codeBitsMax) this.fill()
    const entry = decoder.find(this.hold)
    if (entry < 0) this.refuseCode()
    const bits = entry & 15
    this.hold >>>= bits
    this.held -= bits
    return entry >>> 4
  }

  private take(count: number): number {
    if (this.held < count) this.fill()
    const value = this.hold & ((1 << count) - 1)
    this.hold >>>= count
    this.held -= count
    return value
  }

  /** Makes at least 25 bits available; behind the end of the input they are zero. */
  private fill(): void {
    const input = this.input
    while (this.held <= 24) {
      if (this.at < input.length) this.hold |= input[this.at]! << this.held
      this.at++
      this.held += 8
    }
  }

  private checkRoom(more: number): void {
    if (this.filled + more > this.output.length) {
      throw this.fault('SS_WIRE_TOO_LARGE', `it makes more than ${this.output.length} bytes`)
    }
  }

  private refuseCode(): never {
    throw this.fault('SS_WIRE_OUT_OF_RANGE', 'a block has an impossible code')
  }

  /** Behind its end the input reads as zeros; whoever used some of those has been cut off. */
  private isPastEnd(): boolean {
    return this.at * 8 - this.held > this.input.length * 8
  }

  private fault(code: WireError['code'], what: string): WireError {
    // Whatever the zeros behind the end seem to say, the fault is that the input ends.
    const isCut = this.isPastEnd()
    return new WireError(
      isCut ? 'SS_WIRE_TRUNCATED' : code,
      this.at,
      `Cannot inflate: ${isCut ? 'it ends too early' : what}`,
    )
  }
}

/** RFC 1951 allows one incomplete code: a single symbol of one bit, or (distances) none at all. */
function isUsable(
  result: 'complete' | 'incomplete' | 'impossible',
  lengths: Uint8Array,
  symbols: number,
): boolean {
  if (result !== 'incomplete') return result === 'complete'
  for (let symbol = 0; symbol < symbols; symbol++) if (lengths[symbol]! > 1) return false
  return true
}
