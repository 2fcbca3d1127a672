import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startRelay } from 'samestep/server'
import { expect, test, vi } from 'vitest'
import { describeBusy, loadBetween, markLoad, parseBusyMs } from './load.ts'

test('busy time is everything but idle and waiting for disks', () => {
  const text = 'cpu  100 10 50 9999 777 5 3 2 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n'
  expect(parseBusyMs(text)).toBe(1700)
})

test('what others used is the whole minus our own', () => {
  const before = { wallMs: 0, ownMs: 100, busyMs: 1000 }
  const after = { wallMs: 1000, ownMs: 1000, busyMs: 2600 }
  const load = loadBetween(before, after, 2)
  expect(load.ownCores).toBeCloseTo(0.9)
  expect(load.otherCores).toBeCloseTo(0.7)
})

test('coarse kernel clocks never give a negative load', () => {
  const before = { wallMs: 0, ownMs: 0, busyMs: 0 }
  expect(loadBetween(before, { wallMs: 10, ownMs: 10, busyMs: 0 }, 2).otherCores).toBe(0)
})

test('a quiet machine is not worth a sentence', () => {
  expect(describeBusy({ ownCores: 1, otherCores: 0.1, cores: 2 })).toBeUndefined()
})

test('a busy machine is, with the figures that show it', () => {
  expect(describeBusy({ ownCores: 1, otherCores: 1.26, cores: 4 })).toBe(
    'The machine was busy: others used 1.3 of 4 cores. Trust the ratios more than the times.',
  )
  expect(describeBusy({ ownCores: 0.5, otherCores: 1.5, cores: 2 })).toMatch(
    /, and this process got 50 % of one\. Trust/,
  )
})

test('marks of this machine only grow', () => {
  const before = markLoad()
  const after = markLoad()
  expect(after.wallMs).toBeGreaterThanOrEqual(before.wallMs)
  expect(after.ownMs).toBeGreaterThanOrEqual(before.ownMs)
  expect(after.busyMs).toBeGreaterThanOrEqual(before.busyMs)
})

test('every file of the build that a program of the load bench names has a source', () => {
  const folder = join(import.meta.dirname, 'load')
  const source = join(import.meta.dirname, '..', 'packages', 'samestep', 'src')
  const named = readdirSync(folder).flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    return [...text.matchAll(/samestep\/dist\/([\w/-]+)\.js/g)].map(([, path]) => path as string)
  })
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((path) => !existsSync(join(source, `${path}.ts`)))).toEqual([])
})

interface Player {
  join(address: { port: number }, match: string, count: () => void): Promise<() => void>
}

interface Measured {
  readonly seats: number
  readonly oneAddress: object
}

/** One of the programs that the bench runs as they are, without a compiler in between. */
function loadProgram<T>(name: string): Promise<T> {
  return import(join(import.meta.dirname, 'load', `${name}.mjs`))
}

test('the players of the load bench are let play, and get their ticks', async () => {
  const { join: joinAs } = await loadProgram<Player>('player-samestep')
  const { seats, oneAddress } = await loadProgram<Measured>('measured')
  const relay = await startRelay({ port: 0, log: 'off', ...oneAddress })
  let ticks = 0
  const players: (() => void)[] = []
  for (let seat = 0; seat < seats; seat++) {
    players.push(await joinAs({ port: relay.port }, 'm', () => ticks++))
  }
  const timer = setInterval(() => {
    for (const play of players) play()
  }, 10)
  // Long enough for whatever they say wrong to end them.
  await vi.waitFor(() => expect(ticks).toBeGreaterThan(seats * 60), 20_000)
  clearInterval(timer)
  expect((await relay.status()).players).toBe(seats)
  await relay.close()
})
