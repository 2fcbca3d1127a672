import { expect, test } from 'vitest'
import { BitWriter } from '../../base/bit-writer.ts'
import type { UsageError } from '../../base/errors.ts'
import { defineGame } from '../../sim/game/definition/define-game.ts'
import { Simulation } from '../../sim/game/run/simulation.ts'
import { u8 } from '../../sim/schema/index.ts'
import { single } from '../../sim/state/single.ts'
import { BundleCodec } from '../../wire/ticks/bundle-codec.ts'
import { InputMapping } from '../../wire/ticks/input-layout.ts'
import type { OrderEnd } from '../outbox/order-outbox.ts'
import { ClientWorld } from '../testing/client-world.ts'
import { counter, ownOrder } from '../testing/counter.ts'
import { TickRunner } from './tick-runner.ts'

/** A game that looks at the clock when it is told to, which no game may. */
const careless = defineGame({
  id: 'careless',
  version: 1,
  tickRate: 20,
  seats: { min: 1, max: 2 },
  state: { sum: single({ looks: u8, ticks: u8 }) },
  orders: { look: {}, nest: {} },
  step({ state, orders }) {
    state.sum.ticks += 1
    for (const { type } of orders) {
      if (type === 'nest') nested?.()
      state.sum.looks += 1
      if (type === 'look') Date.now()
    }
  },
})

let nested: (() => void) | undefined

function make() {
  const simulation = new Simulation(careless, { seed: 'a', guard: true })
  const runner = new TickRunner(simulation, new InputMapping({}))
  const codec = new BundleCodec(1, [])
  const bundleOf = (name?: 'look' | 'nest') => {
    const writer = new BitWriter()
    const bytes = name && careless.orderCodec.encode(name, {})
    const orders = bytes === undefined ? [] : [{ seat: 0, number: 3, bytes }]
    const none = new Uint32Array(0)
    codec.encode(writer, { orders, events: [] }, none, none, new Uint8Array(1))
    return writer.finish()
  }
  return { simulation, runner, bundleOf }
}

test('what a guard says about a tick comes with what the tick did', () => {
  const { simulation, runner, bundleOf } = make()
  const ran = runner.run(bundleOf('look'))
  expect((ran.problem as UsageError).code).toBe('SS_NONDETERMINISTIC')
  expect(ran.report).toMatchObject({ tick: 1, outcomes: [{ seat: 0, id: 3, result: 'executed' }] })
  expect(ran.orders).toMatchObject([{ seat: 0, id: 3 }])
  expect([simulation.tick, simulation.state.sum.looks]).toEqual([1, 1])
  expect(runner.run(bundleOf()).problem).toBeUndefined()
  expect(simulation.state.sum.ticks).toBe(2)
})

test('a tick that did not run at all throws', () => {
  const { runner, bundleOf } = make()
  const codes: string[] = []
  nested = () => {
    try {
      runner.run(bundleOf())
    } catch (error) {
      codes.push((error as UsageError).code)
    }
  }
  runner.run(bundleOf('nest'))
  nested = undefined
  expect(codes).toEqual(['SS_WRONG_TICK'])
})

test('a client settles the orders of a tick about which its guard complains, and goes on', () => {
  const world = new ClientWorld({ guard: true }).sit()
  const ends: OrderEnd[] = []
  world.client.issue('boom', {}, (end) => ends.push(end))
  world.settle()
  const boom = counter.orderCodec.encode('boom', {})
  world.tick()
  // The state is written to from outside: the guard notices it with the next tick.
  const state = world.client.simulation?.state.sum as { value: number }
  state.value += 1
  world.seal({ orders: [ownOrder(0, boom)] })
  world.seal()
  world.turns.splice(0)
  expect(() => world.send(2, 3)).toThrowError(/from outside a tick/)
  expect(ends).toMatchObject([{ result: 'refused', tick: 2 }])
  expect([world.client.status, world.client.cursors.simulatedTick]).toEqual(['active', 2])
  world.run()
  expect(world.client.cursors.simulatedTick).toBe(3)
  expect(world.eventsOf('tick')).toMatchObject([
    { report: { tick: 2, faults: [{ name: 'boom' }] } },
  ])
  expect(world.turns.some(({ hash }) => hash?.executedTick === 3)).toBe(true)
})

test('without a guard nobody complains', () => {
  const world = new ClientWorld({ guard: false }).sit()
  world.tick()
  const state = world.client.simulation?.state.sum as { value: number }
  state.value += 1
  world.tick()
  expect(world.client.cursors.simulatedTick).toBe(2)
})
