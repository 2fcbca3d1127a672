/** The tables of `docs/record.md` that follow from the code: entries, their fields, and limits. */
import { entryTypes, rawKinds } from '../../src/record/entries.ts'
import * as limits from '../../src/record/limits.ts'
import type { Json } from '../../src/sim/schema/index.ts'
import { putBlock, readBlock, rowsOf, tableText } from './page-blocks.ts'
import { typeText } from './type-text.ts'

const code = (text: string) => `\`${text}\``

/** Records inside entries are spelled out, but for the config, which `protocol.md` explains. */
function nameOf(json: Json): string | undefined {
  const { kind, fields } = json as { kind: string; fields?: [string, Json][] }
  if (kind !== 'struct') return undefined
  if (fields?.some(([name]) => name === 'orderKinds')) return 'MatchConfig'
  const inside = fields?.map(([name, type]) => `${name}: ${typeText(type, nameOf)}`)
  return `{ ${inside?.join('; ')} }`
}

function fieldsTable(description: Json, old: string): string {
  const notes = new Map(rowsOf(old).map(([name, , ...note]) => [name, note.join(' | ')]))
  const { fields } = description as { fields: [string, Json][] }
  const rows = fields.map(([name, type]) => {
    return [code(name), code(typeText(type, nameOf)), notes.get(code(name)) ?? '']
  })
  return tableText(['field', 'type', ''], rows)
}

/** The page with its tables as the code has them; what people wrote in the last columns is kept. */
export function renderRecordPage(page: string): string {
  let result = page
  for (const [name, { fields }] of Object.entries(entryTypes)) {
    const block = `entry ${name}`
    result = putBlock(result, block, fieldsTable(fields.describe(), readBlock(page, block)))
  }
  const kinds = [
    ...Object.entries(rawKinds),
    ...Object.entries(entryTypes).map(([name, { kind }]) => [name, kind] as const),
  ].sort(([, a], [, b]) => a - b)
  const notes = new Map(rowsOf(readBlock(page, 'kinds')).map(([, name, note]) => [name, note]))
  const rows = kinds.map(([name, kind]) => [String(kind), code(name), notes.get(code(name)) ?? ''])
  result = putBlock(result, 'kinds', tableText(['kind', 'entry', ''], rows))
  const limitNotes = new Map(
    rowsOf(readBlock(page, 'limits')).map(([name, , note]) => [name, note]),
  )
  // By name: bundlers give them in the sequence of the file, Node in that of the alphabet.
  const sorted = Object.entries(limits).sort(([one], [other]) => (one < other ? -1 : 1))
  const limitRows = sorted.map(([name, value]) => {
    return [code(name), String(value), limitNotes.get(code(name)) ?? '']
  })
  return putBlock(result, 'limits', tableText(['limit', 'value', 'why'], limitRows))
}
