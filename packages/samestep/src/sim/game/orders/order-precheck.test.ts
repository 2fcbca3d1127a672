import { describe, expect, test } from 'vitest'
import { f32, i16, u8 } from '../../schema/index.ts'
import { single } from '../../state/single.ts'
import { defineGame } from '../definition/define-game.ts'
import { derived } from '../derived/derived.ts'
import { emptyBundle } from '../run/bundle.ts'
import { createSimulation } from '../run/simulation.ts'
import { order } from './order.ts'
import { OrderPrecheck } from './order-precheck.ts'

const computed = { double: 0, unread: 0 }

const shop = defineGame({
  id: 'shop',
  version: 1,
  seats: { min: 1, max: 2 },
  state: { purse: single({ coins: i16, looks: i16 }) },
  orders: {
    buy: { price: f32 },
    steal: {},
    talk: order({ volume: u8 }, { whenPaused: true }),
    tax: order({}, { by: 'relay' }),
  },
  derived: {
    double: derived((state: { purse: { coins: number } }) => {
      computed.double += 1
      return 2 * state.purse.coins
    }),
    unread: derived(() => {
      computed.unread += 1
      return 0
    }),
  },
  validate({ state, derived, tick, seat, order, options: _ }) {
    switch (order.type) {
      case 'buy':
        return order.data.price <= derived.double || `${order.data.price} > ${derived.double}`
      case 'steal':
        // Only a view is handed out: an impure validate must not pass by being asked twice.
        ;(state.purse as { coins: number }).coins = 99
        return true
      case 'talk':
        return order.data.volume < 100 ? `seat ${seat}, tick ${tick}` : false
      default:
        return undefined
    }
  },
  apply({ state }) {
    state.purse.coins += 1
  },
  step({ state }) {
    state.purse.coins += 5
  },
})

const bytesOf = (name: string, data: object) => shop.orderCodec.encode(name, data)

function play(ticks: number) {
  const simulation = createSimulation(shop, { seed: 1, development: true, guard: false })
  for (let tick = 1; tick <= ticks; tick++) simulation.step(emptyBundle(tick))
  return { simulation, precheck: new OrderPrecheck(simulation) }
}

describe('an order is checked before it is issued', () => {
  test('by the newest state, and by derived data of it, each computed once a tick and when read', () => {
    const { simulation, precheck } = play(2)
    Object.assign(computed, { double: 0, unread: 0 })
    expect(precheck.refusalOf(0, bytesOf('buy', { price: 20 }))).toBeUndefined()
    expect(precheck.refusalOf(0, bytesOf('buy', { price: 21 }))).toEqual({ reason: '21 > 20' })
    expect(computed).toEqual({ double: 1, unread: 0 })
    simulation.step(emptyBundle(3))
    expect(precheck.refusalOf(0, bytesOf('buy', { price: 21 }))).toBeUndefined()
  })

  test('with the data that everybody will read, and the tick in which it could run', () => {
    const { precheck } = play(2)
    const reason = precheck.refusalOf(0, bytesOf('buy', { price: 20.000_000_1 }))
    expect(reason).toBeUndefined()
    expect(precheck.refusalOf(1, bytesOf('talk', { volume: 5 }))).toEqual({
      reason: 'There is no seat 1 in this match',
    })
    expect(precheck.refusalOf(0, bytesOf('talk', { volume: 5 }))).toEqual({
      reason: 'seat 0, tick 3',
    })
    expect(precheck.refusalOf(0, bytesOf('talk', { volume: 200 }))).toEqual({
      reason: 'The game refused it',
    })
  })

  test('against the rules of its declaration', () => {
    const { simulation, precheck } = play(1)
    expect(precheck.refusalOf(0, bytesOf('tax', {}))?.reason).toBe("Only the relay may issue 'tax'")
    simulation.step({ ...emptyBundle(2), events: [{ type: 'pause', seat: 0 }] })
    expect(precheck.refusalOf(0, bytesOf('buy', { price: 0 }))?.reason).toBe('The match is paused')
    // In a pause the game's clock stands still.
    expect(precheck.refusalOf(0, bytesOf('talk', { volume: 5 }))?.reason).toBe('seat 0, tick 1')
  })

  test('and a validate that throws is a reason with its error', () => {
    const { precheck, simulation } = play(1)
    const refusal = precheck.refusalOf(0, bytesOf('steal', {}))
    expect(refusal?.reason).toMatch(/^validate threw /)
    expect(refusal?.error).toBeInstanceOf(Error)
    expect(simulation.state.purse.coins).toBe(5)
  })

  test('without a trace in the state or its hashes', () => {
    const [asked, other] = [play(0), play(0)]
    for (let tick = 1; tick <= 20; tick++) {
      for (const price of [0, 7, 100]) asked.precheck.refusalOf(0, bytesOf('buy', { price }))
      asked.simulation.step(emptyBundle(tick))
      other.simulation.step(emptyBundle(tick))
      expect(asked.simulation.syncHashAt(tick)).toBe(other.simulation.syncHashAt(tick))
    }
  })
})
