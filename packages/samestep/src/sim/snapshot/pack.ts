/**
 * A column of any type as blocks of 32-bit numbers, and back.
 *
 * Whole numbers of 8 and 16 bits are widened. A 32-bit float is its bits, rotated so that the sign
 * comes last: what numbers of similar size share then stands in front. A 64-bit float is two such
 * blocks, its low half and its high half: halves and whole numbers have an empty low half.
 *
 * The same cells give the same bytes on every machine.
 */
import { assert } from '../../base/assert.ts'
import { WireError } from '../../base/errors.ts'
import type { ColumnType } from '../schema/field.ts'
import { blockHeadWordsMax, blockHeadWordsMin } from './block.ts'
import { packBlock } from './block-packer.ts'
import type { BlockSource } from './block-unpacker.ts'
import { unpackBlock } from './block-unpacker.ts'
import { cellBytes, cellRanges, holdsType } from './cells.ts'
import type { MaskPool } from './masks.ts'
import { blockCells } from './masks.ts'
import type { Cells } from './section.ts'

const lane = new Int32Array(blockCells)
const highLane = new Int32Array(blockCells)

/** The most words that `rows` cells of this type take when packed: the cells, and a head per block. */
export function packedWordsMax(type: ColumnType, rows: number): number {
  const blocks = Math.ceil(rows / blockCells) * lanesOf(type)
  return Math.ceil((rows * cellBytes[type]) / 4) + blocks * blockHeadWordsMax
}

/** The fewest words: a block whose values are all the same is only its head. */
export function packedWordsMin(type: ColumnType, rows: number): number {
  return Math.ceil(rows / blockCells) * lanesOf(type) * blockHeadWordsMin
}

/** Blocks that one run of cells becomes. */
function lanesOf(type: ColumnType): number {
  return type === 'f64' ? 2 : 1
}

/**
 * Packs the first `rows` cells into `words` from `at` on, and returns where the next word goes. Masks
 * that the blocks refer to are added to `masks`.
 */
export function packCells(
  type: ColumnType,
  cells: Cells,
  rows: number,
  masks: MaskPool,
  words: Int32Array,
  at: number,
): number {
  assert(holdsType(cells, type) && rows <= cells.length, 'These are not the cells of the column')
  const direct = wordsOf(type, cells)
  for (let row = 0, block = 0; row < rows; row += blockCells, block++) {
    const count = Math.min(blockCells, rows - row)
    switch (type) {
      case 'u32':
      case 'i32':
        at = packBlock(direct, row, count, block, masks, words, at)
        break
      case 'f32':
        for (let index = 0; index < count; index++) lane[index] = rotated(direct[row + index]!)
        at = packBlock(lane, 0, count, block, masks, words, at)
        break
      case 'f64':
        for (let index = 0; index < count; index++) {
          lane[index] = direct[(row + index) * 2]!
          highLane[index] = rotated(direct[(row + index) * 2 + 1]!)
        }
        at = packBlock(lane, 0, count, block, masks, words, at)
        at = packBlock(highLane, 0, count, block, masks, words, at)
        break
      default:
        lane.set(cells.subarray(row, row + count))
        at = packBlock(lane, 0, count, block, masks, words, at)
    }
  }
  return at
}

/** Unpacks `rows` cells to the start of `cells`. Throws {@link WireError} at anything odd. */
export function unpackCells(
  type: ColumnType,
  source: BlockSource,
  rows: number,
  cells: Cells,
): void {
  assert(holdsType(cells, type) && rows <= cells.length, 'These cells cannot take the column')
  const direct = wordsOf(type, cells)
  for (let row = 0; row < rows; row += blockCells) {
    const count = Math.min(blockCells, rows - row)
    switch (type) {
      case 'u32':
      case 'i32':
        unpackBlock(source, count, direct, row)
        break
      case 'f32':
        unpackBlock(source, count, direct, row)
        for (let index = row; index < row + count; index++) {
          direct[index] = unrotated(direct[index]!)
        }
        break
      case 'f64':
        unpackBlock(source, count, lane, 0)
        unpackBlock(source, count, highLane, 0)
        for (let index = 0; index < count; index++) {
          direct[(row + index) * 2] = lane[index]!
          direct[(row + index) * 2 + 1] = unrotated(highLane[index]!)
        }
        break
      default:
        unpackBlock(source, count, lane, 0)
        checkFits(type, count, source)
        cells.set(count === blockCells ? lane : lane.subarray(0, count), row)
    }
  }
  if (source.at === source.words.length) return
  throw new WireError(
    'SS_WIRE_TRAILING_BYTES',
    source.offset + source.at * 4,
    'Cannot unpack a column: words are left over after its last block',
  )
}

/** The bits of cells that are made of words; nothing for narrower ones, which are widened instead. */
function wordsOf(type: ColumnType, cells: Cells): Int32Array {
  switch (type) {
    case 'u32':
    case 'i32':
    case 'f32':
    case 'f64':
      return new Int32Array(cells.buffer, cells.byteOffset, cells.byteLength / 4)
    default:
      return lane
  }
}

/** A number that does not fit its cells would be cut to another one, silently. */
function checkFits(type: ColumnType, count: number, source: BlockSource): void {
  const [min, max] = cellRanges[type]
  let outside = 0
  // Widths are powers of two, so anything outside sets a bit beyond them.
  for (let index = 0; index < count; index++) outside |= (lane[index]! - min) & ~(max - min)
  if (outside === 0) return
  throw new WireError(
    'SS_WIRE_OUT_OF_RANGE',
    source.offset + source.at * 4,
    `Cannot unpack a column: a number does not fit ${type}`,
  )
}

function rotated(bits: number): number {
  return (bits << 1) | (bits >>> 31)
}

function unrotated(bits: number): number {
  return (bits >>> 1) | (bits << 31)
}
