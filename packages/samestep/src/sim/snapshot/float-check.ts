import { WireError } from '../../base/errors.ts'
import type { Cells, ColumnReader } from './section.ts'

/** The bits of the one NaN, of infinity and of -0: of a 32-bit float, and of a 64-bit one's high half. */
const nan32 = 0x7fc0_0000
const infinity32 = 0x7f80_0000
const nan64 = 0x7ff8_0000
const infinity64 = 0x7ff0_0000
const negativeZero = -0x8000_0000
const magnitude = 0x7fff_ffff

/**
 * Throws unless there is no -0, and no NaN but one. The state hash takes floats by value, so that it
 * cannot tell these from what should be there; a division or a copied bit pattern could.
 */
export function checkFloats(cells: Cells, rows: number, source: ColumnReader): void {
  const words = new Int32Array(cells.buffer, cells.byteOffset, cells.byteLength / 4)
  const isOdd = cells.BYTES_PER_ELEMENT === 4 ? isOdd32 : isOdd64
  for (let row = 0; row < rows; row++) {
    if (!isOdd(words, row)) continue
    throw new WireError(
      'SS_WIRE_NOT_CANONICAL',
      source.offset,
      `Cannot load column '${source.name}', row ${row}: it holds ${cells[row]} in bits that no writer uses`,
    )
  }
}

function isOdd32(words: Int32Array, row: number): boolean {
  const bits = words[row]!
  return bits === negativeZero || ((bits & magnitude) > infinity32 && bits !== nan32)
}

function isOdd64(words: Int32Array, row: number): boolean {
  const low = words[row * 2]!
  const high = words[row * 2 + 1]!
  if (low === 0 && high === negativeZero) return true
  const size = high & magnitude
  const isNan = size > infinity64 || (size === infinity64 && low !== 0)
  return isNan && (high !== nan64 || low !== 0)
}
