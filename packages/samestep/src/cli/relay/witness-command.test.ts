import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { overviewOf } from '../../record/index.ts'
import { TestPlayer } from '../../server/testing/player.ts'
import { RelayProcess } from '../../server/testing/relay-process.ts'
import { until } from '../../transport/testing/recorder.ts'
import { sourceArgs } from '../testing/cli-args.ts'

const game = fileURLToPath(new URL('../../server/testing/player.ts', import.meta.url))
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-test-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

/** The command as a process of its own. */
function witness(...args: readonly string[]) {
  const argv = [...sourceArgs, 'witness', ...args]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] })
  const out: string[] = []
  child.stdout.on('data', (bytes) => out.push(String(bytes)))
  child.stderr.on('data', (bytes) => out.push(String(bytes)))
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  return { child, ended, text: () => out.join('') }
}

/** Ticks of the order log in a folder. */
function logTicks(debug: string): number {
  const [name] = existsSync(debug) ? readdirSync(debug) : []
  if (name === undefined) return 0
  const { matches } = overviewOf([readFileSync(join(debug, name))])
  return matches[0]?.entries.bundle ?? 0
}

const flags = [
  '--port',
  '0',
  '--udp',
  'off',
  '--webrtc',
  'off',
  '--json',
  '--connections-max',
  '50',
]

test('waits for its match, takes part in it without a seat, and ends with it', async () => {
  const relay = new RelayProcess([...flags, '--witnesses', 'anyone'])
  try {
    const { urls } = await relay.started()
    const eve = witness(urls.websocket, game, '--match', 'friday', '--json')
    await until(() => eve.text().includes('"waiting"'), 'the witness')
    const ada = new TestPlayer(urls.websocket, { match: 'friday' })
    await until(() => eve.text().includes('"witnessing"'), 'the witness to be let in')
    await until(() => ada.ticks > 10, 'ticks')
    ada.stop()
    relay.kill('SIGTERM')
    expect(await eve.ended).toBe(3)
    expect(eve.text()).toContain('"event":"ended","reason":"shutdown"')
  } finally {
    relay.kill()
  }
})

test('is stopped by a signal with 0, and is refused with 3 where it has no leave', async () => {
  const open = new RelayProcess([...flags, '--witnesses', 'anyone'])
  const closed = new RelayProcess(flags)
  try {
    const [first, second] = [await open.started(), await closed.started()]
    const players = [first, second].map(({ urls }) => {
      return new TestPlayer(urls.websocket, { match: 'friday' })
    })
    await until(() => players.every(({ ticks }) => ticks > 3), 'ticks')
    const debug = join(folder, 'debug')
    const level = ['--debug-level', '2', '--debug-folder', debug]
    const eve = witness(first.urls.websocket, game, '--match', 'friday', ...level)
    const mallory = witness(second.urls.websocket, game, '--match', 'friday')
    await until(() => eve.text().includes('Witness of friday'), 'the witness')
    await until(() => logTicks(debug) > 5, 'an order log')
    eve.child.kill('SIGTERM')
    expect(await eve.ended).toBe(0)
    expect(await mallory.ended).toBe(3)
    expect(mallory.text()).toContain('a witness needs permission')
    for (const player of players) player.stop()
  } finally {
    open.kill()
    closed.kill()
  }
})

test('a file that has no game in it is refused with 2', async () => {
  const file = join(folder, 'none.mjs')
  writeFileSync(file, 'export const nothing = 1\n')
  const eve = witness('ws://127.0.0.1:1', file, '--match', 'friday')
  expect(await eve.ended).toBe(2)
  expect(eve.text()).toContain('exports none')
})
