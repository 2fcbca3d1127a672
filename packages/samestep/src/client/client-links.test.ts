import { describe, expect, test } from 'vitest'
import { encodeMessage } from '../wire/messages/messages.ts'
import type { OrderEnd } from './outbox/order-outbox.ts'
import { ClientWorld } from './testing/client-world.ts'
import { addBytes, ownOrder } from './testing/counter.ts'

describe('ticks that come', () => {
  test('doubled, in the wrong sequence or with gaps run once each, in sequence', () => {
    const world = new ClientWorld().sit('datagram')
    for (let tick = 1; tick <= 6; tick++)
      world.seal({ orders: [ownOrder(tick, addBytes(tick), 1)] })
    world.send(2, 3)
    expect(world.client.cursors.simulatedTick).toBe(0)
    world.send(1, 2)
    world.send(1, 4)
    expect(world.client.cursors).toMatchObject({ sealedTick: 4, simulatedTick: 4 })
    world.send(6)
    world.send(5)
    expect(world.client.simulation?.state.sum.value).toBe(3 + 21)
  })

  test('are confirmed up to the first gap, in every turn', () => {
    const world = new ClientWorld().sit('datagram')
    for (let tick = 1; tick <= 4; tick++) world.seal()
    world.send(1, 2)
    world.send(4)
    expect(world.turns.at(-1)?.received).toBe(2)
    world.turns.splice(0)
    world.send(1, 2)
    expect(world.turns.map(({ received }) => received)).toEqual([2])
    world.send(3)
    expect(world.turns.at(-1)?.received).toBe(4)
  })

  test('in parts run when they are whole', () => {
    const world = new ClientWorld().sit('datagram')
    const orders = Array.from({ length: 30 }, (_, at) => ownOrder(at, addBytes(at), 1))
    const tick = world.seal({ orders })
    const size = world.sealed[0]?.byteLength as number
    const cut = Math.floor(size / 2)
    world.sendPart(tick, cut, size)
    world.run()
    expect(world.client.cursors.simulatedTick).toBe(0)
    world.sendPart(tick, 0, cut)
    world.run()
    expect(world.client.simulation?.state.sum.value).toBe(3 + (29 * 30) / 2)
  })

  test('before the seat is given are passed over: they are repeated', () => {
    const world = new ClientWorld()
    world.open('datagram')
    world.say('RelayWelcome', { protocol: 'samestep/1' })
    world.seal()
    world.send(1)
    expect([world.client.status, world.client.readyTicks]).toEqual(['joining', 0])
    world.say('RelaySeated', world.seated)
    world.send(1)
    expect(world.client.cursors.simulatedTick).toBe(1)
  })
})

describe('held inputs', () => {
  test('go out once per tick, stamped for the tick that the delay says', () => {
    const world = new ClientWorld().sit()
    expect(world.turns.at(-1)).toMatchObject({ firstInputTick: 1, inputCount: 3 })
    world.client.setInput({ dx: 2, fire: true })
    world.turns.splice(0)
    world.tick()
    const inputs = world.turns.flatMap(({ inputs, inputCount, firstInputTick }) =>
      inputCount === 0 ? [] : [[firstInputTick, ...inputs]],
    )
    expect(inputs).toEqual([[4, 4, 1]])
    world.turns.splice(0)
    world.tick()
    const next = world.turns.find(({ inputCount }) => inputCount > 0)
    expect([next?.firstInputTick, ...(next?.inputs ?? [])]).toEqual([5, 4, 0])
  })

  test('are repeated on datagrams until their tick is sealed', () => {
    const world = new ClientWorld().sit('datagram')
    world.turns.splice(0)
    world.tick()
    world.tick()
    expect(world.turns.at(-1)).toMatchObject({ firstInputTick: 3, inputCount: 3 })
  })
})

describe('a link that goes silent', () => {
  test('is given up after five seconds, and another one is wanted', () => {
    const world = new ClientWorld().sit('stream')
    world.tick()
    world.breakLink(false)
    world.wait(4_900)
    expect(world.client.status).toBe('active')
    world.wait(200)
    expect(world.client.status).toBe('reconnecting')
    expect(world.eventsOf('link-lost')).toHaveLength(1)
    world.wait(600)
    expect(world.eventsOf('want-link')).toHaveLength(1)
  })

  test('is not given up while anything is heard', () => {
    const world = new ClientWorld().sit('stream')
    for (let round = 0; round < 10; round++) {
      world.wait(4_000)
      world.show('lobby')
    }
    expect([world.client.status, world.eventsOf('link-lost')]).toEqual(['active', []])
  })

  test('is given up during the handshake too', () => {
    const world = new ClientWorld()
    world.open()
    world.breakLink(false)
    world.wait(5_600)
    expect(world.events.map(({ type }) => type)).toEqual(['link-lost', 'want-link'])
    expect(world.client.status).toBe('connecting')
  })

  test('F-11 is not a clock that leapt while the machine slept', () => {
    const world = new ClientWorld().sit('stream')
    world.nowMs += 3_600_000
    world.client.handleTime(world.nowMs)
    expect(world.client.status).toBe('active')
    world.nowMs -= 7_200_000
    world.client.handleTime(world.nowMs)
    expect(world.client.status).toBe('active')
  })
})

describe('a link that is lost', () => {
  test('is asked for again later each time, up to ten times the first wait', () => {
    const world = new ClientWorld({ retryMs: 100 })
    world.wait(0)
    const waits: number[] = []
    for (let round = 0; round < 8; round++) {
      world.client.handleLinkClosed(world.nowMs)
      const fromMs = world.nowMs
      const before = world.eventsOf('want-link').length
      while (world.eventsOf('want-link').length === before) world.wait(50)
      waits.push(world.nowMs - fromMs)
    }
    expect(waits).toEqual([100, 200, 400, 800, 1_000, 1_000, 1_000, 1_000])
  })

  test('is lost once, however often the transport says so', () => {
    const world = new ClientWorld().sit()
    world.breakLink()
    world.client.handleLinkClosed(world.nowMs)
    world.client.handleLinkClosed(world.nowMs)
    world.wait(500)
    expect(world.events.map(({ type }) => type)).toEqual([
      'seated',
      'launched',
      'link-lost',
      'want-link',
    ])
  })

  test('is followed by a short wait again, once there was a seat', () => {
    const world = new ClientWorld({ retryMs: 100 })
    for (let round = 0; round < 4; round++) {
      world.sit()
      world.breakLink()
      world.wait(100)
      expect(world.eventsOf('want-link')).toHaveLength(round + 1)
    }
  })

  test.each(['stream', 'datagram'] as const)(
    'loses no tick and no order, and doubles none, on a %s',
    (kind) => {
      const world = new ClientWorld().sit(kind)
      const ends: OrderEnd[] = []
      const issue = (amount: number) =>
        world.client.issue('add', { amount }, (end) => ends.push(end))
      world.tick()
      issue(1)
      world.settle()
      // The relay took the first, and its answer is lost with the link; the others never arrive.
      world.breakLink()
      issue(10)
      issue(100)
      world.wait(1_000)
      expect([world.client.status, world.client.pendingOrders]).toEqual(['reconnecting', 3])
      world.seal({ orders: [ownOrder(0, addBytes(1))] })
      world.turns.splice(0)
      world.messages.splice(0)
      world.sit(kind)
      expect(world.messages[1]).toMatchObject({
        name: 'ClientJoin',
        body: { ticket: world.seated.ticket, nextTick: 2, config: world.seated.config },
      })
      expect(world.turns[0]).toMatchObject({
        received: 1,
        firstOrderNumber: 1,
        orders: [addBytes(10), addBytes(100)],
      })
      world.send(2)
      world.tick({ orders: [ownOrder(1, addBytes(10)), ownOrder(2, addBytes(100))] })
      expect(ends).toEqual([
        { result: 'executed', tick: 2 },
        { result: 'executed', tick: 3 },
        { result: 'executed', tick: 3 },
      ])
      expect(world.client.simulation?.state.sum.value).toBe(3 + 111)
    },
  )

  test('is replaced by another that opens before the old one was given up', () => {
    const world = new ClientWorld().sit('stream')
    world.tick()
    world.sit('datagram')
    world.tick()
    expect([world.client.status, world.client.cursors.simulatedTick]).toEqual(['active', 2])
    expect(world.eventsOf('link-lost')).toEqual([])
  })
})

describe('the end', () => {
  test('comes with the reason of the relay, when it closes', () => {
    const world = new ClientWorld().sit()
    world.say('RelayClose', { reason: 'kicked', message: 'Out' })
    expect(world.eventsOf('closed')).toEqual([{ type: 'closed', reason: 'kicked', message: 'Out' }])
    expect(world.client.status).toBe('closed')
    world.wait(20_000)
    expect(world.client.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
    expect(world.eventsOf('want-link')).toEqual([])
  })

  test('leaves nothing to wake up for once its link is gone, whatever was not confirmed', () => {
    const world = new ClientWorld().sit('datagram')
    world.say('RelayClose', { reason: 'shutdown', message: 'Bye' })
    expect([world.client.status, world.client.wakeReason()]).toEqual(['closed', 'channel'])
    world.client.handleLinkClosed(world.nowMs)
    expect(world.client.wakeReason()).toBe(undefined)
  })

  test('comes with what differs, when the relay does not let us in', () => {
    const world = new ClientWorld()
    world.open()
    const refusal = {
      reason: 'version',
      item: 'game version',
      theirs: '2',
      ours: '3',
      message: 'Cannot let you in',
    }
    world.say('RelayRefuse', refusal)
    expect(world.eventsOf('closed')).toEqual([
      { type: 'closed', reason: 'version', message: 'Cannot let you in', refusal },
    ])
    world.client.handleLinkClosed(world.nowMs)
    world.wait(60_000)
    expect(world.eventsOf('want-link')).toEqual([])
  })

  test.each(['stream', 'datagram'] as const)(
    'is told to the relay by who leaves, on a %s',
    (kind) => {
      const world = new ClientWorld().sit(kind)
      world.tick()
      world.messages.splice(0)
      world.client.leave(world.nowMs)
      world.client.leave(world.nowMs)
      world.settle()
      expect(world.messages).toEqual([{ name: 'ClientLeave', body: { reason: '' } }])
      expect(world.eventsOf('closed')).toMatchObject([{ reason: 'left' }])
      world.wait(30_000)
      expect(world.channel?.state).toMatchObject({ name: 'closed', code: 4_016 })
      expect(world.client.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
    },
  )

  test('is told also behind a join that nobody answered: a seat may have been given', () => {
    const world = new ClientWorld()
    world.open()
    world.say('RelayWelcome', { protocol: 'samestep/1' })
    world.settle()
    world.client.leave(world.nowMs)
    world.settle()
    expect(world.messages.map(({ name }) => name)).toEqual([
      'ClientHello',
      'ClientJoin',
      'ClientLeave',
    ])
  })

  test('stays: no link, packet or tick changes it', () => {
    const world = new ClientWorld().sit()
    world.seal()
    world.client.leave(world.nowMs)
    world.open()
    world.client.handlePacket(encodeMessage('RelayWelcome', { protocol: 'x' }), world.nowMs)
    expect([world.client.status, world.client.runTicks(5)]).toEqual(['closed', 0])
    expect(world.eventsOf('closed')).toHaveLength(1)
  })
})

describe('bytes that no relay sends', () => {
  const wrongs: readonly [string, Uint8Array][] = [
    ['a message of no kind', Uint8Array.of(0x3d)],
    ['a message that only clients send', encodeMessage('ClientLeave', { reason: '' })],
    ['a turn', Uint8Array.of(0x40, 0, 0)],
    ['bundles that end too soon', Uint8Array.of(0x81, 1)],
    ['bundles of a tick before the first', Uint8Array.of(0x80, 0xff, 0)],
    ['a seat with left-over bytes', Uint8Array.of(5, 0, 0, 0, 1, 2, 3)],
  ]

  test.each(wrongs)('%s: the session ends, and every order with it', (_, bytes) => {
    const world = new ClientWorld().sit()
    const ends: OrderEnd[] = []
    world.client.issue('add', { amount: 1 }, (end) => ends.push(end))
    world.sayBytes(bytes)
    expect(world.eventsOf('closed')).toMatchObject([{ reason: 'bad-message' }])
    expect([world.client.status, ends]).toEqual(['closed', [{ result: 'lost' }]])
  })

  test('a bundle that is none of this match ends the session when it is run', () => {
    const world = new ClientWorld().sit()
    world.sayBytes(Uint8Array.of(0x80, 1, 0b0000_0010))
    expect(world.client.readyTicks).toBe(1)
    expect(world.client.runTicks(1)).toBe(0)
    expect(world.client.status).toBe('closed')
  })
})
