import { describe, expect, test } from 'vitest'
import { spectatorsMax } from '../../wire/limits.ts'
import { lobbyDefaults } from '../../wire/messages/match-config.ts'
import { MatchBench, orderOf } from '../testing/match-kit.ts'

describe('while players gather', () => {
  test('nothing is sealed; who waits hears who is there, on change and every two seconds', () => {
    const bench = new MatchBench({ seats: 3 })
    const { channel } = bench.admit()
    bench.admit()
    bench.runTo(6_500)
    expect([bench.match.phase, bench.sealed.length]).toEqual(['lobby', 0])
    const rooms = channel.takeControls('RelayRoom')
    expect(rooms).toHaveLength(4)
    expect(rooms.at(-1)).toMatchObject({
      phase: 'lobby',
      members: [
        { id: 0, seat: 0, isOwner: true },
        { id: 1, seat: 1, isOwner: false },
      ],
    })
  })

  test('the match starts when its last seat is taken, and its first tick names who is there', () => {
    const bench = new MatchBench()
    bench.admit()
    bench.runTo(1_000)
    expect(bench.events).toEqual([])
    bench.admit()
    expect(bench.match.phase).toBe('running')
    expect(bench.events).toEqual([
      { type: 'phase', phase: 'running' },
      { type: 'started', tick: 1 },
    ])
    bench.runTo(1_050)
    expect(bench.sealed[0]?.events).toEqual([
      { type: 'join', seat: 0 },
      { type: 'join', seat: 1 },
    ])
  })

  test('orders wait for the first tick', () => {
    const bench = new MatchBench()
    const { session } = bench.admit()
    expect(bench.turn(session, { orders: [orderOf(1)] })).toBeUndefined()
    bench.admit()
    bench.runTo(60)
    expect(bench.sealed[0]?.orders).toEqual([{ seat: 0, number: 0, bytes: orderOf(1) }])
  })

  test('who comes and goes leaves no trace: neither events nor orders', () => {
    const bench = new MatchBench()
    bench.admit()
    for (let times = 0; times < 1_000; times++) {
      const { session } = bench.admit()
      if (times === 0) expect(bench.match.phase).toBe('running')
      bench.turn(session, { orders: [orderOf(9)] })
      bench.match.remove(session, 'left', bench.nowMs)
    }
    const { session } = bench.admit()
    bench.turn(session, { orders: [orderOf(1)] })
    bench.runTo(60)
    expect(bench.sealed[0]).toMatchObject({
      events: [
        { type: 'join', seat: 0 },
        { type: 'join', seat: 1 },
      ],
      orders: [{ seat: 1, number: 0, bytes: orderOf(1) }],
    })
  })

  test('a match that nobody came into is over after five seconds', () => {
    const bench = new MatchBench()
    bench.runTo(4_900)
    expect(bench.match.phase).toBe('lobby')
    bench.runTo(5_000)
    expect([bench.match.phase, bench.match.wakeAtMs()]).toEqual(['ended', Number.POSITIVE_INFINITY])
  })

  test('a launch that was called off leaves no order behind, also not for who sits there next', () => {
    const lobby = { ...lobbyDefaults, start: 'by-owner', countdownMs: 0 } as const
    const bench = new MatchBench({ lobby })
    const [ada, bob] = [bench.admit().session, bench.admit().session]
    expect(bench.turn(ada, { orders: [orderOf(1)] })).toBeUndefined()
    expect(ada.control.openRefusals).toBe(1)
    bench.act(ada, { type: 'start' })
    bench.turn(ada, { orders: [orderOf(2)], firstInputTick: 1, inputs: [[7, 1, 5]] })
    expect([ada.nextOrder, bench.match.sealer.waitingOrders]).toEqual([1, 1])
    bench.act(ada, { type: 'cancel' })
    bench.act(ada, { type: 'leave-seat' })
    bench.act(bob, { type: 'take-seat', seat: 0 })
    bench.act(ada, { type: 'take-seat', seat: 1 })
    bench.act(ada, { type: 'start' })
    // Both count from 0 again; what was still on its way is nobody's.
    expect([ada.nextOrder, ada.control.openRefusals]).toEqual([0, 0])
    expect(bench.turn(ada, { firstOrder: 1, orders: [orderOf(3)] })).toBeUndefined()
    for (const session of [ada, bob]) bench.act(session, { type: 'report-load', progress: 100 })
    bench.turn(ada, { orders: [orderOf(4)] })
    bench.runTo(60)
    expect(bench.sealed[0]).toMatchObject({
      orders: [{ seat: 1, number: 0, bytes: orderOf(4) }],
      inputs: [
        [100, 0, 5],
        [100, 0, 5],
      ],
    })
  })
})

describe('coming and going', () => {
  test('a player leaves at a tick, with a reason, and his seat is free', () => {
    const bench = new MatchBench()
    const { session } = bench.admit()
    bench.admit()
    bench.runTo(100)
    bench.match.remove(session, 'kicked', bench.nowMs)
    bench.match.remove(session, 'left', bench.nowMs)
    bench.runTo(150)
    expect(bench.sealed[2]?.events).toEqual([{ type: 'leave', seat: 0, reason: 'kicked' }])
    expect(bench.told('left')).toEqual([
      { type: 'left', seat: 0, reason: 'kicked', blame: undefined },
    ])
    expect(bench.match.joinFault('player')).toBeUndefined()
  })

  test('what he had ordered before he left still runs', () => {
    const bench = new MatchBench()
    const { session } = bench.admit()
    bench.admit()
    bench.runTo(100)
    bench.turn(session, { orders: [orderOf(4)] })
    bench.match.remove(session, 'left', bench.nowMs)
    bench.runTo(150)
    expect(bench.sealed[2]?.orders).toEqual([{ seat: 0, number: 0, bytes: orderOf(4) }])
  })

  test.each(['kicked', 'voted-out'] as const)(
    'T-57 of who is %s, nothing runs at the tick of his leaving or after it',
    (reason) => {
      const bench = new MatchBench()
      const { session } = bench.admit()
      bench.admit()
      bench.runTo(100)
      bench.turn(session, { orders: [orderOf(4)] })
      bench.match.remove(session, reason, bench.nowMs)
      bench.runTo(300)
      expect(bench.sealed[2]?.events).toEqual([{ type: 'leave', seat: 0, reason }])
      expect(bench.sealed.flatMap(({ orders }) => orders)).toEqual([])
    },
  )

  test('his orders that wait never run as those of who takes his seat', () => {
    const bench = new MatchBench()
    const { session } = bench.admit()
    bench.admit()
    bench.runTo(100)
    bench.turn(session, { orders: [orderOf(4)] })
    bench.match.remove(session, 'left', bench.nowMs)
    bench.admit()
    bench.runTo(150)
    expect(bench.sealed[2]?.orders).toEqual([])
  })

  test('the match ends with its last player; nothing is sealed after', () => {
    const bench = new MatchBench()
    const players = [bench.admit(), bench.admit()]
    bench.admit('spectator')
    bench.runTo(100)
    for (const { session } of players) bench.match.remove(session, 'left', bench.nowMs)
    expect([bench.match.phase, bench.events.at(-1)]).toEqual(['ended', { type: 'ended' }])
    expect(bench.told('ended')).toHaveLength(1)
    expect(bench.match.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
    const ticks = bench.sealed.length
    bench.runTo(1_000)
    expect(bench.sealed).toHaveLength(ticks)
    expect(bench.match.joinFault('player')).toBe('wrong-phase')
    expect(bench.match.joinFault('spectator')).toBe('wrong-phase')
  })

  test('who only watches can wait for the first player, also when another one goes', () => {
    const bench = new MatchBench()
    const { session } = bench.admit('spectator')
    const other = bench.admit('spectator')
    bench.match.remove(session, 'left', 0)
    expect(bench.match.phase).toBe('lobby')
    bench.match.remove(other.session, 'left', 0)
    expect(bench.match.phase).toBe('ended')
  })

  test('a match takes only as many spectators as it may', () => {
    const bench = new MatchBench()
    bench.admit()
    for (let count = 0; count < spectatorsMax; count++) bench.admit('spectator')
    expect(bench.match.joinFault('spectator')).toBe('full')
    expect(bench.match.joinFault('player')).toBeUndefined()
  })

  test('who comes when the first ticks are gone waits for a state, and is sent no tick', () => {
    const bench = new MatchBench()
    const players = [bench.admit().session, bench.admit().session]
    for (let now = 1_000; now <= 11_000; now += 1_000) {
      bench.runTo(now)
      for (const session of players) bench.confirm(session)
      if (now <= 9_000) expect(bench.match.log.firstTick).toBe(1)
    }
    bench.runTo(11_100)
    expect(bench.match.log.firstTick).toBeGreaterThan(1)
    expect(bench.match.joinFault('spectator')).toBeUndefined()
    const { session, channel } = bench.admit('spectator')
    bench.runTo(17_000)
    expect(session.isWaitingForState).toBe(true)
    expect(channel.ticks).toEqual([])
  })

  test('REL-15 a tick is kept until everybody confirmed it, also who is hidden and waits', () => {
    const bench = new MatchBench()
    const [ada, bob] = [bench.admit().session, bench.admit().session]
    for (let now = 1_000; now <= 20_000; now += 1_000) {
      bench.runTo(now)
      bench.confirm(ada)
      if (now <= 3_000) bench.confirm(bob)
      bench.match.handleMessage(bob, { name: 'ClientHere', body: { activity: 'hidden' } }, now)
    }
    expect(bench.match.log.sealedTick).toBe(400)
    expect(bench.match.log.firstTick).toBe(61)
    expect(bench.match.takeExpelled()).toEqual([])
    bench.match.log.dropBefore(63)
    bench.runTo(bench.nowMs + 50)
    expect(bench.match.takeExpelled()).toMatchObject([{ session: bob, reason: 'behind-log' }])
  })
})

describe('silence', () => {
  test('DIS-01 after 3 s it is shown, after 10 s the link is given up, after 60 s the player', () => {
    const bench = new MatchBench()
    const { session } = bench.admit()
    const ada = bench.admit().session
    const keep = (untilMs: number) => {
      while (bench.nowMs < untilMs) {
        bench.runTo(bench.nowMs + 500)
        bench.match.handleMessage(
          ada,
          { name: 'ClientHere', body: { activity: 'hidden' } },
          bench.nowMs,
        )
      }
    }
    keep(4_000)
    expect(session.guard.liveness.presence).toBe('silent')
    expect(bench.match.takeExpelled()).toEqual([])
    keep(10_500)
    expect(bench.match.takeExpelled()).toMatchObject([{ session, isLinkOnly: true }])
    bench.match.handleDetached(session, bench.nowMs)
    keep(59_500)
    expect(bench.match.takeExpelled()).toEqual([])
    keep(60_500)
    expect(bench.match.takeExpelled()).toMatchObject([
      {
        session,
        isLinkOnly: false,
        reason: 'too-slow',
        message: 'The relay received nothing from you for too long',
      },
    ])
    expect(bench.told('left')).toMatchObject([
      { seat: 0, reason: 'timeout', blame: { seat: 0, reason: 'timeout', wasSilentMs: 60_000 } },
    ])
    const kinds = bench.told('presence').flatMap(({ seat, event }) => (seat === 0 ? [event] : []))
    expect(kinds).toEqual(['silent', 'half-open', 'unresponsive', 'gone'])
  })

  test('who is connected and executes nothing for ten seconds does not keep up', () => {
    const bench = new MatchBench()
    const ada = bench.admit().session
    bench.admit()
    for (let now = 500; now <= 12_000; now += 500) {
      bench.runTo(now)
      bench.turn(ada, { received: ada.sentTick })
    }
    const expelled = bench.match.takeExpelled().find(({ session }) => session === ada)
    expect(expelled).toMatchObject({
      reason: 'too-slow',
      message: 'Your client fell too far behind',
    })
  })

  test('F-14 time in which the relay stood still is held against nobody', () => {
    const bench = new MatchBench()
    bench.admit()
    bench.admit()
    bench.runTo(2_000)
    bench.nowMs = 62_000
    bench.match.excuse(60_000, bench.nowMs)
    bench.match.handleTime(bench.nowMs)
    expect(bench.told('left')).toEqual([])
    expect(bench.match.takeExpelled()).toEqual([])
  })
})

describe('under the policy wait', () => {
  const missing = { kind: 'wait', waitMs: 120 } as const
  /** Inputs of one seat for every tick up to the last. */
  const inputsTo = (last: number) => ({
    firstInputTick: Math.max(last - 63, 1),
    inputs: Array.from({ length: Math.min(last, 64) }, () => [7, 1, 5]),
  })

  test('a tick waits for an expected input as long as it may, and then no longer', () => {
    const bench = new MatchBench({ missing })
    const [ada, bob] = [bench.admit().session, bench.admit().session]
    bench.turn(ada, inputsTo(40))
    bench.turn(bob, inputsTo(25))
    bench.runTo(2_300)
    const { sealed } = bench
    const gaps = sealed.slice(1).map(({ atMs }, index) => Math.round(atMs - sealed[index]!.atMs))
    expect(gaps.slice(0, 24).every((gap) => gap === 50)).toBe(true)
    expect(gaps.slice(24).every((gap) => gap === 50 + missing.waitMs)).toBe(true)
    expect(sealed[25]?.missing).toEqual([false, true])
    expect(sealed[25]?.inputs[1]).toEqual([7, 1, 5])
  })

  test('an input that comes ends the wait, and the time waited is not made up in a burst', () => {
    const bench = new MatchBench({ missing })
    const { match, sealed } = bench
    const [ada, bob] = [bench.admit().session, bench.admit().session]
    bench.turn(ada, inputsTo(60))
    bench.turn(bob, inputsTo(20))
    bench.runTo(1_000)
    for (let tick = 21; tick <= 30; tick++) {
      bench.runTo(bench.nowMs + 140)
      expect(sealed.at(-1)?.tick).toBe(tick - 1)
      bench.turn(bob, { firstInputTick: tick, inputs: [[7, 0, 5]] })
      match.handleTime(bench.nowMs)
      expect(sealed.at(-1)).toMatchObject({ tick, missing: [false, false] })
    }
    bench.turn(bob, inputsTo(60))
    const before = sealed.length
    bench.runTo(bench.nowMs + 1_000)
    expect(sealed.length - before).toBe(20)
    for (let index = 1; index < sealed.length; index++) {
      expect(sealed[index]!.atMs - sealed[index - 1]!.atMs).toBeGreaterThanOrEqual(50 - 1e-9)
    }
  })

  test('nobody waits for a player who has been silent for three seconds, until it is heard', () => {
    const bench = new MatchBench({ missing })
    const [ada, bob] = [bench.admit().session, bench.admit().session]
    bench.turn(ada, inputsTo(60))
    bench.turn(bob, inputsTo(20))
    const { match, sealed } = bench
    /** How many ticks are sealed in a second in which only Ada is heard, with inputs for all of it. */
    const second = () => {
      const before = match.log.sealedTick
      bench.turn(ada, inputsTo(before + 30))
      bench.runTo(bench.nowMs + 1_000)
      return match.log.sealedTick - before
    }
    bench.runTo(2_000)
    expect(second()).toBeLessThanOrEqual(7)
    second()
    expect(second()).toBe(20)
    expect(sealed.at(-1)).toMatchObject({ missing: [false, true] })
    bench.turn(bob, inputsTo(match.log.sealedTick))
    expect(second()).toBeLessThanOrEqual(7)
  })

  test('nobody waits for a seat that was left', () => {
    const bench = new MatchBench({ missing })
    const [ada, bob] = [bench.admit().session, bench.admit().session]
    bench.turn(ada, inputsTo(60))
    bench.runTo(1_000)
    bench.match.remove(bob, 'left', bench.nowMs)
    const before = bench.sealed.length
    bench.runTo(2_000)
    // One that was waiting, and then at the usual pace.
    expect(bench.sealed.length - before).toBe(21)
  })
})

describe('a match that nobody has a link to', () => {
  test('seals nothing and wants nothing until somebody is back, and goes on where it was', () => {
    const bench = new MatchBench()
    const [ada, bob] = [bench.admit(), bench.admit()]
    bench.runTo(1_000)
    const sealed = bench.sealed.length
    bench.match.handleDetached(ada.session, bench.nowMs)
    bench.runTo(2_000)
    expect(bench.sealed.length).toBe(sealed + 20)
    bench.match.handleDetached(bob.session, bench.nowMs)
    bench.runTo(12_000)
    expect(bench.sealed.length).toBe(sealed + 20)
    bob.session.attach(9, bob.channel, sealed + 20)
    bench.match.handleAttached(bob.session, sealed + 20, bench.nowMs)
    bench.runTo(13_000)
    expect(bench.sealed.length).toBe(sealed + 41)
    expect(bench.told('rest')).toEqual([
      { type: 'rest', isResting: true },
      { type: 'rest', isResting: false },
    ])
  })

  test('is over when all who may come back are given up', () => {
    const bench = new MatchBench()
    const sessions = [bench.admit().session, bench.admit().session]
    bench.runTo(1_000)
    for (const session of sessions) bench.match.handleDetached(session, bench.nowMs)
    const sealed = bench.sealed.length
    bench.runTo(70_000)
    expect([bench.match.phase, bench.sealed.length]).toEqual(['ended', sealed])
  })
})
