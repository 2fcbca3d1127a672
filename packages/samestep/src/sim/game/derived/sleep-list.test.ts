import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { UsageError } from '../../../base/errors.ts'
import { list, range, u8, u16, u32 } from '../../schema/index.ts'
import { single } from '../../state/single.ts'
import { table } from '../../state/table.ts'
import { loadSnapshot, saveSnapshot } from '../copies/snapshots.ts'
import { defineGame } from '../definition/define-game.ts'
import { emptyBundle } from '../run/bundle.ts'
import { createSimulation } from '../run/simulation.ts'
import { sleepList } from './sleep-list.ts'

const woken: string[] = []

/** Orders say what happens in a tick, before the rows are woken. */
const grove = defineGame({
  id: 'grove',
  version: 1,
  seats: { min: 1, max: 1 },
  state: {
    trees: table(16, { wakeAt: u32, age: u8 }),
    all: single({ digest: u32 }),
  },
  derived: { asleep: sleepList('trees', 'wakeAt') },
  orders: {
    sleep: { row: range(0, 15), ticks: range(-5, 40) },
    rouse: { row: range(0, 15) },
    fell: { rows: list(range(0, 15), 4) },
    plant: {},
    storm: { row: range(0, 15) },
  },
  setup({ state, derived }) {
    for (let row = 0; row < 8; row++) state.trees.add()
    derived.asleep.sleep(3, 5)
  },
  step({ state, derived, tick, orders }) {
    let storm = -1
    for (const { type, data } of orders) {
      if (type === 'plant') if (state.trees.count < 16) state.trees.add()
      if (type === 'rouse') derived.asleep.rouse(data.row)
      if (type === 'storm') storm = data.row
      if (type === 'fell') {
        for (const row of data.rows) if (state.trees.isAlive(row)) state.trees.remove(row)
      }
      const isFine = type === 'sleep' && tick + data.ticks >= 1 && state.trees.isAlive(data.row)
      if (isFine) derived.asleep.sleep(data.row, tick + data.ticks)
    }
    derived.asleep.wake(tick, (row) => {
      woken.push(`${tick}:${row}`)
      state.all.digest = (Math.imul(state.all.digest, 31) + row * 1_000 + tick) >>> 0
      state.trees.age[row] = (state.trees.age[row]! + 1) & 255
      if (row % 3 === 0) derived.asleep.sleep(row, tick + 1 + (row % 5))
      // Due as well, perhaps, and not yet visited.
      if (row % 4 === 1 && state.trees.isAlive(row + 1)) derived.asleep.sleep(row + 1, tick + 2)
      if (row % 4 === 2 && state.trees.isAlive(row + 1)) state.trees.remove(row + 1)
      if (row === storm) throw new Error('a storm')
    })
  },
})

const start = () => createSimulation(grove, { seed: 1, guard: false, development: true })

type Order = Parameters<typeof grove.orderCodec.encode>
const bundle = (tick: number, ...orders: Order[]) => ({
  ...emptyBundle(tick),
  orders: orders.map(([name, data]) => ({ seat: 0, bytes: grove.orderCodec.encode(name, data) })),
})

function play(...ticks: Order[][]) {
  woken.length = 0
  const simulation = start()
  ticks.forEach((orders, index) => {
    simulation.step(bundle(index + 1, ...orders))
  })
  return { simulation, woken: [...woken] }
}

describe('rows wake', () => {
  test('at their tick, the lower rows first, whatever the sequence in which they fell asleep', () => {
    const { woken } = play(
      [
        ['sleep', { row: 7, ticks: 2 }],
        ['sleep', { row: 2, ticks: 1 }],
        ['sleep', { row: 4, ticks: 2 }],
      ],
      [],
      [],
      [],
      [],
    )
    expect(woken).toEqual(['2:2', '3:4', '3:7'])
  })

  test('in the next tick when theirs has passed, and those that were due earlier first', () => {
    const { woken } = play(
      [],
      [],
      [
        ['sleep', { row: 4, ticks: -1 }],
        ['sleep', { row: 7, ticks: -2 }],
      ],
    )
    expect(woken).toEqual(['3:7', '3:4'])
  })

  test('by the last word, or not at all when they were roused or died', () => {
    const { woken } = play(
      [
        ['sleep', { row: 4, ticks: 1 }],
        ['sleep', { row: 4, ticks: 3 }],
        ['sleep', { row: 5, ticks: 1 }],
        ['rouse', { row: 5 }],
        ['sleep', { row: 7, ticks: 1 }],
      ],
      // Whoever takes the place of a dead row does not wake in its stead.
      [
        ['fell', { rows: [7] }],
        ['plant', {}],
      ],
      [],
      [],
      [],
    )
    expect(woken.filter((line) => !line.endsWith(':3'))).toEqual(['4:4'])
  })

  test('never twice in one tick', () => {
    const { woken } = play([['sleep', { row: 0, ticks: 0 }]], [], [])
    expect(woken).toEqual(['1:0', '2:0', '3:0'])
  })

  test('in the tick after, when a visit threw before it was their turn', () => {
    const { woken, simulation } = play(
      [
        ['sleep', { row: 0, ticks: 1 }],
        ['sleep', { row: 4, ticks: 1 }],
        ['sleep', { row: 7, ticks: 1 }],
      ],
      [['storm', { row: 4 }]],
      [],
    )
    expect(woken.slice(0, 2)).toEqual(['2:0', '2:4'])
    expect(woken.slice(2)).toEqual(['3:7', '3:0'])
    expect(simulation.report.faults).toEqual([])
  })
})

describe('misuse is told', () => {
  const small = defineGame({
    id: 'small',
    version: 1,
    seats: { min: 1, max: 1 },
    state: { trees: table(4, { wakeAt: u16 }) },
    derived: { asleep: sleepList('trees', 'wakeAt') },
    setup: ({ state }) => void state.trees.add(),
    orders: { sleep: { until: u32 }, dead: {}, nested: {} },
    step({ derived, orders, tick }) {
      for (const { type, data } of orders) {
        if (type === 'sleep') derived.asleep.sleep(0, data.until)
        if (type === 'dead') derived.asleep.sleep(2, 9)
        if (type === 'nested') {
          derived.asleep.sleep(0, tick)
          derived.asleep.wake(tick, () => derived.asleep.wake(tick, () => {}))
        }
      }
    },
  })
  test.each<[string, object, RegExp]>([
    ['sleep', { until: 0 }, /until tick 0/],
    ['sleep', { until: 70_000 }, /until tick 70000.*declare the column as u32/],
    ['dead', {}, /row 2 sleep: it is not alive/],
    ['nested', {}, /from inside of a visit/],
  ])('%s %j', (name, data, message) => {
    const simulation = createSimulation(small, { seed: 1, guard: false })
    const orders = [{ seat: 0, bytes: small.orderCodec.encode(name, data) }]
    const [fault] = simulation.step({ ...emptyBundle(1), orders }).faults
    expect(fault?.error).toBeInstanceOf(UsageError)
    expect(String(fault?.error)).toMatch(message)
    expect(simulation.state.trees.wakeAt[0]).toBe(0)
  })

  test.each(['hills', 'all'])('a list over %s, which is no table', (name) => {
    const wrong = defineGame({
      id: 'wrong',
      version: 1,
      seats: { min: 1, max: 1 },
      state: { all: single({ wakeAt: u32 }) },
      derived: { asleep: sleepList(name, 'wakeAt') },
      step: () => {},
    })
    expect(() => createSimulation(wrong, { seed: 1 })).toThrow(/no such column of a table/)
  })
})

const orders: fc.Arbitrary<Order> = fc.oneof(
  fc
    .record({ row: fc.nat(15), ticks: fc.integer({ min: -5, max: 40 }) })
    .map((data): Order => ['sleep', data]),
  fc.record({ row: fc.nat(15) }).map((data): Order => ['rouse', data]),
  fc.record({ rows: fc.array(fc.nat(15), { maxLength: 4 }) }).map((data): Order => ['fell', data]),
  fc.constant<Order>(['plant', {}]),
  fc.record({ row: fc.nat(15) }).map((data): Order => ['storm', data]),
)

test('whoever joins late wakes the same rows in the same sequence', () => {
  const match = fc.array(fc.array(orders, { maxLength: 5 }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(match, fc.nat(40), (ticks, joinAt) => {
      const early = start()
      const late = start()
      let hasJoined = false
      ticks.forEach((orders, index) => {
        const tick = index + 1
        if (tick === joinAt) {
          loadSnapshot(late, saveSnapshot(early))
          hasJoined = true
        }
        early.step(bundle(tick, ...orders))
        if (!hasJoined) return
        late.step(bundle(tick, ...orders))
        expect(late.syncHashAt(tick)).toBe(early.syncHashAt(tick))
      })
    }),
    { seed: 7, numRuns: 200 },
  )
})
