/** `npm run reference`: writes `docs/reference`, a page for each door of the package. Needs a build. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { refuse, root } from './programs.ts'
import { readDoors } from './reference/read-doors.ts'
import { fileOf, renderDoor, renderIndex } from './reference/render-reference.ts'

const doors = readDoors()
const gaps = doors.flatMap(({ name, entries }) =>
  entries.filter(({ text }) => text === '').map((entry) => `${name}: ${entry.name}`),
)
if (gaps.length > 0) refuse(`These names have no doc comment:\n  ${gaps.join('\n  ')}`)

const folder = join(root, 'docs', 'reference')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const door of doors) writeFileSync(join(folder, fileOf(door)), renderDoor(door))
writeFileSync(join(folder, 'index.md'), renderIndex(doors))
const count = doors.reduce((sum, { entries }) => sum + entries.length, 0)
process.stdout.write(`${doors.length} doors, ${count} names, all with a doc comment\n`)
