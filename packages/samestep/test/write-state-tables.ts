/** Writes the observed tables into `docs/state-machines.md`: `npx tsx packages/samestep/test/write-state-tables.ts` */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeStateTables, putTable } from './state-tables.ts'

const path = join(import.meta.dirname, '..', '..', '..', 'docs', 'state-machines.md')
let page = readFileSync(path, 'utf8')
for (const [name, table] of makeStateTables()) page = putTable(page, name, table)
writeFileSync(path, page)
