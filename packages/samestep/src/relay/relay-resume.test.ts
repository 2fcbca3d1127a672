import { describe, expect, test } from 'vitest'
import { closeCodes } from '../wire/codes.ts'
import { logMs } from '../wire/limits.ts'
import { orderOf } from './testing/match-kit.ts'
import { RelayWorld } from './testing/relay-world.ts'
import type { ScriptedClient } from './testing/scripted-client.ts'

function ticketOf(client: ScriptedClient): Uint8Array {
  return client.body('RelaySeated')?.ticket as Uint8Array
}

function start() {
  const world = new RelayWorld()
  const [ada, bob] = [world.join(), world.join()]
  ada.isConfirming = true
  bob.isConfirming = true
  world.run(1_000)
  return { world, ada, bob }
}

describe('a client with its ticket', () => {
  test('gets its seat back on a new link, and every tick that it lacks', () => {
    const { world, ada } = start()
    world.breakLink(ada)
    world.run(2_000)
    const back = world.join({ ticket: ticketOf(ada), nextTick: 21 })
    expect(back.body('RelaySeated')).toMatchObject({
      seat: 0,
      sealedTick: 60,
      ticket: ticketOf(ada),
    })
    world.run(50)
    expect(back.bundles[0]).toMatchObject({ firstTick: 21 })
    expect(back.bundles.flatMap(({ bundles }) => bundles)).toHaveLength(41)
    expect(world.events.some(({ type }) => type === 'left')).toBe(false)
  })

  test('of its own making finds its first seat again when the answer to its join was lost', () => {
    const world = new RelayWorld()
    const ticket = new Uint8Array(16).fill(7)
    const first = world.join({ ticket })
    world.breakLink(first)
    const again = world.join({ ticket })
    expect(again.body('RelaySeated')).toMatchObject({ seat: 0, ticket })
    expect(world.join().body('RelaySeated')?.seat).toBe(1)
  })

  test('learns which of its orders were taken', () => {
    const { world, ada } = start()
    ada.turn({ received: 20, orders: [orderOf(1), orderOf(2)] })
    world.breakLink(ada)
    const back = world.join({ ticket: ticketOf(ada), nextTick: 21 })
    expect(back.body('RelaySeated')?.orderNumber).toBe(2)
    // Sent again because the answer was lost, they are known.
    back.turn({ received: 20, orders: [orderOf(1), orderOf(2), orderOf(3)] })
    world.run(100)
    expect(world.relay.matches.get('friday')?.sealer.waitingOrders).toBe(0)
    expect(back.closedWith).toBeUndefined()
  })

  test.each([
    ['whose machine is fast gets the ticks that it missed', 10, false],
    ['whose machine would need minutes for them gets the state of now', 70, true],
  ])('%s', (_, loadPercent, isStateComing) => {
    const { world, ada } = start()
    ada.turn({ received: 20, report: { loadPercent } })
    world.breakLink(ada)
    world.run(40_000)
    const back = world.join({ ticket: ticketOf(ada), nextTick: 21 })
    expect(back.body('RelaySeated')).toMatchObject({ seat: 0, isStateComing })
    world.run(50)
    expect(back.bundles.length > 0).toBe(!isStateComing)
  })

  test('whose machine is slow gets the ticks all the same where nobody could give the state', () => {
    const { world, ada, bob } = start()
    ada.turn({ received: 20, report: { loadPercent: 70 } })
    world.breakLink(ada)
    world.run(40_000)
    world.breakLink(bob)
    const back = world.join({ ticket: ticketOf(ada), nextTick: 21 })
    expect(back.body('RelaySeated')).toMatchObject({ isStateComing: false })
  })

  test('may change from a stream to datagrams', () => {
    const { world, ada } = start()
    world.breakLink(ada)
    const back = world.join({ kind: 'datagram', ticket: ticketOf(ada), nextTick: 21 })
    back.isConfirming = true
    back.receivedTick = 20
    world.run(2_000)
    expect(back.receivedTick).toBe(60)
  })

  test('T-28 takes over from its old link, which is closed as replaced', () => {
    const { world, ada, bob } = start()
    const back = world.join({ ticket: ticketOf(ada), nextTick: 21 })
    expect(ada.body('RelayClose')).toMatchObject({ reason: 'replaced' })
    expect(ada.closedWith).toBe(closeCodes.replaced)
    back.receivedTick = 20
    back.isConfirming = true
    world.run(500)
    expect([back.receivedTick, bob.receivedTick]).toEqual([30, 30])
    // What was still on its way over the old link is nobody's.
    ada.turn({ received: 20, orders: [orderOf(9)] })
    world.run(50)
    expect(world.sealed().flatMap(({ orders }) => orders)).toEqual([])
    // The end of the old link is no news of the new one.
    world.relay.handleLinkClosed(ada.link, world.nowMs)
    world.run(100)
    expect(back.receivedTick).toBe(33)
  })

  test('can come back again and again', () => {
    const { world, ada } = start()
    let last = ada
    for (let times = 0; times < 20; times++) {
      world.breakLink(last)
      world.run(100)
      const sealed = world.relay.matches.get('friday')?.log.sealedTick as number
      last = world.join({ ticket: ticketOf(ada), nextTick: sealed + 1 })
      expect(last.body('RelaySeated')?.seat).toBe(0)
    }
    expect(world.relay.linkCount).toBe(2)
  })

  test.each([0, 23, 1_000_000])(
    'that asks for tick %i, which is not there, is refused',
    (nextTick) => {
      const { world, ada } = start()
      world.breakLink(ada)
      const back = world.join({ ticket: ticketOf(ada), nextTick })
      expect(back.body('RelayRefuse')).toMatchObject({
        reason: 'behind-log',
        theirs: String(nextTick),
        ours: '1 to 21',
      })
    },
  )

  test('that comes after a minute is a stranger', () => {
    const { world, ada } = start()
    world.breakLink(ada)
    world.run(60_100)
    const back = world.join({ ticket: ticketOf(ada), nextTick: 21 })
    expect(back.body('RelayRefuse')).toMatchObject({ reason: 'auth', item: 'ticket' })
  })
})

test('who confirms nothing for as long as ticks are kept is closed, and the others play on', () => {
  const { world, ada, bob } = start()
  ada.isConfirming = false
  const confirmed = ada.receivedTick
  // A hidden page says once in a while that it is there: that is enough to stay, but not for ever.
  for (let second = 0; second < logMs / 1_000; second += 10) {
    ada.say('ClientHere', { activity: 'hidden' })
    world.run(10_000)
  }
  expect(ada.closedWith).toBeUndefined()
  world.run(100)
  expect(ada.body('RelayClose')).toMatchObject({ reason: 'behind-log' })
  const told = ada.body('RelayClose')?.message
  expect(world.events).toContainEqual({ type: 'left', seat: 0, reason: 'timeout', told })
  expect(bob.receivedTick).toBeGreaterThan(confirmed + (logMs * 20) / 1_000)
  // Whoever is alone is asked for the state; ticks behind it are kept until that came to nothing.
  world.run(5_000)
  const log = world.relay.matches.get('friday')?.log
  expect((log?.sealedTick as number) - (log?.firstTick as number)).toBeLessThan(5)
})

test('F-11 a clock that is set back or leaps ends nothing and owes no ticks', () => {
  const { world, bob } = start()
  const { relay } = world
  relay.handleTime(world.nowMs - 3_600_000)
  expect(relay.wakeAtMs()).toBeLessThanOrEqual(world.nowMs - 3_600_000 + 50)
  const sealed = () => relay.matches.get('friday')?.log.sealedTick as number
  const before = sealed()
  relay.handleTime(world.nowMs + 3_600_000)
  expect(sealed() - before).toBeLessThanOrEqual(1)
  expect(bob.closedWith).toBeUndefined()
  expect(relay.linkCount).toBe(2)
})
