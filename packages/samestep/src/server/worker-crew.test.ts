import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RawClient } from '../transport/testing/raw-websocket.ts'
import { until } from '../transport/testing/recorder.ts'
import { matchOf, workerOf } from './match-pin.ts'
import type { RelayServer } from './relay-server.ts'
import { startRelay } from './start-relay.ts'
import { TestPlayer } from './testing/player.ts'

/** Names of which the first is of worker 0, and the second of worker 1. */
const names = [0, 1].map(
  (worker) =>
    Array.from({ length: 99 }, (_, at) => `match ${at}`).find(
      (name) => workerOf(name, 2) === worker,
    )!,
) as [string, string]

describe('several workers behind one port', () => {
  let relay: RelayServer
  const players: TestPlayer[] = []
  const loader = process.env.NODE_OPTIONS

  beforeAll(async () => {
    // Workers run from the source here, as this test does.
    process.env.NODE_OPTIONS = '--import tsx'
    relay = await startRelay({ port: 0, log: false, workers: 2 })
  })

  afterAll(async () => {
    for (const player of players) player.stop()
    await relay.close()
    if (loader === undefined) delete process.env.NODE_OPTIONS
    else process.env.NODE_OPTIONS = loader
  })

  const join = (match: string, name: string, isAnonymous = false) => {
    const player = new TestPlayer(relay.url, { match, name, seats: 2, isAnonymous })
    players.push(player)
    return player
  }
  const health = async () => (await fetch(`${relay.urls.http}/health`)).json()

  test('all players of a match are with one worker, and another match with another', async () => {
    const all = names.flatMap((match) => [join(match, 'Ada'), join(match, 'Bob')])
    await until(() => all.every(({ ticks }) => ticks > 5), 'ticks in both matches')
    const status = await health()
    expect(status).toMatchObject({ status: 'ok', matches: 2, links: 4, players: 4 })
    expect(status.workers).toMatchObject([
      { worker: 0, matches: 1, links: 2, players: 2 },
      { worker: 1, matches: 1, links: 2, players: 2 },
    ])
    const pids = new Set(status.workers.map(({ pid }: { pid: number }) => pid))
    expect(pids.size).toBe(2)
    expect(pids.has(process.pid)).toBe(false)
    expect((await relay.matches()).map(({ name }) => name).sort()).toEqual([...names].sort())
    expect(relay.notices).toContain('UDP and WebRTC are off: they need a relay with one worker')
  })

  test('who does not name the match in the address cannot make it in the wrong place', async () => {
    // Two come, one to each worker: of a new name, exactly one may make the match.
    const strays = [join('a stray', 'Ada', true), join('a stray', 'Bob', true)]
    await until(() => strays.some(({ closed }) => closed !== undefined), 'a refusal')
    await until(() => strays.some(({ seat }) => seat !== undefined), 'a seat')
    expect(strays.filter(({ closed }) => closed !== undefined)).toHaveLength(1)
    expect(strays.find(({ closed }) => closed)?.closed?.reason).toBe('no-match')
    expect((await relay.matches()).filter(({ name }) => name === 'a stray')).toHaveLength(1)
  })

  test('an operator reaches players of every worker', async () => {
    const player = join('to be kicked', 'Ada')
    await until(() => player.seat !== undefined, 'a seat')
    expect(await relay.kick('to be kicked', 0)).toBe(true)
    await until(() => player.closed !== undefined, 'the end')
    expect(await relay.kick('to be kicked', 5)).toBe(false)
  })

  test('a worker that dies is started again, and only its own matches notice', async () => {
    const survivor = players[2]!
    const before = (await relay.status()).workers!
    process.kill(before[0]!.pid, 'SIGKILL')
    const ticks = survivor.ticks
    await until(() => survivor.ticks > ticks + 20, 'ticks of the other match')
    await expect
      .poll(async () => (await relay.status()).workers![0]!.pid, { timeout: 20_000 })
      .toBeGreaterThan(0)
    const after = await relay.status()
    expect(after.workers![0]!.pid).not.toBe(before[0]!.pid)
    expect(after.workers![1]!.pid).toBe(before[1]!.pid)
    expect(after.counters.restarts).toBe(1)
    const player = join(`${names[0]} again`, 'Ada')
    await until(() => player.seat !== undefined, 'a seat after the restart')
  })

  test('pages are answered by the process with the port, and strange requests too', async () => {
    expect(await (await fetch(relay.urls.http)).text()).toContain('This is a Samestep relay.')
    const wrong = new RawClient(relay.port).upgrade({ Origin: 'https://evil.example' })
    expect(await wrong.answered()).toBe(403)
    const lost = new RawClient(relay.port).upgrade({}, '/elsewhere?match=m')
    expect(await lost.answered()).toBe(404)
  })

  test('stopping tells the players of all workers', async () => {
    const last = [join('end one', 'Ada'), join('end two', 'Bob'), join('end three', 'Eve')]
    await until(() => last.every(({ seat }) => seat !== undefined), 'seats')
    await relay.close()
    await until(() => last.every(({ closed }) => closed !== undefined), 'the end')
    expect(last.map(({ closed }) => closed?.reason)).toEqual(['shutdown', 'shutdown', 'shutdown'])
  })
})

test('the match of a request is what its query says, decoded', () => {
  expect(matchOf('/?match=a%20b&x=1')).toBe('a b')
  expect(matchOf('/?x=1&match=%C3%A9t%C3%A9')).toBe('été')
  expect(matchOf('/?other=1')).toBeUndefined()
  expect(matchOf('/')).toBeUndefined()
  expect(matchOf(undefined)).toBeUndefined()
  expect(matchOf('/?match=%E0%A4%A')).toBeTypeOf('string')
})

test.each([2, 3, 4, 7, 16])('matches spread evenly over %i workers', (workers) => {
  const counts = new Array<number>(workers).fill(0)
  for (let at = 0; at < 8_000; at++) {
    const worker = workerOf(`room-${at}`, workers)
    counts[worker] = counts[worker]! + 1
  }
  const even = 8_000 / workers
  for (const count of counts) expect(Math.abs(count - even)).toBeLessThan(even * 0.25)
})
