import { expect, test } from 'vitest'
import { Conditioner } from '../../transport/conditioner/conditioner.ts'
import type { LedgerMatch } from '../testing/driver-world.ts'
import { DriverWorld } from '../testing/driver-world.ts'
import { catchReported } from '../testing/reported-errors.ts'

/** Asks for a picture every 16 ms, as a page does, each stamped a little before it is asked for. */
async function draw(world: DriverWorld, match: LedgerMatch, ms: number, lagMs = 0): Promise<void> {
  for (const endMs = world.timing.nowMs() + ms; world.timing.nowMs() < endMs; ) {
    await world.timing.pass(16)
    match.advance(world.timing.nowMs() - lagMs)
  }
}

test('a program that draws nothing runs every tick, soon after it came', async () => {
  const world = new DriverWorld()
  const match = await world.seat()
  await world.timing.pass(2_000)
  expect(world.sealedTick).toBe(40)
  expect(match.cursors.simulatedTick).toBeGreaterThanOrEqual(39)
})

test('ticks that wait for their time are run without another packet', async () => {
  const world = new DriverWorld()
  const conditioner = new Conditioner({ timing: world.timing, receiving: { jitterMs: 20 } })
  const match = await world.seat({ conditioner })
  await world.timing.pass(3_000)
  conditioner.set({ isClogged: true })
  await world.timing.pass(400)
  const { sealedTick, simulatedTick } = match.cursors
  expect(simulatedTick).toBe(sealedTick)
})

test('while pictures are drawn, ticks run only with them', async () => {
  const world = new DriverWorld()
  const match = await world.seat()
  await draw(world, match, 1_000)
  const { simulatedTick } = match.cursors
  expect(simulatedTick).toBeGreaterThanOrEqual(17)
  // Two more ticks come; no picture does.
  await world.timing.pass(110)
  expect(match.cursors.simulatedTick).toBe(simulatedTick)
  expect(match.cursors.sealedTick).toBeGreaterThan(simulatedTick)
})

test('who stops drawing goes on after a quarter of a second, and nothing is left behind', async () => {
  const world = new DriverWorld()
  const match = await world.seat()
  await draw(world, match, 1_000)
  await world.timing.pass(5_000)
  expect(world.sealedTick - match.cursors.simulatedTick).toBeLessThanOrEqual(1)
})

test('a hidden page runs what comes when it comes, and says that it is hidden', async () => {
  const world = new DriverWorld()
  const match = await world.seat()
  await draw(world, match, 500)
  match.setHidden(true)
  await world.timing.pass(2_000)
  expect(match.cursors.simulatedTick).toBe(world.sealedTick)
  expect(match.playState().name).toBe('hidden')
  const [member] = match.room?.members ?? []
  expect(member?.presence).toBe('hidden')
  match.setHidden(false)
  await draw(world, match, 2_000)
  expect(match.playState().name).toBe('active')
})

test('pictures move forward only, and smoothly, whatever packets come between', async () => {
  const world = new DriverWorld()
  const match = await world.seat()
  await draw(world, match, 1_000)
  const shown: number[] = []
  for (let count = 0; count < 200; count++) {
    await world.timing.pass(16)
    const { tick, alpha } = match.advance(world.timing.nowMs())
    shown.push(tick + alpha)
  }
  const steps = shown.slice(1).map((at, index) => at - shown[index]!)
  // 16 ms are 0.32 of a tick; the pace may correct itself by half of that.
  expect(Math.min(...steps)).toBeGreaterThan(0.1)
  expect(Math.max(...steps)).toBeLessThan(0.6)
})

test('a picture that is stamped before the last packet came does not make the clock run fast', async () => {
  const world = new DriverWorld()
  const match = await world.seat()
  await draw(world, match, 4_000, 12)
  // Were every stamp a step back of the clock, 4 s would seem to be a second longer.
  expect(world.sealedTick - match.cursors.simulatedTick).toBeLessThanOrEqual(3)
  expect(match.statistics.arrivalJitterMs).toBeLessThan(2)
})

test('a time of another clock is not believed', async () => {
  const world = new DriverWorld()
  const match = await world.seat()
  for (let count = 0; count < 100; count++) {
    await world.timing.pass(16)
    match.advance(1.7e12 + count)
  }
  expect(world.sealedTick - match.cursors.simulatedTick).toBeLessThanOrEqual(3)
})

test('an order leaves when it is issued, not with the next packet', async () => {
  const world = new DriverWorld()
  const match = await world.seat()
  await world.timing.pass(1_010)
  const relayMatch = world.relay.relay.matches.get('friday')
  const handle = match.order('mark', { number: 0 })
  await world.timing.pass(0)
  // Whatever happens to a match first takes in the turns that wait.
  relayMatch?.excuse(0, world.timing.nowMs())
  expect(relayMatch?.sealer.waitingOrders).toBe(1)
  await world.timing.pass(100)
  expect(handle.end).toEqual({ result: 'executed', tick: 21 })
  expect(await handle.settled).toBe(handle.end)
})

test.each(['stream', 'datagram'] as const)(
  'cuts lose no order and double none, over a %s',
  async (kind) => {
    const world = new DriverWorld(kind)
    const conditioner = new Conditioner({ timing: world.timing, seed: 5 })
    const match = await world.seat({ conditioner, advanced: { retryMs: 50 } })
    const statuses: string[] = []
    match.on('status', (status) => statuses.push(status))
    let issued = 0
    const handles: ReturnType<typeof match.order>[] = []
    for (let round = 0; round < 200; round++) {
      if (round % 25 === 24) conditioner.breakConnections()
      if (round % 50 === 10) conditioner.set({ latencyMs: 120, jitterMs: 30, loss: 0.1 })
      if (round % 50 === 40) conditioner.set({ latencyMs: 5, jitterMs: 0, loss: 0 })
      if (round % 2 === 0) handles.push(match.order('mark', { number: issued++ }))
      await world.timing.pass(50)
    }
    await world.timing.pass(5_000)
    const { seats } = match.simulation.state
    expect([seats.due[0], seats.gaps[0], seats.copies[0]]).toEqual([issued, 0, 0])
    expect(new Set(handles.map(({ end }) => end?.result))).toEqual(new Set(['executed']))
    expect(statuses.filter((status) => status === 'reconnecting').length).toBeGreaterThanOrEqual(8)
    expect(match.status).toBe('active')
  },
)

test('a listener that throws is reported; the others hear, and the match goes on', async () => {
  const reported = catchReported()
  const world = new DriverWorld()
  const match = await world.seat()
  const heard: number[] = []
  match.on('tick', () => {
    throw new Error('of a listener')
  })
  match.on('tick', ({ tick }) => heard.push(tick))
  for (let number = 0; number < 5; number++) {
    match.order('mark', { number })
    await world.timing.pass(200)
  }
  expect(heard).toHaveLength(5)
  expect(reported).toHaveLength(5)
  expect(match.simulation.state.seats.due[0]).toBe(5)
})

test('a step that throws is a fault of its tick, for everybody the same, and no end', async () => {
  const world = new DriverWorld()
  const match = await world.seat()
  const faults: number[] = []
  match.on('tick', (report) => faults.push(report.faults.length))
  match.order('crash', {})
  await world.timing.pass(1_000)
  expect(faults).toEqual([1])
  expect(match.cursors.simulatedTick).toBeGreaterThanOrEqual(18)
})

test('what a listener issues inside of an event leaves too', async () => {
  const world = new DriverWorld()
  const match = await world.seat()
  let answer: ReturnType<typeof match.order> | undefined
  match.on('tick', () => {
    answer ??= match.order('mark', { number: 1 })
  })
  match.order('mark', { number: 0 })
  await world.timing.pass(300)
  expect(answer?.end?.result).toBe('executed')
})

test('closing settles every order, tells the relay, and leaves no timer behind', async () => {
  const world = new DriverWorld()
  const match = await world.seat({ seats: 2 })
  const other = await world.seat({ seats: 2, name: 'other' })
  await world.timing.pass(500)
  const told: string[] = []
  match.on('closed', ({ reason }) => told.push(reason))
  const handle = match.order('mark', { number: 0 })
  match.close()
  match.close()
  expect([match.status, handle.end, told]).toEqual(['closed', { result: 'lost' }, ['left']])
  await world.timing.pass(500)
  expect(other.simulation.state.all.leaves).toBe(1)
  expect(world.relay.connectionCount).toBe(1)
  other.close()
  world.relay.stop()
  await world.timing.pass(1_000)
  expect(world.timing.timerCount).toBe(0)
})

test('closing inside of a listener says goodbye too', async () => {
  const world = new DriverWorld()
  const match = await world.seat({ seats: 2 })
  const other = await world.seat({ seats: 2, name: 'other' })
  const told: string[] = []
  match.on('closed', ({ reason }) => told.push(reason))
  match.on('tick', () => match.close())
  match.order('mark', { number: 0 })
  await world.timing.pass(1_000)
  expect(told).toEqual(['left'])
  // Not by the loss of its link, which would keep its seat for a minute.
  expect(other.simulation.state.all.leaves).toBe(1)
})

test('who was removed stops for good: no new link, no timer, and its last tick stays', async () => {
  const world = new DriverWorld()
  // Ticks come unevenly, so some of them wait for their time when the end comes.
  const conditioner = new Conditioner({ timing: world.timing, receiving: { jitterMs: 60 } })
  const match = await world.seat({ seats: 2, conditioner })
  const other = await world.seat({ seats: 2, name: 'other' })
  await world.timing.pass(3_000)
  const { simulation } = match
  conditioner.reset()
  while (match.cursors.sealedTick < simulation.tick + 2) await world.timing.pass(1)
  world.relay.act((relay, nowMs) => relay.kick('friday', 0, nowMs))
  while (match.status !== 'closed') await world.timing.pass(1)
  other.close()
  world.relay.stop()
  await world.timing.pass(5)
  // Ticks that wait will never be run, and nobody waits for them.
  expect(match.cursors.sealedTick).toBeGreaterThan(simulation.tick)
  expect(world.timing.timerCount).toBe(0)
  await world.timing.pass(5_000)
  expect([match.transport, world.dialed.length]).toEqual([undefined, 2])
})

test('a client whose process stood still catches up in steps, and not in one picture', async () => {
  const world = new DriverWorld()
  const match = await world.seat({ seats: 2 })
  const other = await world.seat({ seats: 2, name: 'other' })
  await draw(world, match, 500)
  const conditionedTicks = match.cursors.simulatedTick
  // Ten seconds of ticks come, and nobody asks for a picture within the quarter of a second.
  for (let count = 0; count < 50; count++) {
    match.advance(world.timing.nowMs())
    await world.timing.pass(200)
  }
  expect(match.cursors.simulatedTick - conditionedTicks).toBeGreaterThan(150)
  const before = match.cursors.simulatedTick
  match.advance(world.timing.nowMs())
  expect(match.cursors.simulatedTick - before).toBeLessThanOrEqual(30)
  expect(other.status).toBe('active')
})

test('before a match is launched there is no simulation to draw', async () => {
  const world = new DriverWorld()
  const match = await world.seat({ lobby: { start: 'by-owner', countdownMs: 0 } })
  expect(match.status).toBe('lobby')
  expect(() => match.simulation).toThrow(/in its lobby/)
  expect(match.advance(world.timing.nowMs())).toMatchObject({ phase: 'lobby', tick: 0 })
  const statuses: string[] = []
  match.on('status', (status) => statuses.push(status))
  match.act({ type: 'start' })
  await world.timing.pass(1_000)
  expect([match.status, statuses]).toEqual(['active', ['active']])
  expect(match.cursors.simulatedTick).toBeGreaterThan(10)
})
