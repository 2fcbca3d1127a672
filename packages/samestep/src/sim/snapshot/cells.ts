import type { ColumnType } from '../schema/field.ts'
import type { Cells } from './section.ts'

/** Bytes of one cell. */
export const cellBytes: { readonly [T in ColumnType]: number } = {
  u8: 1,
  u16: 2,
  u32: 4,
  i8: 1,
  i16: 2,
  i32: 4,
  f32: 4,
  f64: 8,
}

/** The number of each type in a file. */
export const columnTypeNumbers: { readonly [T in ColumnType]: number } = {
  u8: 0,
  u16: 1,
  u32: 2,
  i8: 3,
  i16: 4,
  i32: 5,
  f32: 6,
  f64: 7,
}

/** The types in the sequence of their numbers. */
export const columnTypes = Object.keys(columnTypeNumbers) as readonly ColumnType[]

const arrays = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i8: Int8Array,
  i16: Int16Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const

/** `length` new cells, all zero. */
export function makeCells(type: ColumnType, length: number): Cells {
  return new arrays[type](length)
}

/** Memory seen as cells. `start` must be a multiple of the size of one. */
export function viewCells(
  type: ColumnType,
  buffer: ArrayBufferLike,
  start: number,
  length: number,
): Cells {
  // The declarations of the arrays want an ArrayBuffer; they take a shared one just as well.
  return new arrays[type](buffer as ArrayBuffer, start, length)
}

/** Whether `cells` is the array that keeps columns of this type. */
export function holdsType(cells: Cells, type: ColumnType): boolean {
  return cells instanceof arrays[type]
}

/** The smallest and largest number that a cell can hold. */
export const cellRanges: { readonly [T in ColumnType]: readonly [min: number, max: number] } = {
  u8: [0, 0xff],
  u16: [0, 0xffff],
  u32: [0, 0xffff_ffff],
  i8: [-0x80, 0x7f],
  i16: [-0x8000, 0x7fff],
  i32: [-0x8000_0000, 0x7fff_ffff],
  f32: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
  f64: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
}
