import { describe, expect, test } from 'vitest'
import { closeCodes } from '../wire/codes.ts'
import { strangersMax } from '../wire/limits.ts'
import type { MatchConfig } from '../wire/messages/messages.ts'
import { helloMagic } from '../wire/messages/messages.ts'
import { slotOf } from '../wire/testing/slot-of.ts'
import { isRelayBundles, readRelayBundles } from '../wire/ticks/relay-bundles.ts'
import { testConfig, testIdentity } from './testing/match-kit.ts'
import { RelayWorld } from './testing/relay-world.ts'

/** That a relay holds nothing any more. */
function expectEmpty({ relay }: RelayWorld): void {
  expect(relay.linkCount).toBe(0)
  expect(relay.matches.size).toBe(0)
  expect(relay.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
}

describe.each(['stream', 'datagram'] as const)('over a %s', (kind) => {
  test('hello is welcomed, a join gives a seat, and the last seat starts the match', () => {
    const world = new RelayWorld()
    const ada = world.connect(kind)
    ada.hello()
    expect(ada.messages).toEqual([{ name: 'RelayWelcome', body: { protocol: 'samestep/1' } }])
    ada.join({ name: 'ada' })
    expect(ada.body('RelaySeated')).toMatchObject({ member: 0, isLaunched: true })
    const bob = world.join({ kind, name: 'bob' })
    expect(ada.body('RelaySeated')).toMatchObject({ seat: 0, orderNumber: 0, sealedTick: 0 })
    expect(bob.body('RelaySeated')).toMatchObject({ seat: 1 })
    const [first, second] = [ada.body('RelaySeated'), bob.body('RelaySeated')]
    expect(first?.ticket).not.toEqual(second?.ticket)
    expect([first?.seed, first?.matchId]).toEqual([second?.seed, second?.matchId])
    expect(first?.config).toEqual(testConfig)
    world.run(500)
    expect([ada.receivedTick, bob.receivedTick]).toEqual([10, 10])
  })

  test('who leaves is let go at once, and the others learn it at one tick', () => {
    const world = new RelayWorld()
    const [ada, bob] = [world.join({ kind }), world.join({ kind })]
    world.run(200)
    ada.say('ClientLeave', { reason: '' })
    expect(ada.body('RelayClose')).toEqual({ reason: 'left', message: 'Goodbye' })
    world.run(4_000)
    expect(ada.closedWith).toBe(closeCodes.left)
    expect(world.events).toContainEqual({ type: 'left', seat: 0, reason: 'left' })
    expect([world.relay.linkCount, bob.closedWith]).toEqual([1, undefined])
  })

  test('when everybody is gone the match ends and nothing is kept', () => {
    const world = new RelayWorld()
    const all = [
      world.join({ kind }),
      world.join({ kind }),
      world.join({ kind, role: 'spectator' }),
    ]
    world.run(200)
    for (const client of all.slice(0, 2)) client.say('ClientLeave', { reason: '' })
    expect(world.events.at(-1)).toEqual({ type: 'ended' })
    expect(all[2]?.body('RelayClose')).toMatchObject({ reason: 'match-over' })
    world.run(10_000)
    expectEmpty(world)
  })

  test('who never comes back leaves by rule, and nothing of him is kept', () => {
    const world = new RelayWorld()
    const [ada, bob] = [world.join({ kind }), world.join({ kind })]
    ada.isConfirming = true
    bob.isConfirming = true
    world.run(1_000)
    world.breakLink(ada)
    world.run(59_000)
    expect(world.events.some(({ type }) => type === 'left')).toBe(false)
    world.run(1_100)
    expect(world.events).toContainEqual({
      type: 'left',
      seat: 0,
      reason: 'timeout',
      told: expect.any(String),
      blame: expect.objectContaining({ seat: 0, reason: 'timeout', tick: 20 }),
    })
    expect(bob.closedWith).toBeUndefined()
    world.breakLink(bob)
    world.run(61_000)
    expectEmpty(world)
  })

  test('DIS-06 a link over which nothing comes is closed without a word; its session waits', () => {
    const world = new RelayWorld()
    const [ada, bob] = [world.join({ kind }), world.join({ kind })]
    bob.isConfirming = true
    world.run(9_900)
    expect(ada.closedWith).toBeUndefined()
    expect(bob.last('RelayRoom')?.members[0]).toMatchObject({ id: 0, presence: 'silent' })
    world.run(4_000)
    expect([ada.closedWith, ada.body('RelayClose')]).toEqual([closeCodes['too-slow'], undefined])
    expect(world.events.some(({ type }) => type === 'left')).toBe(false)
    const ticket = ada.body('RelaySeated')?.ticket
    const back = world.join({ kind, ticket, nextTick: ada.receivedTick + 1 })
    expect(back.body('RelaySeated')).toMatchObject({ seat: 0, member: 0 })
  })

  test('an operator removes a player by match and seat', () => {
    const world = new RelayWorld()
    const [ada, bob] = [world.join({ kind }), world.join({ kind })]
    world.run(200)
    expect(world.relay.kick('friday', 5, world.nowMs)).toBe(false)
    expect(world.relay.kick('monday', 0, world.nowMs)).toBe(false)
    expect(world.relay.kick('friday', 1, world.nowMs)).toBe(true)
    world.settle()
    expect(bob.body('RelayClose')).toMatchObject({ reason: 'kicked' })
    expect(world.relay.kick('friday', 1, world.nowMs)).toBe(false)
    expect(world.relay.kick('friday', 0, world.nowMs)).toBe(true)
    world.settle()
    expect(ada.body('RelayClose')).toMatchObject({ reason: 'kicked' })
    expect(world.relay.matches.size).toBe(0)
    world.run(10_000)
    expectEmpty(world)
  })

  test('who does not finish the handshake in time is let go without a word', () => {
    const world = new RelayWorld()
    const silent = world.connect(kind)
    const half = world.connect(kind)
    half.hello()
    world.run(4_900)
    expect(world.relay.linkCount).toBe(2)
    world.run(200)
    half.messages.splice(0)
    world.run(20_000)
    expect([silent.closedWith, half.closedWith]).toEqual([
      closeCodes['too-slow'],
      closeCodes['too-slow'],
    ])
    expect([silent.messages, half.messages]).toEqual([[], []])
    expectEmpty(world)
  })

  test('a channel that ends lets its link go, and the session waits', () => {
    const world = new RelayWorld()
    const ada = world.join({ kind })
    world.join({ kind })
    world.run(100)
    ada.close()
    world.run(4_000)
    expect(ada.closedWith).toBe(closeCodes.left)
    expect(world.relay.linkCount).toBe(1)
    expect(world.events.some(({ type }) => type === 'left')).toBe(false)
  })
})

test('T-35 no byte of a tick leaves before it is sealed', () => {
  const world = new RelayWorld()
  const { relay } = world
  world.join()
  world.join()
  let sealed = 0
  let sent = 0
  for (let elapsed = 0; elapsed <= 1_000; elapsed += 5) {
    relay.handleTime(world.nowMs + elapsed)
    for (let output = relay.pollOutput(); output; output = relay.pollOutput()) {
      if (output.type === 'match' && output.event.type === 'sealed') sealed = output.event.tick
      if (output.type !== 'send' || !isRelayBundles(output.bytes)) continue
      const { firstTick, bundles } = readRelayBundles(output.bytes, sealed)
      expect(firstTick + bundles.length - 1).toBeLessThanOrEqual(sealed)
      sent += 1
    }
  }
  expect([sealed, sent]).toEqual([20, 40])
})

describe('JOIN-13 what differs is named, with both values', () => {
  const other = { ...testIdentity, fingerprint: new Uint8Array(32).fill(8) }
  const hex = (byte: string) => byte.repeat(28)

  test.each([
    ['protocol', { protocols: ['samestep/9', 'x'] }, 'samestep/9 x', 'samestep/1'],
    ['magic', { magic: 1 }, '1', String(helloMagic)],
  ])('%s', (item, hello, theirs, ours) => {
    const world = new RelayWorld()
    const client = world.connect()
    client.hello(hello)
    expect(client.body('RelayRefuse')).toMatchObject({ item, theirs, ours })
    expect(client.body('RelayRefuse')?.message).toContain(item)
    expectEmpty(world)
  })

  test.each([
    ['game', { gameId: 'go' }, 'go', 'chess'],
    ['game version', { gameVersion: 4 }, '4', '3'],
    ['game fingerprint', other, hex('08'), hex('07')],
  ])('%s (F-27)', (item, hello, theirs, ours) => {
    const world = new RelayWorld()
    world.join()
    const client = world.connect()
    client.hello(hello)
    client.join()
    expect(client.body('RelayRefuse')).toMatchObject({ reason: 'version', item, theirs, ours })
    expect(client.closedWith).toBe(closeCodes.version)
    expect(world.relay.linkCount).toBe(1)
  })

  const kind = {
    by: 'player',
    maxBytes: 1_024,
    whenPaused: false,
    maxPerTick: 9,
    classIndex: 0,
  } as const
  const none = { perSecond: 0, burst: 0 }

  test.each([
    ['match tickRate', { tickRate: 30 }, '30', '20'],
    ['match inputSlots', { inputSlots: [] }, '[]', '[{"form":'],
    ['match orderKinds', { orderKinds: [kind] }, '[{"by":', '[]'],
    ['match orderClasses', { orderClasses: [none] }, '[{', '[]'],
  ] as const)('B-29 %s', (item, changes, theirs, ours) => {
    const world = new RelayWorld()
    world.join()
    const config = { ...testConfig, ...changes } as MatchConfig
    const client = world.join({ config })
    const refusal = client.body('RelayRefuse')
    expect(refusal).toMatchObject({ reason: 'version', item })
    expect(refusal?.theirs.startsWith(theirs)).toBe(true)
    expect(refusal?.ours.startsWith(ours)).toBe(true)
    expect(refusal?.theirs).not.toBe(refusal?.ours)
  })

  test.each([
    { seats: 3 },
    { inputDelay: 5, inputDelayMin: 5, inputDelayMax: 5 },
    { missing: { kind: 'wait', waitMs: 7 } },
    { options: Uint8Array.of(9) },
    { lobby: { ...testConfig.lobby, start: 'by-owner' } },
    { pace: { ...testConfig.pace, pausesMax: 1 } },
    { lagMode: 'maximum' },
  ] as const)('who comes later takes the rest as it is: %j', (changes) => {
    const world = new RelayWorld()
    world.join()
    const later = world.join({ config: { ...testConfig, ...changes } as MatchConfig })
    expect(later.body('RelaySeated')?.config).toEqual(testConfig)
    world.run(100)
    expect(later.receivedTick).toBe(2)
  })
})

describe('who is not let in', () => {
  test.each([
    ['match-full', {}],
    ['no-match', { match: 'monday', ticket: new Uint8Array(16), nextTick: 2 }],
    ['auth', { ticket: new Uint8Array(16).fill(99), nextTick: 2 }],
    ['auth', { ticket: new Uint8Array(0) }],
  ] as const)('is told why: %s', (reason, join) => {
    const world = new RelayWorld()
    world.join()
    world.join()
    const client = world.join(join)
    expect(client.body('RelayRefuse')?.reason).toBe(reason)
    expect([client.closedWith, world.relay.linkCount]).toEqual([closeCodes[reason], 2])
  })

  test('is told when there are matches enough', () => {
    const world = new RelayWorld({ matchesMax: 1 })
    world.join()
    const client = world.join({ match: 'monday' })
    expect(client.body('RelayRefuse')).toMatchObject({ reason: 'match-full', item: 'matches' })
    expect(world.relay.matches.size).toBe(1)
  })

  test.each([
    ['input layout', [slotOf(4, 16)]],
    ['input size', Array.from({ length: 32 }, () => slotOf(32))],
  ])('is told what is wrong with the match that he wants: %s', (item, inputSlots) => {
    const world = new RelayWorld()
    const client = world.join({ config: { ...testConfig, seats: 64, inputSlots } })
    expect(client.body('RelayRefuse')).toMatchObject({ reason: 'bad-message', item })
    expectEmpty(world)
  })

  test.each([
    ['name', { name: 'a\u202eb' }],
    ['name', { name: '' }],
    ['input delay', { config: { ...testConfig, inputDelay: 9 } }],
    ['least input delay', { config: { ...testConfig, inputDelayMin: 0 } }],
    ['config', { config: { ...testConfig, lobby: { ...testConfig.lobby, playersMin: 3 } } }],
  ] as const)('leaves no match behind that nobody is in: %s', (item, join) => {
    const world = new RelayWorld()
    const client = world.join(join)
    expect(client.body('RelayRefuse')).toMatchObject({ reason: 'bad-message', item })
    world.run(6_000)
    expectEmpty(world)
  })

  test('is one too many strangers: nothing is kept of him, and room is made by who is let in or goes', () => {
    const world = new RelayWorld()
    const first = world.connect()
    const all = Array.from({ length: strangersMax - 1 }, () => world.connect())
    const refused = world.connect()
    expect([refused.closedWith, world.relay.linkCount]).toEqual([closeCodes.rate, strangersMax])
    first.hello()
    expect(world.connect().closedWith).toBe(closeCodes.rate)
    first.join()
    expect(world.connect().closedWith).toBeUndefined()
    for (const client of all) world.breakLink(client)
    expect(world.connect().closedWith).toBeUndefined()
  })
})

describe('where ticks wait for inputs that come late', () => {
  test('DIS-01 I-30 a player who disappeared is given up after a minute all the same', () => {
    const config: MatchConfig = { ...testConfig, missing: { kind: 'wait', waitMs: 400 } }
    const world = new RelayWorld()
    const [ada, bob] = [world.join({ config }), world.join({ config })]
    ada.isConfirming = true
    bob.vanish()
    const left = () => world.events.filter(({ type }) => type === 'left')
    const second = () => {
      for (let ms = 0; ms < 1_000; ms += 200) {
        world.run(200)
        // The tick has been due for 150 ms, and the relay was awake all that time.
        ada.turn({
          received: ada.receivedTick,
          firstInputTick: ada.receivedTick + 1,
          inputs: [[7, 1, 5]],
        })
      }
    }
    for (let seconds = 0; seconds < 59; seconds++) second()
    expect(left()).toEqual([])
    expect(ada.receivedTick).toBeGreaterThan(200)
    for (let seconds = 59; seconds < 61; seconds++) second()
    expect(left()).toMatchObject([{ seat: 1, reason: 'timeout' }])
    expect(ada.closedWith).toBeUndefined()
  })
})
