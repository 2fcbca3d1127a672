import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { closeAll, read, readHashes, readSeen, until, WorkerStage, watchAda } from './stage.ts'

let stage: WorkerStage

beforeAll(async () => {
  stage = await WorkerStage.open()
}, 60_000)

afterAll(() => stage?.close())

beforeEach(() => {
  stage.complaints.length = 0
})

/** Nothing else has its turn on the page for three seconds; gives where the match is after it. */
const hang = `(() => {
  const fromTick = match.simulation.matchTick
  for (const endMs = performance.now() + 3000; performance.now() < endMs; );
  return { fromTick, shownTick: match.simulation.matchTick }
})()`

test('two players, one of them in a worker, are in sync, and one’s doings are seen by the other', async () => {
  const pages = await stage.openTwo('sync')
  const [ada, bo] = pages
  const worker = await read<string>(ada, 'typeof worker.postMessage + match.constructor.name')
  expect(worker).toMatch(/^function/)
  await ada.evaluate('match.input({ dx: 1 })')
  const end = await ada.evaluate("match.order('jump', {}).settled")
  expect(end).toMatchObject({ result: 'executed' })
  // What an order did is in the state as soon as it is settled.
  expect(await read(ada, 'match.simulation.view.runners.jumps[0]')).toBe(1)
  await until(bo, 'match.simulation.view.runners.jumps[0] === 1')
  await until(bo, 'match.simulation.view.runners.x[0] > 5')
  const tick = (await read<number>(bo, 'match.simulation.matchTick')) + 5
  const [ours, theirs] = [await readHashes(ada, tick), await readHashes(bo, tick)]
  expect(ours.every((hash) => /^[0-9a-f]{16}$/.test(hash))).toBe(true)
  expect(ours).toEqual(theirs)
  await until(bo, 'match.statistics.match?.comparedTick > 0')
  expect(await read(bo, 'match.statistics.match.mismatches')).toBe(0)
  expect(await read(ada, "match.transport + ' ' + match.playState().name")).toBe('websocket active')
  expect(stage.complaints).toEqual([])
  await closeAll(pages)
})

test('pictures of a worker move forward only, and evenly', async () => {
  const pages = await stage.openTwo('smooth')
  const [ada] = pages
  await until(ada, 'pictures.length > 200')
  // A machine with other work makes a game late for a while; evenly means in one window of a few.
  let offTicks = Number.POSITIVE_INFINITY
  for (let window = 0; window < 5 && offTicks > 2; window++) {
    await ada.evaluate('pictures.length = 0')
    await until(ada, 'pictures.length >= 150')
    const pictures = await read<{ atMs: number; place: number }[]>(ada, 'pictures.slice(0, 150)')
    const steps = pictures.slice(1).map(({ place }, index) => place - pictures[index]!.place)
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(0)
    // As far as the time went, so far went the game.
    const [first, last] = [pictures[0]!, pictures.at(-1)!]
    const ticks = ((last.atMs - first.atMs) * 30) / 1_000
    offTicks = Math.min(offTicks, Math.abs(last.place - first.place - ticks) / (ticks * 0.1 + 1))
  }
  expect(offTicks).toBeLessThanOrEqual(2)
  await closeAll(pages)
})

test('a page that hangs for three seconds does not stall its match when a worker plays it', async () => {
  const pages = await stage.openTwo('hang')
  const [ada, bo] = pages
  await bo.evaluate(watchAda)
  const { fromTick, shownTick } = (await ada.evaluate(hang)) as {
    fromTick: number
    shownTick: number
  }
  // While the page hung it saw nothing; the others saw a player who keeps up.
  expect(shownTick).toBe(fromTick)
  await until(ada, `match.simulation.matchTick > ${fromTick + 60}`)
  await until(bo, 'seen.behind.length >= 3')
  const { behind } = await readSeen(bo)
  expect(Math.max(...behind)).toBeLessThan(45)
  const tick = await read<number>(bo, 'match.simulation.matchTick')
  expect(await readHashes(ada, tick)).toEqual(await readHashes(bo, tick))
  expect(stage.complaints).toEqual([])
  await closeAll(pages)
})

test('without a worker the same page does fall behind: what is measured here is real', async () => {
  const pages = await stage.openTwo('direct', 'name=Ada')
  const [ada, bo] = pages
  await bo.evaluate(watchAda)
  await ada.evaluate(hang)
  await until(bo, 'seen.behind.length >= 3')
  const { behind } = await readSeen(bo)
  expect(Math.max(...behind)).toBeGreaterThan(45)
  await closeAll(pages)
})

/** Each try has a match of its own. */
let leaves = 0

// A busy browser may end a worker before it has said anything: then its seat is given up a minute later.
test('who closes the page leaves the match at once, as without a worker', {
  retry: 2,
}, async () => {
  leaves += 1
  const [ada, bo] = await stage.openTwo(`leave-${leaves}`)
  await ada.close({ runBeforeUnload: true })
  await until(bo, '!match.simulation.isPresent(0)', 10_000)
  await closeAll([bo])
})

test('a worker that is ended is the end of its match, and so is one that never starts', async () => {
  const [ada, bo] = await stage.openTwo('ended')
  const order = ada.evaluate("match.order('jump', {}).settled")
  await ada.evaluate('worker.terminate()')
  // Long before its silence would be noticed.
  await ada.waitForFunction('ends.length > 0', { timeout: 15_000, polling: 100 })
  expect(await read(ada, 'ends')).toEqual(['worker-lost'])
  expect(await order).toMatchObject({ result: expect.stringMatching(/lost|executed/) })
  const broken = await stage.openWindow('match=broken&worker=broken-worker')
  await broken.waitForFunction('globalThis.failure')
  const failure = (await broken.evaluate('failure')) as { reason: string; message: string }
  expect(failure.reason).toBe('worker-lost')
  expect(failure.message).toMatch(/broken on purpose/)
  const missing = await stage.openWindow('match=missing&worker=no-such-file')
  await missing.waitForFunction('globalThis.failure')
  expect(await missing.evaluate('failure.message')).toMatch(/does not load/)
  await closeAll([ada, bo, broken, missing])
}, 120_000)
