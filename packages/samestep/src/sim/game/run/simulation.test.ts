import { expect, test } from 'vitest'
import { UsageError } from '../../../base/errors.ts'
import { syncHashFromWords } from '../../hash/hashes.ts'
import {
  bool,
  bytes,
  i8,
  i32,
  list,
  map,
  range,
  seat,
  set,
  struct,
  text,
  u8,
  u16,
  u32,
} from '../../schema/index.ts'
import { plain } from '../../state/plain.ts'
import { single } from '../../state/single.ts'
import { table } from '../../state/table.ts'
import { loadSnapshot, readSnapshotMatch, saveSnapshot } from '../copies/snapshots.ts'
import type { GameState, StepContext } from '../definition/context.ts'
import { system } from '../definition/context.ts'
import { defineGame } from '../definition/define-game.ts'
import { derived } from '../derived/derived.ts'
import { order } from '../orders/order.ts'
import type { Bundle, SealedOrder, SystemEvent } from './bundle.ts'
import { emptyBundle, relaySeat, spectatorSeat } from './bundle.ts'
import { createSimulation } from './simulation.ts'

/** A bank in which orders can be right, wrong and malicious. */
const bank = defineGame({
  id: 'bank',
  version: 1,
  seats: { min: 1, max: 4 },
  state: {
    accounts: table(4, { gold: i32.default(100), owner: seat }),
    log: single({ steps: u16, applied: u16 }),
  },
  input: { held: i8, tap: bool.oneShot() },
  orders: {
    spend: { amount: u8 },
    bomb: {},
    cheer: order({}, { whenPaused: true, maxPerTick: 2 }),
    reset: order({}, { by: 'relay' }),
  },
  options: { start: range(0, 1_000).default(100) },
  random: ['loot'],
  setup({ state, seats, options }) {
    for (let owner = 0; owner < seats; owner++) state.accounts.add({ gold: options.start, owner })
  },
  validate({ state, seat, order }) {
    if (order.type !== 'spend') return true
    return order.data.amount <= state.accounts.gold[seat]! || 'Not enough gold'
  },
  apply({ state, seat, order, random }) {
    state.log.applied += 1
    if (order.type === 'spend') state.accounts.gold[seat]! -= order.data.amount
    if (order.type === 'reset') state.accounts.gold.fill(random.stream('loot').below(10))
    if (order.type === 'bomb') throw new Error('boom')
  },
  step({ state, inputs }) {
    state.log.steps += 1
    inputs.forEach((input, index) => {
      state.accounts.gold[index]! += input.held + (input.tap ? 1_000 : 0)
    })
  },
})

function start(seats = 2) {
  return createSimulation(bank, { seed: 'seed', seats, development: false })
}

type Command = [seat: number, name: string, data?: object]

function bundle(tick: number, commands: Command[], events: SystemEvent[] = []): Bundle<never> {
  const orders: SealedOrder[] = commands.map(([by, name, data], index) => ({
    seat: by,
    id: index,
    bytes: bank.orderCodec.encode(name, data ?? {}),
  }))
  return { tick, orders, events, inputs: [] }
}

test('an order is validated after the one before it was applied', () => {
  const simulation = start()
  const { outcomes } = simulation.step(
    bundle(1, [
      [0, 'spend', { amount: 80 }],
      [0, 'spend', { amount: 80 }],
      [1, 'spend', { amount: 80 }],
    ]),
  )
  expect(outcomes.map(({ result, reason }) => [result, reason])).toEqual([
    ['executed', ''],
    ['refused', 'Not enough gold'],
    ['executed', ''],
  ])
  expect([simulation.state.accounts.gold[0], simulation.state.accounts.gold[1]]).toEqual([20, 20])
})

test('game code that throws is reported and the tick goes on', () => {
  const simulation = start()
  const report = simulation.step(
    bundle(1, [
      [0, 'bomb'],
      [1, 'spend', { amount: 1 }],
    ]),
  )
  expect(report.outcomes.map(({ result }) => result)).toEqual(['faulted', 'executed'])
  expect(report.faults).toMatchObject([{ tick: 1, where: 'apply', name: 'bomb' }])
  expect(simulation.state.log.steps).toBe(1)
})

test('bytes that are no order are refused alike everywhere, and nothing else happens', () => {
  const simulation = start()
  const garbage = { seat: 0, bytes: new Uint8Array([255, 255, 255]) }
  const report = simulation.step({ ...bundle(1, []), orders: [garbage] })
  expect(report.outcomes).toMatchObject([{ type: undefined, result: 'malformed' }])
  expect(report.faults).toEqual([])
})

test('the rules of an order hold in the simulation too: issuer, seat, pause, number per tick', () => {
  const simulation = start()
  const pause: SystemEvent = { type: 'pause', seat: 0 }
  const { outcomes } = simulation.step(
    bundle(1, [
      [0, 'reset'],
      [3, 'cheer'],
      [0, 'cheer'],
      [0, 'cheer'],
      [0, 'cheer'],
      [-1, 'reset'],
    ]),
  )
  expect(outcomes.map(({ result }) => result)).toEqual([
    'refused',
    'refused',
    'executed',
    'executed',
    'refused',
    'executed',
  ])
  const paused = simulation.step(
    bundle(
      2,
      [
        [0, 'spend', { amount: 1 }],
        [0, 'cheer'],
      ],
      [pause],
    ),
  )
  expect(paused.outcomes.map(({ result }) => result)).toEqual(['refused', 'executed'])
})

test('while paused ticks go on, allowed orders run and the step does not', () => {
  const simulation = start()
  simulation.step(bundle(1, [], [{ type: 'pause', seat: undefined }]))
  simulation.step(bundle(2, [[1, 'cheer']]))
  expect([simulation.matchTick, simulation.tick, simulation.isPaused]).toEqual([2, 0, true])
  expect([simulation.state.log.steps, simulation.state.log.applied]).toEqual([0, 1])
  simulation.step(bundle(3, [], [{ type: 'resume', seat: undefined }]))
  expect([simulation.isPaused, simulation.state.log.steps]).toEqual([false, 1])
})

test('CLK-14 a pause stops the clock that game code sees, and not the ticks of the match', () => {
  const seen: string[] = []
  const game = defineGame({
    id: 'bomb',
    version: 1,
    seats: { min: 1, max: 1 },
    state: { bomb: single({ dueAt: u16, gone: bool }) },
    orders: { look: order({}, { whenPaused: true }) },
    setup({ state }) {
      state.bomb.dueAt = 3
    },
    validate({ tick }) {
      seen.push(`validate ${tick}`)
      return true
    },
    apply({ tick }) {
      seen.push(`apply ${tick}`)
    },
    step({ state, tick }) {
      seen.push(`step ${tick}`)
      if (tick >= state.bomb.dueAt) state.bomb.gone = true
    },
  })
  const events: { [tick: number]: SystemEvent[] } = {
    2: [{ type: 'pause', seat: 0 }],
    5: [{ type: 'resume', seat: 0 }],
  }
  const run = (simulation: ReturnType<typeof makeBomb>, tick: number) => {
    const orders = tick === 3 ? [{ seat: 0, bytes: game.orderCodec.encode('look', {}) }] : []
    return simulation.step({ tick, inputs: [], orders, events: events[tick] ?? [] })
  }
  const makeBomb = () => createSimulation(game, { seed: 1, guard: false })
  let simulation = makeBomb()
  const clocks: number[][] = []
  for (let tick = 1; tick <= 6; tick++) {
    const report = run(simulation, tick)
    clocks.push([report.matchTick, report.tick, simulation.matchTick, simulation.tick])
    expect(simulation.state.bomb.gone).toBe(tick === 6)
    // Whoever comes by a snapshot has the same clock.
    const copy = makeBomb()
    loadSnapshot(copy, saveSnapshot(simulation))
    expect([copy.tick, copy.syncHashAt(tick)]).toEqual([
      simulation.tick,
      simulation.syncHashAt(tick),
    ])
    simulation = copy
  }
  expect(clocks).toEqual([
    [1, 1, 1, 1],
    [2, 1, 2, 1],
    [3, 1, 3, 1],
    [4, 1, 4, 1],
    [5, 2, 5, 2],
    [6, 3, 6, 3],
  ])
  expect(seen).toEqual(['step 1', 'validate 1', 'apply 1', 'step 2', 'step 3'])
})

test('held inputs stay, one-shots are over after their tick, and a seat that is left holds nothing', () => {
  const simulation = start()
  const gold = () => [simulation.state.accounts.gold[0], simulation.state.accounts.gold[1]]
  simulation.step({
    ...emptyBundle(1),
    inputs: [{ held: 1, tap: true }, undefined],
  } as Bundle<never>)
  expect(gold()).toEqual([1_101, 100])
  simulation.step(emptyBundle(2))
  expect(gold()).toEqual([1_102, 100])
  simulation.step({ ...emptyBundle(3), events: [{ type: 'leave', seat: 0, reason: 'left' }] })
  expect(gold()).toEqual([1_102, 100])
})

test('membership and speed follow the sealed events', () => {
  const simulation = start()
  simulation.step({
    ...emptyBundle(1),
    events: [
      { type: 'join', seat: 0 },
      { type: 'join', seat: 40 },
      { type: 'speed', percent: 150 },
      { type: 'delay', ticks: 3 },
    ],
  })
  expect([0, 1, 40].map((index) => simulation.isPresent(index))).toEqual([true, false, true])
  expect(simulation.speedPercent).toBe(150)
  simulation.step({ ...emptyBundle(2), events: [{ type: 'leave', seat: 40, reason: 'timeout' }] })
  expect(simulation.isPresent(40)).toBe(false)
})

test('a bundle for any tick but the next one is refused', () => {
  const simulation = start()
  expect(() => simulation.step(emptyBundle(2))).toThrowError(/the next is 1/)
  simulation.step(emptyBundle(1))
  expect(() => simulation.step(emptyBundle(1))).toThrowError(UsageError)
})

test('the same seed and bundles give the same hashes; another seed, order or option does not', () => {
  const run = (seed: string, amount: number, opening = 100) => {
    const options = { seed, seats: 2, development: false, options: { start: opening } }
    const simulation = createSimulation(bank, options)
    simulation.step(
      bundle(1, [
        [0, 'spend', { amount }],
        [-1, 'reset'],
      ]),
    )
    return [simulation.syncHash(), simulation.stateHash()]
  }
  expect(run('a', 5)).toEqual(run('a', 5))
  const different = [run('a', 5), run('b', 5), run('a', 6), run('a', 5, 99)]
  // 'reset' overwrites what was spent, so only the log and the generator can tell 5 from 6.
  expect(new Set(different.map(([sync]) => sync)).size).toBeGreaterThanOrEqual(2)
  expect(run('a', 5)[0]).not.toBe(run('b', 5)[0])
})

test('recent sync hashes are remembered by tick', () => {
  const simulation = start()
  const hashes = [simulation.syncHash()]
  for (let tick = 1; tick <= 5; tick++) {
    simulation.step(emptyBundle(tick))
    hashes.push(simulation.syncHash())
  }
  expect(hashes.map((_, tick) => simulation.syncHashAt(tick))).toEqual(hashes)
  expect(simulation.syncHashAt(6)).toBeUndefined()
  expect(simulation.syncHashAt(-1)).toBeUndefined()
  const words = new Uint32Array(2)
  for (const [tick, hash] of hashes.entries()) {
    expect(simulation.syncHashWordsAt(tick, words)).toBe(true)
    expect(syncHashFromWords(words[0] as number, words[1] as number)).toBe(hash)
  }
  words.fill(7)
  expect(simulation.syncHashWordsAt(6, words)).toBe(false)
  expect(words).toEqual(Uint32Array.of(7, 7))
})

test('a loaded simulation goes on exactly as the one that was saved', () => {
  const original = start()
  for (let tick = 1; tick <= 20; tick++)
    original.step(bundle(tick, [[tick % 2, 'spend', { amount: 2 }]]))
  for (const encoding of ['raw', 'packed', 'deflate'] as const) {
    const bytes = saveSnapshot(original, { encoding })
    const copy = createSimulation(bank, { seed: 'seed', seats: 2, development: false })
    loadSnapshot(copy, bytes)
    expect([copy.tick, copy.syncHash()]).toEqual([20, original.syncHash()])
    const twin = start()
    loadSnapshot(twin, bytes)
    for (let tick = 21; tick <= 30; tick++) {
      const next = bundle(tick, [
        [0, 'spend', { amount: 1 }],
        [-1, 'reset'],
      ])
      copy.step(next)
      twin.step(next)
      expect(copy.syncHash()).toBe(twin.syncHash())
    }
  }
})

test('a snapshot of another game, fingerprint, version or match is refused by name', () => {
  const bytes = saveSnapshot(start())
  const base = { ...bank.definition } as unknown as Parameters<typeof defineGame>[0]
  const other = (change: object) =>
    createSimulation(defineGame({ ...base, ...change } as typeof base), {
      seed: 1,
      seats: 2,
      matchId: 'here',
    })
  expect(() => loadSnapshot(other({ id: 'vault' }), bytes)).toThrowError(/game is 'bank'/)
  expect(() => loadSnapshot(other({ source: 'x' }), bytes)).toThrowError(/fingerprint/)
  expect(() => loadSnapshot(other({}), bytes, { sameMatch: true })).toThrowError(/match is/)
  const newer = saveSnapshot(other({ version: 2 }))
  expect(() => loadSnapshot(start(), newer)).toThrowError(/version 2/)
})

test('T-65 a snapshot of a match with other seats, options or seed is refused, and says what differs', () => {
  const original = start()
  original.step(emptyBundle(1))
  const saved = saveSnapshot(original)
  const into = (changes: object) => () =>
    loadSnapshot(createSimulation(bank, { seed: 'seed', seats: 2, ...changes }), saved)
  expect(into({})).not.toThrow()
  expect(into({ options: { start: 100 } })).not.toThrow()
  expect(into({ seed: 'other' })).toThrowError(
    'Cannot load a snapshot of another match: its seed is "seed", not "other"',
  )
  expect(into({ seats: 3 })).toThrowError('its seats are 2, not 3')
  expect(into({ seats: 1, options: { start: 7 } })).toThrowError(
    "its seats are 2, not 1; its option 'start' is 100, not 7",
  )
  expect(into({ seed: 3 })).toThrowError(expect.objectContaining({ code: 'SS_WIRE_MISMATCH' }))
})

test('a save says with which seats, seed and options to go on', () => {
  const original = createSimulation(bank, { seed: 9, seats: 3, options: { start: 44 } })
  const saved = saveSnapshot(original)
  const match = readSnapshotMatch(bank, saved)
  expect(match).toEqual({ seats: 3, seed: '9', options: { start: 44 } })
  const copy = createSimulation(bank, { seed: 1, ...match })
  loadSnapshot(copy, saved)
  expect(copy.syncHash()).toBe(original.syncHash())
  const other = defineGame({
    id: 'vault',
    version: 1,
    seats: { min: 1, max: 1 },
    state: {},
    step() {},
  })
  expect(() => readSnapshotMatch(other, saved)).toThrowError(/game is 'bank'/)
})

test('a refused snapshot leaves the simulation as it was', () => {
  const simulation = createSimulation(bank, { seed: 'other', seats: 2 })
  const before = simulation.syncHash()
  expect(() => loadSnapshot(simulation, saveSnapshot(start()))).toThrow()
  expect(simulation.syncHash()).toBe(before)
})

test('a seed that is a number means its digits, and any text can be one', () => {
  for (const [seed, same] of [
    [7, '7'],
    ['\ud800"', '\ud800"'],
  ] as const) {
    const saved = saveSnapshot(createSimulation(bank, { seed }))
    expect(() => loadSnapshot(createSimulation(bank, { seed: same }), saved)).not.toThrow()
  }
})

test('options are frozen to the last and shared with nobody', () => {
  const game = defineGame({
    id: 'frozen',
    version: 1,
    seats: { min: 1, max: 1 },
    state: { all: single({ n: u8 }) },
    options: {
      rules: struct({ names: list(text(8), 4), caps: map(u8, u8, 4), spots: set(u8, 4) }).default({
        names: ['a'],
        caps: new Map([[1, 2]]),
        spots: new Set([3]),
      }),
    },
    step() {},
  })
  const given = { rules: { names: ['x'], caps: new Map([[5, 6]]), spots: new Set<number>() } }
  const [first, second, plainly] = [{ options: given }, { options: given }, {}].map(
    (more) => createSimulation(game, { seed: 1, ...more }).options.rules,
  ) as [typeof given.rules, typeof given.rules, typeof given.rules]
  expect([first, plainly]).toEqual([given.rules, game.optionsCodec.makeDefault().rules])
  for (const rules of [first, plainly]) {
    expect(() => rules.names.push('b')).toThrow(TypeError)
    expect(() => rules.caps.set(1, 1)).toThrow('Cannot change the options of a match')
    expect(() => rules.spots.add(1)).toThrow('Cannot change the options of a match')
    expect(() => rules.caps.clear()).toThrow(TypeError)
    expect(() => Object.assign(rules, { names: [] })).toThrow(TypeError)
  }
  given.rules.names.push('y')
  given.rules.caps.set(9, 9)
  expect([second.names, [...second.caps]]).toEqual([['x'], [[5, 6]]])
  expect(createSimulation(game, { seed: 1 }).options.rules).not.toBe(plainly)
  expect(structuredClone(first.caps)).toEqual(new Map([[5, 6]]))
})

test('derived data is fresh in every tick and after a load', () => {
  const state = { cells: table(10, { v: u8 }), out: single({ total: u16 }) }
  const game = defineGame({
    id: 'sum',
    version: 1,
    seats: { min: 1, max: 1 },
    state,
    derived: {
      total: derived(({ cells }: GameState<{ state: typeof state }>) => {
        let sum = 0
        for (const row of cells) sum += cells.v[row]!
        return sum
      }),
    },
    setup({ state }) {
      state.cells.add({ v: 3 })
    },
    step({ state, derived, tick }) {
      state.out.total = derived.total
      state.cells.add({ v: tick })
    },
  })
  const simulation = createSimulation(game, { seed: 1 })
  simulation.step(emptyBundle(1))
  expect(simulation.state.out.total).toBe(3)
  simulation.step(emptyBundle(2))
  expect(simulation.state.out.total).toBe(4)
  const copy = createSimulation(game, { seed: 1 })
  loadSnapshot(copy, saveSnapshot(simulation))
  copy.step(emptyBundle(3))
  expect(copy.state.out.total).toBe(6)
})

test('systems run in sequence; one that throws or awaits is named and the next one runs', () => {
  const trail: string[] = []
  const state = { s: single({ x: u8 }) }
  type Tick = StepContext<{ state: typeof state }>
  const game = defineGame({
    id: 'trail',
    version: 1,
    seats: { min: 1, max: 1 },
    state,
    systems: [
      system('first', ({ state }: Tick) => {
        trail.push('first')
        state.s.x += 1
      }),
      system('second', () => {
        throw new Error('lost')
      }),
      system('third', (async () => {}) as () => void),
      system('fourth', () => {
        trail.push('fourth')
      }),
    ],
  })
  const seen: string[] = []
  const simulation = createSimulation(game, {
    seed: 1,
    hashSystems: true,
    observer: {
      systemBegins: (name) => seen.push(`+${name}`),
      systemEnds: (name) => seen.push(`-${name}`),
    },
  })
  const before = simulation.syncHash()
  const report = simulation.step(emptyBundle(1))
  expect(trail).toEqual(['first', 'fourth'])
  expect(report.faults.map(({ name }) => name)).toEqual(['second', 'third'])
  expect(String(report.faults[1]?.error)).toMatch(/returned a promise/)
  expect(seen.slice(0, 4)).toEqual(['+first', '-first', '+second', '-second'])
  expect(report.systemHashes.map(({ system: name }) => name)).toEqual([
    'first',
    'second',
    'third',
    'fourth',
  ])
  expect(simulation.syncHash()).not.toBe(before)
})

test('in development a validate that writes is caught, named, and the order refused', () => {
  const game = defineGame({
    id: 'impure',
    version: 1,
    seats: { min: 1, max: 1 },
    state: { s: single({ x: u8 }), p: plain(struct({ y: u8 })), t: table(2, { z: u8 }) },
    orders: { poke: {} },
    setup({ state }) {
      state.t.add()
    },
    validate({ state }) {
      // @ts-expect-error a view cannot be written to
      state.t.z[0] = 1
      return true
    },
    step() {},
  })
  const simulation = createSimulation(game, { seed: 1, development: true })
  const orders = [{ seat: 0, bytes: game.orderCodec.encode('poke', {}) }]
  const report = simulation.step({ ...emptyBundle(1), orders })
  expect(report.outcomes).toMatchObject([{ result: 'refused' }])
  expect(String(report.faults[0]?.error)).toMatch(/t\.z\[0\]/)
  expect(simulation.state.t.z[0]).toBe(0)
})

test('seats and options outside what the game allows are refused at once', () => {
  expect(() => createSimulation(bank, { seed: 1, seats: 9 })).toThrowError(/for 1 to 4/)
  expect(() => createSimulation(bank, { seed: 1, options: { start: 5_000 } })).toThrowError(/start/)
})

test('ORD-09 a simulation holds orders against what its match allows, whatever was sealed', () => {
  const none = { isForbidden: false, runsPaused: false }
  const orderPolicy = [{ ...none, runsPaused: true }, { ...none, isForbidden: true }, none, none]
  const simulation = createSimulation(bank, { seed: 'seed', seats: 2, orderPolicy })
  const orders: Command[] = [
    [0, 'spend', { amount: 5 }],
    [0, 'bomb'],
    [0, 'cheer'],
  ]
  const { outcomes } = simulation.step(bundle(1, orders, [{ type: 'pause', seat: 0 }]))
  expect(outcomes.map(({ result, reason }) => [result, reason])).toEqual([
    ['executed', ''],
    ['refused', "The match allows no 'bomb'"],
    ['refused', 'The match is paused'],
  ])
})

test('ORD-08 orders run for those who may issue them, and for nobody else', () => {
  const game = defineGame({
    id: 'issuers',
    version: 1,
    seats: { min: 1, max: 2 },
    state: { log: single({ sum: u32 }) },
    orders: {
      move: {},
      cheer: order({}, { by: 'spectator', maxPerTick: 2 }),
      say: order({ words: bytes(20) }, { by: 'everybody', maxBytes: 4 }),
      rain: order({}, { by: 'relay' }),
    },
    step() {},
  })
  const simulation = createSimulation(game, { seed: 1, seats: 1 })
  const issuers = [0, relaySeat, spectatorSeat(7), spectatorSeat(9), 1]
  const outcomesOf = (tick: number, name: string, seats: number[]) => {
    const sealed = game.orderCodec.encode(name, name === 'say' ? { words: new Uint8Array(2) } : {})
    const orders = seats.map((by) => ({ seat: by, bytes: sealed }))
    return simulation
      .step({ ...emptyBundle(tick), orders })
      .outcomes.map(({ result }) => result === 'executed')
  }
  expect(outcomesOf(1, 'move', issuers)).toEqual([true, false, false, false, false])
  expect(outcomesOf(2, 'cheer', issuers)).toEqual([false, false, true, true, false])
  expect(outcomesOf(3, 'say', issuers)).toEqual([true, false, true, true, false])
  expect(outcomesOf(4, 'rain', issuers)).toEqual([false, true, false, false, false])
  // All who watch are one seat.
  expect(outcomesOf(5, 'cheer', [-2, -3, -4])).toEqual([true, true, false])
  expect(() => game.orderCodec.encode('say', { words: new Uint8Array(9) })).toThrowError(
    "Cannot issue order 'say' of 10 bytes: the limit is 4",
  )
  const large = new Uint8Array(10)
  large[0] = 2 | (9 << 2)
  expect(() => game.orderCodec.decode(large)).toThrowError(/too large/)
})
