import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../programs.ts'
import { readDoors } from './read-doors.ts'
import { fileOf, renderDoor } from './render-reference.ts'

const doors = readDoors()
const folder = join(root, 'docs', 'reference')

test('every door has a page, and there is no other', () => {
  expect(doors.length).toBeGreaterThan(5)
  expect(readdirSync(folder).sort(), 'run npm run reference').toEqual(
    ['index.md', ...doors.map(fileOf)].sort(),
  )
})

test.each(doors)('every name of $name has a doc comment, and a place on its page', (door) => {
  const page = readFileSync(join(folder, fileOf(door)), 'utf8')
  const headings = [...page.matchAll(/^### (.+)$/gm)].map(([, name = '']) => name)
  // The answer to a difference is `npm run reference`.
  expect(headings.sort(), 'run npm run reference').toEqual(
    door.entries.map(({ name }) => name).sort(),
  )
  expect(door.entries.filter(({ text }) => text === '').map(({ name }) => name)).toEqual([])
})

test('a page shows the comment, the declaration and the example of a name', () => {
  const [front] = doors
  const entry = front?.entries.find(({ name }) => name === 'joinMatch')
  expect(entry?.kind).toBe('function')
  const page = renderDoor({ name: 'samestep', entries: entry === undefined ? [] : [entry] })
  expect(page).toContain('### joinMatch\n\nJoins a match on a relay')
  expect(page).toContain('function joinMatch<')
  expect(page).toContain("match: 'friday'")
})
