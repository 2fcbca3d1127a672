import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../../transport/testing/recorder.ts'
import { TestPlayer } from '../testing/player.ts'
import { RelayProcess } from '../testing/relay-process.ts'

/** The processes that a process started. */
function workersOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.trim().split(' ').map(Number)
}

describe('[F-16] a relay that is killed and started again', () => {
  let folder = ''
  let relay: RelayProcess | undefined
  let players: TestPlayer[] = []

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'samestep-crash-'))
  })

  afterEach(async () => {
    for (const player of players) player.stop()
    players = []
    relay?.kill()
    await relay?.ended()
    rmSync(folder, { recursive: true })
  })

  async function start(port: number, ...flags: string[]) {
    relay = new RelayProcess([
      ...['--port', String(port), '--udp', 'off', '--journal', folder, '--json', ...flags],
    ])
    return relay.started()
  }

  async function kill(): Promise<void> {
    relay?.kill('SIGKILL')
    await relay?.ended()
  }

  async function health(url: string) {
    return (await fetch(`${url}/health`)).json()
  }

  test('[I-02] [I-04] goes on with its matches: same seats, same ticks, every order once', async () => {
    const { port, urls } = await start(0)
    for (const name of ['Ada', 'Bob']) {
      players.push(new TestPlayer(urls.websocket, { match: 'friday', name, seats: 2 }))
    }
    const [ada, bob] = players as [TestPlayer, TestPlayer]
    await until(() => ada.ticks > 20 && bob.ticks > 20, 'ticks')
    const seats = [ada.seat, bob.seat]
    for (let round = 1; round <= 3; round++) {
      ada.mark()
      bob.mark()
      await kill()
      const before = Math.max(ada.ticks, bob.ticks)
      await start(port)
      await until(() => ada.ticks > before + 20 && bob.ticks > before + 20, 'ticks after the crash')
      await until(() => ada.orderEnds.length === round && bob.orderEnds.length === round, 'answers')
    }
    expect([ada.seat, bob.seat]).toEqual(seats)
    expect([ada.closed, bob.closed]).toEqual([undefined, undefined])
    for (const { result } of [...ada.orderEnds, ...bob.orderEnds]) expect(result).toBe('executed')
    expect([ada.marks, bob.marks]).toEqual([6, 6])
    const common = Math.min(ada.bundles.length, bob.bundles.length)
    expect(ada.bundles.slice(0, common)).toEqual(bob.bundles.slice(0, common))
    expect(await health(urls.http)).toMatchObject({ matches: 1, journal: 'ok' })
  }, 60_000)

  test('goes on without a journal, from what its players have', async () => {
    const flags = [
      '--port',
      '0',
      '--udp',
      'off',
      '--recovery-key-file',
      join(folder, 'key'),
      '--json',
    ]
    relay = new RelayProcess(flags)
    const { port, urls } = await relay.started()
    for (const name of ['Ada', 'Bob', 'Cy']) {
      players.push(new TestPlayer(urls.websocket, { match: 'friday', name, seats: 3 }))
    }
    await until(() => players.every(({ ticks }) => ticks > 40), 'ticks')
    const seats = players.map(({ seat }) => seat)
    for (let round = 1; round <= 2; round++) {
      for (const player of players) player.mark()
      await kill()
      const before = Math.max(...players.map(({ ticks }) => ticks))
      relay = new RelayProcess(['--port', String(port), ...flags.slice(2)])
      await relay.started()
      await until(() => players.every(({ ticks }) => ticks > before + 40), 'ticks after the loss')
      await until(() => players.every(({ orderEnds }) => orderEnds.length === round), 'answers')
    }
    expect(players.map(({ seat }) => seat)).toEqual(seats)
    expect(players.every(({ closed }) => closed === undefined)).toBe(true)
    await until(() => new Set(players.map(({ marks }) => marks)).size === 1, 'equal marks')
    const executed = players.flatMap(({ orderEnds }) => orderEnds.map(({ result }) => result))
    expect(executed.every((result) => result === 'executed' || result === 'lost')).toBe(true)
    expect(players[0]!.marks).toBeGreaterThanOrEqual(
      executed.filter((it) => it === 'executed').length - 3,
    )
    expect(players[0]!.marks).toBeLessThanOrEqual(6)
    expect(players.flatMap(({ events }) => events.filter(({ type }) => type === 'desync'))).toEqual(
      [],
    )
  }, 60_000)

  test('goes on with its matches in as many workers as it has then', async () => {
    const { port, urls } = await start(0, '--workers', '2')
    const names = ['one', 'two', 'three', 'four']
    for (const match of names) players.push(new TestPlayer(urls.websocket, { match }))
    await until(() => players.every(({ ticks }) => ticks > 10), 'ticks')
    await kill()
    const before = players.map(({ ticks }) => ticks)
    await start(port, '--workers', '3')
    const isOn = (player: TestPlayer, at: number) => player.ticks > before[at]! + 10
    await until(() => players.every(isOn), 'ticks after the crash')
    expect(players.every(({ closed }) => closed === undefined)).toBe(true)
  }, 60_000)

  test('goes on with the matches of a worker that died in its successor', async () => {
    const { urls } = await start(0, '--workers', '2')
    const names = ['one', 'two', 'three', 'four']
    for (const match of names) players.push(new TestPlayer(urls.websocket, { match }))
    await until(() => players.every(({ ticks }) => ticks > 10), 'ticks')
    const before = players.map(({ ticks }) => ticks)
    for (const pid of workersOf(relay?.child.pid as number)) process.kill(pid, 'SIGKILL')
    const isOn = (player: TestPlayer, at: number) => player.ticks > before[at]! + 30
    await until(() => players.every(isOn), 'ticks in the successors')
    expect(players.every(({ closed }) => closed === undefined)).toBe(true)
  }, 60_000)

  test('is not joined by a second one in the same folder, with workers or without', async () => {
    for (const flags of [[], ['--workers', '2']]) {
      const { urls } = await start(0, ...flags)
      const match = `with ${flags.length} flags`
      players.push(new TestPlayer(urls.websocket, { match }))
      const player = players.at(-1)!
      await until(() => player.ticks > 10, 'ticks')
      const second = new RelayProcess([
        '--port',
        '0',
        '--udp',
        'off',
        '--journal',
        folder,
        '--json',
      ])
      expect(await second.ended()).not.toBe(0)
      expect(second.stderr + second.stdout).toContain('stop that relay, or use another folder')
      const before = player.ticks
      await until(() => player.ticks > before + 10, 'ticks of the first')
      await kill()
      // The lock of the dead one holds nobody up, and its matches go on.
      const { urls: next } = await start(0, ...flags)
      expect(await health(next.http)).toMatchObject({ journal: 'ok', matches: 1 })
      relay?.kill('SIGTERM')
      await relay?.ended()
      player.stop()
    }
  }, 120_000)

  test('leaves nothing to go on from when it was asked to stop', async () => {
    const { port, urls } = await start(0)
    players.push(new TestPlayer(urls.websocket, { match: 'friday' }))
    await until(() => players[0]!.ticks > 5, 'ticks')
    relay?.kill('SIGTERM')
    await relay?.ended()
    await start(port)
    expect(await health(urls.http)).toMatchObject({ matches: 0 })
  }, 60_000)
})
