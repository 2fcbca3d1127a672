/** The tables of causes in `docs/checking.md` and `docs/desync.md`: the doctor's, in its words. */
import { causeIds } from '../../src/check/causes/causes.ts'
import { causeTable } from '../../src/desync/doctor/cause-table.ts'
import { liveCauses } from '../../src/desync/doctor/live-causes.ts'
import { putBlock, readBlock, rowsOf, tableText } from './page-blocks.ts'

const code = (text: string) => `\`${text}\``
const cell = (text: string) => text.replaceAll('|', '\\|')

/** All that a check can tell. */
export function renderCheckingPage(page: string): string {
  const rows = causeIds.map((id) => [
    code(id),
    cell(causeTable[id].title),
    cell(causeTable[id].advice),
  ])
  return putBlock(page, 'causes of a check', tableText(['cause', '', 'what to do'], rows))
}

/** All that a live match can tell; what speaks for each is written by people, and kept. */
export function renderDesyncPage(page: string): string {
  const name = 'causes of a desync'
  const seen = new Map(rowsOf(readBlock(page, name)).map(([id = '', text = '']) => [id, text]))
  const rows = Object.entries(liveCauses).map(([id, { advice }]) => [
    code(id),
    seen.get(code(id)) ?? '',
    advice,
  ])
  return putBlock(page, name, tableText(['`cause.id`', 'what was seen', 'what to do'], rows))
}
