/**
 * From "the roots differ" to "row 812 of units.x is 14 here and 15 there": a descent over two trees
 * finds the leaves, a comparison of their bytes finds the cells.
 */
import { WireError } from '../../base/errors.ts'
import { leafRowsMax } from '../limits.ts'
import type { ColumnType, Json } from '../schema/field.ts'
import type { StateHash, SyncHash } from './hashes.ts'
import { parseLabel } from './label.ts'
import type { HashTree } from './tree-shape.ts'
import { levelCount } from './tree-shape.ts'

/** A leaf that is not the same on both sides. */
export interface LeafDifference {
  /** Its label: `units/x/0`. */
  readonly label: string
  /** Its position in the first tree; `undefined` if it is only in the second. */
  readonly a: number | undefined
  /** Its position in the second tree; `undefined` if it is only in the first. */
  readonly b: number | undefined
}

/**
 * All leaves in which two trees differ, in the sequence of the first. Equal nodes are not entered:
 * with `d` differing leaves of `n`, about `2 d log₂ n` nodes are looked at.
 *
 * Trees of different length are compared where their positions agree, and the rest by label.
 */
export function diffTrees<H extends SyncHash | StateHash>(
  a: HashTree<H>,
  b: HashTree<NoInfer<H>>,
): LeafDifference[] {
  const differences: LeafDifference[] = []
  const restA: number[] = []
  const restB: number[] = []
  for (const index of findUnequal(a, b)) {
    const label = a.label(index).text
    if (label === b.label(index).text) differences.push({ label, a: index, b: index })
    else {
      restA.push(index)
      restB.push(index)
    }
  }
  const common = Math.min(a.leafCount, b.leafCount)
  for (let index = common; index < a.leafCount; index++) restA.push(index)
  for (let index = common; index < b.leafCount; index++) restB.push(index)
  matchByLabel(a, restA, b, restB, differences)
  return differences.sort((left, right) => positionOf(left) - positionOf(right))
}

/** Sorts by the first tree; what only the second has goes behind the leaf of the same position. */
function positionOf(difference: LeafDifference): number {
  return difference.a ?? (difference.b ?? 0) + 0.5
}

/** Positions that exist in both trees and hold different leaves, by descent from the top. */
function findUnequal<H extends SyncHash | StateHash>(a: HashTree<H>, b: HashTree<H>): number[] {
  const found: number[] = []
  const common = Math.min(a.leafCount, b.leafCount)
  const sameShape = a.leafCount === b.leafCount
  // `size` is how many leaves a full node of the level stands for.
  const descend = (level: number, index: number, size: number): void => {
    if (index * size >= common) return
    // In trees of different length only full nodes stand for the same positions.
    const isComparable = sameShape || (index + 1) * size <= common
    if (isComparable && a.node(level, index) === b.node(level, index)) return
    if (level === 0) found.push(index)
    else {
      descend(level - 1, 2 * index, size / 2)
      descend(level - 1, 2 * index + 1, size / 2)
    }
  }
  let size = 1
  while (size < Math.max(a.leafCount, b.leafCount)) size *= 2
  descend(levelCount(size) - 1, 0, size)
  return found
}

/** Pairs leaves that stand at different positions; equal ones have only moved. */
function matchByLabel<H extends SyncHash | StateHash>(
  a: HashTree<H>,
  restA: readonly number[],
  b: HashTree<H>,
  restB: readonly number[],
  differences: LeafDifference[],
): void {
  const positionsB = new Map(restB.map((index) => [b.label(index).text, index]))
  for (const index of restA) {
    const label = a.label(index).text
    const other = positionsB.get(label)
    positionsB.delete(label)
    if (other !== undefined && a.node(0, index) === b.node(0, other)) continue
    differences.push({ label, a: index, b: other })
  }
  for (const [label, index] of positionsB) differences.push({ label, a: undefined, b: index })
}

/** One row in which a column differs. */
export interface CellDifference {
  readonly row: number
  /** The value on the first side; `undefined` if it has no such row. */
  readonly a: Json | undefined
  /** The value on the second side; `undefined` if it has no such row. */
  readonly b: Json | undefined
}

/** What differs between two versions of one leaf. */
export interface LeafCells {
  /** How many rows differ. */
  readonly total: number
  /** The first of them, at most `max`. */
  readonly cells: readonly CellDifference[]
}

/** Both versions of one leaf of a column. */
export interface LeafPair {
  readonly type: ColumnType
  /** The row of the first cell: block number × `leafRowsMax`. */
  readonly firstRow: number
  readonly a: Uint8Array
  readonly b: Uint8Array
  /** Turns a cell into what people read; without it, cells are shown as numbers. */
  readonly toJson?: (cell: number) => Json
  /** The most cells to list. 16 by default: enough to see a pattern, little enough to read. */
  readonly max?: number
}

/**
 * The rows in which two versions of a leaf differ. Floats are compared as they are hashed: by
 * value, every NaN equal to every other. Throws `SS_WIRE_TRUNCATED` if a version ends inside a cell.
 */
export function diffLeaf(pair: LeafPair): LeafCells {
  const max = pair.max ?? 16
  const toJson = pair.toJson ?? showNumber
  const a = readCells(pair.type, pair.a)
  const b = readCells(pair.type, pair.b)
  const cells: CellDifference[] = []
  let total = 0
  for (let index = 0; index < Math.max(a.count, b.count); index++) {
    const left = index < a.count ? a.at(index) : undefined
    const right = index < b.count ? b.at(index) : undefined
    // Not Object.is: it would tell 0 from -0.
    if (left === right || (Number.isNaN(left) && Number.isNaN(right))) continue
    total += 1
    if (cells.length === max) continue
    cells.push({
      row: pair.firstRow + index,
      a: left === undefined ? undefined : toJson(left),
      b: right === undefined ? undefined : toJson(right),
    })
  }
  return { total, cells }
}

/**
 * One sentence for people: `units.x differs in row 812: 14 on Ada, 15 on Bob; 3 more rows differ`.
 * `sides` names the first and the second tree.
 */
export function describeDifference(
  difference: LeafDifference,
  cells?: LeafCells,
  sides: readonly [a: string, b: string] = ['the first side', 'the second side'],
): string {
  const place = parseLabel(difference.label)
  const name = place === undefined ? difference.label : `${place.part}.${place.column}`
  const where =
    place === undefined || place.block === 0
      ? name
      : `${name} from row ${place.block * leafRowsMax}`
  if (difference.b === undefined) return `${where} is only on ${sides[0]}`
  if (difference.a === undefined) return `${where} is only on ${sides[1]}`
  const first = cells?.cells[0]
  if (cells === undefined || first === undefined) return `${where} differs`
  const show = (value: Json | undefined): string =>
    value === undefined ? 'no such row' : JSON.stringify(value)
  const values = `${show(first.a)} on ${sides[0]}, ${show(first.b)} on ${sides[1]}`
  const more = cells.total - 1
  const tail = more === 0 ? '' : more === 1 ? '; 1 more row differs' : `; ${more} more rows differ`
  return `${name} differs in row ${first.row}: ${values}${tail}`
}

/** JSON has no NaN and no infinity. */
function showNumber(cell: number): Json {
  return Number.isFinite(cell) ? cell : String(cell)
}

type CellReader = { readonly count: number; at(index: number): number }

/** Reads cells of any type from bytes of any alignment, little-endian as they lie in memory. */
function readCells(type: ColumnType, bytes: Uint8Array): CellReader {
  const width = type === 'f64' ? 8 : Number(type.slice(1)) / 8
  if (bytes.length % width !== 0) {
    throw new WireError('SS_WIRE_TRUNCATED', bytes.length, 'Cannot read cells: the last is cut off')
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const readers: { readonly [T in ColumnType]: (at: number) => number } = {
    u8: (at) => view.getUint8(at),
    u16: (at) => view.getUint16(at, true),
    u32: (at) => view.getUint32(at, true),
    i8: (at) => view.getInt8(at),
    i16: (at) => view.getInt16(at, true),
    i32: (at) => view.getInt32(at, true),
    f32: (at) => view.getFloat32(at, true),
    f64: (at) => view.getFloat64(at, true),
  }
  const read = readers[type]
  return { count: bytes.length / width, at: (index) => read(index * width) }
}
