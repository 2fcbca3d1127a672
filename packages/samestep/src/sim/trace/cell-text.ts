import type { Json } from '../schema/field.ts'
import type { Column } from '../state/columns.ts'

/** What a cell means; the bare number when it means nothing that its field allows. */
export function cellText(column: Column, cell: number): Json {
  try {
    return column.field.toJson(column.codec.fromCell(cell))
  } catch {
    return cell
  }
}
