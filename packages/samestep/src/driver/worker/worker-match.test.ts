import { expect, test } from 'vitest'
import { saveSnapshot } from '../../sim/game/copies/snapshots.ts'
import type { SimulationView } from '../../sim/game/run/simulation-view.ts'
import { Conditioner } from '../../transport/conditioner/conditioner.ts'
import { outboxOrdersMax } from '../../wire/limits.ts'
import type { Match } from '../match/match.ts'
import type { LedgerRender, LedgerShape } from '../testing/driver-world.ts'
import { catchReported } from '../testing/reported-errors.ts'
import type { LedgerWorkerMatch } from '../testing/worker-world.ts'
import { WorkerWorld } from '../testing/worker-world.ts'

type AnyMatch = Match<LedgerShape, LedgerRender, SimulationView<LedgerShape, LedgerRender>>

async function stage(options: Parameters<WorkerWorld['joinInWorker']>[0] = {}) {
  const world = new WorkerWorld()
  world.serve()
  const match = await world.seatInWorker(options)
  const [page] = world.threads.pagePorts
  return { world, match, page: page! }
}

const codeOf = (act: () => unknown): unknown => {
  try {
    act()
    return undefined
  } catch (error) {
    return (error as { readonly code?: unknown }).code
  }
}

/** Plays a script, and gives what a player could see of it. */
async function playScript(world: WorkerWorld, match: AnyMatch): Promise<unknown> {
  const seen: unknown[] = []
  match.on('tick', ({ tick, outcomes }) => seen.push(['tick', tick, outcomes]))
  match.on('said', ({ text, member }) => seen.push(['said', text, member]))
  match.on('denied', ({ action, reason }) => seen.push(['denied', action, reason]))
  match.on('room', ({ phase }) => seen.push(['room', phase]))
  match.on('status', (status) => seen.push(['status', status]))
  const ends: unknown[] = []
  for (let round = 0; round < 40; round++) {
    if (round % 5 === 0) match.input({ right: round % 10 === 0 })
    if (round % 3 === 0) ends.push(match.order('mark', { number: round }).settled)
    if (round === 20) match.act({ type: 'say', scope: 'all', text: 'hello' })
    if (round === 25) match.act({ type: 'start' })
    await world.timing.pass(70)
    const { tick, view } = match.simulation
    const [due, held] = [view.seats.due[0], view.seats.held[0]]
    seen.push([tick, match.simulation.syncHashAt(tick), due, held])
  }
  await world.timing.pass(500)
  const settled = await Promise.all(ends)
  match.close()
  return { seen, settled, state: saveSnapshot(match.simulation) }
}

test('the same script through joinMatch and through a worker is the same match, event by event', async () => {
  const [direct, threaded] = [new WorkerWorld(), new WorkerWorld()]
  threaded.serve()
  const theirs = await playScript(direct, await direct.seat())
  const ours = await playScript(threaded, await threaded.seatInWorker())
  expect(ours).toEqual(theirs)
})

test('two players, one in a worker, see the same states and hashes', async () => {
  const { world, match } = await stage({ seats: 2 })
  const other = await world.seat({ seats: 2, name: 'other' })
  expect([match.status, match.seat, match.member]).toEqual(['active', 0, 0])
  for (let number = 0; number < 20; number++) {
    match.order('mark', { number })
    other.order('mark', { number })
    await world.timing.pass(110)
  }
  expect(match.simulation.tick).toBe(other.simulation.tick)
  expect(saveSnapshot(match.simulation)).toEqual(saveSnapshot(other.simulation))
  expect(match.room?.members.map(({ name }) => name)).toEqual(['player', 'other'])
  expect([match.transport, match.statistics.inputDelay > 0]).toEqual(['memory', true])
})

test('when an order is settled, the state that is seen has it', async () => {
  const { world, match } = await stage()
  await world.timing.pass(500)
  const seen: unknown[] = []
  match.on('tick', ({ tick }) => seen.push([tick, match.simulation.tick]))
  const handle = match.order('mark', { number: 0 })
  handle.settled.then(() => seen.push(match.simulation.view.seats.due[0]))
  expect(handle.end).toBeUndefined()
  await world.timing.pass(200)
  const tick = handle.end?.result === 'executed' ? handle.end.tick : -1
  expect(seen).toContainEqual(1)
  expect(seen).toContainEqual([tick, tick])
})

test('misuse throws on the page, at once, and never reaches the worker', async () => {
  const { match, world } = await stage()
  const [worker] = world.threads.workerPorts
  const before = worker!.received.filter((message) => (message as { type: string }).type !== 'felt')
  expect(codeOf(() => match.order('nothing' as never, {} as never))).toBe('SS_BAD_ORDER')
  expect(codeOf(() => match.order('mark', { number: -1 }))).toBe('SS_BAD_VALUE')
  expect(codeOf(() => match.input({ left: true } as never))).toBe('SS_BAD_VALUE')
  expect(codeOf(() => match.input({ right: 3 as never }))).toBe('SS_BAD_VALUE')
  const text = 'x'.repeat(100_000)
  expect(codeOf(() => match.act({ type: 'say', scope: 'all', text }))).toBe('SS_BAD_VALUE')
  await world.timing.pass(0)
  const after = worker!.received.filter((message) => (message as { type: string }).type !== 'felt')
  expect(after.length - before.length).toBeLessThanOrEqual(2)
  expect(after.map((message) => (message as { type: string }).type)).not.toContain('order')
})

test('who only watches cannot play, and whose match is over can do nothing', async () => {
  const world = new WorkerWorld()
  world.serve()
  await world.seat()
  const match = await world.seatInWorker({ role: 'spectator' })
  expect(codeOf(() => match.order('mark', { number: 0 }))).toBe('SS_NOT_SEATED')
  expect(codeOf(() => match.input({ right: true }))).toBe('SS_NOT_SEATED')
  match.close()
  expect(codeOf(() => match.order('mark', { number: 0 }))).toBe('SS_CLOSED')
  expect(codeOf(() => match.act({ type: 'start' }))).toBe('SS_CLOSED')
})

test('too many orders are refused on the page, and every one that was taken ends', async () => {
  const { world, match } = await stage()
  const handles = Array.from({ length: outboxOrdersMax }, (_, number) =>
    match.order('mark', { number }),
  )
  expect(codeOf(() => match.order('mark', { number: 0 }))).toBe('SS_OUTBOX_FULL')
  await world.timing.pass(5_000)
  expect(handles.every(({ end }) => end !== undefined)).toBe(true)
  expect(match.order('mark', { number: 0 }).end).toBeUndefined()
})

test('a page that hangs does not stall the match; it is shown the newest, and told all it missed', async () => {
  const { world, match, page } = await stage()
  await world.timing.pass(1_000)
  const [fromTick, handle] = [match.simulation.tick, match.order('mark', { number: 0 })]
  const told: unknown[] = []
  match.on('tick', ({ tick }) => told.push(match.simulation.tick >= tick))
  handle.settled.then(() => told.push(match.simulation.view.seats.due[0]))
  page.setHanging(true)
  const before = page.received.length
  await world.timing.pass(2_500)
  expect([match.simulation.tick, page.received.length]).toEqual([fromTick, before])
  const relayMatch = world.relay.relay.matches.get('friday')
  expect(relayMatch?.sealer.sealedTick).toBeGreaterThan(fromTick + 45)
  page.setHanging(false)
  // Two pictures that were on their way, the vitals, and what belongs to them: not fifty ticks' worth.
  expect(page.received.length - before).toBeLessThanOrEqual(6)
  await world.timing.pass(0)
  expect(world.sealedTick - match.simulation.tick).toBeLessThanOrEqual(1)
  expect(handle.end?.result).toBe('executed')
  // Told once, and not before it could be seen.
  expect(told).toEqual([true, 1])
})

test('a hidden page whose worker keeps pace is hidden from nobody', async () => {
  const { world, match } = await stage({ seats: 2 })
  const other = await world.seat({ seats: 2, name: 'other' })
  match.setHidden(true)
  await world.timing.pass(10_000)
  const presence = () => other.room?.members.find(({ id }) => id === match.member)?.presence
  expect([presence(), match.playState().name]).toEqual(['active', 'active'])
  expect(world.sealedTick - match.cursors.simulatedTick).toBeLessThanOrEqual(1)
  match.setHidden(false)
  await world.timing.pass(100)
  expect(presence()).toBe('active')
})

test('a hidden page is shown little, but all that it is told of, and the newest when it is seen', async () => {
  const { world, match, page } = await stage()
  await world.timing.pass(500)
  match.setHidden(true)
  await world.timing.pass(0)
  const pictures = () =>
    page.received.filter((message) => (message as { type: string }).type === 'picture').length
  const before = pictures()
  await world.timing.pass(4_000)
  expect(pictures() - before).toBeGreaterThanOrEqual(3)
  expect(pictures() - before).toBeLessThanOrEqual(8)
  const handle = match.order('mark', { number: 0 })
  await world.timing.pass(110)
  expect([handle.end?.result, match.simulation.view.seats.due[0]]).toEqual(['executed', 1])
  await world.timing.pass(150)
  match.setHidden(false)
  await world.timing.pass(0)
  expect(world.sealedTick - match.simulation.tick).toBeLessThanOrEqual(1)
})

test('a worker that is held back together with its hidden page says so, until it is seen again', async () => {
  const { world, match } = await stage()
  const presence = () => match.room?.members[0]?.presence
  // Without a hidden page, a pause is a pause.
  await world.timing.stall(1_500)
  await world.timing.pass(1_000)
  expect(presence()).toBe('active')
  match.setHidden(true)
  await world.timing.pass(0)
  await world.timing.stall(1_500)
  await world.timing.pass(1_000)
  expect([presence(), match.playState().name]).toEqual(['hidden', 'hidden'])
  match.setHidden(false)
  await world.timing.pass(1_000)
  expect([presence(), match.playState().name]).toEqual(['active', 'active'])
})

test('a worker that says nothing any more is told of, and then the match is over, with all orders', async () => {
  const { world, match, page } = await stage()
  await world.timing.pass(1_000)
  const handle = match.order('mark', { number: 0 })
  const told: unknown[] = []
  match.on('closed', (end) => told.push(end.reason, handle.end))
  match.on('status', (status) => told.push(status))
  page.setHanging(true)
  await world.timing.pass(5_000)
  expect(match.playState()).toEqual({ name: 'stalled', forMs: 5_000, waitingFor: [] })
  expect(told).toEqual([])
  await world.timing.pass(30_000)
  expect(told).toEqual(['worker-lost', { result: 'lost' }, 'closed'])
  expect(await handle.settled).toEqual({ result: 'lost' })
  // It was only away: nothing that it says counts any more.
  page.setHanging(false)
  await world.timing.pass(1_000)
  expect([match.status, told.length]).toEqual(['closed', 3])
})

test('a page that slept for an hour does not blame its worker', async () => {
  const { world, match } = await stage()
  await world.timing.stall(3_600_000)
  await world.timing.pass(1_000)
  expect([match.status, match.playState().name]).toEqual(['active', 'active'])
})

test('a line that ends is the end soon, where the platform tells of it', async () => {
  const { world, match, page } = await stage()
  const told: string[] = []
  match.on('closed', ({ reason }) => told.push(reason))
  page.emit('close')
  page.emit('close')
  await world.timing.pass(300)
  expect([told, match.status]).toEqual([['worker-lost'], 'closed'])
})

test('last words that come after the news of a death count', async () => {
  const { world, match, page } = await stage()
  const told: string[] = []
  match.on('closed', ({ reason }) => told.push(reason))
  page.setHanging(true)
  world.relay.act((relay, nowMs) => relay.kick('friday', 0, nowMs))
  await world.timing.pass(50)
  page.emit('close')
  await world.timing.pass(50)
  page.setHanging(false)
  await world.timing.pass(500)
  expect(told).toEqual(['kicked'])
})

test('faults of the game cross as errors, and what a listener throws stops nothing', async () => {
  const reported = catchReported()
  const { world, match } = await stage()
  const messages: string[] = []
  match.on('tick', () => {
    throw new Error('of a listener')
  })
  match.on('tick', ({ faults }) => {
    for (const { error } of faults) messages.push(String(error))
  })
  match.order('crash', {})
  await world.timing.pass(500)
  expect([messages, reported.length]).toEqual([['Error: crashed'], 1])
  await world.timing.pass(500)
  expect(world.sealedTick - match.simulation.tick).toBeLessThanOrEqual(1)
})

test('closing settles every order, tells the relay, and leaves no timer and no line behind', async () => {
  const { world, match, page } = await stage({ seats: 2 })
  const other = await world.seat({ seats: 2, name: 'other' })
  await world.timing.pass(500)
  const told: unknown[] = []
  match.on('closed', ({ reason }) => told.push(reason))
  match.on('status', (status) => told.push(status))
  const handle = match.order('mark', { number: 0 })
  match.close()
  match.close()
  expect([match.status, handle.end, told]).toEqual([
    'closed',
    { result: 'lost' },
    ['left', 'closed'],
  ])
  await world.timing.pass(500)
  expect(other.simulation.state.all.leaves).toBe(1)
  expect([page.isClosed, world.threads.workerPorts[0]?.isClosed]).toEqual([true, true])
  other.close()
  world.relay.stop()
  await world.timing.pass(1_000)
  expect(world.timing.timerCount).toBe(0)
})

test('who is removed sees the last tick, and hears why', async () => {
  const { world, match, page } = await stage({ seats: 2 })
  await world.seat({ seats: 2, name: 'other' })
  await world.timing.pass(1_000)
  const told: unknown[] = []
  match.on('closed', ({ reason }) => told.push(reason))
  match.on('status', (status) => told.push(status))
  page.setHanging(true)
  await world.timing.pass(1_000)
  world.relay.act((relay, nowMs) => relay.kick('friday', 0, nowMs))
  await world.timing.pass(500)
  const { simulatedTick } = match.cursors
  page.setHanging(false)
  await world.timing.pass(0)
  expect(told).toEqual(['kicked', 'closed'])
  expect(match.simulation.tick).toBeGreaterThan(simulatedTick + 15)
  expect([match.status, page.isClosed]).toEqual(['closed', true])
})

test('a lobby, its launch and the end of that are seen as without a worker', async () => {
  const { world, match } = await stage({ lobby: { start: 'by-owner', countdownMs: 0 } })
  expect([match.status, codeOf(() => match.simulation)]).toEqual(['lobby', 'SS_NOT_LAUNCHED'])
  expect(match.advance(0)).toMatchObject({ phase: 'lobby', tick: 0 })
  expect(match.playState()).toEqual({ name: 'waiting', room: match.room })
  const ticks: number[] = []
  match.on('launched', () => ticks.push(match.simulation.tick))
  match.act({ type: 'start' })
  await world.timing.pass(1_000)
  expect([match.status, ticks]).toEqual(['active', [0]])
  expect(match.simulation.tick).toBeGreaterThan(10)
})

test('a launch that is called off leaves no simulation behind', async () => {
  const { world, match } = await stage({
    seats: 2,
    loadsItself: true,
    lobby: { start: 'by-owner', countdownMs: 0 },
  })
  const other = await world.seat({ seats: 2, name: 'other', loadsItself: true })
  match.act({ type: 'start' })
  await world.timing.pass(200)
  expect(match.simulation.tick).toBe(0)
  const told: string[] = []
  match.on('aborted', () => told.push('aborted'))
  other.close()
  await world.timing.pass(200)
  expect([told, match.status]).toEqual([['aborted'], 'lobby'])
  expect(codeOf(() => match.simulation)).toBe('SS_NOT_LAUNCHED')
  expect(codeOf(() => match.order('mark', { number: 0 }))).toBe('SS_NOT_LAUNCHED')
})

/** What is drawn 60 times per second, as ticks and what is between them. */
async function draw(world: WorkerWorld, match: LedgerWorkerMatch, ms: number): Promise<number[]> {
  const shown: number[] = []
  for (const endMs = world.timing.nowMs() + ms; world.timing.nowMs() < endMs; ) {
    await world.timing.pass(16)
    const { tick, alpha } = match.advance(world.timing.nowMs())
    shown.push(tick + alpha)
  }
  return shown
}

test('pictures move forward only, and smoothly, as without a worker', async () => {
  const { world, match } = await stage()
  await draw(world, match, 1_000)
  const shown = await draw(world, match, 3_200)
  const steps = shown.slice(1).map((at, index) => at - shown[index]!)
  expect(Math.min(...steps)).toBeGreaterThan(0.1)
  expect(Math.max(...steps)).toBeLessThan(0.6)
  // A time of another clock is not believed.
  expect(match.advance(1.7e12).alpha).toBeLessThanOrEqual(1)
})

test('cuts lose no order and double none', async () => {
  const world = new WorkerWorld('datagram')
  const conditioner = new Conditioner({ timing: world.timing, seed: 5 })
  world.serve({ conditioner })
  const match = await world.seatInWorker({ advanced: { retryMs: 50 } })
  const handles: ReturnType<typeof match.order>[] = []
  for (let round = 0; round < 100; round++) {
    if (round % 25 === 24) conditioner.breakConnections()
    if (round % 2 === 0) handles.push(match.order('mark', { number: handles.length }))
    await world.timing.pass(50)
  }
  await world.timing.pass(3_000)
  const { seats } = match.simulation.view
  expect([seats.due[0], seats.gaps[0], seats.copies[0]]).toEqual([handles.length, 0, 0])
  expect(new Set(handles.map(({ end }) => end?.result))).toEqual(new Set(['executed']))
})

test('what cannot be done any more when it comes to the worker is answered too', async () => {
  const { world, match, page } = await stage()
  await world.timing.pass(500)
  const denied: unknown[] = []
  match.on('denied', ({ action, reason }) => denied.push([action, reason]))
  // The page has not heard yet that the link is lost.
  page.setHanging(true)
  world.isUnreachable = true
  world.accepted[0]?.close(1000, 'gone')
  await world.timing.pass(50)
  expect(match.status).toBe('active')
  match.act({ type: 'say', scope: 'all', text: 'hello' })
  await world.timing.pass(50)
  page.setHanging(false)
  await world.timing.pass(50)
  expect([match.status, denied]).toEqual(['reconnecting', [['say', 'not-connected']]])
  expect(codeOf(() => match.act({ type: 'start' }))).toBe('SS_NOT_SEATED')
})
