/** The table of `docs/fields.md`: what follows from each kind of field; what it is for is kept. */
import { type SchemaCase, schemaCases } from '../../src/sim/schema/testing/vector-cases.ts'
import { putBlock, readBlock, rowsOf, tableText } from './page-blocks.ts'
import { typeText } from './type-text.ts'

const block = 'field types'
const code = (text: string) => `\`${text}\``
const kindOf = (cell: string | undefined) => /\w+/.exec(cell ?? '')?.[0]

/** Values that show nothing of their type. */
const dull = ['false', '0', '""', '[]', 'null']

function rowOf({ name, field, values }: SchemaCase, notes: Notes): string[] {
  const { bitsMin, bitsMax, column, isKey } = field
  const examples = values.map((value) => JSON.stringify(value))
  return [
    code(typeText(field.describe(), () => undefined)),
    bitsMin === bitsMax ? `${bitsMin}` : `${bitsMin} to ${bitsMax}`,
    column === undefined ? '' : code(column.type),
    isKey ? 'yes' : '',
    code(examples.find((text) => !dull.includes(text)) ?? ''),
    notes.get(name) ?? '',
  ]
}

type Notes = ReadonlyMap<string | undefined, string>

/** The page with its table as the code has it. */
export function renderFieldsPage(page: string): string {
  const rows = rowsOf(readBlock(page, block))
  const notes = new Map(rows.map((row) => [kindOf(row[0]), row.at(-1) ?? '']))
  // Records of games stand among the cases too, under names of their own.
  const kinds = schemaCases.filter(({ name, field }) => name === field.kind)
  const head = ['type', 'bits', 'column', 'key', 'in JSON', 'for']
  return putBlock(
    page,
    block,
    tableText(
      head,
      kinds.map((it) => rowOf(it, notes)),
    ),
  )
}
