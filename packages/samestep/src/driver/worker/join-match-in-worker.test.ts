import { expect, test } from 'vitest'
import { defineGame } from '../../sim/game/definition/define-game.ts'
import { Conditioner } from '../../transport/conditioner/conditioner.ts'
import { JoinError } from '../online/join-error.ts'
import { ledger } from '../testing/driver-world.ts'
import type { FakePort } from '../testing/fake-threads.ts'
import { single, u16 } from '../testing/kit.ts'
import { WorkerWorld } from '../testing/worker-world.ts'
import { joinMatchInWorker, joinOverChannel } from './join-match-in-worker.ts'
import { serveMatch } from './serve-match.ts'

/** How something ended that may have failed. */
async function outcome(doing: Promise<unknown>): Promise<unknown> {
  return doing.then(
    () => 'joined',
    (error: unknown) => error,
  )
}

test('options that no match has are refused on the page, at once', async () => {
  const { threads } = new WorkerWorld()
  const { worker } = threads
  const url = 'ws://relay.test'
  const join = (options: object) =>
    joinMatchInWorker(ledger, { worker, url, match: 'friday', ...options })
  await expect(join({ url: 'nowhere' })).rejects.toThrow(/Cannot reach a relay/)
  await expect(join({ match: '' })).rejects.toThrow(/no match is named/)
  await expect(join({ seats: 99 })).rejects.toThrow(/it is for 1 to 8/)
  await expect(join({ inputDelay: -1 })).rejects.toThrow(/Cannot delay inputs/)
  await expect(join({ worker: undefined })).rejects.toThrow(/pass a new Worker/)
  await expect(join({ conditioner: new Conditioner() })).rejects.toThrow(/pass it to serveMatch/)
  await expect(join({ dial: () => {} })).rejects.toThrow(/pass it to serveMatch/)
})

test('onStatus is told on the page how far the worker is', async () => {
  const world = new WorkerWorld()
  world.serve()
  const told: string[] = []
  await world.seatInWorker({ onStatus: ({ status }) => told.push(status) })
  expect([told[0], told.at(-1)]).toEqual(['connecting', 'active'])
})

test('one worker serves several matches, one after the other and at once', async () => {
  const world = new WorkerWorld()
  world.serve()
  const first = await world.seatInWorker({ match: 'first' })
  const second = await world.seatInWorker({ match: 'second' })
  first.order('mark', { number: 4 })
  await world.timing.pass(1_000)
  expect(first.simulation.view.seats.due[0]).toBe(5)
  expect(second.simulation.view.seats.due[0]).toBe(0)
  first.close()
  const third = await world.seatInWorker({ match: 'third' })
  await world.timing.pass(500)
  expect([first.status, second.status, third.status]).toEqual(['closed', 'active', 'active'])
})

test('messages of the game’s own pass by', async () => {
  const world = new WorkerWorld()
  world.serve()
  for (const message of [undefined, null, 'hello', { samestep: 'other' }, { port: 1 }]) {
    world.threads.worker.postMessage(message, [])
  }
  expect((await world.seatInWorker()).status).toBe('active')
})

test('a worker no longer serves after the undo, and who is in stays in', async () => {
  const world = new WorkerWorld()
  const stop = world.serve()
  const match = await world.seatInWorker()
  stop()
  const joining = outcome(world.joinInWorker())
  await world.timing.pass(31_000)
  expect(await joining).toMatchObject({ reason: 'worker-lost' })
  expect([match.status, world.sealedTick - match.simulation.tick]).toEqual(['active', 0])
})

test('what the relay refuses is refused with its reason', async () => {
  const world = new WorkerWorld()
  world.serve()
  await world.seat()
  const error = await world.finish(outcome(world.joinInWorker()))
  expect(error).toBeInstanceOf(JoinError)
  expect(error).toMatchObject({ reason: 'match-full' })
  expect(world.threads.workerPorts.map(({ isClosed }) => isClosed)).toEqual([true])
})

test('a misuse that only the worker can see comes back as what it is', async () => {
  const world = new WorkerWorld()
  serveMatch(ledger, { timing: world.timing, port: world.threads.scope })
  const error = await outcome(world.joinInWorker({ url: 'udp://relay.test:9#key' }))
  expect(error).toMatchObject({ name: 'UsageError', code: 'SS_BAD_ARGUMENT' })
})

test('a relay that is out of reach is waited for, as long as was said', async () => {
  const world = new WorkerWorld()
  world.serve()
  world.isUnreachable = true
  const joining = outcome(world.joinInWorker({ timeoutMs: 60_000 }))
  await world.timing.pass(60_100)
  world.isUnreachable = false
  await world.timing.pass(20_000)
  expect(await joining).toMatchObject({ reason: 'timeout' })
  expect(world.dialedAtMs.length).toBeGreaterThan(5)
})

test('an aborted attempt ends on both sides', async () => {
  const world = new WorkerWorld()
  world.serve()
  world.isUnreachable = true
  const controller = new AbortController()
  const joining = outcome(world.joinInWorker({ signal: controller.signal }))
  await world.timing.pass(1_000)
  controller.abort()
  expect(await joining).toMatchObject({ reason: 'aborted' })
  await world.timing.pass(100)
  const early = outcome(world.joinInWorker({ signal: AbortSignal.abort() }))
  expect(await early).toMatchObject({ reason: 'aborted' })
  await world.timing.pass(100)
  world.relay.stop()
  expect(world.timing.timerCount).toBe(0)
  expect(world.threads.workerPorts.map(({ isClosed }) => isClosed)).toEqual([true, true])
})

test('who aborts after joining has no effect: closing is what ends a match', async () => {
  const world = new WorkerWorld()
  world.serve()
  const controller = new AbortController()
  const match = await world.seatInWorker({ signal: controller.signal })
  controller.abort()
  await world.timing.pass(500)
  expect(match.status).toBe('active')
})

test('a worker of another library, or of another game, is told apart', async () => {
  const other = defineGame({
    id: 'other',
    version: 1,
    seats: { min: 1, max: 8 },
    state: { all: single({ count: u16 }) },
    step() {},
  })
  const world = new WorkerWorld()
  serveMatch(other, { timing: world.timing, port: world.threads.scope })
  const game = await outcome(world.joinInWorker())
  expect(game).toMatchObject({ name: 'UsageError', code: 'SS_WORKER_DIFFERS' })
  expect((game as Error).message).toMatch(/another game than 'ledger'/)

  const { threads } = new WorkerWorld()
  const answer = { type: 'refused', version: 'samestep 9.9.9', fingerprint: ledger.fingerprint }
  threads.scope.addEventListener('message', ({ data }) => {
    ;(data as { readonly port: FakePort }).port.postMessage(answer)
  })
  threads.scope.start()
  const options = { worker: threads.worker, url: 'ws://relay.test', match: 'friday' }
  const library = await outcome(joinOverChannel(ledger, options, threads.openChannel))
  expect(library).toMatchObject({ code: 'SS_WORKER_DIFFERS' })
  expect((library as Error).message).toMatch(/built with samestep 9\.9\.9, and this page with/)
})

test('a worker that does not start, and one that does not answer, are told of', async () => {
  const world = new WorkerWorld()
  const failing = outcome(world.joinInWorker())
  world.threads.worker.emit('error', { message: 'Uncaught SyntaxError' })
  const failed = await failing
  expect(failed).toMatchObject({ reason: 'worker-lost' })
  expect((failed as Error).message).toMatch(/does not start: Uncaught SyntaxError/)

  const missing = outcome(world.joinInWorker())
  world.threads.worker.emit('error')
  expect(((await missing) as Error).message).toMatch(/its file does not load/)

  const silent = outcome(world.joinInWorker())
  await world.timing.pass(31_000)
  expect(((await silent) as Error).message).toMatch(/Does its file call serveMatch/)
  expect(world.timing.timerCount).toBe(0)
})

test('a worker that ends while it joins, or while it plays, is the end of both', async () => {
  const world = new WorkerWorld()
  world.serve()
  world.isUnreachable = true
  const joining = outcome(world.joinInWorker())
  await world.timing.pass(1_000)
  world.threads.worker.emit('exit')
  await world.timing.pass(300)
  expect(await joining).toMatchObject({ reason: 'worker-lost' })
  world.isUnreachable = false
  const match = await world.seatInWorker()
  // An error that nobody caught is none of the match's.
  world.threads.worker.emit('error', { message: 'of somebody else' })
  expect(match.status).toBe('active')
  world.threads.worker.emit('exit')
  await world.timing.pass(300)
  expect(match.status).toBe('closed')
})

test('a page that is gone without a word leaves the match, where the platform tells of it', async () => {
  const world = new WorkerWorld()
  world.serve()
  await world.seatInWorker()
  world.threads.workerPorts[0]?.emit('close')
  await world.timing.pass(500)
  expect(world.relay.connectionCount).toBe(0)
})

test('who serves where no page can ask is told where to', () => {
  expect(() => serveMatch(ledger)).toThrow(/pass port: parentPort/)
})
