import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { until } from '../transport/testing/recorder.ts'
import type { RelayServer, RelayServerOptions } from './relay-server.ts'
import { startRelay } from './start-relay.ts'
import { TestPlayer } from './testing/player.ts'
import { RelayProcess } from './testing/relay-process.ts'
import { gatherMsOf } from './workers/crew.ts'

const closing: (() => unknown)[] = []
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-test-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  for (const close of closing.splice(0).reverse()) await close()
  rmSync(folder, { recursive: true })
})

async function start(options: RelayServerOptions = {}): Promise<RelayServer> {
  const relay = await startRelay({ port: 0, udp: false, webrtc: false, log: false, ...options })
  closing.push(() => relay.close())
  return relay
}

/** Two players of one match, who have played some ticks. */
async function play(url: string): Promise<void> {
  const players = ['Ada', 'Bob'].map((name) => new TestPlayer(url, { match: 'm', name, seats: 2 }))
  for (const player of players) closing.push(() => player.stop())
  await until(() => players.every(({ ticks }) => ticks > 10), 'ticks for both')
}

describe('a thread rests', () => {
  test('never in a process that is not ours, unless that was asked for', async () => {
    const rests = vi.spyOn(Atomics, 'wait')
    await play((await start()).url)
    expect(rests).not.toHaveBeenCalled()
    await play((await start({ turbo: true, gatherMs: 0 })).url)
    expect(rests).not.toHaveBeenCalled()
    await play((await start({ gatherMs: 0.5 })).url)
    expect(rests).toHaveBeenCalled()
  })

  test('with turbo, where the system can sleep so shortly', () => {
    expect(gatherMsOf({})).toBe(0)
    expect(gatherMsOf({ turbo: true })).toBe(process.platform === 'linux' ? 0.5 : 0)
    expect(gatherMsOf({ turbo: true, gatherMs: 0.1 })).toBe(0.1)
  })
})

/** Lets a process write down its kind when it asks Node for what Node does not promise. */
function noteBinding(): { file: string; preload: string } {
  const file = join(folder, 'asked')
  const code = `
    import { appendFileSync } from 'node:fs'
    const { binding } = process
    process.binding = (name) => {
      appendFileSync(${JSON.stringify(file)}, process.send ? 'worker ' : 'port ')
      return binding.call(process, name)
    }`
  return { file, preload: `--import data:text/javascript,${encodeURIComponent(code)}` }
}

const whoAsked = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ') : []

/** Runs `samestep relay` with some flags, and tells which of its processes used Node's insides. */
async function run(flags: readonly string[], preload = ''): Promise<[string[], RelayProcess]> {
  const note = noteBinding()
  const quiet = ['--port', '0', '--udp', 'off', '--json', '--log', 'debug']
  const env = { NODE_OPTIONS: `--import tsx ${note.preload} ${preload}` }
  const relay = new RelayProcess([...quiet, ...flags], env)
  closing.push(() => relay.kill())
  await relay.started()
  return [whoAsked(note.file), relay]
}

describe('samestep relay', () => {
  test('has turbo on', async () => {
    expect((await run([]))[0]).toEqual(['port'])
  })

  test('has it on in workers too, and not in the process with the port, which hears no packet', async () => {
    expect((await run(['--workers', '2']))[0]).toEqual(['worker', 'worker'])
  })

  test('can be told to have it off, for all of its workers', async () => {
    expect((await run(['--workers', '2', '--turbo', 'no']))[0]).toEqual([])
  })

  test('has it off on a Node on which it was not tested, with a line in the log', async () => {
    const code =
      "Object.defineProperty(process,'versions',{value:{...process.versions,node:'23.1.0'}})"
    const preload = `--import data:text/javascript,${encodeURIComponent(code)}`
    const [asked, relay] = await run([], preload)
    expect(asked).toEqual([])
    expect(relay.lines.map(({ msg }) => msg)).toContain('turbo is off: not tested on this Node')
  })
})
