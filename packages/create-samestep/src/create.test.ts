import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { problemWithName } from './answers.ts'
import { runCreate, type Terminal } from './create.ts'

let folder = ''
let printed: string[] = []
let complained: string[] = []
let asked: string[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'create-samestep-'))
  printed = []
  complained = []
  asked = []
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the command; with answers there is somebody to ask, without there is nobody. */
function run(args: readonly string[], answers?: readonly string[]): Promise<number> {
  const terminal: Terminal = {
    folder,
    ask:
      answers === undefined
        ? undefined
        : async (question) => {
            asked.push(question)
            const answer = answers[asked.length - 1]
            if (answer === undefined) throw new Error(`Nobody answers: ${question}`)
            return answer
          },
    print: (text) => printed.push(text),
    complain: (text) => complained.push(text),
  }
  return runCreate(args, terminal)
}

const read = (path: string): string => readFileSync(join(folder, path), 'utf8')

test('asks nothing when everything is said, and tells what to do next', async () => {
  expect(await run(['my-game', '--template', 'pixi'], [])).toBe(0)
  expect(read('my-game/src/game.ts')).toContain('thrust')
  expect(printed.join()).toMatch(/my-game is ready.*cd my-game.*npm install.*npm run dev/s)
})

test('asks for what is not said', async () => {
  expect(await run([], ['coins', 'minimal'])).toBe(0)
  expect(asked).toHaveLength(2)
  expect(JSON.parse(read('coins/package.json')).name).toBe('coins')
})

test('takes an empty answer for the default, a beginning for the word, and asks again otherwise', async () => {
  expect(await run([], ['', 'chess', 'ph'])).toBe(0)
  expect(asked).toHaveLength(3)
  expect(read('my-game/src/game.ts')).toContain('thrust')
})

test('--yes takes the defaults', async () => {
  expect(await run(['--yes'], [])).toBe(0)
  expect(read('my-game/src/game.ts')).toContain('orders: { move:')
})

test('without a terminal it says what is missing instead of waiting for ever', async () => {
  expect(await run(['my-game'])).toBe(2)
  expect(complained.join()).toMatch(/say --yes/)
  expect(existsSync(join(folder, 'my-game'))).toBe(false)
})

test('--json answers in one line, for good news and for bad', async () => {
  expect(await run(['deep/my-game', '--json'])).toBe(0)
  const [line] = printed
  expect(JSON.parse(line ?? '')).toMatchObject({
    folder: join(folder, 'deep', 'my-game'),
    name: 'my-game',
    template: 'minimal',
    files: expect.arrayContaining(['package.json', 'src/main.ts']),
    next: [`cd ${join('deep', 'my-game')}`, 'npm install', 'npm run dev'],
  })
  expect(await run(['deep/my-game', '--json'])).toBe(1)
  expect(JSON.parse(complained[0] ?? '')).toEqual({ error: expect.stringMatching(/not empty/) })
  expect(await run(['--json', '--colour'])).toBe(2)
  expect(JSON.parse(complained[1] ?? '')).toEqual({ error: expect.stringMatching(/--colour/) })
})

test('--help tells every flag and writes nothing', async () => {
  expect(await run(['my-game', '--help'])).toBe(0)
  for (const flag of ['--template', '--yes', '--json', '--help']) expect(printed[0]).toContain(flag)
  expect(readdirSync(folder)).toEqual([])
})

describe('the folder', () => {
  test('must be empty, and is left as it is otherwise', async () => {
    mkdirSync(join(folder, 'my-game'))
    writeFileSync(join(folder, 'my-game', 'notes.txt'), 'mine')
    expect(await run(['my-game', '--yes'])).toBe(1)
    expect(complained[0]).toMatch(/not empty \(notes\.txt\)/)
    expect(readdirSync(join(folder, 'my-game'))).toEqual(['notes.txt'])
  })

  test('is looked at before the second question', async () => {
    mkdirSync(join(folder, 'full'))
    writeFileSync(join(folder, 'full', 'a'), '')
    expect(await run([], ['full'])).toBe(1)
    expect(asked).toHaveLength(1)
  })

  test('may exist, and may be a fresh clone', async () => {
    mkdirSync(join(folder, 'my-game', '.git'), { recursive: true })
    expect(await run(['my-game', '--yes'])).toBe(0)
  })

  test('may be the one where the command runs', async () => {
    const inner = join(folder, 'here-now')
    mkdirSync(inner)
    folder = inner
    expect(await run(['.', '--yes'])).toBe(0)
    expect(JSON.parse(read('package.json')).name).toBe('here-now')
    expect(printed.join()).not.toContain('cd ')
    folder = join(inner, '..')
  })

  test('must not be a file', async () => {
    writeFileSync(join(folder, 'my-game'), '')
    expect(await run(['my-game', '--yes'])).toBe(1)
    expect(complained[0]).toMatch(/it is a file/)
    expect(await run(['my-game/inner', '--yes'])).toBe(1)
  })
})

test.each([
  [['my-game', '--template', 'chess'], /one of minimal, lobby, pixi, phaser/],
  [['my-game', 'other', '--yes'], /2 games at once/],
  [['my-game', '--force'], /--force.*Try --help/],
  [['my-game', '--template'], /template.*Try --help/],
  [['My Game', '--yes'], /lower-case letters/],
  [['../Évian', '--yes'], /lower-case letters/],
  [['samestep', '--yes'], /taken/],
])('%j is refused', async (args, message) => {
  expect(await run(args)).toBe(2)
  expect(complained[0]).toMatch(message)
  expect(readdirSync(folder)).toEqual([])
})

test('a name is one that npm and defineGame take', () => {
  for (const name of ['a', 'my-game', '2048', 'x'.repeat(63)]) {
    expect(problemWithName(name)).toBeUndefined()
  }
  for (const name of ['', '-a', 'a_b', 'A', 'a.b', 'a b', '<b>', "a'b", 'x'.repeat(64), '..']) {
    expect(problemWithName(name)).toBeDefined()
  }
})
