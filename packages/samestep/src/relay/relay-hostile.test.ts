import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DatagramChannel } from '../link/datagram/datagram-channel.ts'
import { StreamChannel } from '../link/stream/stream-channel.ts'
import { closeCodes } from '../wire/codes.ts'
import { strangersMax } from '../wire/limits.ts'
import { encodeMessage } from '../wire/messages/messages.ts'
import { writeAction } from '../wire/messages/room-actions.ts'
import { orderOf, testConfig, turnBytes } from './testing/match-kit.ts'
import { RelayWorld } from './testing/relay-world.ts'
import type { ScriptedClient } from './testing/scripted-client.ts'

/** A stranger, somebody who said hello, and a player, each of whom does something bad. */
const stages = {
  stranger: (world: RelayWorld) => world.connect(),
  known: (world: RelayWorld) => {
    const client = world.connect()
    client.hello()
    return client
  },
  seated: (world: RelayWorld) => world.join({ match: 'friday' }),
} as const

type Stage = keyof typeof stages

const launch = encodeMessage('RelayLaunch', { options: new Uint8Array(0), seat: 0 })
const bundles = Uint8Array.of(0x80, 1, 0)

const wrongs: readonly [string, Stage, (client: ScriptedClient) => void][] = [
  ['a second hello', 'known', (client) => client.hello()],
  ['a hello in the match', 'seated', (client) => client.hello()],
  ['a join before hello', 'stranger', (client) => client.join()],
  ['a second join', 'seated', (client) => client.join()],
  ['a farewell before hello', 'stranger', (client) => client.say('ClientLeave', { reason: '' })],
  ['a farewell before the join', 'known', (client) => client.say('ClientLeave', { reason: '' })],
  ['a turn before hello', 'stranger', (client) => client.turn({})],
  ['a turn before the seat', 'known', (client) => client.turn({})],
  ['a message that only relays send', 'stranger', (client) => client.sayBytes(launch)],
  ['a message that only relays send', 'seated', (client) => client.sayBytes(launch)],
  ['bundles, which only relays send', 'seated', (client) => client.sayBytes(bundles)],
  ['a message of no kind', 'stranger', (client) => client.sayBytes(Uint8Array.of(0x3d))],
  ['a turn with left-over bytes', 'seated', (client) => sayLonger(client)],
  ['a turn that ends too soon', 'seated', (client) => client.sayBytes(Uint8Array.of(0x4f, 0))],
  ['a confirmation of what was never sent', 'seated', (client) => client.turn({ received: 100 })],
  [
    'an order that skips a number',
    'seated',
    (client) => client.turn({ firstOrder: 1, orders: [orderOf(1)] }),
  ],
  ['a wish before the join', 'known', (client) => client.act({ type: 'pause' })],
  ['a wish of no kind', 'seated', (client) => client.say('ClientAct', noWish)],
  ['a wish with too many parts', 'seated', (client) => client.say('ClientAct', longWish)],
  ['orders of a bot before the join', 'known', (client) => client.say('ClientBotOrders', bot)],
  [
    'a sign of life before the join',
    'known',
    (client) => client.say('ClientHere', { activity: 'active' }),
  ],
]

const noWish = { ...writeAction({ type: 'pause' }), action: 'fly' }
const longWish = { ...writeAction({ type: 'pause' }), number: 1 }
const bot = { seat: 0, turn: 1, firstNumber: 0, orders: [orderOf(1)] }

function sayLonger(client: ScriptedClient): void {
  client.sayBytes(Uint8Array.of(...turnBytes(testConfig, {}), 0))
}

describe('who breaks the rules is closed with 4001, and nobody else notices', () => {
  test.each(wrongs)('%s, as %s', (_, stage, act) => {
    const world = new RelayWorld()
    const ada = world.join()
    const watcher = world.join({ role: 'spectator' })
    const bad = stages[stage](world)
    const isSeated = stage === 'seated'
    const bob = isSeated ? undefined : world.join()
    world.run(200)
    const before = ada.receivedTick
    expect(before).toBe(4)
    act(bad)
    // A turn waits for the next tick, and what is wrong with it is found then.
    world.run(50)
    expect(bad.closedWith).toBe(closeCodes['bad-message'])
    expect(bad.body('RelayClose')).toMatchObject({ reason: 'bad-message' })
    world.run(950)
    expect([ada.closedWith, bob?.closedWith, watcher.closedWith]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(ada.receivedTick - before).toBe(20)
    const left = world.events.filter(({ type }) => type === 'left')
    const told = expect.any(String)
    expect(left).toEqual(isSeated ? [{ type: 'left', seat: 1, reason: 'refused', told }] : [])
    expect(world.relay.linkCount).toBe(isSeated ? 2 : 3)
  })
})

describe('T-36 who floods is closed with 4002, and nobody else notices', () => {
  const floods: readonly [string, (client: ScriptedClient) => void][] = [
    [
      'with valid turns',
      (client) => {
        for (let count = 0; count < 2_000 && client.closedWith === undefined; count++) {
          client.turn({ received: 0 })
        }
      },
    ],
    [
      'with signs of life',
      (client) => {
        for (let count = 0; count < 2_000 && client.closedWith === undefined; count++) {
          client.say('ClientHere', { activity: 'active' })
        }
      },
    ],
    [
      'orders',
      (client) => {
        const orders = Array.from({ length: 64 }, () => orderOf(1, 1))
        client.turn({ orders })
        client.turn({ firstOrder: 64, orders })
      },
    ],
    [
      'wishes',
      (client) => {
        for (let count = 0; count < 300; count++) client.act({ type: 'choose-team', team: 1 })
      },
    ],
    [
      'chat',
      (client) => {
        for (let count = 0; count < 300; count++) {
          client.act({ type: 'say', scope: 'all', text: 'a' })
        }
      },
    ],
  ]

  test.each(floods)('%s', (_, flood) => {
    const world = new RelayWorld()
    const [ada, bad] = [world.join(), world.join()]
    world.run(200)
    flood(bad)
    expect(bad.closedWith).toBe(closeCodes.rate)
    expect(bad.body('RelayClose')).toMatchObject({ reason: 'rate' })
    world.run(1_000)
    expect([ada.closedWith, ada.receivedTick]).toEqual([undefined, 24])
    const told = bad.body('RelayClose')?.message
    expect(world.events).toContainEqual({ type: 'left', seat: 1, reason: 'refused', told })
    expect(ada.all('RelaySaid').length).toBeLessThanOrEqual(5)
  })
})

describe('T-00 whatever a stranger sends', () => {
  const noise = fc.uint8Array({ minLength: 1, maxLength: 300 })

  test.each(['stranger', 'known', 'seated'] as const)('nothing is thrown, as %s', (stage) => {
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 6 }), (packets) => {
        const world = new RelayWorld()
        const ada = world.join()
        const bad = stages[stage](world)
        if (stage !== 'seated') world.join()
        for (const bytes of packets) {
          world.relay.handlePacket(bad.link, bytes, world.nowMs)
          world.settle()
        }
        world.run(200)
        expect([ada.closedWith, ada.receivedTick]).toEqual([undefined, 4])
      }),
    )
  })

  test('a true message with some bits turned is refused or taken, and nothing is thrown', () => {
    const messages = [
      encodeMessage('ClientLeave', { reason: 'x' }),
      encodeMessage('ClientAct', writeAction({ type: 'say', scope: 'all', text: 'hello' })),
      encodeMessage(
        'ClientAct',
        writeAction({ type: 'propose', vote: 'kick', target: 0, percent: 0 }),
      ),
      encodeMessage('ClientBotOrders', bot),
      encodeMessage('ClientHere', { activity: 'hidden' }),
      turnBytes(testConfig, {
        received: 1,
        report: { stamp: 7, rttMs: 65_535, activity: 'active', loadPercent: 0, token: undefined },
        heldMs: 0,
        hash: { tick: 1, lo: 1, hi: 2 },
        firstInputTick: 3,
        inputs: [[1, 1, 1]],
        orders: [orderOf(1)],
      }),
    ]
    const flips = fc.array(fc.nat(400), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(fc.constantFrom(...messages), flips, (message, bits) => {
        const world = new RelayWorld()
        const ada = world.join()
        const bad = world.join()
        world.run(100)
        const bytes = message.slice()
        for (const bit of bits) {
          const at = (bit >> 3) % bytes.length
          bytes[at] = bytes[at]! ^ (1 << (bit & 7))
        }
        world.relay.handlePacket(bad.link, bytes, world.nowMs)
        world.settle()
        world.run(100)
        expect([ada.closedWith, ada.receivedTick]).toEqual([undefined, 4])
      }),
    )
  })

  test('names and values of any characters are refused in words that fit their message', () => {
    const text = (bytes: number) =>
      fc
        .array(fc.constantFrom('a', 'é', '€', '😀'), { maxLength: bytes / 4 })
        .map((all) => all.join(''))
    fc.assert(
      fc.property(fc.array(text(32), { maxLength: 8 }), text(63), (protocols, gameId) => {
        const world = new RelayWorld()
        world.join()
        const stranger = world.connect()
        stranger.hello({ protocols })
        expect(stranger.body('RelayRefuse')?.item).toBe('protocol')
        const other = world.connect()
        other.hello({ gameId })
        // What is no id of a game never gets as far as being shown to others.
        const isId = /^a[a]*$/.test(gameId)
        if (isId) other.join()
        expect(other.body('RelayRefuse')?.item).toBe(isId ? 'game' : 'game id')
      }),
    )
  })

  test.each([
    ['a bell and a title', '\u001b]0;pwned\u0007'],
    ['a command in C1', '\u009b31mRED'],
    ['a turned direction', 'fri\u202eyad'],
    ['zero width', 'fri\u200bday'],
    ['a line break', 'friday\nsaturday'],
    ['two spellings', 'cafe\u0301'],
    ['nothing', ''],
  ])('the name of a match with %s is refused', (_what, match) => {
    const world = new RelayWorld()
    const stranger = world.connect()
    stranger.hello()
    stranger.join({ match })
    expect(stranger.body('RelayRefuse')).toMatchObject({
      reason: 'bad-message',
      item: 'match name',
    })
    expect(world.relay.matches.size).toBe(0)
  })

  test('a packet for a link that is gone is nothing', () => {
    const world = new RelayWorld()
    const ada = world.join()
    world.breakLink(ada)
    world.relay.handlePacket(ada.link, Uint8Array.of(1, 2, 3), world.nowMs)
    world.relay.handleLinkClosed(ada.link, world.nowMs)
    expect(world.relay.pollOutput()).toBeUndefined()
  })
})

test('a stranger whose channel dies in the moment when his time is up is counted once', () => {
  const { relay } = new RelayWorld()
  const options = { epoch: 1, side: 'acceptor', silenceMsMax: 4_500 } as const
  relay.handleLinkOpened(1, (nowMs) => new DatagramChannel(options, nowMs), 0)
  // Woken once per second, the relay finds the silence and the end of its patience together.
  for (let nowMs = 1_000; nowMs <= 10_000; nowMs += 1_000) relay.handleTime(nowMs)
  expect(relay.linkCount).toBe(0)
  for (let link = 2; link < strangersMax + 3; link++) {
    relay.handleLinkOpened(link, (nowMs) => new StreamChannel(nowMs), 10_000)
  }
  expect(relay.linkCount).toBe(strangersMax)
})

describe('turns that wait for their tick', () => {
  test('count as they came: by their time, in their sequence, and before what came after them', () => {
    const at = (deferTurns: boolean) => {
      const world = new RelayWorld({ deferTurns })
      const [ada, bob] = [world.join(), world.join()]
      world.run(1_010)
      const issued = new Map([
        [ada, 0],
        [bob, 0],
      ])
      const order = (client: ScriptedClient, number: number) => {
        const firstOrder = issued.get(client)!
        issued.set(client, firstOrder + 1)
        const orders = [orderOf(number)]
        client.turn({ received: client.receivedTick, firstOrder, orders })
      }
      for (const [index, client] of [bob, ada, ada, bob].entries()) {
        order(client, index)
        world.run(7)
      }
      world.run(1_000)
      order(bob, 9)
      bob.say('ClientLeave', { reason: '' })
      world.run(500)
      return world.sealed().map(({ tick, orders, events }) => ({ tick, orders, events }))
    }
    expect(at(true)).toEqual(at(false))
    expect(at(true).flatMap(({ orders }) => orders)).toHaveLength(5)
  })

  test('a bug that one of them meets ends that session, and is told', () => {
    const world = new RelayWorld()
    const [ada, bob] = [world.join(), world.join()]
    world.run(200)
    bob.turn({ received: bob.receivedTick })
    const match = [...world.relay.matches.values()][0]!
    const { handle } = match.turns
    match.turns.handle = (session, bytes, nowMs) => {
      if (session.seat === 1) throw new Error('of the relay')
      return handle.call(match.turns, session, bytes, nowMs)
    }
    bob.turn({ received: bob.receivedTick })
    expect(() => world.run(50)).toThrow('of the relay')
    world.run(500)
    expect(bob.closedWith).toBe(closeCodes['bad-message'])
    expect(ada.closedWith).toBeUndefined()
    expect(ada.receivedTick).toBeGreaterThan(10)
  })
})
