import { spawn } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { matchEventNames } from '../src/driver/match/match.ts'
import { roomActionTypes } from '../src/wire/messages/room-actions.ts'

/** Every page of docs/guide starts with a program, and says what it prints. Needs a build. */

const root = join(import.meta.dirname, '..', '..', '..')
const guide = join(root, 'docs', 'guide')
const pages = readdirSync(guide).sort()
const readPage = (name: string) => readFileSync(join(guide, name), 'utf8')

const folder = mkdtempSync(join(tmpdir(), 'samestep-guide-'))
mkdirSync(join(folder, 'node_modules'))
symlinkSync(
  join(root, 'packages', 'samestep'),
  join(folder, 'node_modules', 'samestep'),
  'junction',
)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a program; gives what it prints, or throws with what it complains about. */
function run(file: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file], { cwd: folder })
    let output = ''
    let complaints = ''
    child.stdout.on('data', (bytes) => {
      output += bytes
    })
    child.stderr.on('data', (bytes) => {
      complaints += bytes
    })
    child.on('exit', (code) => {
      if (code === 0) resolve(output)
      else reject(new Error(`${file} ended with ${code}: ${complaints}`))
    })
  })
}

describe.each(pages)('%s', (name) => {
  const page = readPage(name)

  test('starts with a program that prints what the page says', async () => {
    const [, file = '', code = '', ran = '', expected] =
      /^# .+\n\n```js\n\/\/ (\S+\.mjs)\n([\s\S]*?)```\n\n`node (\S+\.mjs)` prints:\n\n```text\n([\s\S]*?)```\n/.exec(
        page,
      ) ?? []
    expect(file).not.toBe('')
    expect(ran).toBe(file)
    writeFileSync(join(folder, file), code)
    expect(await run(file)).toBe(expected)
  })

  test('leads to pages that are there', () => {
    for (const [, path = ''] of page.matchAll(/\]\(([\w./-]+\.md)(?:#[\w-]+)?\)/g)) {
      expect(() => readFileSync(join(guide, path))).not.toThrow()
    }
  })
})

test('docs/index.md leads to every page of the guide and of docs, and no other', () => {
  const docs = dirname(guide)
  const index = readFileSync(join(docs, 'index.md'), 'utf8')
  const linked = new Set([...index.matchAll(/\]\(([\w./-]+\.md)\)/g)].map(([, path = '']) => path))
  const here = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md') && path !== 'index.md' && !/^reference\/./.test(path))
  expect([...linked].filter((path) => !path.startsWith('reference/')).sort()).toEqual(here.sort())
})

test.each([
  ['actions', roomActionTypes],
  ['events', matchEventNames],
])('the page about rooms has all %s', (_, names) => {
  const cells = [...readPage('rooms.md').matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell)
  const listed = new Set(
    cells.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, it]) => it)),
  )
  expect(names.filter((name) => !listed.has(name))).toEqual([])
})
