import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { OrderEnd } from '../../src/client/outbox/order-outbox.ts'
import { injectDesync } from '../../src/desync/inject.ts'
import type { DesyncReport } from '../../src/desync/report.ts'
import { playTogether } from '../../src/driver/together/play-together.ts'
import { defineGame } from '../../src/sim/game/definition/define-game.ts'
import { i8, i32, u8 } from '../../src/sim/schema/index.ts'
import { single } from '../../src/sim/state/single.ts'
import { table } from '../../src/sim/state/table.ts'

const herd = defineGame({
  id: 'herd',
  version: 1,
  tickRate: 20,
  seats: { min: 2, max: 8 },
  state: { units: table(200, { x: i32, hp: u8 }), score: single({ sum: i32 }) },
  render: { units: { x: 'lerp' } },
  input: { dx: i8 },
  orders: { push: { by: i32 } },
  setup({ state }) {
    for (let row = 0; row < 150; row++) state.units.add({ x: row, hp: 10 })
  },
  apply({ state, order }) {
    state.score.sum += order.data.by
  },
  step({ state, inputs, random }) {
    for (const { dx } of inputs) {
      const row = random.below(150)
      state.units.x[row] = (state.units.x[row] as number) + dx
    }
  },
})

beforeEach(() => {
  vi.spyOn(console, 'warn').mockReturnValue()
})

let world: { close(): void } | undefined

afterEach(() => {
  world?.close()
  world = undefined
  vi.restoreAllMocks()
})

/** A match of some players, and what each of them is told. */
async function play(players: number, options = {}) {
  const made = await playTogether(herd, {
    players,
    development: false,
    conditions: { latencyMs: 20, jitterMs: 4 },
    ...options,
  })
  world = made
  const told = made.matches.map((match) => {
    const heard: DesyncReport[] = []
    match.on('desync', (report) => heard.push(report))
    return heard
  })
  const statuses = made.matches.map((match) => {
    const heard: string[] = []
    match.on('status', (status) => heard.push(status))
    return heard
  })
  const closed: string[] = []
  for (const match of made.matches) {
    match.on('closed', ({ reason, message }) => closed.push(`${reason}: ${message}`))
  }
  return { world: made, told, statuses, closed, seat: (number: number) => made.matches[number]! }
}

type Scene = Awaited<ReturnType<typeof play>>

/** Lets one machine go its own way, and waits until it has the state of the others again. */
async function desync(scene: Scene, number: number, path: string): Promise<void> {
  injectDesync(scene.seat(number).simulation, path)
  await scene.world.advanceUntil(() => scene.seat(number).status === 'resyncing', 30_000)
  await scene.world.advanceUntil(() => scene.seat(number).status === 'active')
}

describe('resync', () => {
  test.each(['stream', 'datagram'] as const)(
    'the one who differs of three takes over the state of the others, over a %s',
    async (kind) => {
      const conditions = { latencyMs: 30, jitterMs: 10, loss: kind === 'datagram' ? 0.05 : 0 }
      const scene = await play(3, { desync: 'resync', kind, conditions })
      await scene.world.advance(3_000)
      const { simulation } = scene.seat(1)
      const { view } = scene.seat(1).simulation
      scene.seat(1).input({ dx: 3 })
      injectDesync(simulation, 'units.hp[77]')
      await scene.world.advanceUntil(() => scene.seat(1).playState().name === 'resyncing')
      expect(scene.seat(1).status).toBe('resyncing')
      await scene.world.advanceUntil(() => scene.seat(1).playState().name === 'active')
      await scene.world.advance(3_000)
      scene.world.expectInSync()
      expect(scene.statuses).toEqual([[], ['resyncing', 'active'], []])
      expect(scene.told.map((reports) => reports.length)).toEqual([3, 3, 3])
      for (const report of scene.told.flat()) {
        expect(report).toMatchObject({ reaction: 'resync', verdict: { seats: [1] } })
      }
      // Whoever draws it holds on to what it had.
      expect(scene.seat(1).simulation).toBe(simulation)
      expect(scene.seat(1).advance(scene.world.nowMs).current).toBe(view)
      expect(view.units.hp[77]).toBe(10)
      // What was held still is: the units go on moving.
      const sumOf = () =>
        [...scene.seat(0).simulation.view.units].reduce(
          (sum, row) => sum + (view.units.x[row] ?? 0),
          0,
        )
      const before = sumOf()
      await scene.world.advance(1_000)
      expect(sumOf()).toBeGreaterThan(before)
      expect(scene.seat(1).cursors.simulatedTick).toBeGreaterThan(
        scene.seat(0).cursors.simulatedTick - 5,
      )
    },
  )

  test('every order that was on its way ends once, and later ones run', async () => {
    const scene = await play(3, { desync: 'resync' })
    await scene.world.advance(2_000)
    injectDesync(scene.seat(2).simulation, 'units.x[5]')
    const ends: OrderEnd['result'][] = []
    for (let ms = 0; ms < 5_000; ms += 50) {
      const { settled } = scene.seat(2).order('push', { by: 1 })
      void settled.then(({ result }) => ends.push(result))
      await scene.world.advance(50)
    }
    await scene.world.advance(3_000)
    scene.world.expectInSync()
    expect(ends).toHaveLength(100)
    expect(ends.filter((end) => end === 'refused')).toEqual([])
    // Those of the ticks that were passed over ran as well, and only their player cannot know.
    expect(scene.seat(0).simulation.state.score.sum).toBe(100)
    expect(ends.filter((end) => end === 'executed').length).toBeGreaterThan(50)
    expect(scene.seat(2).pendingOrders).toEqual([])
  })

  test('nobody waits for the inputs of who has no state, where ticks wait for inputs', async () => {
    const scene = await play(3, { desync: 'resync', missing: { kind: 'wait', waitMs: 2_000 } })
    await scene.world.advance(2_000)
    injectDesync(scene.seat(1).simulation, 'units.hp[3]')
    await scene.world.advanceUntil(() => scene.seat(1).status === 'resyncing', 30_000)
    const since = scene.seat(0).cursors.simulatedTick
    const sinceMs = scene.world.nowMs
    await scene.world.advanceUntil(() => scene.seat(1).status === 'active', 30_000)
    const ranMs = (scene.seat(0).cursors.simulatedTick - since) * 50
    expect(ranMs).toBeGreaterThan(0.8 * (scene.world.nowMs - sinceMs))
    await scene.world.advance(3_000)
    scene.world.expectInSync()
  })

  test('the others play on as if nothing had happened', async () => {
    // Without jitter, a match that stands still has no other cause.
    const scene = await play(3, { desync: 'resync', conditions: { latencyMs: 20 } })
    await scene.world.advance(2_000)
    injectDesync(scene.seat(1).simulation, 'units.hp[3]')
    const states = new Set<string>()
    let ticks = scene.seat(0).cursors.simulatedTick
    for (let ms = 0; ms < 6_000; ms += 10) {
      await scene.world.advance(10)
      for (const number of [0, 2]) states.add(scene.seat(number).playState().name)
      const { simulatedTick } = scene.seat(0).cursors
      expect(simulatedTick - ticks).toBeLessThan(3)
      ticks = simulatedTick
    }
    expect([...states]).toEqual(['active'])
    scene.world.expectInSync()
  })

  test('who differs again and again is given a state three times, and then leaves with a reason', async () => {
    const scene = await play(3, { desync: 'resync' })
    await scene.world.advance(2_000)
    for (let count = 0; count < 3; count++) {
      await desync(scene, 1, `units.hp[${count}]`)
      await scene.world.advance(12_000)
      scene.world.expectInSync()
    }
    injectDesync(scene.seat(1).simulation, 'units.hp[9]')
    await scene.world.advance(14_000)
    expect(scene.closed).toEqual([
      'desync: Your machine differs from most again, after too many resyncs',
    ])
    expect(scene.seat(0).status).toBe('active')
    scene.world.expectInSync()
  })

  test('T-46 of two players nobody is given the state of the other', async () => {
    const scene = await play(2, { desync: 'resync' })
    await scene.world.advance(2_000)
    injectDesync(scene.seat(1).simulation, 'units.hp[3]')
    await scene.world.advance(20_000)
    expect(scene.statuses).toEqual([[], []])
    expect(scene.told[0]?.at(-1)).toMatchObject({
      verdict: { kind: 'undecided' },
      reaction: 'none',
      place: { part: 'units', row: 3, field: 'hp' },
    })
    expect(scene.seat(1).simulation.state.units.hp[3]).toBe(9)
  })

  test('of two players and a referee, who differs from the referee is', async () => {
    const scene = await play(2, { desync: 'resync', referee: 'witness' })
    await scene.world.join({ role: 'witness' })
    await scene.world.advance(3_000)
    await desync(scene, 0, 'units.hp[3]')
    await scene.world.advance(2_000)
    expect(scene.statuses[0]).toEqual(['resyncing', 'active'])
    expect(scene.statuses[1]).toEqual([])
    scene.world.expectInSync()
  })

  test('a link that is lost meanwhile changes nothing', async () => {
    const scene = await play(3, { desync: 'resync' })
    await scene.world.advance(2_000)
    injectDesync(scene.seat(1).simulation, 'units.hp[3]')
    await scene.world.advanceUntil(() => scene.seat(1).status === 'resyncing')
    scene.world.lines[1]?.breakConnections()
    await scene.world.advance(6_000)
    expect(scene.seat(1).playState().name).toBe('active')
    scene.world.expectInSync()
  })
})

describe('resync of who gives up the seat', () => {
  /** Three players of whom the last differs and is blamed, and a spectator who has not. */
  async function blamed(options = {}) {
    const scene = await play(3, { desync: 'resync', ...options })
    const bob = await scene.world.join({ role: 'spectator' })
    await scene.world.advanceUntil(() => bob.status === 'active')
    await scene.world.advance(2_000)
    const ada = scene.seat(2)
    const handOver = () => {
      ada.act({ type: 'hand-over', seat: 2, member: bob.member as number })
    }
    injectDesync(ada.simulation, 'units.hp[77]')
    return { ...scene, ada, bob, handOver }
  }

  test('before it is resynced: it gets the state as a spectator', async () => {
    const { world, told, statuses, ada, bob, handOver } = await blamed()
    await world.advanceUntil(() => told[2]!.length > 0)
    handOver()
    await world.advanceUntil(() => ada.seat === undefined)
    expect(statuses[2]).toEqual([])
    await world.advance(10_000)
    expect(statuses[2]).toEqual(['resyncing', 'active'])
    expect([ada.seat, bob.seat]).toEqual([undefined, 2])
    world.expectInSync()
    // It is compared again from then on.
    const count = told[2]!.length
    injectDesync(ada.simulation, 'units.hp[78]')
    await world.advance(5_000)
    expect(told[2]!.slice(count)).toMatchObject([{ isSpectator: true }])
  })

  test('and takes it back: it gets the state as a player', async () => {
    const { world, told, statuses, ada, bob, handOver } = await blamed()
    await world.advanceUntil(() => told[2]!.length > 0)
    handOver()
    await world.advanceUntil(() => ada.seat === undefined)
    ada.act({ type: 'reclaim-seat' })
    await world.advance(10_000)
    expect(statuses[2]).toEqual(['resyncing', 'active'])
    expect([ada.seat, bob.seat]).toEqual([2, undefined])
    world.expectInSync()
  })

  test('and leaves: nobody is resynced', async () => {
    const { world, told, statuses, ada, bob, handOver } = await blamed()
    await world.advanceUntil(() => told[2]!.length > 0)
    handOver()
    await world.advanceUntil(() => ada.seat === undefined)
    ada.close()
    await world.advance(15_000)
    expect(statuses.flat()).not.toContain('resyncing')
    expect([bob.seat, bob.status]).toEqual([2, 'active'])
    world.expectInSync()
  })

  test('and only watches from then on, later than it happens: it gets no state of now', async () => {
    const scene = await play(3, { desync: 'resync', lobby: { spectatorDelayMs: 5_000 } })
    const { world } = scene
    const bob = await world.join({ role: 'spectator' })
    const ada = scene.seat(2)
    await world.advance(8_000)
    ada.act({ type: 'hand-over', seat: 2, member: bob.member as number })
    await world.advanceUntil(() => bob.seat === 2)
    await world.advance(6_000)
    const statuses: string[] = []
    bob.on('status', (status) => statuses.push(status))
    injectDesync(bob.simulation, 'units.hp[77]')
    await world.advanceUntil(() => scene.told[2]!.length > 0)
    // Bob's seat is Ada's again, and Bob has no claim to it.
    ada.act({ type: 'reclaim-seat' })
    await world.advance(20_000)
    expect([ada.seat, bob.seat]).toEqual([2, undefined])
    expect(statuses).not.toContain('resyncing')
    expect(bob.playState().name).toBe('active')
  })
})

describe('halt', () => {
  test('stops everybody at the same tick, until the owner resumes', async () => {
    const scene = await play(3, { desync: 'halt' })
    await scene.world.advance(2_000)
    injectDesync(scene.seat(1).simulation, 'units.hp[3]')
    await scene.world.advance(8_000)
    const states = scene.world.matches.map((match) => match.playState())
    const [first] = states
    expect(first).toMatchObject({ name: 'paused', isHalted: true, bySeat: undefined })
    for (const state of states) {
      expect(state).toMatchObject({ name: 'paused', isHalted: true })
      expect(state.name === 'paused' && state.sinceTick).toBe(
        first?.name === 'paused' && first.sinceTick,
      )
    }
    expect(scene.told[2]?.at(-1)).toMatchObject({
      stage: 'traced',
      reaction: 'halt',
      verdict: { kind: 'culprit', seats: [1] },
      place: { part: 'units', row: 3, field: 'hp' },
    })
    const denied: string[] = []
    scene.seat(2).on('denied', ({ reason }) => denied.push(reason))
    scene.seat(2).act({ type: 'resume' })
    await scene.world.advance(60_000)
    expect(denied).toEqual(['not-allowed'])
    expect(scene.seat(0).playState()).toMatchObject({ name: 'paused', isHalted: true })
    scene.seat(0).act({ type: 'resume' })
    await scene.world.advance(1_000)
    expect(scene.world.matches.map((match) => match.playState().name)).toEqual([
      'active',
      'active',
      'active',
    ])
    expect(scene.seat(0).room?.isHalted).toBe(false)
  })

  test('also where nobody can be blamed', async () => {
    const scene = await play(2, { desync: 'halt' })
    await scene.world.advance(2_000)
    injectDesync(scene.seat(1).simulation, 'score.sum')
    await scene.world.advance(3_000)
    for (const match of scene.world.matches) {
      expect(match.playState()).toMatchObject({ name: 'paused', isHalted: true })
    }
  })

  test('makes a pause of a player its own', async () => {
    const scene = await play(2, { desync: 'halt', pace: { pauseMsMax: 5_000 } })
    await scene.world.advance(2_000)
    injectDesync(scene.seat(1).simulation, 'score.sum')
    scene.seat(1).act({ type: 'pause' })
    await scene.world.advance(20_000)
    expect(scene.seat(0).playState()).toMatchObject({ name: 'paused', isHalted: true })
  })
})

test('warn changes nothing', async () => {
  const scene = await play(3)
  await scene.world.advance(2_000)
  injectDesync(scene.seat(1).simulation, 'units.hp[3]')
  await scene.world.advance(15_000)
  expect(scene.told[0]?.at(-1)).toMatchObject({ reaction: 'none', verdict: { seats: [1] } })
  expect(scene.statuses).toEqual([[], [], []])
  expect(scene.world.matches.map((match) => match.playState().name)).toEqual([
    'active',
    'active',
    'active',
  ])
})
