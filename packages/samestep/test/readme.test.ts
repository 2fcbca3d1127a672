import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installTarball, packPackage } from '../../../tools/packed-package.ts'

/** The quick start of the README, pasted into an empty folder that has the packed package. */

const root = join(import.meta.dirname, '..', '..', '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code)
const changedLine = blocks.find((code) => code.startsWith('const match = await joinMatch')) ?? ''

/** What runs until it is told to end. */
const running: ChildProcess[] = []
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-readme-'))
  installTarball(packPackage('samestep', folder), folder)
  for (const code of blocks) {
    const [, file] = /^\/\/ (\S+\.mjs)\n/.exec(code) ?? []
    if (file !== undefined) writeFileSync(join(folder, file), code)
  }
}, 60_000)

afterAll(() => {
  for (const child of running) child.kill()
  rmSync(folder, { recursive: true, force: true })
})

const play = (file: string) =>
  new Promise<string>((resolve, reject) => {
    const child = spawn(process.execPath, [file], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.push(child)
    let output = ''
    let complaints = ''
    child.stdout.on('data', (bytes) => {
      output += bytes
    })
    child.stderr.on('data', (bytes) => {
      complaints += bytes
    })
    child.on('exit', (code) => {
      if (code === 0 && complaints === '') resolve(output)
      else reject(new Error(`${file} ended with ${code}: ${complaints}`))
    })
  })

/** Starts something that prints the address of a relay. */
async function startRelay(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  running.push(child)
  let output = ''
  for (;;) {
    const [bytes] = await once(child.stdout, 'data')
    output += bytes
    const [url] = /ws:\/\/[\w.:[\]]+/.exec(output) ?? []
    if (url !== undefined) return url
  }
}

/** Two players who run `play.mjs` with the changed line, in a match of their own. */
async function playTogether(url: string, match: string): Promise<string[]> {
  const code = readFileSync(join(folder, 'play.mjs'), 'utf8')
  const line = changedLine.replace('ws://localhost:7777', url).replace('friday', match)
  const changed = code.replace(/^const match = playLocal.*\n/m, line)
  expect(changed).not.toBe(code)
  const file = `play-${match}.mjs`
  writeFileSync(join(folder, file), changed)
  return Promise.all([play(file), play(file)])
}

const spoken = /^jumped: \{ result: 'executed', tick: \d+ \}\ntick 60: [0-9a-f]{16}\n$/

test('the README has a game, a player, a relay, and the line to change', () => {
  expect(blocks.map((code) => code.split('\n')[0])).toEqual([
    '// game.mjs',
    '// play.mjs',
    '// relay.mjs',
    changedLine.trim(),
  ])
})

test('the quick start plays alone as pasted', async () => {
  expect(await play('play.mjs')).toMatch(spoken)
})

test('two players meet on the relay of the README, and print the same hash', async () => {
  const code = readFileSync(join(folder, 'relay.mjs'), 'utf8')
  // Another port, since somebody may use that one here.
  writeFileSync(join(folder, 'relay.mjs'), code.replace('port: 7777', 'port: 0'))
  const [ada = '', bo = ''] = await playTogether(await startRelay(['relay.mjs']), 'one')
  expect(ada).toMatch(spoken)
  expect(bo).toMatch(spoken)
  expect(ada.split('\n')[1]).toBe(bo.split('\n')[1])
})

test('npx samestep relay is the same relay', async () => {
  const command = join('node_modules', '.bin', 'samestep')
  const [ada = '', bo = ''] = await playTogether(
    await startRelay([command, 'relay', '--port', '0']),
    'two',
  )
  expect(ada).toMatch(spoken)
  expect(ada.split('\n')[1]).toBe(bo.split('\n')[1])
})

test('the packed package holds what it exports, with types, and no tests', () => {
  const installed = join(folder, 'node_modules', 'samestep')
  const { exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  for (const entry of Object.values(exports) as (string | Record<string, string>)[]) {
    for (const path of typeof entry === 'string' ? [entry] : Object.values(entry)) {
      expect(readFileSync(join(installed, path), 'utf8').length).toBeGreaterThan(0)
    }
  }
  const files = execFileSync('find', [installed, '-name', '*.test.*'], { encoding: 'utf8' })
  expect(files).toBe('')
})
