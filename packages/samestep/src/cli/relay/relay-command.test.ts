import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { TestPlayer } from '../../server/testing/player.ts'
import { RelayProcess } from '../../server/testing/relay-process.ts'
import { until } from '../../transport/testing/recorder.ts'
import { humanLine } from './relay-log.ts'

/** Few connections too, so that no limit of this machine is worth a note. */
const few = ['--port', '0', '--udp', 'off', '--webrtc', 'off', '--connections-max', '50']

describe('samestep relay', () => {
  const processes: RelayProcess[] = []
  const players: TestPlayer[] = []
  let folder = ''

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'samestep-test-'))
  })

  afterEach(() => {
    for (const player of players.splice(0)) player.stop()
    for (const each of processes.splice(0)) each.kill()
    rmSync(folder, { recursive: true })
  })

  const run = (flags: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const relay = new RelayProcess(flags, env)
    processes.push(relay)
    return relay
  }

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s it tells everybody 4010 and ends with 0 (F-17)',
    async (signal) => {
      const relay = run([...few, '--json'])
      const { urls } = await relay.started()
      const player = new TestPlayer(urls.websocket, { match: 'm' })
      players.push(player)
      await until(() => player.ticks > 2, 'ticks')
      relay.kill(signal)
      expect(await relay.ended()).toBe(0)
      await until(() => player.closed !== undefined, 'the end')
      expect(player.closed?.reason).toBe('shutdown')
      expect(relay.lines.at(-1)).toMatchObject({ event: 'stopped' })
      const messages = relay.lines.map(({ msg }) => msg)
      expect(messages).toContain('relay started')
      expect(messages).toContain('match started')
      expect(messages).toContain('relay stopped')
    },
  )

  test('with workers, a signal to the whole group tells everybody too', async () => {
    const relay = run(['--port', '0', '--json', '--workers', '2'])
    const { urls } = await relay.started()
    const two = ['one', 'two', 'three'].map((match) => new TestPlayer(urls.websocket, { match }))
    players.push(...two)
    await until(() => two.every(({ ticks }) => ticks > 2), 'ticks')
    const found = execFileSync('ps', ['-o', 'pid=', '--ppid', `${relay.child.pid}`], {
      encoding: 'utf8',
    })
    const workers = found.trim().split(/\s+/).map(Number)
    expect(workers.length).toBeGreaterThanOrEqual(2)
    for (const pid of workers) process.kill(pid, 'SIGINT')
    relay.kill('SIGINT')
    expect(await relay.ended()).toBe(0)
    await until(() => two.every(({ closed }) => closed !== undefined), 'the end')
    expect(two.map(({ closed }) => closed?.reason)).toEqual(['shutdown', 'shutdown', 'shutdown'])
  })

  test('says where it listens and how to join', async () => {
    const relay = run(few)
    await until(() => relay.stdout.includes('Ctrl+C'), 'the table')
    const port = /127\.0\.0\.1:(\d+)/.exec(relay.stdout)?.[1]
    expect(relay.stdout.replaceAll(port!, 'PORT')).toBe(`
The relay is running.

  websocket  ws://127.0.0.1:PORT
  pages      http://127.0.0.1:PORT
  health     http://127.0.0.1:PORT/health

  A player opens  http://127.0.0.1:PORT/#match=friday
  A game calls    joinMatch(game, { url: 'ws://127.0.0.1:PORT', match: 'friday', name: 'Ada' })

Ctrl+C stops it.

`)
  })

  test('a port that is taken ends it with 1, wrong settings with 2', async () => {
    const first = run([...few, '--json'])
    const { port } = await first.started()
    const second = run(['--port', String(port)])
    const wrong = run(['--port', 'many', '--log', 'loud'])
    const unknown = run(['--prot', '1'])
    expect(await second.ended()).toBe(1)
    expect(second.stderr).toContain('another program has the port already')
    expect(await wrong.ended()).toBe(2)
    expect(wrong.stderr).toContain('Cannot use --port: it is "many"')
    expect(wrong.stderr).toContain('Cannot use --log: it is "loud"')
    expect(await unknown.ended()).toBe(2)
    expect(unknown.stderr).toContain("unknown option '--prot'")
  })

  test('the command line counts more than the environment, and that more than the file', async () => {
    const config = join(folder, 'relay.json')
    writeFileSync(
      config,
      JSON.stringify({ port: 1, udp: false, webrtc: false, log: 'trace', createMatches: 'nobody' }),
    )
    const relay = run(['--config', config, '--port', '0', '--json'], {
      SAMESTEP_LOG: 'warn',
      SAMESTEP_PORT: '2',
    })
    const { port, urls } = await relay.started()
    expect(port).toBeGreaterThan(2)
    expect(urls.udp).toBeUndefined()
    const player = new TestPlayer(urls.websocket, { match: 'm' })
    players.push(player)
    await until(() => player.closed !== undefined, 'a refusal')
    relay.kill('SIGTERM')
    await relay.ended()
    expect(relay.lines.map(({ event }) => event)).toEqual(['started', 'stopped'])
  })
})

test('a line of the log for a person cannot write on the terminal what a stranger likes', () => {
  const line = JSON.stringify({ level: 30, time: 0, msg: 'match started', match: '\u001b[2Jx\n' })
  expect(humanLine(line)).toBe('00:00:00 info  match started  match="\\u001b[2Jx\\n"\n')
})
