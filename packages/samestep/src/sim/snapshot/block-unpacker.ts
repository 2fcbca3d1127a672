/** Reads blocks that nobody has vouched for: see block.ts for what a block is. */
import { WireError } from '../../base/errors.ts'
import { deltaFlag, numberAt, shiftAt, shiftMask, sparseFlag, widthMask } from './block.ts'
import { bitCount, blockCells, maskWords } from './masks.ts'

/** The values of a sparse block. One more, so that reading past the last is harmless. */
const dense = new Int32Array(blockCells + 1)

/** Where {@link unpackBlock} reads: words of a file that nobody has vouched for. */
export interface BlockSource {
  readonly words: Int32Array
  /** The next word; moved by reading. */
  at: number
  readonly masks: Int32Array
  /** Where the words lie in the snapshot, for errors. */
  readonly offset: number
}

/** Reads one block of `count` values to `start` of `values`. Throws {@link WireError}. */
export function unpackBlock(
  source: BlockSource,
  count: number,
  values: Int32Array,
  start: number,
): void {
  const { words } = source
  const head = takeWord(source)
  const base = takeWord(source)
  const width = head & widthMask
  const shift = (head >>> shiftAt) & shiftMask
  const isDelta = (head & deltaFlag) !== 0
  if (width + shift > 32 || (isDelta && shift > 0)) {
    throw fault(source, 'SS_WIRE_OUT_OF_RANGE', `a block has ${width} bits shifted by ${shift}`)
  }
  const isSparse = (head & sparseFlag) !== 0
  const maskAt = (head >>> numberAt) * maskWords
  const used = isSparse ? checkMask(source, maskAt, count) : count
  if (!isSparse && maskAt > 0) {
    throw fault(source, 'SS_WIRE_NOT_CANONICAL', 'a block without a mask numbers one')
  }
  const target = isSparse ? dense : values
  const targetStart = isSparse ? 0 : start
  const needed = isDelta ? Math.ceil(((used - 1) * width) / 32) + 1 : Math.ceil((used * width) / 32)
  if (needed > words.length - source.at) {
    throw fault(source, 'SS_WIRE_TRUNCATED', `a block of ${used} values breaks off`)
  }
  const next = source.at + needed
  const isClean = isDelta
    ? unpackDeltas(words, source.at, used, width, base, target, targetStart)
    : unpackRun(words, source.at, used, width, base, shift, target, targetStart)
  if (!isClean) throw fault(source, 'SS_WIRE_NOT_CANONICAL', 'bits are set behind a block')
  source.at = next
  if (isSparse) scatter(source.masks, maskAt, count, values, start)
}

/** Returns whether the bits behind the last value are zero. */
function unpackRun(
  words: Int32Array,
  at: number,
  count: number,
  width: number,
  base: number,
  shift: number,
  values: Int32Array,
  start: number,
): boolean {
  const end = start + count
  if (width === 0) {
    values.fill(base, start, end)
    return true
  }
  const low = width === 32 ? -1 : (1 << width) - 1
  let word = 0
  let left = 0
  for (let index = start; index < end; index++) {
    let rest = word
    if (left < width) {
      const next = words[at++]!
      rest |= next << left
      const taken = width - left
      word = taken === 32 ? 0 : next >>> taken
      left = 32 - taken
    } else {
      word >>>= width
      left -= width
    }
    values[index] = base + ((rest & low) << shift)
  }
  return word === 0
}

function unpackDeltas(
  words: Int32Array,
  at: number,
  count: number,
  width: number,
  base: number,
  values: Int32Array,
  start: number,
): boolean {
  // A mask without a bit leaves no value to begin with; no writer makes one.
  if (count === 0) return false
  let value = words[at]!
  values[start] = value
  const isClean = unpackRun(words, at + 1, count - 1, width, base, 0, values, start + 1)
  const end = start + count
  for (let index = start + 1; index < end; index++) {
    value = (value + values[index]!) | 0
    values[index] = value
  }
  return isClean
}

/** Spreads {@link dense} over the marked cells; the others become zero. */
function scatter(
  masks: Int32Array,
  maskAt: number,
  count: number,
  values: Int32Array,
  start: number,
): void {
  let used = 0
  for (let index = 0; index < count; index++) {
    const bit = (masks[maskAt + (index >> 5)]! >>> index) & 1
    values[start + index] = dense[used]! & -bit
    used += bit
  }
}

/** The number of marked cells, once the mask is known to exist and to mark none beyond the block. */
function checkMask(source: BlockSource, maskAt: number, count: number): number {
  const { masks } = source
  if (maskAt + maskWords > masks.length) {
    throw fault(source, 'SS_WIRE_OUT_OF_RANGE', `mask ${maskAt / maskWords} does not exist`)
  }
  let used = 0
  for (let index = 0; index < maskWords; index++) used += bitCount(masks[maskAt + index]!)
  if (count === blockCells) return used
  let within = 0
  for (let index = 0; index < count; index++) {
    within += (masks[maskAt + (index >> 5)]! >>> index) & 1
  }
  if (within === used) return used
  throw fault(source, 'SS_WIRE_OUT_OF_RANGE', 'a mask marks cells that are not there')
}

function takeWord(source: BlockSource): number {
  const word = source.words[source.at]
  if (word === undefined) throw fault(source, 'SS_WIRE_TRUNCATED', 'a block is missing')
  source.at++
  return word
}

function fault(source: BlockSource, code: WireError['code'], what: string): WireError {
  return new WireError(code, source.offset + source.at * 4, `Cannot unpack a column: ${what}`)
}
