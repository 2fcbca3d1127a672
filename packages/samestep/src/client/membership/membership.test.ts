import { describe, expect, test } from 'vitest'
import { encodeMessage } from '../../wire/messages/messages.ts'
import { makeReturnProof } from '../../wire/messages/return-proof.ts'
import type { OrderEnd } from '../outbox/order-outbox.ts'
import { ClientWorld } from '../testing/client-world.ts'
import { addBytes, optionBytes, ownOrder } from '../testing/counter.ts'
import { ownMember } from '../testing/rooms.ts'

const kinds = ['stream', 'datagram'] as const

describe('in the lobby', () => {
  test('there is a place, but no simulation, turn or order yet', () => {
    const world = new ClientWorld().enterLobby()
    const { client } = world
    expect([client.status, client.member, client.simulation]).toEqual([
      'lobby',
      ownMember,
      undefined,
    ])
    expect(world.eventsOf('seated')).toEqual([{ type: 'seated', seat: 0, matchId: 'm1' }])
    expect([world.turns, world.wishes, world.eventsOf('launched')]).toEqual([[], [], []])
    expect(client.cursors).toEqual({ inputTick: 0, sealedTick: 0, simulatedTick: 0 })
    expect([client.runTicks(9), client.readyTicks, client.pendingOrders]).toEqual([0, 0, 0])
    expect(() => client.issue('add', { amount: 1 })).toThrowError(/in its lobby/)
    expect(client.issueAs(1, 'add', { amount: 1 })).toBe(false)
  })

  test('the seat is the one of the join, then that of the newest word of the relay', () => {
    const world = new ClientWorld().enterLobby()
    expect(world.client.seat).toBe(0)
    world.show('lobby', { seat: 1 }, { seat: 0 })
    expect(world.client.seat).toBe(1)
    world.show('lobby', { seat: undefined, role: 'spectator' })
    expect(world.client.seat).toBeUndefined()
  })

  test('ticks that come all the same are passed over', () => {
    const world = new ClientWorld().enterLobby('datagram')
    world.tick()
    expect([world.client.status, world.client.readyTicks]).toEqual(['lobby', 0])
  })

  test.each(kinds)('a new link leads back to the lobby, on a %s', (kind) => {
    const world = new ClientWorld().enterLobby(kind)
    world.breakLink()
    expect(world.client.status).toBe('reconnecting')
    world.enterLobby(kind)
    expect(world.client.status).toBe('lobby')
    expect(world.eventsOf('aborted')).toEqual([])
    expect(world.messages.filter(({ name }) => name === 'ClientJoin')[1]).toMatchObject({
      body: { ticket: world.seated.ticket, nextTick: 1 },
    })
  })
})

describe('a launch', () => {
  test.each(kinds)('sets the game up with its final options and seat, on a %s', (kind) => {
    const world = new ClientWorld().enterLobby(kind)
    world.launch(40, 1)
    expect([world.client.status, world.client.seat]).toEqual(['active', 1])
    expect(world.eventsOf('launched')).toEqual([{ type: 'launched', seat: 1 }])
    expect(world.client.simulation?.state.sum.value).toBe(40)
    expect(world.client.simulation?.options).toEqual({ start: 40 })
  })

  test('is answered at once with 100 %: there is nothing else to load', () => {
    const world = new ClientWorld().enterLobby()
    world.launch()
    expect(world.wishes).toEqual(['report-load 100'])
  })

  test('of a game that loads itself is answered by the game, in whole percent from 0 to 100', () => {
    const world = new ClientWorld({ loadsItself: true }).enterLobby()
    world.launch()
    expect(world.wishes).toEqual([])
    for (const percent of [-3, 41.9, 250]) world.client.reportLoad(percent)
    world.settle()
    expect(world.wishes).toEqual(['report-load 0', 'report-load 41', 'report-load 100'])
  })

  test('asks for nothing where the match begins as soon as it is full', () => {
    const world = new ClientWorld().sit()
    expect(world.eventsOf('launched')).toEqual([{ type: 'launched', seat: 0 }])
    expect(world.wishes).toEqual([])
  })

  test('gives a spectator the game without a seat', () => {
    const world = new ClientWorld().enterLobby()
    world.launch(3, null)
    expect([world.client.status, world.client.seat]).toEqual(['active', undefined])
    expect(() => world.client.setInput({ dx: 1 })).toThrowError(/no seat/)
  })

  test.each([1, 5])(
    'of a match of %i seats, for which the game is not, ends the session',
    (seats) => {
      const world = new ClientWorld()
      world.sit('stream', { config: { ...world.seated.config, seats } })
      expect(world.eventsOf('closed')).toMatchObject([{ reason: 'bad-message' }])
    },
  )

  test('before the word that we are in is passed over', () => {
    const world = new ClientWorld()
    world.open()
    world.launch()
    expect([world.client.status, world.eventsOf('launched')]).toEqual(['joining', []])
  })
})

describe('a launch that is called off', () => {
  function launched(options = {}) {
    const world = new ClientWorld(options).enterLobby()
    world.launch(40)
    const ends: OrderEnd[] = []
    world.client.issue('add', { amount: 1 }, (end) => ends.push(end))
    world.settle()
    return { world, ends }
  }

  test('drops the game and the orders for it', () => {
    const { world, ends } = launched()
    world.show('loading')
    expect([world.client.status, ends]).toEqual(['active', []])
    world.show('lobby')
    expect([world.client.status, world.client.simulation]).toEqual(['lobby', undefined])
    expect([ends, world.client.pendingOrders]).toEqual([[{ result: 'lost' }], 0])
    expect(world.eventsOf('aborted')).toEqual([{ type: 'aborted' }])
    world.show('lobby')
    expect(world.eventsOf('aborted')).toHaveLength(1)
  })

  test('an order that is issued again because it was lost is refused: there is no match', () => {
    const { world } = launched()
    let refusal = ''
    world.client.issue('add', { amount: 2 }, () => {
      try {
        world.client.issue('add', { amount: 2 })
      } catch (error) {
        refusal = (error as { code: string }).code
      }
    })
    world.show('lobby')
    expect(refusal).toBe('SS_NOT_LAUNCHED')
  })

  test('orders wait for the first tick, so that both sides count from 0 after the next launch', () => {
    const { world } = launched()
    world.show('lobby')
    world.launch(50)
    const ends: OrderEnd[] = []
    const order = world.client.issue('add', { amount: 7 }, (end) => ends.push(end))
    world.settle()
    expect(order.number).toBe(0)
    expect(world.turns.every(({ orders }) => orders.length === 0)).toBe(true)
    world.tick()
    expect(world.turns.filter(({ orders }) => orders.length > 0)).toMatchObject([
      { firstOrderNumber: 0, orders: [addBytes(7)] },
    ])
    world.tick({ orders: [ownOrder(0, addBytes(7))] })
    expect([ends, world.client.simulation?.state.sum.value]).toEqual([
      [{ result: 'executed', tick: 2 }],
      57,
    ])
  })

  test('and launched again before anybody was shown the lobby takes the new options and seat', () => {
    const { world, ends } = launched()
    world.launch(50, 1)
    expect(ends).toEqual([{ result: 'lost' }])
    expect(world.client.simulation?.state.sum.value).toBe(50)
    expect(world.events.map(({ type }) => type)).toEqual([
      'seated',
      'launched',
      'order-ended',
      'aborted',
      'launched',
    ])
    expect([world.client.seat, world.wishes]).toEqual([1, ['report-load 100', 'report-load 100']])
  })

  test.each(kinds)('while we were away is found out when we are back, on a %s', (kind) => {
    const world = new ClientWorld().enterLobby(kind)
    world.launch()
    world.breakLink()
    world.enterLobby(kind)
    expect([world.client.status, world.eventsOf('aborted')]).toEqual([
      'lobby',
      [{ type: 'aborted' }],
    ])
  })
})

describe('a link that is lost while the game loads', () => {
  function back({ start = 40, seat = 0 } = {}) {
    const world = new ClientWorld().enterLobby()
    world.launch(40)
    world.breakLink()
    world.messages.splice(0)
    const config = { ...world.lobbyConfig, options: optionBytes(start) }
    return world.enterLobby('stream', { isLaunched: true, seat, config })
  }

  test('leaves the game as it is', () => {
    const world = back()
    expect([world.client.status, world.eventsOf('aborted')]).toEqual(['active', []])
    expect(world.eventsOf('launched')).toHaveLength(1)
    expect(world.client.simulation?.state.sum.value).toBe(40)
  })

  test('is made good by reporting again what the relay has not heard, and only that', () => {
    const world = back()
    world.show('loading', { loadProgress: 0 })
    expect(world.wishes).toEqual(['report-load 100'])
    world.show('loading', { loadProgress: 100 })
    world.show('countdown', { loadProgress: 0 })
    world.show('running', { loadProgress: 0 })
    expect(world.wishes).toEqual(['report-load 100'])
  })

  test('and what a game reported meanwhile is told when there is a link again', () => {
    const world = new ClientWorld({ loadsItself: true }).enterLobby()
    world.launch()
    world.breakLink()
    world.client.reportLoad(70)
    world.enterLobby('stream', { isLaunched: true })
    expect(world.wishes).toEqual([])
    world.show('loading', { loadProgress: 30 })
    expect(world.wishes).toEqual(['report-load 70'])
  })

  test.each([
    ['options', { start: 50, seat: 0 }],
    ['seat', { start: 40, seat: 1 }],
  ])('during which the match was launched anew with another %s sets it up anew', (_, changes) => {
    const world = back(changes)
    expect(world.events.map(({ type }) => type)).toEqual([
      'seated',
      'launched',
      'link-lost',
      'aborted',
      'seated',
      'launched',
    ])
    expect(world.client.seat).toBe(changes.seat)
    expect(world.client.simulation?.state.sum.value).toBe(changes.start)
    expect(world.wishes).toEqual(['report-load 100'])
  })
})

describe('signs of life', () => {
  const heres = (world: ClientWorld) =>
    world.messages.flatMap(({ name, body }) => (name === 'ClientHere' ? [body.activity] : []))

  test.each(kinds)('go out once per second while nothing else does, on a %s', (kind) => {
    const world = new ClientWorld().enterLobby(kind)
    // The relay shows the room far more often than that; confirming it is no word of the client's.
    for (let round = 0; round < 50; round++) {
      world.wait(90)
      world.show('lobby')
    }
    expect(heres(world)).toEqual(['active', 'active', 'active', 'active'])
  })

  test.each(kinds)('are left out while turns go out, on a %s', (kind) => {
    const world = new ClientWorld().sit(kind)
    for (let count = 0; count < 60; count++) {
      world.wait(50)
      world.tick()
    }
    expect(heres(world)).toEqual([])
    world.wait(1_100)
    expect(heres(world)).toEqual(['active'])
  })

  test('are put off by a wish', () => {
    const world = new ClientWorld().enterLobby()
    world.wait(900)
    world.client.handleTime(world.nowMs)
    world.client.act({ type: 'start' })
    world.wait(900)
    expect(heres(world)).toEqual([])
    world.wait(200)
    expect(heres(world)).toEqual(['active'])
  })

  test('tell at once that nobody looks, and that somebody does again; once each', () => {
    const world = new ClientWorld().enterLobby()
    for (const isHidden of [true, true, false, false]) {
      world.client.setHidden(isHidden)
      world.wait(0)
    }
    expect(heres(world)).toEqual(['hidden', 'active'])
    world.client.setHidden(true)
    world.launch()
    world.wait(0)
    expect(world.turns[0]?.report?.activity).toBe('hidden')
  })

  test('are not made before the relay let us in', () => {
    const world = new ClientWorld()
    world.open()
    world.client.setHidden(true)
    world.wait(3_000)
    expect(heres(world)).toEqual([])
  })
})

describe('a message that no relay sends', () => {
  test.each([
    encodeMessage('ClientHere', { activity: 'active' }),
    encodeMessage('ClientLeave', { reason: '' }),
  ])('ends the session in the lobby too', (bytes) => {
    const world = new ClientWorld().enterLobby()
    world.sayBytes(bytes)
    expect(world.eventsOf('closed')).toMatchObject([{ reason: 'bad-message' }])
  })
})

describe('T-68 coming back', () => {
  const [ticket, secret] = [new Uint8Array(16).fill(1), new Uint8Array(32).fill(2)]
  const bodies = (world: ClientWorld) =>
    world.messages.flatMap(({ name, body }) => (name === 'ClientJoin' ? [body] : []))

  test('the secret is told in the first join, again while that has no answer, and never after', () => {
    const world = new ClientWorld({ ticket, secret })
    world.open()
    world.say('RelayWelcome', { protocol: 'samestep/1' })
    world.breakLink()
    world.wait(2_000)
    world.sit()
    world.breakLink()
    world.wait(2_000)
    world.open()
    world.say('RelayWelcome', { protocol: 'samestep/1' })
    expect(bodies(world).map((body) => body.secret)).toEqual([secret, secret, undefined])
    expect(bodies(world).at(-1)?.ticket).toEqual(world.seated.ticket)
  })

  test('a question of the relay is answered with a proof, and only while joining', () => {
    const world = new ClientWorld({ ticket, secret })
    const nonce = new Uint8Array(16).fill(3)
    world.open()
    world.say('RelayChallenge', { nonce })
    world.say('RelayWelcome', { protocol: 'samestep/1' })
    world.say('RelayChallenge', { nonce })
    const proofs = world.messages.filter(({ name }) => name === 'ClientProof')
    expect(proofs.map(({ body }) => body)).toEqual([
      { proof: makeReturnProof(secret, nonce, ticket), isMove: false },
    ])
  })
})

test('names and chat are sent in one Unicode form and without spaces at the ends', () => {
  const world = new ClientWorld({ name: ' Zoe\u0308 ' }).enterLobby()
  world.client.act({ type: 'say', scope: 'all', text: '  ha\u0308llo du ' })
  world.settle()
  const join = world.messages.find(({ name }) => name === 'ClientJoin')
  expect(join?.body).toMatchObject({ name: 'Zo\u00eb' })
  const said = world.messages.find(({ name }) => name === 'ClientAct')
  expect(said?.body).toMatchObject({ action: 'say', text: 'h\u00e4llo du' })
})
