import { describe, expect, test } from 'vitest'
import { defineGame } from '../../sim/game/definition/define-game.ts'
import { createSimulation } from '../../sim/game/run/simulation.ts'
import { bool, i16, u8 } from '../../sim/schema/index.ts'
import { table } from '../../sim/state/table.ts'
import { simulate } from '../assertions.ts'
import { makeBundle } from './match-script.ts'

const tanks = defineGame({
  id: 'tanks',
  version: 1,
  seats: { min: 2, max: 4 },
  state: { tanks: table(4, { x: i16, shells: u8, strikes: u8 }) },
  input: { left: bool, right: bool, fire: bool.oneShot() },
  orders: { strike: { x: i16 }, resign: {} },
  setup({ state, seats }) {
    for (let seat = 0; seat < seats; seat++) state.tanks.add()
  },
  validate({ order }) {
    return order.type !== 'strike' || order.data.x >= 0 || 'outside of the map'
  },
  step({ state: { tanks }, inputs, orders }) {
    for (const [seat, { left, right, fire }] of inputs.entries()) {
      tanks.x[seat]! += Number(right) - Number(left)
      tanks.shells[seat]! += Number(fire)
    }
    for (const order of orders) if (order.type === 'strike') tanks.strikes[order.seat]! += 1
  },
})

describe('a script of a test', () => {
  test('has orders by name, and lasts as long as its last item when nothing else is said', () => {
    const { simulation, outcomes } = simulate(tanks, {
      seats: 2,
      script: [
        { tick: 5, seat: 1, order: 'strike', data: { x: 3 } },
        { tick: 2, seat: 0, order: 'strike', data: { x: -1 } },
        { tick: 5, seat: 0, order: 'resign', data: {} },
      ],
    })
    expect(simulation.tick).toBe(5)
    expect(outcomes.map(({ tick, seat, type, result }) => [tick, seat, type, result])).toEqual([
      [2, 0, 'strike', 'refused'],
      [5, 1, 'strike', 'executed'],
      [5, 0, 'resign', 'executed'],
    ])
    expect([...simulation.state.tanks].map((row) => simulation.state.tanks.strikes[row])).toEqual([
      0, 1,
    ])
  })

  test('has inputs that are held until they change, and once where they happen once', () => {
    const { simulation } = simulate(tanks, {
      seats: 2,
      ticks: 12,
      script: [
        { tick: 2, seat: 0, input: { right: true, fire: true } },
        { tick: 6, seat: 0, input: { left: true } },
        { tick: 8, seat: 0, input: { right: false } },
        { tick: 9, event: { type: 'leave', seat: 0, reason: 'left' } },
        { tick: 11, seat: 0, input: { fire: true } },
      ],
    })
    const { tanks: rows } = simulation.state
    // Right in ticks 2 to 5, both in 6 and 7, left in 8, nobody there from 9 on.
    expect(rows.x[0]).toBe(3)
    expect(rows.shells[0]).toBe(2)
  })

  test('is what a match that was played by chance gives back, and plays again', () => {
    const played = simulate(tanks, { seats: 2, seed: 3, ticks: 200 })
    const [order] = played.script.items.filter((item) => 'order' in item)
    expect(order).toMatchObject({ seat: expect.any(Number), order: expect.any(String) })
    const again = simulate(tanks, { script: played.script })
    expect(again.simulation.stateHash()).toBe(played.simulation.stateHash())
    const fewer = { ...played.script, items: played.script.items.filter((item) => item !== order) }
    expect(simulate(tanks, { script: fewer }).outcomes.length).toBe(again.outcomes.length - 1)
  })

  test('may have bytes that are no order', () => {
    const script = [{ tick: 1, seat: 0, bytes: Uint8Array.of(255, 255) }]
    const { outcomes, script: played } = simulate(tanks, { seats: 2, script })
    expect(outcomes).toMatchObject([{ seat: 0, result: 'malformed' }])
    expect(played.items).toEqual(script)
  })

  test('is refused where it is none of the game', () => {
    const play = (item: object) => () =>
      simulate(tanks, { seats: 2, script: [{ tick: 1, seat: 0, ...item }] as never })
    expect(play({ order: 'strik', data: {} })).toThrowError(
      "Cannot issue order 'strik': the orders are strike, resign",
    )
    expect(play({ order: 'strike', data: { x: 0.5 } })).toThrowError(/strike\.x: it is 0\.5/)
    expect(play({ input: { jump: true } })).toThrowError(/input.*jump/)
    expect(play({ tick: 0, order: 'resign', data: {} })).toThrowError(
      'Cannot play something at tick 0: ticks are whole numbers from 1',
    )
  })

  test('does not compile where it is none of the game', () => {
    const never = (): void => {
      // @ts-expect-error no such order
      simulate(tanks, { script: [{ tick: 1, seat: 0, order: 'strik', data: {} }] })
      // @ts-expect-error no such field
      simulate(tanks, { script: [{ tick: 1, seat: 0, order: 'strike', data: { y: 1 } }] })
      // @ts-expect-error no such input
      simulate(tanks, { script: [{ tick: 1, seat: 0, input: { jump: true } }] })
      // @ts-expect-error a seat is missing
      makeBundle(tanks, 1, [{ order: 'resign', data: {} }])
    }
    expect(never).toBeTypeOf('function')
  })
})

test('a bundle for one tick is made from the same items', () => {
  const simulation = createSimulation(tanks, { seed: 1 })
  const { outcomes } = simulation.step(
    makeBundle(tanks, 1, [
      { seat: 1, order: 'strike', data: { x: 7 } },
      { seat: 0, input: { right: true } },
    ]),
  )
  expect(outcomes).toMatchObject([{ seat: 1, type: 'strike', result: 'executed' }])
  simulation.step(makeBundle(tanks, 2))
  expect([simulation.state.tanks.x[0], simulation.state.tanks.strikes[1]]).toEqual([2, 1])
})
