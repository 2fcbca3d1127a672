import { describe, expect, test } from 'vitest'
import { spectatorsMax, waitingOrdersMax } from '../wire/limits.ts'
import type { MatchConfig } from '../wire/messages.ts'
import { decodeMessage } from '../wire/messages.ts'
import type { MatchEvent } from './match.ts'
import { Match } from './match.ts'
import type { Session } from './session.ts'
import type { PlainBundle, PlainTurn } from './testing/match-kit.ts'
import { BundleReader, orderOf, testConfig, testIdentity, turnBytes } from './testing/match-kit.ts'
import { RecordingChannel } from './testing/recording-channel.ts'

/** A match with its clock, and what it told. */
function make(changes: Partial<MatchConfig> = {}) {
  const config = { ...testConfig, ...changes }
  const events: MatchEvent[] = []
  const sealed: (PlainBundle & { readonly tick: number; readonly atMs: number })[] = []
  const reader = new BundleReader(config)
  let nowMs = 0
  const match = new Match('id', 'friday', 'seed', config, testIdentity, (event) => {
    if (event.type !== 'sealed') events.push(event)
    else sealed.push({ ...reader.read(event.bundle), tick: event.tick, atMs: nowMs })
  })
  const admit = (role: 'player' | 'spectator' = 'player') => {
    const session = match.admit(
      'ada',
      role,
      Uint8Array.from({ length: 16 }, () => nextTicket++),
      nowMs,
    )
    const channel = new RecordingChannel('stream')
    session.attach(1, channel, 0)
    return { session, channel }
  }
  const runTo = (untilMs: number) => {
    for (let wake = match.wakeAtMs(); wake <= untilMs; wake = match.wakeAtMs()) {
      nowMs = Math.max(wake, nowMs)
      match.handleTime(nowMs)
    }
    nowMs = untilMs
  }
  const turn = (session: Session, plain: PlainTurn) => {
    return match.handleTurn(session, turnBytes(config, plain), nowMs)
  }
  return { match, config, events, sealed, admit, runTo, turn, now: () => nowMs }
}

let nextTicket = 0

describe('while players gather', () => {
  test('nothing is sealed; who waits hears how far it is, every two seconds', () => {
    const { match, sealed, admit, runTo } = make({ seats: 3 })
    const { channel } = admit()
    admit()
    runTo(7_000)
    expect([match.phase, sealed.length]).toEqual(['gathering', 0])
    const notices = channel.controls.map((bytes) => decodeMessage(bytes))
    expect(notices).toHaveLength(4)
    expect(notices.at(-1)).toEqual({ name: 'RelayGathering', body: { takenSeats: 2, seats: 3 } })
  })

  test('the match starts when its last seat is taken, and its first tick names who is there', () => {
    const { match, events, sealed, admit, runTo } = make()
    admit()
    runTo(1_000)
    admit()
    expect([match.phase, events]).toEqual(['running', [{ type: 'started', tick: 1 }]])
    runTo(1_050)
    expect(sealed[0]?.events).toEqual([
      { type: 'join', seat: 0 },
      { type: 'join', seat: 1 },
    ])
  })

  test('orders wait for the first tick', () => {
    const { sealed, admit, runTo, turn } = make()
    const { session } = admit()
    expect(turn(session, { orders: [orderOf(1)] })).toBeUndefined()
    admit()
    runTo(60)
    expect(sealed[0]?.orders).toEqual([{ seat: 0, number: 0, bytes: orderOf(1) }])
  })

  test('who comes and goes leaves no trace: neither events nor orders', () => {
    const { match, sealed, admit, runTo, turn } = make()
    admit()
    for (let times = 0; times < 1_000; times++) {
      const { session } = admit('player')
      if (times === 0) expect(match.phase).toBe('running')
      turn(session, { orders: [orderOf(9)] })
      match.remove(session, 'left')
    }
    const { session } = admit()
    turn(session, { orders: [orderOf(1)] })
    runTo(60)
    expect(sealed[0]).toMatchObject({
      events: [
        { type: 'join', seat: 0 },
        { type: 'join', seat: 1 },
      ],
      orders: [{ seat: 1, number: 0, bytes: orderOf(1) }],
    })
  })
})

describe('coming and going', () => {
  test('a player leaves at a tick, with a reason, and his seat is free', () => {
    const { match, events, sealed, admit, runTo } = make()
    const { session } = admit()
    admit()
    runTo(100)
    match.remove(session, 'kicked')
    match.remove(session, 'left')
    runTo(150)
    expect(sealed[2]?.events).toEqual([{ type: 'leave', seat: 0, reason: 'kicked' }])
    expect(events.at(-1)).toEqual({ type: 'left', seat: 0, reason: 'kicked' })
    expect(match.hasRoomFor('player')).toBe(true)
  })

  test('what he had ordered before he left still runs', () => {
    const { match, sealed, admit, runTo, turn } = make()
    const { session } = admit()
    admit()
    runTo(100)
    turn(session, { orders: [orderOf(4)] })
    match.remove(session, 'left')
    runTo(150)
    expect(sealed[2]?.orders).toEqual([{ seat: 0, number: 0, bytes: orderOf(4) }])
  })

  test('his orders that wait never run as those of who takes his seat', () => {
    const { match, sealed, admit, runTo, turn } = make()
    const { session } = admit()
    admit()
    runTo(100)
    turn(session, { orders: [orderOf(4)] })
    match.remove(session, 'left')
    admit()
    runTo(150)
    expect(sealed[2]?.orders).toEqual([])
  })

  test('the match ends with its last player; nothing is sealed after', () => {
    const { match, events, sealed, admit, runTo } = make()
    const players = [admit(), admit()]
    admit('spectator')
    runTo(100)
    for (const { session } of players) match.remove(session, 'left')
    expect([match.phase, events.at(-1)]).toEqual(['ended', { type: 'ended' }])
    expect(match.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
    const ticks = sealed.length
    runTo(1_000)
    expect(sealed).toHaveLength(ticks)
    expect(match.hasRoomFor('player') || match.hasRoomFor('spectator')).toBe(false)
  })

  test('who only watches can wait for the first player, also when another one goes', () => {
    const { match, admit } = make()
    const { session } = admit('spectator')
    const other = admit('spectator')
    match.remove(session, 'left')
    expect(match.phase).toBe('gathering')
    match.remove(other.session, 'left')
    expect(match.phase).toBe('ended')
  })

  test('a match takes only as many spectators as it may', () => {
    const { match, admit } = make()
    admit()
    for (let count = 0; count < spectatorsMax; count++) admit('spectator')
    expect([match.hasRoomFor('spectator'), match.hasRoomFor('player')]).toEqual([false, true])
  })

  test('who comes when the first ticks are gone is too late', () => {
    const { match, admit, runTo, turn } = make()
    const players = [admit(), admit()]
    runTo(16_000)
    expect(match.log.firstTick).toBe(1)
    for (const { session } of players) {
      for (let tick = 100; tick <= session.sentTick; tick += 100) turn(session, { received: tick })
    }
    runTo(16_100)
    expect(match.log.firstTick).toBeGreaterThan(1)
    expect(match.hasRoomFor('spectator')).toBe(false)
  })

  test('REL-15 a tick is kept until everybody confirmed it', () => {
    const { match, admit, runTo, turn } = make()
    const [ada, bob] = [admit().session, admit().session]
    for (let now = 2_000; now <= 20_000; now += 2_000) {
      runTo(now)
      turn(ada, { received: ada.sentTick })
      turn(bob, { received: Math.min(bob.sentTick, 60) })
    }
    expect(match.log.sealedTick).toBeGreaterThan(300)
    expect(match.log.firstTick).toBe(61)
  })
})

describe('turns', () => {
  test('T-31 an order is taken once, however often it is sent', () => {
    const { sealed, admit, runTo, turn } = make()
    const { session } = admit()
    admit()
    turn(session, { orders: [orderOf(0), orderOf(1)] })
    turn(session, { orders: [orderOf(0), orderOf(1)] })
    turn(session, { firstOrder: 1, orders: [orderOf(1), orderOf(2)] })
    runTo(200)
    turn(session, { orders: [orderOf(0)] })
    runTo(400)
    expect(sealed.flatMap(({ orders }) => orders.map(({ number }) => number))).toEqual([0, 1, 2])
  })

  test('T-32 an order that skips a number, or a confirmation of what was never sent, is a fault', () => {
    const { admit, runTo, turn } = make()
    const { session } = admit()
    admit()
    runTo(100)
    expect(turn(session, { firstOrder: 1, orders: [orderOf(1)] })).toBe('order-gap')
    expect(turn(session, { received: 3 })).toBe('ack-of-unsent')
    expect(turn(session, { received: 2 })).toBeUndefined()
  })

  test('orders beyond what may wait are refused, and a flood of them is a fault', () => {
    const { match, admit, turn } = make()
    const { session } = admit()
    admit()
    const orders = Array.from({ length: 64 }, () => orderOf(1))
    expect(turn(session, { orders })).toBeUndefined()
    expect(turn(session, { firstOrder: 64, orders })).toBeUndefined()
    expect([match.sealer.waitingOrders, session.control.openRefusals]).toEqual([
      waitingOrdersMax,
      0,
    ])
    expect(turn(session, { firstOrder: 128, orders })).toBeUndefined()
    expect(session.control.openRefusals).toBe(64)
    expect(turn(session, { firstOrder: 192, orders: [orderOf(1)] })).toBe('order-flood')
  })

  test('T-30 a spectator orders nothing and holds nothing', () => {
    const { sealed, admit, runTo, turn } = make()
    admit()
    admit()
    const { session } = admit('spectator')
    turn(session, { orders: [orderOf(1)], firstInputTick: 1, inputs: [[7, 1, 9]] })
    runTo(60)
    expect(session.control.openRefusals).toBe(1)
    expect(sealed[0]).toMatchObject({
      orders: [],
      inputs: [
        [100, 0, 5],
        [100, 0, 5],
      ],
    })
  })

  test('only the newest input of a turn tells that it came late: copies are normal', () => {
    const { admit, runTo, turn } = make()
    const { session, channel } = admit()
    admit()
    runTo(250)
    const late = () => {
      channel.ticks.splice(0)
      session.control.answerOrders()
      runTo(Math.ceil((session.sentTick + 1) * 50))
      return channel.take(1).findLast(({ control }) => control !== undefined)?.control?.lateInputs
    }
    const input = [7, 1, 5]
    turn(session, { firstInputTick: 4, inputs: [input, input, input, input] })
    expect(late()).toBe(0)
    turn(session, { firstInputTick: 2, inputs: [input, input] })
    expect(late()).toBe(1)
  })

  test('a hash that contradicts the first report of its tick is told, with who said so', () => {
    const { events, admit, runTo, turn } = make()
    const [ada, bob] = [admit().session, admit().session]
    runTo(200)
    turn(ada, { received: 3, hash: { tick: 3, lo: 1, hi: 2 } })
    turn(bob, { received: 3, hash: { tick: 3, lo: 1, hi: 2 } })
    expect(events).toHaveLength(1)
    turn(ada, { received: 4, hash: { tick: 4, lo: 1, hi: 2 } })
    turn(bob, { received: 4, hash: { tick: 4, lo: 1, hi: 3 } })
    expect(events.at(-1)).toEqual({ type: 'hash-mismatch', tick: 4, seat: 1 })
    expect(bob.executedTick).toBe(4)
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
    const { sealed, admit, runTo, turn } = make({ missing })
    const [ada, bob] = [admit().session, admit().session]
    turn(ada, inputsTo(40))
    turn(bob, inputsTo(25))
    runTo(2_300)
    const gaps = sealed.slice(1).map(({ atMs }, index) => Math.round(atMs - sealed[index]!.atMs))
    expect(gaps.slice(0, 24).every((gap) => gap === 50)).toBe(true)
    expect(gaps.slice(24).every((gap) => gap === 50 + missing.waitMs)).toBe(true)
    expect(sealed[25]?.missing).toEqual([false, true])
    expect(sealed[25]?.inputs[1]).toEqual([7, 1, 5])
  })

  test('an input that comes ends the wait, and the time waited is not made up in a burst', () => {
    const { match, sealed, admit, runTo, turn, now } = make({ missing })
    const [ada, bob] = [admit().session, admit().session]
    turn(ada, inputsTo(60))
    turn(bob, inputsTo(20))
    runTo(1_000)
    for (let tick = 21; tick <= 30; tick++) {
      runTo(now() + 140)
      expect(sealed.at(-1)?.tick).toBe(tick - 1)
      turn(bob, { firstInputTick: tick, inputs: [[7, 0, 5]] })
      match.handleTime(now())
      expect(sealed.at(-1)).toMatchObject({ tick, missing: [false, false] })
    }
    turn(bob, inputsTo(60))
    const before = sealed.length
    runTo(now() + 1_000)
    expect(sealed.length - before).toBe(20)
    for (let index = 1; index < sealed.length; index++) {
      expect(sealed[index]!.atMs - sealed[index - 1]!.atMs).toBeGreaterThanOrEqual(50 - 1e-9)
    }
  })

  test('nobody waits for a seat that was left', () => {
    const { match, sealed, admit, runTo, turn } = make({ missing })
    const [ada, bob] = [admit().session, admit().session]
    turn(ada, inputsTo(60))
    runTo(1_000)
    match.remove(bob, 'left')
    const before = sealed.length
    runTo(2_000)
    // One that was waiting, and then at the usual pace.
    expect(sealed.length - before).toBe(21)
  })
})
