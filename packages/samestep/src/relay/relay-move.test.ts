import { describe, expect, test } from 'vitest'
import { closeCodes } from '../wire/codes.ts'
import { orderOf, testConfig } from './testing/match-kit.ts'
import { RelayWorld } from './testing/relay-world.ts'
import type { JoinOptions, ScriptedClient } from './testing/scripted-client.ts'

function start(how: JoinOptions = {}) {
  const world = new RelayWorld()
  const [ada, bob] = [world.join(how), world.join(how)]
  ada.isConfirming = true
  bob.isConfirming = true
  world.run(1_000)
  const move = (from: ScriptedClient, options: JoinOptions = {}): ScriptedClient => {
    const to = world.connect(options.kind)
    to.isMoving = true
    to.isConfirming = true
    to.receivedTick = from.receivedTick
    to.hello()
    const ticket = from.body('RelaySeated')?.ticket
    to.join({ ticket, nextTick: from.receivedTick + 1, ...options })
    return to
  }
  return { world, ada, bob, move }
}

describe('a client whose link works', () => {
  test('goes on over another one: the old one is told so, and stays open for what is on its way', () => {
    const { world, ada, bob, move } = start()
    const roomsBefore = bob.all('RelayRoom').length
    const next = move(ada, { kind: 'datagram' })
    expect(next.body('RelaySeated')).toMatchObject({ seat: 0, sealedTick: 20 })
    expect(ada.body('RelayClose')).toMatchObject({ reason: 'moved' })
    expect(ada.closedWith).toBeUndefined()
    world.run(1_000)
    expect(next.receivedTick).toBe(40)
    expect(ada.receivedTick).toBe(20)
    // Nobody else hears anything of it.
    expect(bob.all('RelayRoom')).toHaveLength(roomsBefore)
    expect(world.events.some(({ type }) => type === 'left' || type === 'presence')).toBe(false)
  })

  test('may still say over the old one what it said before it knew', () => {
    const { world, ada, move } = start()
    const next = move(ada)
    ada.turn({ received: 20, orders: [orderOf(1), orderOf(2)] })
    next.turn({ received: 20, orders: [orderOf(1), orderOf(2), orderOf(3)] })
    world.run(100)
    const orders = world.sealed().flatMap((bundle) => bundle.orders)
    expect(orders.map(({ bytes }) => bytes)).toEqual([orderOf(1), orderOf(2), orderOf(3)])
  })

  test('is heard in sequence: wishes over the new link wait for the end of the old one', () => {
    const { world, ada, bob, move } = start()
    const next = move(ada)
    next.act({ type: 'say', scope: 'all', text: 'second' })
    ada.act({ type: 'say', scope: 'all', text: 'first' })
    world.run(100)
    expect(bob.all('RelaySaid').map(({ text }) => text)).toEqual(['first'])
    world.breakLink(ada)
    expect(bob.all('RelaySaid').map(({ text }) => text)).toEqual(['first', 'second'])
  })

  test.each(['first', 'second'])(
    'is heard in sequence when it moves on before the link that it left first has ended; the %s ends first',
    (which) => {
      const { world, ada, bob, move } = start()
      const say = (from: ScriptedClient, text: string) =>
        from.act({ type: 'say', scope: 'all', text })
      const next = move(ada)
      say(next, 'third')
      const last = move(next)
      say(last, 'fifth')
      say(next, 'fourth')
      say(ada, 'first')
      say(ada, 'second')
      const heard = () => bob.all('RelaySaid').map(({ text }) => text)
      expect(heard()).toEqual(['first', 'second'])
      world.breakLink(which === 'first' ? ada : next)
      expect(heard().slice(2)).toEqual(which === 'first' ? ['third', 'fourth'] : [])
      world.breakLink(which === 'first' ? next : ada)
      expect(heard().slice(2)).toEqual(['third', 'fourth', 'fifth'])
    },
  )

  test('is heard in sequence when it moves on just after the link that it left first was given up', () => {
    const { world, ada, bob, move } = start()
    const next = move(ada)
    world.run(3_900)
    next.isConfirming = false
    next.act({ type: 'say', scope: 'all', text: 'first' })
    world.run(100)
    const last = move(next)
    next.act({ type: 'say', scope: 'all', text: 'second' })
    last.act({ type: 'say', scope: 'all', text: 'third' })
    world.breakLink(next)
    expect(bob.all('RelaySaid').map(({ text }) => text)).toEqual(['first', 'second', 'third'])
  })

  test('and leaves the old one open is heard all the same after four seconds', () => {
    const { world, ada, bob, move } = start()
    const next = move(ada)
    next.act({ type: 'say', scope: 'all', text: 'hello' })
    world.run(3_900)
    expect(bob.all('RelaySaid')).toHaveLength(0)
    world.run(1_500)
    expect(bob.all('RelaySaid')).toHaveLength(1)
    expect(ada.closedWith).toBe(closeCodes.moved)
    expect(next.closedWith).toBeUndefined()
  })

  test('may confirm over either link what it got over the other', () => {
    const { world, ada, move } = start()
    const next = move(ada)
    ada.turn({ received: 20 })
    next.turn({ received: 20 })
    world.run(200)
    expect([ada.closedWith, next.closedWith]).toEqual([undefined, undefined])
  })

  test('gets no tick twice that came over the old one, also if it must not see the next one yet', () => {
    const spectatorDelayMs = 2_000
    const config = { ...testConfig, lobby: { ...testConfig.lobby, spectatorDelayMs } }
    const { world, ada, bob, move } = start({ config })
    const cyd = world.join({ config, role: 'spectator' })
    cyd.isConfirming = true
    ada.act({ type: 'hand-over', seat: 0, member: cyd.member })
    // After that, ticks that everyone has confirmed are no longer kept.
    world.run(13_000)
    cyd.isConfirming = false
    world.run(50)
    const { receivedTick } = cyd
    expect(receivedTick).toBe(bob.receivedTick)
    // It asked for the link before the newest tick came over the old one.
    const next = move(cyd, { kind: 'stream', nextTick: receivedTick })
    next.turn({ received: receivedTick })
    ada.act({ type: 'reclaim-seat' })
    world.run(1_000)
    expect(next.bundles).toEqual([])
    world.run(3_000)
    expect(next.bundles[0]?.firstTick).toBe(receivedTick + 1)
    expect(bob.receivedTick - next.receivedTick).toBe(41)
  })

  test('is heard when the time of the old link is up, also if it says nothing more', () => {
    const { world, ada, bob, move } = start()
    const next = move(ada)
    next.isConfirming = false
    next.act({ type: 'say', scope: 'all', text: 'last words' })
    const said = () => bob.all('RelaySaid').map(({ text }) => text)
    world.run(3_900)
    expect(said()).toEqual([])
    world.run(200)
    expect(said()).toEqual(['last words'])
  })

  test('leaves for good over whichever link it says so', () => {
    const { world, ada, move } = start()
    const next = move(ada)
    ada.say('ClientLeave', { reason: '' })
    world.run(200)
    expect(next.closedWith).toBe(closeCodes.left)
    expect(world.sealedEvents().filter(({ type }) => type === 'leave')).toHaveLength(1)
  })

  test('loses its session on both when it breaks the rules on one', () => {
    const { world, ada, move } = start()
    const next = move(ada)
    ada.say('ClientHello', {
      magic: 0,
      protocols: [],
      gameId: 'x',
      gameVersion: 1,
      fingerprint: new Uint8Array(32),
    })
    world.run(200)
    expect([ada.closedWith, next.closedWith]).toEqual([
      closeCodes['bad-message'],
      closeCodes['bad-message'],
    ])
  })
})

describe('who moves', () => {
  test('without the proof gets nowhere, and the link that works stays as it is', () => {
    const { world, ada, move } = start()
    const thief = move(ada)
    void thief
    const [before] = [ada.closedWith]
    const liar = world.connect()
    liar.isMoving = true
    liar.secret = new Uint8Array(32)
    liar.hello()
    liar.join({ ticket: ada.body('RelaySeated')?.ticket, nextTick: 21 })
    expect(liar.body('RelayRefuse')).toMatchObject({ reason: 'auth' })
    expect(before).toBeUndefined()
  })

  test('again and again is refused, and goes on over the link that it has', () => {
    const { world, ada, move } = start()
    let from = ada
    for (let count = 0; count < 6; count++) from = move(from)
    const refused = move(from)
    expect(refused.body('RelayRefuse')).toMatchObject({ reason: 'rate', item: 'moves' })
    world.run(500)
    expect(from.closedWith).toBeUndefined()
    expect(from.receivedTick).toBe(30)
    // Ten seconds bring another one.
    world.run(10_000)
    expect(move(from).body('RelaySeated')).toBeDefined()
  })

  test('does not use up what is kept for links that break', () => {
    const { world, ada, move } = start()
    let from = ada
    for (let count = 0; count < 6; count++) from = move(from)
    const ticket = ada.body('RelaySeated')?.ticket
    for (let count = 0; count < 20; count++) {
      world.breakLink(from)
      from = world.join({ ticket, nextTick: 21 })
      expect(from.body('RelaySeated')).toBeDefined()
    }
  })

  test.each(['stream', 'datagram'] as const)(
    'and comes back as a reloaded page over a %s gets every tick, whatever was said before it left',
    (kind) => {
      const { world, ada, bob, move } = start()
      move(ada, { kind })
      world.run(500)
      const ticket = ada.body('RelaySeated')?.ticket
      const fresh = world.join({ kind, ticket, nextTick: 1 })
      fresh.isConfirming = true
      // A line that was clogged brings it only now.
      ada.turn({ received: 30 })
      world.run(500)
      expect([fresh.receivedTick, bob.receivedTick]).toEqual([40, 40])
    },
  )

  test('and loses the link that it moved to loses what waited on all of them', () => {
    const { world, ada, bob, move } = start()
    const next = move(ada)
    next.act({ type: 'say', scope: 'all', text: 'held' })
    const last = move(next)
    world.breakLink(last)
    const back = world.join({ ticket: ada.body('RelaySeated')?.ticket, nextTick: 21 })
    back.act({ type: 'say', scope: 'all', text: 'back' })
    world.breakLink(ada)
    next.turn({ received: 20 })
    expect(bob.all('RelaySaid').map(({ text }) => text)).toEqual(['back'])
  })

  test('after its old link was lost just comes back', () => {
    const { world, ada, move } = start()
    world.breakLink(ada)
    const back = move(ada)
    expect(back.body('RelaySeated')).toMatchObject({ seat: 0 })
    world.run(500)
    expect(back.receivedTick).toBe(30)
  })
})

test('a relay with more doors tells those who are in', () => {
  const key = new Uint8Array(32).fill(3)
  const world = new RelayWorld({ doors: () => ({ udp: { port: 7_777, key }, webrtc: true }) })
  expect(world.join().body('RelayDoors')).toEqual({ udp: { port: 7_777, key }, webrtc: true })
  expect(new RelayWorld().join().body('RelayDoors')).toBeUndefined()
})
