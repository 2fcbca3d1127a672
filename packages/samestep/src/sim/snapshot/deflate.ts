/**
 * Writes raw deflate (RFC 1951).
 *
 * Its own writer, and not the platform's, so that the same snapshot has the same bytes on every machine:
 * a download that one donor began can be ended by another, and be checked against one list of chunks.
 * Packed columns have little left to squeeze; this is for the rest, such as plain objects and custom
 * memory. Fast rather than thorough: about the size of zlib's level 1 to 6.
 */
import {
  assignCodes,
  chooseLengths,
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
} from './huffman.ts'
import { MatchFinder } from './match.ts'

/** Symbols of one block: enough to pay for its own code, few enough to follow the data. */
const blockTokens = 16_384

/** The longest stored block that deflate can express. */
const storedBytesMax = 0xffff

/** The longest code for code lengths. */
const lengthCodeBitsMax = 7

/** The symbol of each match length from 3, and of each distance: see {@link distanceSymbol}. */
const lengthSymbolOf = new Uint8Array(259)
const nearSymbolOf = new Uint8Array(257)
const farSymbolOf = new Uint8Array(256)

for (let symbol = 0; symbol < lengthBases.length; symbol++) {
  lengthSymbolOf.fill(symbol, lengthBases[symbol]!)
}
for (let symbol = 0; symbol < distanceBases.length; symbol++) {
  const base = distanceBases[symbol]!
  if (base <= 256) nearSymbolOf.fill(symbol, base)
  else farSymbolOf.fill(symbol, (base - 1) >>> 7)
}

function distanceSymbol(distance: number): number {
  return distance <= 256 ? nearSymbolOf[distance]! : farSymbolOf[(distance - 1) >>> 7]!
}

/** Compresses `input`. Equal input gives equal output, everywhere. */
export function deflate(input: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Deflater(input).run()
}

class Deflater {
  // Fields are `private`, not `#`: bundlers that target older engines would make hot loops crawl.
  private readonly input: Uint8Array
  private readonly output: Uint8Array<ArrayBuffer>
  private at = 0
  private hold = 0
  private held = 0

  /** A literal as its byte, or a match as distance × 512 + length; no match is shorter than 4. */
  private readonly tokens = new Uint32Array(blockTokens)
  private tokenCount = 0
  private readonly literalCounts = new Uint32Array(literalSymbols)
  private readonly distanceCounts = new Uint32Array(distanceSymbols)
  /** Where in the input the current block begins. */
  private blockStart = 0

  private readonly literalLengths = new Uint8Array(288)
  private readonly distanceLengths = new Uint8Array(32)
  private readonly literalCodes = new Uint16Array(288)
  private readonly distanceCodes = new Uint16Array(32)

  constructor(input: Uint8Array) {
    this.input = input
    // No block is longer than its input stored: 5 bytes more, and again for each 64 KB.
    const blocks = Math.ceil(input.length / blockTokens) + Math.ceil(input.length / storedBytesMax)
    this.output = new Uint8Array(input.length + blocks * 6 + 16)
  }

  run(): Uint8Array<ArrayBuffer> {
    const { input } = this
    const finder = new MatchFinder(input)
    let at = 0
    while (at < input.length) {
      if (this.tokenCount === blockTokens) this.endBlock(at, false)
      const found = finder.find(at)
      if (found > 0) {
        this.addMatch(found)
        at = finder.skip(at, found & 511)
      } else {
        const byte = input[at++]!
        this.literalCounts[byte]!++
        this.tokens[this.tokenCount++] = byte
      }
    }
    this.endBlock(at, true)
    this.alignByte()
    return this.output.slice(0, this.at)
  }

  private addMatch(token: number): void {
    this.literalCounts[257 + lengthSymbolOf[token & 511]!]!++
    this.distanceCounts[distanceSymbol(token >>> 9)]!++
    this.tokens[this.tokenCount++] = token
  }

  /** Writes the tokens so far, in the shortest of the three ways. */
  private endBlock(end: number, isLast: boolean): void {
    this.literalCounts[endSymbol] = 1
    chooseLengths(this.literalCounts, literalSymbols, codeBitsMax, this.literalLengths)
    chooseLengths(this.distanceCounts, distanceSymbols, codeBitsMax, this.distanceLengths)
    const head = new BlockHead(this.literalLengths, this.distanceLengths)
    const dynamicBits = head.bits + this.bitsWith(this.literalLengths, this.distanceLengths)
    const fixedBits = this.bitsWith(fixedLiteralLengths, fixedDistanceLengths)
    const storedBits = (end - this.blockStart) * 8 + 40
    const last = isLast ? 1 : 0
    if (storedBits < dynamicBits && storedBits < fixedBits) {
      this.writeStored(end, last)
    } else if (fixedBits <= dynamicBits) {
      this.put(last | 2, 3)
      this.writeTokens(fixedLiteralLengths, fixedDistanceLengths)
    } else {
      this.put(last | 4, 3)
      head.write((value, bits) => this.put(value, bits))
      this.writeTokens(this.literalLengths, this.distanceLengths)
    }
    this.literalCounts.fill(0)
    this.distanceCounts.fill(0)
    this.tokenCount = 0
    this.blockStart = end
  }

  /** The bits of all tokens, extra bits included, with codes of these lengths. */
  private bitsWith(literals: Uint8Array, distances: Uint8Array): number {
    let bits = 0
    for (let symbol = 0; symbol < literalSymbols; symbol++) {
      const extra = symbol > endSymbol ? lengthExtras[symbol - 257]! : 0
      bits += this.literalCounts[symbol]! * (literals[symbol]! + extra)
    }
    for (let symbol = 0; symbol < distanceSymbols; symbol++) {
      bits += this.distanceCounts[symbol]! * (distances[symbol]! + distanceExtras[symbol]!)
    }
    return bits
  }

  private writeStored(end: number, last: number): void {
    let start = this.blockStart
    do {
      const size = Math.min(end - start, storedBytesMax)
      this.put(start + size === end ? last : 0, 3)
      this.alignByte()
      this.put(size, 16)
      this.put(size ^ 0xffff, 16)
      this.output.set(this.input.subarray(start, start + size), this.at)
      this.at += size
      start += size
    } while (start < end)
  }

  private writeTokens(literals: Uint8Array, distances: Uint8Array): void {
    const { tokens, literalCodes, distanceCodes } = this
    assignCodes(literals, literals === fixedLiteralLengths ? 288 : literalSymbols, literalCodes)
    assignCodes(distances, distanceSymbols, distanceCodes)
    for (let index = 0; index < this.tokenCount; index++) {
      const token = tokens[index]!
      if (token < 256) {
        this.put(literalCodes[token]!, literals[token]!)
        continue
      }
      const length = token & 511
      const distance = token >>> 9
      const lengthIndex = lengthSymbolOf[length]!
      this.put(literalCodes[257 + lengthIndex]!, literals[257 + lengthIndex]!)
      this.put(length - lengthBases[lengthIndex]!, lengthExtras[lengthIndex]!)
      const distanceIndex = distanceSymbol(distance)
      this.put(distanceCodes[distanceIndex]!, distances[distanceIndex]!)
      this.put(distance - distanceBases[distanceIndex]!, distanceExtras[distanceIndex]!)
    }
    this.put(literalCodes[endSymbol]!, literals[endSymbol]!)
  }

  /** Appends the lowest `count` bits, at most 16. */
  private put(value: number, count: number): void {
    this.hold |= value << this.held
    this.held += count
    if (this.held < 16) return
    this.output[this.at++] = this.hold
    this.output[this.at++] = this.hold >>> 8
    this.hold >>>= 16
    this.held -= 16
  }

  private alignByte(): void {
    while (this.held > 0) {
      this.output[this.at++] = this.hold
      this.hold >>>= 8
      this.held -= 8
    }
    this.hold = 0
    this.held = 0
  }
}

/** The code lengths in front of a block: runs of equal lengths, in a prefix code of their own. */
class BlockHead {
  readonly bits: number
  private readonly literalCount: number
  private readonly distanceCount: number
  private readonly lengthCount: number
  /** Symbol, and above it the value of its extra bits. */
  private readonly steps: number[] = []
  private readonly lengths = new Uint8Array(lengthCodeSymbols)

  constructor(literals: Uint8Array, distances: Uint8Array) {
    this.literalCount = usedCount(literals, 257, literalSymbols)
    this.distanceCount = usedCount(distances, 1, distanceSymbols)
    const all = [
      ...literals.subarray(0, this.literalCount),
      ...distances.subarray(0, this.distanceCount),
    ]
    for (let index = 0; index < all.length; ) index += this.addRun(all, index)
    const counts = new Uint32Array(lengthCodeSymbols)
    for (const step of this.steps) counts[step & 31]!++
    chooseLengths(counts, lengthCodeSymbols, lengthCodeBitsMax, this.lengths)
    let lengthCount = lengthCodeSymbols
    while (lengthCount > 4 && this.lengths[lengthSequence[lengthCount - 1]!] === 0) lengthCount--
    this.lengthCount = lengthCount
    this.bits = this.steps.reduce(
      (sum, step) => sum + this.lengths[step & 31]! + stepBits(step),
      14 + lengthCount * 3,
    )
  }

  write(put: (value: number, bits: number) => void): void {
    const codes = new Uint16Array(lengthCodeSymbols)
    assignCodes(this.lengths, lengthCodeSymbols, codes)
    put(this.literalCount - 257, 5)
    put(this.distanceCount - 1, 5)
    put(this.lengthCount - 4, 4)
    for (let index = 0; index < this.lengthCount; index++) {
      put(this.lengths[lengthSequence[index]!]!, 3)
    }
    for (const step of this.steps) {
      put(codes[step & 31]!, this.lengths[step & 31]!)
      put(step >>> 5, stepBits(step))
    }
  }

  /** Adds one step for the lengths from `index`, and returns how many it covers. */
  private addRun(all: readonly number[], index: number): number {
    const value = all[index]!
    let run = 1
    while (run < 138 && all[index + run] === value) run++
    if (value === 0 && run >= 11) this.steps.push(18 | ((run - 11) << 5))
    else if (value === 0 && run >= 3) this.steps.push(17 | ((run - 3) << 5))
    else if (index > 0 && all[index - 1] === value && run >= 3) {
      run = Math.min(run, 6)
      this.steps.push(16 | ((run - 3) << 5))
    } else {
      run = 1
      this.steps.push(value)
    }
    return run
  }
}

function stepBits(step: number): number {
  const symbol = step & 31
  return symbol < 16 ? 0 : symbol === 16 ? 2 : symbol === 17 ? 3 : 7
}

/** How many lengths must be written: up to the last that is not zero. */
function usedCount(lengths: Uint8Array, min: number, max: number): number {
  let count = max
  while (count > min && lengths[count - 1] === 0) count--
  return count
}
