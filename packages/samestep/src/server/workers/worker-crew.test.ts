import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { RawClient } from '../../transport/testing/raw-websocket.ts'
import { until } from '../../transport/testing/recorder.ts'
import type { RelayServer } from '../relay-server.ts'
import { startRelay } from '../start-relay.ts'
import { TestPlayer } from '../testing/player.ts'
import { makePinKey, matchOf, workerOf } from './match-pin.ts'

describe('several workers behind one port', () => {
  let relay: RelayServer
  const players: TestPlayer[] = []

  beforeAll(async () => {
    // Workers run from the source here, as this test does.
    vi.stubEnv('NODE_OPTIONS', '--import tsx')
    relay = await startRelay({ port: 0, log: false, workers: 2 })
  }, 30_000)

  afterAll(async () => {
    for (const player of players) player.stop()
    await relay.close()
    vi.unstubAllEnvs()
  })

  const join = (match: string, name: string, isAnonymous = false) => {
    const player = new TestPlayer(relay.url, { match, name, seats: 2, isAnonymous })
    players.push(player)
    return player
  }
  const health = async () => (await fetch(`${relay.urls.http}/health`)).json()

  /** The links of each worker, once there are so many. A busy worker may be left out of an answer. */
  const linksOf = async (total: number): Promise<number[]> => {
    let links: number[] = []
    const sum = async () => {
      links = (await relay.status()).workers!.map((worker) => worker.links)
      return links.reduce((all, each) => all + each)
    }
    await expect.poll(sum, { timeout: 10_000 }).toBe(total)
    return links
  }

  /** Joins two players to matches of new names until each worker has one. Gives one of each. */
  const spread = async (): Promise<[string, string]> => {
    const names: (string | undefined)[] = [undefined, undefined]
    let before = [0, 0]
    for (let at = 0; at < 40 && names.includes(undefined); at++) {
      const pair = [join(`match ${at}`, 'Ada'), join(`match ${at}`, 'Bob')]
      await until(() => pair.every(({ ticks }) => ticks > 5), 'ticks of both players')
      const after = await linksOf(players.length)
      const grown = after.map((links, worker) => links - before[worker]!)
      expect(grown.toSorted()).toEqual([0, 2])
      names[grown.indexOf(2)] ??= `match ${at}`
      before = after
    }
    return names as [string, string]
  }
  let names: [string, string]

  test('all players of a match are with one worker, and another match with another', async () => {
    names = await spread()
    expect(names).not.toContain(undefined)
    const { length } = players
    const sums = { status: 'ok', matches: length / 2, links: length, players: length }
    await expect.poll(health).toMatchObject(sums)
    const { workers } = await relay.status()
    const pids = new Set(workers!.map(({ pid }) => pid))
    expect(pids.size).toBe(2)
    expect(pids.has(process.pid)).toBe(false)
    const matches = async () => (await relay.matches()).map(({ name }) => name)
    await expect.poll(matches).toEqual(expect.arrayContaining(names))
    expect(relay.notices).toContain('UDP is off: it needs a relay with one worker')
  })

  test('who does not name the match in the address cannot make it in the wrong place', async () => {
    // They come to the workers in turns: of a new name, only one worker may make the match.
    const strays: TestPlayer[] = []
    const isSeated = ({ seat, closed }: TestPlayer) => seat !== undefined && closed === undefined
    const isRefused = ({ closed }: TestPlayer) => closed !== undefined
    for (let at = 0; at < 9 && !(strays.some(isSeated) && strays.some(isRefused)); at++) {
      const stray = join('a stray', 'Ada', true)
      strays.push(stray)
      await until(() => isSeated(stray) || isRefused(stray), 'an answer')
    }
    expect([strays.some(isSeated), strays.some(isRefused)]).toEqual([true, true])
    expect(strays.find(({ closed }) => closed)?.closed?.reason).toBe('no-match')
    // A worker that is too busy to answer within a second is left out of a list.
    const made = async () => (await relay.matches()).filter(({ name }) => name === 'a stray').length
    await expect.poll(made).toBe(1)
  })

  test('an operator reaches players of every worker', async () => {
    const player = join('to be kicked', 'Ada')
    await until(() => player.seat !== undefined, 'a seat')
    expect(await relay.kick('to be kicked', 0)).toBe(true)
    await until(() => player.closed !== undefined, 'the end')
    expect(await relay.kick('to be kicked', 5)).toBe(false)
  })

  test.each(['SIGHUP', 'SIGINT', 'SIGTERM'] as const)(
    'a worker survives %s, which the whole group of processes may get',
    async (signal) => {
      const before = (await relay.status()).workers!
      for (const { pid } of before) process.kill(pid, signal)
      // Each answers once more, after the signal.
      const after = (await relay.status()).workers!
      expect(after.map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid))
      const active = players.filter(({ match }) => names.includes(match))
      const ticks = active.map((player) => player.ticks)
      await until(() => active.every((player, at) => player.ticks > ticks[at]! + 5), 'ticks go on')
    },
  )

  test('a worker that dies is started again, and only its own matches notice', async () => {
    const survivor = players.find(({ match }) => match === names[1])!
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
  const pinKey = new Uint8Array(32).fill(workers)
  const counts = new Array<number>(workers).fill(0)
  for (let at = 0; at < 8_000; at++) {
    const worker = workerOf(`room-${at}`, workers, pinKey)
    counts[worker] = counts[worker]! + 1
  }
  const even = 8_000 / workers
  for (const count of counts) expect(Math.abs(count - even)).toBeLessThan(even * 0.25)
})

test('nobody can foresee the worker of a match: another relay has another one', () => {
  const keys = [makePinKey(), makePinKey()] as const
  const names = Array.from({ length: 256 }, (_, at) => `room-${at}`)
  const [one, other] = keys.map((key) => names.map((name) => workerOf(name, 16, key)))
  expect(one).not.toEqual(other)
  expect(one).toEqual(names.map((name) => workerOf(name, 16, keys[0])))
})
