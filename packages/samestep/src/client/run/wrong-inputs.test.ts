import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BitWriter } from '../../base/bit-writer.ts'
import { defineGame } from '../../sim/game/definition/define-game.ts'
import type { Fault } from '../../sim/game/run/report.ts'
import { Simulation } from '../../sim/game/run/simulation.ts'
import {
  bool,
  bytes,
  f32,
  f64,
  list,
  map,
  oneOf,
  range,
  ref,
  seat,
  struct,
  text,
  u8,
} from '../../sim/schema/index.ts'
import { plain } from '../../sim/state/plain.ts'
import { single } from '../../sim/state/single.ts'
import { table } from '../../sim/state/table.ts'
import { BundleCodec } from '../../wire/ticks/bundle-codec.ts'
import { InputMapping, slotBits } from '../../wire/ticks/input-layout.ts'
import { ClientWorld } from '../testing/client-world.ts'
import { TickRunner } from './tick-runner.ts'

/** A game that keeps whatever it is given. */
const keeper = defineGame({
  id: 'keeper',
  version: 1,
  tickRate: 20,
  seats: { min: 2, max: 2 },
  state: {
    units: table(4, { hp: u8 }),
    kept: plain(struct({ lines: list(text(200), 64) })),
    sums: single({ x: f64 }),
  },
  input: {
    dx: range(-1, 1),
    at: f32.default(0.5),
    aim: f64.default(2),
    mood: oneOf(['calm', 'cross', 'mad']),
    whom: ref('units'),
    friend: seat,
    fire: bool.oneShot(),
    step: range(5, 9),
  },
  orders: {
    say: { words: list(text(20), 4), mood: oneOf(['a', 'b', 'c']) },
    put: { at: f64, what: map(u8, range(0, 2), 4), note: bytes(9) },
    stop: {},
  },
  step({ state, inputs, orders }) {
    state.kept.lines = [...inputs, ...orders].map((it) => JSON.stringify(it).slice(0, 190))
  },
})

const mapping = new InputMapping(keeper.inputCodec.fields)
const { layout } = mapping
const initial = layout.map((slot) => slot.initial)

function makeMachine(development: boolean) {
  const simulation = new Simulation(keeper, { seed: 'a', development, guard: false })
  return { simulation, runner: new TickRunner(simulation, mapping) }
}

/** Seals what it is told, also what no relay of ours would. */
function makeRelay() {
  const codec = new BundleCodec(2, layout)
  let previous = Uint32Array.from([...initial, ...initial])
  const writer = new BitWriter()
  return (slots: readonly number[], orders: readonly Uint8Array[] = []) => {
    const current = Uint32Array.from([...slots, ...initial])
    const sealedOrders = orders.map((bytes, number) => ({ seat: 0, number, bytes }))
    writer.reset()
    const content = { orders: sealedOrders, events: [] }
    codec.encode(writer, content, previous, current, new Uint8Array(2))
    previous = current
    return writer.finish()
  }
}

const where = ({ where: place, seat: whose, name }: Fault) => [place, whose, name]

test.each([
  ['dx', [3], 0],
  ['at', [0x8000_0000], 0.5],
  ['at', [0x7fc0_0001], 0.5],
  ['aim', [1, 0x7ff8_0000], 2],
  ['aim', [0, 0x8000_0000], 2],
  ['mood', [3], 'calm'],
  ['step', [7], 5],
] as const)(
  'T-40 a sealed value that is none of %s, %j, is read as its default and told',
  (field, values, expected) => {
    const { simulation, runner } = makeMachine(true)
    const first = layout.findIndex((_, slot) => mapping.fieldsOf(2 ** slot)[0] === field)
    const slots = [...initial]
    slots.splice(first, values.length, ...values)
    const seal = makeRelay()
    const { report } = runner.run(seal(slots))
    expect(report.faults.map(where)).toEqual([['input', 0, field]])
    expect(JSON.parse(simulation.state.kept.lines[0]!)[field]).toBe(expected)
    // Held, it is no news: the slot has its initial value since.
    expect(runner.run(seal(slots)).report.faults).toEqual([])
  },
)

test('T-00 whatever slots and orders are sealed, no machine throws, and all agree', () => {
  const wild = fc.tuple(
    ...layout.map((slot) =>
      fc.oneof(
        { weight: 3, arbitrary: fc.constant(slot.initial) },
        fc.nat(2 ** slotBits(slot) - 1),
        fc
          .constantFrom(0x8000_0000, 0x7ff8_0001, 0xffff_ffff, 3, 7)
          .map((value) => value % 2 ** slotBits(slot)),
      ),
    ),
  )
  const orders = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 3 })
  fc.assert(
    fc.property(fc.array(fc.tuple(wild, orders), { maxLength: 6 }), (ticks) => {
      const machines = [makeMachine(true), makeMachine(false)]
      const seal = makeRelay()
      for (const [slots, bytes] of ticks) {
        const sealed = seal(slots, bytes)
        const ran = machines.map(({ simulation, runner }) => {
          const { report, problem } = runner.run(sealed)
          expect(problem).toBeUndefined()
          const outcomes = report.outcomes.map(({ result, reason }) => [result, reason])
          return [simulation.syncHash(), outcomes, report.faults.map(where)]
        })
        expect(ran[1]).toEqual(ran[0])
      }
    }),
  )
})

test('a client plays on when an impossible input was sealed, and tells whose it is', () => {
  const world = new ClientWorld().sit()
  world.tick({ inputs: { 1: [7, 1] } })
  world.tick()
  expect(world.client.status).toBe('active')
  expect(world.client.cursors.simulatedTick).toBe(2)
  expect(world.client.simulation?.state.sum).toMatchObject({ moved: 0, fired: 1 })
  const { faults } = world.eventsOf('tick')[0]!.report
  expect(faults.map(where)).toEqual([['input', 1, 'dx']])
  expect(String(faults[0]?.error)).toContain(
    "Cannot use what seat 1 sent for input 'dx': it is not a valid value",
  )
})
