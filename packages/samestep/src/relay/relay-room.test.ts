import { describe, expect, test } from 'vitest'
import { closeCodes } from '../wire/codes.ts'
import type { LobbyConfig, MatchConfig } from '../wire/messages/match-config.ts'
import { lobbyDefaults } from '../wire/messages/match-config.ts'
import { strikesMax } from './guard/strikes.ts'
import { orderOf, testConfig } from './testing/match-kit.ts'
import { RelayWorld } from './testing/relay-world.ts'
import type { JoinOptions, ScriptedClient } from './testing/scripted-client.ts'

const options = Uint8Array.of(9, 9)

function configOf(lobby: Partial<LobbyConfig>, seats = 3): MatchConfig {
  return { ...testConfig, seats, lobby: { ...lobbyDefaults, ...lobby } }
}

/** A world with honest players in one match. */
function make(config: MatchConfig, count = config.seats, kind: 'stream' | 'datagram' = 'stream') {
  const world = new RelayWorld()
  const add = (changes: JoinOptions = {}): ScriptedClient => {
    const client = world.join({ config, kind, ...changes })
    client.isConfirming = true
    return client
  }
  const players = Array.from({ length: count }, (_, index) => add({ name: `p${index}` }))
  world.run(150)
  const phase = () => world.relay.matches.get('friday')?.phase
  return { world, config, add, phase, players: players as [ScriptedClient, ScriptedClient, ...[]] }
}

/** One that runs. */
function makeRunning(seats: number, changes: Partial<MatchConfig> = {}) {
  const config = { ...testConfig, seats, ...changes }
  const made = make(config)
  expect(made.phase()).toBe('running')
  made.world.run(1_000)
  return { ...made, players: made.players as readonly ScriptedClient[] }
}

const ready = (optionsRevision: number) =>
  ({ type: 'set-ready', isReady: true, optionsRevision }) as const
const loaded = { type: 'report-load', progress: 100 } as const

describe.each(['stream', 'datagram'] as const)(
  'JOIN-06 from the lobby to the match, over a %s',
  (kind) => {
    test('all ready, all loaded, counted down: it runs with the options that the owner set', () => {
      const config = configOf({ start: 'when-ready', countdownMs: 2_000 }, 2)
      const { world, players, phase } = make(config, 2, kind)
      const [ada, bob] = players
      expect(ada.body('RelaySeated')).toMatchObject({ isLaunched: false, seat: 0 })
      bob.act({ type: 'set-options', options })
      expect(bob.last('RelayDenied')).toEqual({ action: 'set-options', reason: 'not-owner' })
      bob.act(ready(0))
      ada.act({ type: 'set-options', options })
      ada.act(ready(0))
      expect(ada.last('RelayDenied')).toEqual({ action: 'set-ready', reason: 'stale-options' })
      world.run(200)
      expect(bob.last('RelayRoom')).toMatchObject({
        phase: 'lobby',
        options,
        optionsRevision: 1,
        members: [{ isReady: false }, { isReady: false }],
      })
      bob.act({ type: 'take-seat', seat: 1 })
      ada.act(ready(1))
      expect([phase(), ada.body('RelayLaunch')]).toEqual(['lobby', undefined])
      bob.act(ready(1))
      expect(phase()).toBe('loading')
      expect(ada.body('RelayLaunch')).toEqual({ options, seat: 0 })
      expect(bob.body('RelayLaunch')).toEqual({ options, seat: 1 })
      ada.act({ type: 'report-load', progress: 60 })
      world.run(200)
      expect(bob.last('RelayRoom')?.members[0]).toMatchObject({ loadProgress: 60 })
      ada.act(loaded)
      bob.act(loaded)
      expect(phase()).toBe('countdown')
      world.run(1_900)
      expect([phase(), world.sealed(config)]).toEqual(['countdown', []])
      world.run(1_100)
      expect(phase()).toBe('running')
      expect(ada.receivedTick).toBeGreaterThan(15)
      expect(world.sealed(config)[0]?.events).toEqual([
        { type: 'join', seat: 0 },
        { type: 'join', seat: 1 },
      ])
      expect(world.relay.matches.get('friday')?.config.options).toEqual(options)
      const phases = world.events.flatMap((event) => (event.type === 'phase' ? [event.phase] : []))
      expect(phases).toEqual(['loading', 'countdown', 'running'])
    })
  },
)

describe('while loading', () => {
  test('nobody else comes in to play, and who watches may', () => {
    const { add, players } = make(configOf({ start: 'by-owner' }), 2)
    players[0].act({ type: 'start' })
    expect(add().body('RelayRefuse')).toMatchObject({ reason: 'match-full', ours: 'starting' })
    expect(add({ role: 'spectator' }).body('RelaySeated')).toMatchObject({ isLaunched: true })
  })

  test('JOIN-07 who goes sends everybody back to the lobby, and they can start again', () => {
    const { world, players, phase, config } = make(configOf({ start: 'by-owner', countdownMs: 0 }))
    const [ada, bob, eve] = players as unknown as ScriptedClient[]
    ada!.act({ type: 'start' })
    ada!.act(loaded)
    eve!.say('ClientLeave', { reason: '' })
    expect(phase()).toBe('lobby')
    world.run(200)
    expect(bob!.last('RelayRoom')).toMatchObject({
      phase: 'lobby',
      members: [{ loadProgress: 0 }, { loadProgress: 0 }],
    })
    ada!.act({ type: 'start' })
    expect(ada!.all('RelayLaunch')).toHaveLength(2)
    ada!.act(loaded)
    bob!.act(loaded)
    world.run(100)
    expect(world.sealed(config)[0]?.events).toHaveLength(2)
  })

  test('JOIN-07 under continue the others go on without him', () => {
    const config = configOf({ start: 'by-owner', countdownMs: 0, onLoadDrop: 'continue' })
    const { world, players, phase } = make(config)
    const [ada, bob, eve] = players as unknown as ScriptedClient[]
    ada!.act({ type: 'start' })
    ada!.act(loaded)
    bob!.act(loaded)
    world.breakLink(eve!)
    world.run(29_000)
    expect(phase()).toBe('loading')
    // Who shows no progress for half a minute is let go.
    world.run(1_500)
    expect(phase()).toBe('running')
    expect(world.sealed(config)[0]?.events).toEqual([
      { type: 'join', seat: 0 },
      { type: 'join', seat: 1 },
    ])
  })

  test('JOIN-08 who is there and loads nothing is closed as too slow', () => {
    const { world, players, phase } = make(configOf({ start: 'by-owner' }))
    const [ada, bob, eve] = players as unknown as ScriptedClient[]
    ada!.act({ type: 'start' })
    for (const client of [ada!, bob!]) client.act(loaded)
    world.run(31_000)
    expect(eve!.body('RelayClose')).toMatchObject({ reason: 'too-slow' })
    expect([eve!.closedWith, phase()]).toEqual([closeCodes['too-slow'], 'lobby'])
  })
})

describe('the owner', () => {
  test('goes, and the match is of who was there next; all are shown', () => {
    const { world, players } = make(configOf({ start: 'by-owner' }))
    const [ada, bob, eve] = players as unknown as ScriptedClient[]
    ada!.say('ClientLeave', { reason: '' })
    world.run(200)
    expect(eve!.last('RelayRoom')?.members).toMatchObject([
      { id: bob!.member, isOwner: true },
      { id: eve!.member, isOwner: false },
    ])
    eve!.act({ type: 'start' })
    expect(eve!.last('RelayDenied')).toEqual({ action: 'start', reason: 'not-owner' })
    bob!.act({ type: 'start' })
    expect(bob!.body('RelayLaunch')).toBeDefined()
  })

  test('removes somebody, who may not come back with his ticket', () => {
    const { world, players, config } = make(configOf({ start: 'by-owner' }))
    const [ada, bob] = players
    ada.act({ type: 'kick', member: bob.member })
    expect(bob.body('RelayClose')).toMatchObject({ reason: 'kicked' })
    expect(bob.closedWith).toBe(closeCodes.kicked)
    const back = world.join({ config, ticket: bob.body('RelaySeated')?.ticket, nextTick: 2 })
    expect(back.body('RelayRefuse')).toMatchObject({ reason: 'reconnect-budget' })
  })

  test('T-57 a kick takes effect at one tick, and of the target nothing runs from it on', () => {
    const { world, players, config } = makeRunning(3)
    const [ada, bob, eve] = players as [ScriptedClient, ScriptedClient, ScriptedClient]
    eve.issue(orderOf(1))
    world.run(50)
    eve.issue(orderOf(2))
    ada.act({ type: 'kick', member: eve.member })
    eve.issue(orderOf(3))
    bob.issue(orderOf(4))
    world.run(500)
    const leaves = world.sealedEvents(config).filter(({ type }) => type === 'leave')
    expect(leaves).toMatchObject([{ seat: 2, reason: 'kicked' }])
    const orders = world
      .sealed(config)
      .flatMap(({ tick, orders: all }) =>
        all.map(({ seat, bytes }) => ({ tick, seat, mark: bytes[0] })),
      )
    expect(orders.map(({ seat, mark }) => [seat, mark])).toEqual([
      [2, 1],
      [1, 4],
    ])
    expect(orders[0]!.tick).toBeLessThan(leaves[0]!.tick)
    expect([ada.closedWith, bob.closedWith, eve.closedWith]).toEqual([
      undefined,
      undefined,
      closeCodes.kicked,
    ])
  })
})

describe('T-28 two who have the same ticket', () => {
  test('the newer one has the seat, the older is told, and what he still sends is dropped', () => {
    const { world, players, config } = makeRunning(2)
    const [ada, bob] = players as [ScriptedClient, ScriptedClient]
    const ticket = ada.body('RelaySeated')?.ticket
    const nextTick = ada.receivedTick + 1
    const twin = world.join({ config, ticket, nextTick })
    twin.receivedTick = nextTick - 1
    twin.isConfirming = true
    ada.issue(orderOf(1))
    twin.issue(orderOf(2))
    world.run(1_000)
    expect([ada.closedWith, ada.body('RelayClose')]).toMatchObject([
      closeCodes.replaced,
      { reason: 'replaced' },
    ])
    const orders = world.sealed(config).flatMap((bundle) => bundle.orders)
    expect(orders).toEqual([{ seat: 0, number: 0, bytes: orderOf(2) }])
    expect([twin.closedWith, twin.receivedTick]).toEqual([undefined, bob.receivedTick])
    expect(world.events.some(({ type }) => type === 'left')).toBe(false)
  })
})

describe('T-39 pauses', () => {
  test('are three of a seat, over in a minute, at a tick for everybody; ticks go on', () => {
    const { world, players, config } = makeRunning(2)
    const bob = players[1] as ScriptedClient
    const before = bob.receivedTick
    for (let count = 0; count < 5; count++) {
      bob.act({ type: 'pause' })
      bob.act({ type: 'pause' })
      world.run(61_000)
    }
    const events = world.sealedEvents(config).filter(({ type }) => type !== 'join')
    expect(events.map(({ type }) => type)).toEqual([
      'pause',
      'resume',
      'pause',
      'resume',
      'pause',
      'resume',
    ])
    const [first, second] = events as [(typeof events)[0], (typeof events)[0]]
    expect(Math.abs(second.tick - first.tick - 60 * config.tickRate)).toBeLessThanOrEqual(1)
    expect(bob.receivedTick - before).toBe(5 * 61 * config.tickRate)
    const denied = bob.all('RelayDenied').map(({ reason }) => reason)
    expect(denied.filter((reason) => reason === 'no-pause-left')).toHaveLength(4)
    expect(denied.filter((reason) => reason === 'already')).toHaveLength(3)
  })

  test('the speed is the owner’s', () => {
    const { world, players, config } = makeRunning(2)
    const [ada, bob] = players as [ScriptedClient, ScriptedClient]
    bob.act({ type: 'set-speed', percent: 1_000 })
    expect(bob.last('RelayDenied')).toEqual({ action: 'set-speed', reason: 'not-allowed' })
    ada.act({ type: 'set-speed', percent: 200 })
    const before = ada.receivedTick
    world.run(1_000)
    expect(Math.abs(ada.receivedTick - before - 2 * config.tickRate)).toBeLessThanOrEqual(1)
    expect(ada.last('RelayStats')).toMatchObject({ requestedPercent: 200, effectivePercent: 200 })
  })
})

describe('T-41 who pretends to live', () => {
  test('wrong tokens are struck for, and then he is closed', () => {
    const { world, players } = makeRunning(2)
    const [ada, bob] = players as [ScriptedClient, ScriptedClient]
    bob.isConfirming = false
    const tick = bob.receivedTick
    const hash = { tick, lo: tick, hi: 0 }
    for (let count = 1; count <= strikesMax; count++) {
      expect(bob.closedWith).toBeUndefined()
      bob.turn({ received: tick, hash, report: { token: 0xdead_0000 + count } })
    }
    world.run(50)
    expect(bob.closedWith).toBe(closeCodes['bad-message'])
    expect(bob.body('RelayClose')?.message).toContain('wrong-token')
    const told = 'Your client broke the rules too often: wrong-token'
    expect(world.events).toContainEqual({ type: 'left', seat: 1, reason: 'refused', told })
    world.run(1_000)
    expect(ada.closedWith).toBeUndefined()
  })

  test('who sends back every token but executes nothing for ten seconds is too slow', () => {
    const { world, players } = makeRunning(2)
    const bob = players[1] as ScriptedClient
    bob.isConfirming = false
    const tick = bob.receivedTick
    for (let count = 0; count < 97 && bob.closedWith === undefined; count++) {
      world.run(100)
      const { token } = bob
      bob.turn({ received: bob.receivedTick, report: { token } })
    }
    expect(bob.closedWith).toBeUndefined()
    world.run(500)
    expect(bob.closedWith).toBe(closeCodes['too-slow'])
    expect(world.events).toContainEqual({
      type: 'left',
      seat: 1,
      reason: 'timeout',
      told: bob.body('RelayClose')?.message,
      blame: expect.objectContaining({ seat: 1, reason: 'too-slow', tick }),
    })
  })
})

describe('T-41 who lives on a line that turns everything round', () => {
  /** Bob's every token is in a turn that another one overtakes. Gives what became of him. */
  const play = (ms: number, tokenOf: (bob: ScriptedClient, turn: number) => number | undefined) => {
    const config = { ...testConfig, seats: 2 }
    const { world, players } = make(config, 2, 'datagram')
    const bob = players[1] as ScriptedClient
    world.run(1_000)
    bob.isConfirming = false
    for (let turn = 0; turn < ms / 100 && bob.closedWith === undefined; turn++) {
      world.run(100)
      const { receivedTick: tick } = bob
      const report = { token: tokenOf(bob, turn) }
      const hash = { tick, lo: tick, hi: 0 }
      bob.turnsBackwards({ received: tick, report }, { received: tick, hash })
    }
    return bob.closedWith
  }

  test('I-21 is believed for a token in whichever sequence it comes', () => {
    expect(play(30_000, ({ token }) => token)).toBeUndefined()
  })

  test('is not struck for a token that was the newest when it was sent', () => {
    const seen: (number | undefined)[] = []
    const closedWith = play(30_000, ({ token }, turn) => {
      seen.push(token)
      return turn % 2 === 0 ? token : seen.at(-20)
    })
    expect(closedWith).toBeUndefined()
  })

  test('proves nothing without it', () => {
    expect(play(15_000, () => undefined)).toBe(closeCodes['too-slow'])
    expect(play(15_000, () => 0xdead_0000)).toBe(closeCodes['too-slow'])
  })
})

describe('T-55 votes', () => {
  const kick = (target: number) => ({ type: 'propose', vote: 'kick', target, percent: 0 }) as const
  const yes = (id: number) => ({ type: 'cast', id, isYes: true }) as const

  test('more than half of those who were there throw somebody out, at a tick', () => {
    const { world, players, config } = makeRunning(4)
    const [ada, bob, eve, zed] = players as readonly [
      ScriptedClient,
      ScriptedClient,
      ScriptedClient,
      ScriptedClient,
    ]
    ada.act(kick(3))
    // One ballot each, however often it is cast, and none for who only watches.
    for (let times = 0; times < 10; times++) ada.act(yes(1))
    const watcher = world.join({ config, role: 'spectator' })
    watcher.act(yes(1))
    expect(ada.last('RelayVote')).toMatchObject({ id: 1, yes: 1, no: 1, needed: 3, electors: 4 })
    bob.act(yes(1))
    expect(zed.closedWith).toBeUndefined()
    zed.issue(orderOf(1))
    eve.act(yes(1))
    expect(watcher.last('RelayVote')).toMatchObject({ state: 'passed', yes: 3 })
    expect(zed.body('RelayClose')).toMatchObject({ reason: 'kicked' })
    world.run(200)
    const leaves = world.sealedEvents(config).filter(({ type }) => type === 'leave')
    expect(leaves).toMatchObject([{ seat: 3, reason: 'voted-out' }])
    expect(world.sealed(config).flatMap(({ orders }) => orders)).toEqual([])
  })

  test('leaving and coming back brings no second ballot', () => {
    const { world, players, config } = makeRunning(4)
    const [ada, bob] = players as [ScriptedClient, ScriptedClient]
    ada.act(kick(3))
    bob.act(yes(1))
    bob.say('ClientLeave', { reason: '' })
    const again = world.join({ config, name: 'bob' })
    expect(again.body('RelaySeated')).toMatchObject({ seat: 1 })
    again.act(yes(1))
    expect(again.last('RelayDenied')).toEqual({ action: 'cast', reason: 'not-elector' })
    expect(ada.last('RelayVote')).toMatchObject({ yes: 1, electors: 3, state: 'open' })
    world.run(31_000)
    expect(ada.last('RelayVote')).toMatchObject({ state: 'timeout' })
    expect(players[3]!.closedWith).toBeUndefined()
  })

  test('T-56 who proposes again and again is refused', () => {
    const { world, players } = makeRunning(3)
    const bob = players[1] as ScriptedClient
    for (let minute = 0; minute < 12; minute++) {
      bob.act(kick(2))
      world.run(60_000)
    }
    const reasons = bob.all('RelayDenied').map(({ reason }) => reason)
    expect(reasons.filter((reason) => reason === 'too-soon')).toHaveLength(4)
    expect(reasons.filter((reason) => reason === 'too-many')).toHaveLength(5)
    expect(new Set(bob.all('RelayVote').map(({ id }) => id)).size).toBe(3)
    expect(players[2]!.closedWith).toBeUndefined()
  })
})

describe('who comes late', () => {
  test('a player and a spectator are let in, or not, as the owner says', () => {
    const { world, players, config } = makeRunning(3)
    const [ada, bob] = players as [ScriptedClient, ScriptedClient]
    bob.say('ClientLeave', { reason: '' })
    ada.act({ type: 'set-late-join', lateJoin: 'spectators' })
    expect(world.join({ config }).body('RelayRefuse')).toMatchObject({ ours: 'closed' })
    expect(world.join({ config, role: 'spectator' }).body('RelaySeated')).toBeDefined()
    ada.act({ type: 'set-late-join', lateJoin: 'nobody' })
    expect(world.join({ config, role: 'spectator' }).body('RelayRefuse')).toBeDefined()
    ada.act({ type: 'set-late-join', lateJoin: 'players' })
    expect(world.join({ config }).body('RelaySeated')).toMatchObject({
      seat: 1,
      isLaunched: true,
      sealedTick: 23,
    })
  })
})

describe('a bot', () => {
  test('is played by one client, moves when that goes, and leaves no order twice', () => {
    const config = configOf({ start: 'by-owner', countdownMs: 0 })
    const { world, players, phase } = make(config, 2)
    const [ada, bob] = players
    ada.act({ type: 'add-bot', seat: 2 })
    expect(bob.last('RelayBots')).toEqual({
      bots: [{ seat: 2, runner: ada.member, turn: 1, nextOrder: 0 }],
    })
    ada.act({ type: 'start' })
    for (const client of players) client.act(loaded)
    expect(phase()).toBe('running')
    const order = (client: ScriptedClient, turn: number, firstNumber: number, mark: number) =>
      client.say('ClientBotOrders', { seat: 2, turn, firstNumber, orders: [orderOf(mark)] })
    order(ada, 1, 0, 1)
    order(ada, 1, 0, 1)
    world.run(100)
    world.breakLink(ada)
    world.run(50)
    expect(bob.last('RelayBots')).toEqual({
      bots: [{ seat: 2, runner: bob.member, turn: 2, nextOrder: 0 }],
    })
    order(bob, 1, 1, 9)
    order(bob, 2, 0, 2)
    world.run(100)
    const orders = world
      .sealed(config)
      .flatMap(({ orders: all }) => all.map(({ bytes }) => bytes[0]))
    expect(orders).toEqual([1, 2])
    const joins = world.sealedEvents(config).filter(({ type }) => type === 'join')
    expect(joins).toMatchObject([{ seat: 0 }, { seat: 1 }, { seat: 2 }])
    bob.act({ type: 'remove-bot', seat: 2 })
    expect(bob.last('RelayDenied')).toEqual({ action: 'remove-bot', reason: 'not-owner' })
  })
})
