import { describe, expect, test } from 'vitest'
import { UsageError } from '../base/errors.ts'
import { outboxOrdersMax } from '../wire/limits.ts'
import { slotOf } from '../wire/testing/slot-of.ts'
import type { OrderEnd } from './outbox/order-outbox.ts'
import { ClientWorld } from './testing/client-world.ts'
import { addBytes, counter, ownOrder } from './testing/counter.ts'
import { shownRoom } from './testing/rooms.ts'

function codeOf(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    if (error instanceof UsageError) return error.code
    throw error
  }
  return 'nothing was thrown'
}

describe('the handshake', () => {
  test('begins with the wish for a link, then hello, join and a seat', () => {
    const world = new ClientWorld()
    const { client } = world
    expect(client.status).toBe('connecting')
    world.wait(0)
    expect(world.events).toEqual([{ type: 'want-link', link: 1 }])
    world.wait(10_000)
    expect(world.events).toHaveLength(1)
    world.open()
    expect(client.status).toBe('joining')
    expect(world.messages).toMatchObject([
      {
        name: 'ClientHello',
        body: { protocols: ['samestep/1'], gameId: 'counter', gameVersion: 2 },
      },
    ])
    world.say('RelayWelcome', { protocol: 'samestep/1' })
    expect(world.messages[1]).toMatchObject({
      name: 'ClientJoin',
      body: { match: 'friday', name: 'ada', role: 'player', ticket: undefined, nextTick: 1 },
    })
    world.say('RelaySeated', world.seated)
    expect([client.status, client.seat]).toEqual(['active', 0])
    expect(world.eventsOf('seated')).toEqual([{ type: 'seated', seat: 0, matchId: 'm1' }])
    expect(client.simulation?.state.sum.value).toBe(3)
  })

  test('tells the relay of the match as the game declares it and the options say', () => {
    const world = new ClientWorld({
      seats: 4,
      inputDelay: 7,
      missing: { kind: 'wait', waitMs: 50 },
      options: { start: 9 },
    })
    world.open()
    world.say('RelayWelcome', { protocol: 'samestep/1' })
    const join = world.messages[1]
    if (join?.name !== 'ClientJoin') throw new Error('No join')
    expect(join.body.config).toMatchObject({
      seats: 4,
      tickRate: 20,
      inputDelay: 7,
      missing: { kind: 'wait', waitMs: 50 },
      inputSlots: [{ ...slotOf(3, 2), max: 4 }, slotOf(1, 0, true)],
    })
    expect(join.body.config.options).not.toEqual(world.seated.config.options)
  })

  test('tells who waits who else is there', () => {
    const world = new ClientWorld().sit()
    world.show('lobby')
    expect(world.eventsOf('room')).toEqual([{ type: 'room', body: shownRoom('lobby') }])
    expect(world.client.room).toEqual(shownRoom('lobby'))
    // Where nobody is asked anything, the lobby is only the wait for the others.
    expect(world.client.status).toBe('active')
  })
})

describe('an order', () => {
  function issue(world: ClientWorld, amount: number) {
    const ends: OrderEnd[] = []
    const order = world.client.issue('add', { amount }, (end) => ends.push(end))
    world.settle()
    return { order, ends }
  }

  test('leaves at once, and is executed at the tick that the relay seals it into', () => {
    const world = new ClientWorld().sit()
    world.tick()
    world.turns.splice(0)
    const { ends } = issue(world, 5)
    expect(world.turns).toMatchObject([{ firstOrderNumber: 0, orders: [addBytes(5)] }])
    world.tick({}, { version: 1, orderNumber: 1 })
    expect([ends, world.client.pendingOrders]).toEqual([[], 1])
    world.tick({ orders: [ownOrder(0, addBytes(5))] })
    expect(ends).toEqual([{ result: 'executed', tick: 3 }])
    expect(world.client.simulation?.state.sum.value).toBe(8)
    expect(world.client.pendingOrders).toBe(0)
  })

  test('is refused by the relay, with its word for it', () => {
    const world = new ClientWorld().sit()
    const { ends } = issue(world, 5)
    const refusals = [{ number: 0, reason: 'queue-full' as const }]
    world.tick({}, { version: 1, orderNumber: 1, refusals })
    world.tick({}, { version: 2, orderNumber: 1, refusals })
    expect(ends).toEqual([{ result: 'refused', reason: 'queue-full', tick: undefined }])
  })

  test('is refused by the game, at its tick, with its reason', () => {
    const world = new ClientWorld().sit()
    const { ends } = issue(world, -5)
    world.tick({ orders: [ownOrder(0, addBytes(-5))] })
    expect(ends).toEqual([{ result: 'refused', reason: 'Only more', tick: 1 }])
    expect(world.eventsOf('tick')[0]?.report.outcomes[0]).toMatchObject({ result: 'refused' })
  })

  test('is lost with the session', () => {
    const world = new ClientWorld().sit()
    const { ends } = issue(world, 5)
    world.client.leave(world.nowMs)
    expect(ends).toEqual([{ result: 'lost' }])
  })

  test('that is issued again because it was lost is refused at once', () => {
    const world = new ClientWorld().sit()
    const codes: string[] = []
    world.client.issue('add', { amount: 1 }, () => {
      codes.push(codeOf(() => world.client.issue('add', { amount: 1 })))
    })
    world.client.leave(world.nowMs)
    expect(codes).toEqual(['SS_CLOSED'])
  })

  test('of another seat is nobody of ours', () => {
    const world = new ClientWorld().sit()
    const { ends } = issue(world, 5)
    world.tick({ orders: [ownOrder(0, addBytes(7), 1)] })
    expect(ends).toEqual([])
    expect(world.client.simulation?.state.sum.value).toBe(10)
  })

  test('of who had the seat before us is not ours, when we run what we missed', () => {
    const world = new ClientWorld()
    world.seal({ orders: [ownOrder(0, addBytes(7))] })
    world.seal({ missing: [0] })
    world.sit('stream', { sealedTick: 2 })
    const { ends } = issue(world, 5)
    world.send(1, 2)
    expect([ends, world.client.simulation?.state.sum.value]).toEqual([[], 10])
    expect(world.eventsOf('input-missed')).toEqual([])
    world.tick({ orders: [ownOrder(0, addBytes(5))] })
    expect(ends).toEqual([{ result: 'executed', tick: 3 }])
  })

  test.each(['stream', 'datagram'] as const)(
    'is found by its low bits for ever, on a %s',
    (kind) => {
      const world = new ClientWorld().sit(kind)
      let settled = 0
      for (let number = 0; number < 600; number++) {
        const { ends } = issue(world, 1)
        world.tick({ orders: [ownOrder(number, addBytes(1))] })
        if (ends[0]?.result === 'executed') settled += 1
      }
      expect(settled).toBe(600)
    },
  )

  test('on a stream is sent once, on datagrams until it is answered', () => {
    for (const kind of ['stream', 'datagram'] as const) {
      const world = new ClientWorld().sit(kind)
      issue(world, 5)
      world.turns.splice(0)
      for (let count = 0; count < 3; count++) world.tick()
      const sent = world.turns.filter(({ orders }) => orders.length > 0).length
      expect(sent).toBe(kind === 'stream' ? 0 : world.turns.length)
      world.turns.splice(0)
      world.tick({}, { version: 1, orderNumber: 1 })
      world.tick()
      expect(world.turns.at(-1)?.orders).toEqual([])
    }
  })

  test('on datagrams is repeated even when nothing is heard', () => {
    const world = new ClientWorld().sit('datagram')
    issue(world, 5)
    world.turns.splice(0)
    world.wait(500)
    expect(world.turns.length).toBeGreaterThanOrEqual(9)
    expect(world.turns.every(({ orders }) => orders.length === 1)).toBe(true)
  })
})

describe('misuse is told at once', () => {
  test('without a seat: SS_NOT_SEATED', () => {
    const world = new ClientWorld()
    expect(codeOf(() => world.client.issue('add', { amount: 1 }))).toBe('SS_NOT_SEATED')
    expect(codeOf(() => world.client.setInput({ dx: 1 }))).toBe('SS_NOT_SEATED')
    world.sit('stream', { seat: undefined })
    expect(codeOf(() => world.client.issue('add', { amount: 1 }))).toBe('SS_NOT_SEATED')
    expect(codeOf(() => world.client.setInput({ dx: 1 }))).toBe('SS_NOT_SEATED')
  })

  test('after the end: SS_CLOSED', () => {
    const world = new ClientWorld().sit()
    world.client.leave(world.nowMs)
    expect(codeOf(() => world.client.issue('add', { amount: 1 }))).toBe('SS_CLOSED')
    expect(codeOf(() => world.client.setInput({ dx: 1 }))).toBe('SS_CLOSED')
  })

  test('with too many orders on their way: SS_OUTBOX_FULL, and none of them is lost', () => {
    const world = new ClientWorld().sit()
    for (let count = 0; count < outboxOrdersMax; count++) world.client.issue('add', { amount: 1 })
    expect(codeOf(() => world.client.issue('add', { amount: 1 }))).toBe('SS_OUTBOX_FULL')
    world.settle()
    const orders = Array.from({ length: 10 }, (_, number) => ownOrder(number, addBytes(1)))
    world.tick({ orders })
    expect(world.client.pendingOrders).toBe(outboxOrdersMax - 10)
    world.client.issue('add', { amount: 1 })
  })

  test('with values that are none of the game', () => {
    const world = new ClientWorld().sit()
    // @ts-expect-error there is no such order
    expect(codeOf(() => world.client.issue('fly', {}))).toBe('SS_BAD_ORDER')
    expect(codeOf(() => world.client.issue('add', { amount: 1e9 }))).toBe('SS_BAD_VALUE')
    expect(codeOf(() => world.client.setInput({ dx: 3 }))).toBe('SS_BAD_VALUE')
    // @ts-expect-error there is no such field
    expect(codeOf(() => world.client.setInput({ dy: 3 }))).toBe('SS_BAD_VALUE')
    expect(world.client.pendingOrders).toBe(0)
  })
})

describe('a spectator', () => {
  test('runs every tick and confirms it, and sends neither inputs nor orders', () => {
    const world = new ClientWorld({ role: 'spectator' }).sit('stream', { seat: undefined })
    world.tick({ orders: [ownOrder(0, addBytes(4))] })
    expect([world.client.seat, world.client.cursors.simulatedTick]).toEqual([undefined, 1])
    expect(world.turns.at(-1)).toMatchObject({ received: 1, inputCount: 0, orders: [] })
    expect(world.turns.some(({ hash }) => hash?.executedTick === 1)).toBe(true)
  })
})

describe('running', () => {
  test('the three cursors tell where the client is', () => {
    const world = new ClientWorld().sit()
    world.seal()
    world.seal()
    world.tick()
    expect(world.client.cursors).toEqual({ inputTick: 3, sealedTick: 0, simulatedTick: 0 })
    world.send(1, 2)
    expect(world.client.cursors).toEqual({ inputTick: 6, sealedTick: 3, simulatedTick: 3 })
  })

  test('ticks run only when the owner says so, and as many as he says', () => {
    const world = new ClientWorld().sit()
    for (let count = 0; count < 5; count++) world.seal()
    world.sayBytes(messageOf(world, 1, 5))
    expect([world.client.readyTicks, world.client.cursors.simulatedTick]).toEqual([5, 0])
    expect(world.client.running?.inbox.bytes).toBeGreaterThan(0)
    expect([world.client.runTicks(2), world.client.runTicks(9), world.client.runTicks(9)]).toEqual([
      2, 3, 0,
    ])
    expect(world.client.running?.inbox.bytes).toBe(0)
  })

  test('HSH-17 every executed tick is reported, once, and tick 0 before all others', () => {
    const world = new ClientWorld().sit()
    for (let count = 0; count < 5; count++) world.tick()
    const hashes = world.turns.flatMap(({ hash }) => (hash === undefined ? [] : [hash]))
    expect(hashes.map(({ tick }) => tick)).toEqual([0, 1, 2, 3, 4, 5])
    expect(hashes.map(({ executedTick }) => executedTick)).toEqual([0, 1, 2, 3, 4, 5])
  })

  test('faults of the game are told, and the next tick runs', () => {
    const world = new ClientWorld().sit()
    world.tick({ orders: [ownOrder(0, counter.orderCodec.encode('boom', {}), 1)] })
    world.tick()
    expect(world.eventsOf('tick')[0]?.report.faults).toMatchObject([{ name: 'boom' }])
    expect(world.client.cursors.simulatedTick).toBe(2)
  })

  test('an own input that the relay had to decide is told', () => {
    const world = new ClientWorld().sit()
    world.tick({ missing: [0, 1] })
    world.tick({ missing: [1] })
    expect(world.eventsOf('input-missed')).toEqual([{ type: 'input-missed', tick: 1, count: 1 }])
  })

  test('the round trip is measured by the echo of a stamp, and by nothing else', () => {
    const world = new ClientWorld().sit('datagram')
    // As long ago as can be told, by the stamp, and yet no stamp of ours.
    world.tick({}, { version: 1, echoStamp: 1, echoHeldMs: 65_535 })
    expect(world.client.running?.turns.rttMs).toBeUndefined()
    const stamp = world.turns.find(({ report }) => report !== undefined)?.report?.stamp as number
    world.wait(80)
    world.tick({}, { version: 2, echoStamp: stamp, echoHeldMs: 30 })
    expect(world.client.running?.turns.rttMs).toBe(50)
  })
})

/** Bytes of a message with ticks, sent without running them. */
function messageOf(world: ClientWorld, first: number, last: number): Uint8Array {
  const parts = world.sealed.slice(first - 1, last)
  const lengths = parts.slice(0, -1).map(({ byteLength }) => byteLength)
  const bodies = parts.flatMap((bytes) => [...bytes])
  return Uint8Array.of(0x80 | (last - first), first, ...lengths, ...bodies)
}
