/**
 * A small state with every type of column and every shape of data that the packer treats differently.
 * Made of whole-number arithmetic only, so that it is the same in every engine.
 */
import type { ColumnType } from '../../schema/field.ts'
import { cellRanges, makeCells } from '../cells.ts'
import type { SnapshotHeader } from '../header.ts'
import type { Cells, SectionWriter } from '../section.ts'

/** A generator of 32-bit numbers, good enough to make data look like data. */
export class SampleRandom {
  private state: number

  constructor(seed: number) {
    this.state = seed | 0 || 1
  }

  /** Any 32 bits, as a signed number. */
  word(): number {
    let state = this.state
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    this.state = state
    return state
  }

  /** A whole number from 0 to before `limit`. */
  below(limit: number): number {
    return (this.word() >>> 0) % limit
  }
}

/** One column of the sample. */
export interface SampleColumn {
  readonly name: string
  readonly type: ColumnType
  readonly cells: Cells
}

/** How the values of a column come about. */
export type Shape = (random: SampleRandom, row: number) => number

/** One of each kind of data that a table holds, by name. */
export const shapes: { readonly [name: string]: Shape } = {
  zero: () => 0,
  constant: () => 77,
  noise: (random) => random.word(),
  narrow: (random) => 40 + random.below(20),
  scattered: (random) => (random.below(3) === 0 ? 0 : 100 + random.below(27)),
  rare: (random) => (random.below(20) === 0 ? random.below(127) : 0),
  rising: (_random, row) => row,
  steps: (random) => random.below(8) * 16,
  signs: (random) => random.below(60) - 30,
}

/** The value of a shape as a cell of this type; halves for floats, so that they have fractions. */
function fitted(type: ColumnType, value: number): number {
  const [min, max] = cellRanges[type]
  if (type === 'f32' || type === 'f64') return value === 0 ? 0 : value / 4
  const size = max - min + 1
  return ((((value - min) % size) + size) % size) + min
}

/** A column of `rows` cells with data of one shape. */
export function makeColumn(
  name: string,
  type: ColumnType,
  shape: Shape,
  rows: number,
  random: SampleRandom,
): SampleColumn {
  const cells = makeCells(type, rows)
  for (let row = 0; row < rows; row++) cells[row] = fitted(type, shape(random, row))
  return { name, type, cells }
}

/** Every shape in every type: 72 columns. */
export function makeColumns(rows: number, seed: number): SampleColumn[] {
  const random = new SampleRandom(seed)
  const types = Object.keys(cellRanges) as ColumnType[]
  return types.flatMap((type) =>
    Object.entries(shapes).map(([name, shape]) =>
      makeColumn(`${type}-${name}`, type, shape, rows, random),
    ),
  )
}

/** What the sample claims to be of. */
export const sampleHeader: SnapshotHeader = {
  engine: 'samestep sample',
  gameId: 'dots',
  gameVersion: 3,
  fingerprint: Uint8Array.from({ length: 32 }, (_, index) => index * 7),
  matchId: 'friday',
  tick: 123_456,
}

/** Saves a table of every shape and type, an empty table, and two sections of bytes. */
export function saveSample(out: SectionWriter, rows: number, seed = 1): void {
  out.beginTable('units', rows)
  for (const { name, type, cells } of makeColumns(rows, seed)) out.column(name, type, cells)
  out.endTable()
  out.beginTable('nobody', 0)
  out.column('x', 'i32', new Int32Array(4))
  out.endTable()
  out.bytes(
    'plain',
    Uint8Array.from({ length: 333 }, (_, index) => index % 50),
  )
  out.bytes('empty', new Uint8Array(0))
}
