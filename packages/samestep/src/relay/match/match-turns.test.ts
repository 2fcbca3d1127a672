import { describe, expect, test } from 'vitest'
import { relaySeat, spectatorSeat } from '../../sim/game/run/bundle.ts'
import {
  heldOrdersMax,
  ordersBurstMax,
  ordersPerAnswerMax,
  outboxOrdersMax,
  waitingOrdersMax,
} from '../../wire/limits.ts'
import type { MatchConfig } from '../../wire/messages/match-config.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { slotOf } from '../../wire/testing/slot-of.ts'
import { strikesMax } from '../guard/strikes.ts'
import { MatchBench, orderOf, testSlots } from '../testing/match-kit.ts'
import type { RecordingChannel } from '../testing/recording-channel.ts'
import type { Session } from './session.ts'

/** A match of two that runs. */
function make(changes: Partial<MatchConfig> = {}) {
  const bench = new MatchBench(changes)
  const players = Array.from({ length: bench.config.seats }, () => bench.admit())
  const [ada, bob] = players.map(({ session }) => session) as [Session, Session]
  return { bench, ada, bob, channel: players[0]!.channel }
}

/** Orders of the numbers that were refused, by reason, as the client is told. */
function refusals(channel: RecordingChannel): readonly { number: number; reason: string }[] {
  return channel.take(1).flatMap(({ control }) => control?.refusals ?? [])
}

const many = (count: number) => Array.from({ length: count }, () => orderOf(1, 1))

describe('orders', () => {
  test('T-31 an order is taken once, however often it is sent', () => {
    const { bench, ada } = make()
    bench.turn(ada, { orders: [orderOf(0), orderOf(1)] })
    bench.turn(ada, { orders: [orderOf(0), orderOf(1)] })
    bench.turn(ada, { firstOrder: 1, orders: [orderOf(1), orderOf(2)] })
    bench.runTo(200)
    bench.turn(ada, { orders: [orderOf(0)] })
    bench.runTo(400)
    const numbers = bench.sealed.flatMap(({ orders }) => orders.map(({ number }) => number))
    expect(numbers).toEqual([0, 1, 2])
    expect(ada.copiedOrders).toBe(4)
  })

  test('T-32 an order that skips a number, or a confirmation of what was never sent, is a fault', () => {
    const { bench, ada } = make()
    bench.runTo(100)
    expect(bench.turn(ada, { firstOrder: 1, orders: [orderOf(1)] })).toMatchObject({
      reason: 'bad-message',
    })
    expect(bench.turn(ada, { received: 3 })).toMatchObject({ reason: 'bad-message' })
    expect(bench.turn(ada, { received: 2 })).toBeUndefined()
  })

  test('T-30 a spectator orders nothing and holds nothing', () => {
    const { bench } = make()
    const { session, channel } = bench.admit('spectator')
    bench.turn(session, { orders: [orderOf(1)], firstInputTick: 1, inputs: [[7, 1, 9]] })
    bench.runTo(60)
    expect(refusals(channel)).toEqual([{ number: 0, reason: 'no-seat' }])
    expect(bench.sealed[0]).toMatchObject({
      orders: [],
      inputs: [
        [100, 0, 5],
        [100, 0, 5],
      ],
    })
  })

  test('T-36 over the rate each one is refused, and what time brings is taken again', () => {
    const { bench, ada, channel } = make()
    expect(bench.turn(ada, { orders: many(ordersBurstMax + 3) })).toBeUndefined()
    bench.runTo(60)
    const told = refusals(channel)
    expect(told.map(({ number }) => number)).toEqual([40, 41, 42])
    expect(told.every(({ reason }) => reason === 'rate')).toBe(true)
    bench.runTo(260)
    bench.turn(ada, { firstOrder: ordersBurstMax + 3, orders: many(5) })
    bench.runTo(400)
    const taken = bench.sealed.flatMap(({ orders }) => orders).length
    expect(taken).toBe(ordersBurstMax + 5)
  })

  test('T-36 more than an outbox between two ticks is a flood', () => {
    const { bench, ada } = make()
    expect(bench.turn(ada, { orders: many(ordersPerAnswerMax) })).toBeUndefined()
    expect(bench.turn(ada, { firstOrder: ordersPerAnswerMax, orders: many(1) })).toEqual({
      reason: 'rate',
      message: 'Your client sent too many orders at once',
    })
  })

  test('who sends on while more refusals are open than an outbox holds is closed', () => {
    const { bench, ada } = make()
    let fault: ReturnType<typeof bench.turn>
    for (let round = 0; round < 20 && fault === undefined; round++) {
      bench.runTo(bench.nowMs + 50)
      fault = bench.turn(ada, { firstOrder: ada.nextOrder, orders: many(40) })
    }
    expect(fault).toMatchObject({ reason: 'rate' })
    expect(ada.control.openRefusals).toBeGreaterThan(outboxOrdersMax)
  })

  test('more than may wait for a tick with room is refused', () => {
    // A tick takes one of a kind, so that the others wait.
    const orderKinds = [
      { by: 'player', maxBytes: 1_024, whenPaused: true, maxPerTick: 1, classIndex: 0 } as const,
    ]
    const orderClasses = [{ perSecond: 0, burst: 0 }]
    const { bench, ada, channel } = make({ orderKinds, orderClasses, tickRate: 1 })
    for (let second = 1; second <= 7; second++) {
      bench.turn(ada, { firstOrder: ada.nextOrder, orders: many(20) })
      bench.runTo(second * 1_000)
    }
    expect(bench.match.sealer.waitingOrders).toBe(waitingOrdersMax - 1)
    const told = refusals(channel)
    expect(told.map(({ number }) => number)).toEqual([134, 135, 136, 137, 138, 139])
    expect(told.every(({ reason }) => reason === 'queue-full')).toBe(true)
  })

  test('nothing is taken when the match is over', () => {
    const { bench, ada, bob } = make()
    bench.runTo(100)
    bench.match.room.lobby.end(100)
    bench.turn(ada, { orders: [orderOf(1)] })
    expect([ada.control.openRefusals, bench.match.sealer.waitingOrders]).toEqual([1, 0])
    expect(bob.control.openRefusals).toBe(0)
  })
})

describe('inputs that no field can have', () => {
  const inputSlots = [{ ...slotOf(3, 2), max: 4 }, slotOf(1)]
  const wrong = (tick: number) => ({ firstInputTick: tick, inputs: [[5, 1]] })

  test('T-40 are not sealed, and what else the turn has is', () => {
    const { bench, ada } = make({ inputSlots })
    const turn = {
      firstInputTick: 1,
      inputs: [
        [5, 1],
        [4, 1],
      ],
      orders: [orderOf(1)],
    }
    expect(bench.turn(ada, turn)).toBeUndefined()
    bench.runTo(100)
    expect(bench.sealed[0]).toMatchObject({
      inputs: [
        [2, 0],
        [2, 0],
      ],
      orders: [{ number: 0 }],
    })
    expect(bench.sealed[1]).toMatchObject({
      inputs: [
        [4, 1],
        [2, 0],
      ],
    })
    expect(ada.guard.strikes.lastReason).toBe('wrong-input')
  })

  test('are struck for, and five end the session', () => {
    const { bench, ada } = make({ inputSlots })
    for (let tick = 1; tick < strikesMax; tick++) {
      expect(bench.turn(ada, wrong(tick))).toBeUndefined()
    }
    expect(bench.turn(ada, wrong(9))).toEqual({
      reason: 'bad-message',
      message: 'Your client broke the rules too often: wrong-input',
    })
  })
})

describe('the rules of the kinds', () => {
  const kind = {
    by: 'player',
    maxBytes: 1_024,
    whenPaused: false,
    maxPerTick: 9,
    classIndex: 0,
  } as const
  const orderKinds = [kind, { ...kind, by: 'relay' as const }, { ...kind, whenPaused: true }]
  const orderClasses = [{ perSecond: 0, burst: 0 }]

  test('SEC-03 an order of no kind, or of the relay, is struck for, and five end the session', () => {
    const { bench, ada, channel } = make({ orderKinds, orderClasses })
    const wrong = [Uint8Array.of(1), Uint8Array.of(3), Uint8Array.of(1), Uint8Array.of(3)]
    expect(wrong).toHaveLength(strikesMax - 1)
    expect(bench.turn(ada, { orders: wrong })).toBeUndefined()
    bench.runTo(60)
    expect(refusals(channel).map(({ reason }) => reason)).toEqual(wrong.map(() => 'wrong-order'))
    expect(bench.turn(ada, { firstOrder: 4, orders: [Uint8Array.of(1)] })).toEqual({
      reason: 'bad-message',
      message: 'Your client broke the rules too often: wrong-order',
    })
  })

  test('one in a long while is forgiven', () => {
    const { bench, ada } = make({ orderKinds, orderClasses })
    for (let round = 0; round < 20; round++) {
      bench.nowMs = round * 20_000
      expect(
        bench.turn(ada, { firstOrder: ada.nextOrder, orders: [Uint8Array.of(1)] }),
      ).toBeUndefined()
    }
  })

  const numbersAt = (bench: MatchBench, tick: number) =>
    bench.sealed[tick - 1]!.orders.map(({ number }) => number)

  test('ORD-10 in a pause what may not run in one waits for its end, and others go past it', () => {
    const { bench, ada, channel } = make({ orderKinds, orderClasses })
    bench.runTo(60)
    // In flight when the pause begins: taken, and not sealed.
    bench.turn(ada, { orders: [Uint8Array.of(0)] })
    bench.act(ada, { type: 'pause' })
    bench.turn(ada, { firstOrder: 1, orders: [Uint8Array.of(4), Uint8Array.of(2)] })
    bench.runTo(1_010)
    expect(bench.sealed[1]).toMatchObject({
      orders: [{ seat: 0, number: 2 }],
      events: [{ type: 'pause', seat: 0 }],
    })
    expect(bench.match.sealer.waitingOrders).toBe(2)
    bench.turn(ada, { firstOrder: 3, orders: [Uint8Array.of(2), Uint8Array.of(8)] })
    bench.runTo(1_060)
    bench.act(ada, { type: 'resume' })
    bench.runTo(1_110)
    expect([21, 22].map((tick) => numbersAt(bench, tick))).toEqual([[3], [0, 1, 4]])
    expect([...refusals(channel), bench.match.sealer.waitingOrders]).toEqual([0])
    // A pause says nothing about how well the seat is served.
    expect(ada.guard.waits.percentile(1)).toBeLessThanOrEqual(50)
  })

  test('ORD-10 a pause holds so many orders of a seat, and takes further ones that run in it', () => {
    const { bench, ada, channel } = make({ orderKinds, orderClasses })
    bench.act(ada, { type: 'pause' })
    const waits = Array.from({ length: heldOrdersMax + 1 }, () => Uint8Array.of(0))
    bench.turn(ada, { orders: [...waits, Uint8Array.of(2)] })
    bench.runTo(60)
    expect(refusals(channel)).toEqual([{ number: heldOrdersMax, reason: 'paused' }])
    expect(numbersAt(bench, 1)).toEqual([heldOrdersMax + 1])
    expect(bench.match.sealer.waitingOrders).toBe(heldOrdersMax)
  })
})

describe('ORD-08 orders of others', () => {
  const kind = { maxBytes: 4, whenPaused: false, maxPerTick: 2, classIndex: 0 } as const
  const orderKinds = (['player', 'everybody', 'spectator', 'relay'] as const).map((by) => ({
    ...kind,
    by,
  }))
  const orderClasses = [{ perSecond: 0, burst: 0 }]

  test('of spectators are sealed as theirs, together as much as one seat may', () => {
    const { bench, ada } = make({ orderKinds, orderClasses })
    const watchers = [bench.admit('spectator'), bench.admit('spectator')]
    bench.runTo(60)
    for (const { session } of watchers) {
      bench.turn(session, { orders: [Uint8Array.of(2), Uint8Array.of(0), Uint8Array.of(1)] })
    }
    bench.turn(ada, { orders: [Uint8Array.of(1)] })
    bench.runTo(210)
    expect(watchers.map(({ channel }) => refusals(channel))).toEqual(
      watchers.map(() => [{ number: 1, reason: 'no-seat' }]),
    )
    const [first, second] = watchers.map(({ session }) => spectatorSeat(session.member.id))
    const sealed = bench.sealed.map(({ orders }) =>
      orders.map(({ seat, number }) => [seat, number]),
    )
    // Two of a kind in a tick.
    expect(sealed.slice(1, 3)).toEqual([
      [
        [second, 0],
        [second, 2],
        [first, 0],
        [first, 2],
        [0, 0],
      ],
      [],
    ])
  })

  test('of a spectator who is sent away are dropped', () => {
    const { bench, ada } = make({ orderKinds, orderClasses })
    const { session } = bench.admit('spectator')
    bench.act(ada, { type: 'pause' })
    bench.turn(session, { orders: [Uint8Array.of(2)] })
    bench.runTo(60)
    expect(bench.match.sealer.waitingOrders).toBe(1)
    bench.act(ada, { type: 'kick', member: session.member.id })
    bench.runTo(110)
    expect([session.member.isIn, bench.match.sealer.waitingOrders]).toEqual([false, 0])
  })

  test('of the relay are sealed as its own, and only those that are', () => {
    const { bench } = make({ orderKinds, orderClasses })
    const taken = [3, 0, 1, 2].map((kindIndex) => {
      return bench.match.ownOrders.order(Uint8Array.of(kindIndex), 0)
    })
    expect(taken).toEqual([true, false, false, false])
    expect(bench.match.ownOrders.order(new Uint8Array(5).fill(3), 0)).toBe(false)
    for (let count = 1; count < waitingOrdersMax; count++) {
      expect(bench.match.ownOrders.order(Uint8Array.of(3), 0)).toBe(true)
    }
    expect(bench.match.ownOrders.order(Uint8Array.of(3), 0)).toBe(false)
    bench.runTo(60)
    expect(bench.sealed[0]!.orders).toMatchObject([
      { seat: relaySeat, number: 0 },
      { seat: relaySeat, number: 1 },
    ])
  })

  test('that are too large for their kind are struck for', () => {
    const { bench, ada, channel } = make({ orderKinds, orderClasses })
    bench.turn(ada, { orders: [new Uint8Array(5)] })
    bench.runTo(60)
    expect(refusals(channel)).toEqual([{ number: 0, reason: 'too-large' }])
    expect(ada.guard.strikes.lastReason).toBe('wrong-order')
  })
})

describe('inputs', () => {
  test('only the newest input of a turn tells that it came late: copies are normal', () => {
    const { bench, ada, channel } = make()
    bench.runTo(250)
    const late = () => {
      channel.ticks.splice(0)
      ada.control.answerOrders()
      bench.runTo(Math.ceil((ada.sentTick + 1) * 50))
      return channel.take(1).findLast(({ control }) => control !== undefined)?.control?.lateInputs
    }
    const input = [7, 1, 5]
    bench.turn(ada, { firstInputTick: 4, inputs: [input, input, input, input] })
    expect(late()).toBe(0)
    bench.turn(ada, { firstInputTick: 2, inputs: [input, input] })
    expect(late()).toBe(0)
    bench.runTo(450)
    bench.turn(ada, { firstInputTick: 7, inputs: [input, input] })
    expect(late()).toBe(1)
    // The same again is no news.
    bench.turn(ada, { firstInputTick: 7, inputs: [input, input] })
    expect(late()).toBe(1)
  })
})

describe('reports', () => {
  test('what a client is busy with is seen by the others', () => {
    const { bench, ada } = make()
    bench.runTo(100)
    const presence = () => ada.guard.liveness.presence
    bench.confirm(ada, { report: { activity: 'hidden', loadPercent: 40, rttMs: 70 } })
    expect([presence(), ada.guard.loadPercent, ada.rttMs]).toEqual(['hidden', 40, 70])
    bench.confirm(ada, { report: { activity: 'active', rttMs: 65_535 } })
    expect([presence(), ada.rttMs]).toEqual(['active', undefined])
    bench.match.handleMessage(
      ada,
      { name: 'ClientHere', body: { activity: 'hidden' } },
      bench.nowMs,
    )
    expect(presence()).toBe('hidden')
    bench.match.handleMessage(
      ada,
      { name: 'ClientHere', body: { activity: 'loading' } },
      bench.nowMs,
    )
    expect([presence(), ada.guard.activity]).toEqual(['active', 'loading'])
    const events = bench.told('presence').map(({ event }) => event)
    expect(events).toEqual(['hidden', 'visible', 'hidden', 'visible'])
  })

  test('who was hidden and lacks much catches up before he is active again', () => {
    const { bench, ada, bob } = make()
    bench.runTo(50)
    bench.confirm(ada, { report: { activity: 'hidden' } })
    while (bench.nowMs < 5_000) {
      bench.runTo(bench.nowMs + 250)
      bench.confirm(bob)
    }
    bench.match.handleMessage(
      ada,
      { name: 'ClientHere', body: { activity: 'active' } },
      bench.nowMs,
    )
    expect(ada.guard.liveness.presence).toBe('catching-up')
    bench.confirm(ada)
    expect(ada.guard.liveness.presence).toBe('active')
  })

  test('T-41 a token that was never given is struck for, and five end the session', () => {
    const { bench, ada } = make()
    bench.runTo(1_000)
    for (let count = 1; count < strikesMax; count++) {
      expect(bench.confirm(ada, { report: { token: 5 } })).toBeUndefined()
    }
    expect(bench.confirm(ada, { report: { token: 5 } })).toMatchObject({
      reason: 'bad-message',
      message: 'Your client broke the rules too often: wrong-token',
    })
  })
})

describe('wishes', () => {
  test('what is refused is told, with what it was', () => {
    const { bench, bob } = make()
    const channel = bob.channel as RecordingChannel
    bench.act(bob, { type: 'set-speed', percent: 50 })
    expect(channel.takeControls('RelayDenied')).toEqual([
      { action: 'set-speed', reason: 'not-allowed' },
    ])
    bench.act(bob, { type: 'pause' })
    expect(channel.takeControls('RelayDenied')).toEqual([])
  })

  test('too many are refused, and far too many close the session', () => {
    const { bench, bob } = make()
    const faults = Array.from({ length: 241 }, () => {
      return bench.act(bob, { type: 'say', scope: 'all', text: 'a' })
    })
    expect(faults.slice(0, -1).every((fault) => fault === undefined)).toBe(true)
    expect(faults.at(-1)).toEqual({
      reason: 'rate',
      message: 'Your client asked for too much in too short a time',
    })
  })

  test('text that no client of ours sends is struck for until the session ends', () => {
    const { bench, bob } = make()
    const faults = Array.from({ length: strikesMax }, () => {
      return bench.act(bob, { type: 'say', scope: 'all', text: 'a\u0000' })
    })
    expect(faults.at(-1)).toMatchObject({ reason: 'bad-message' })
    expect(faults.slice(0, -1).every((fault) => fault === undefined)).toBe(true)
  })
})

describe('ORD-18 orders of bots', () => {
  /** A match of three seats with a bot in the last, which thinks at ada's. */
  function makeBot() {
    const bench = new MatchBench({ seats: 3 })
    const [ada, bob] = [bench.admit().session, bench.admit().session]
    bench.act(ada, { type: 'add-bot', seat: 2 })
    const give = (session: Session, changes: Partial<MessageBody<'ClientBotOrders'>> = {}) => {
      const body = { seat: 2, turn: 1, firstNumber: 0, orders: [orderOf(7)], ...changes }
      return bench.match.handleMessage(session, { name: 'ClientBotOrders', body }, bench.nowMs)
    }
    const sealed = () =>
      bench.sealed.flatMap(({ orders }) => orders).map(({ seat, number }) => [seat, number])
    return { bench, ada, bob, give, sealed }
  }

  test('and what they hold: sealed with every tick, shots with one, and only from the runner', () => {
    const { bench, ada, bob } = makeBot()
    const say = (session: Session, body: Partial<MessageBody<'ClientBotInput'>>) => {
      const message = { seat: 2, turn: 1, slots: [7, 1, 9], ...body }
      return bench.match.handleMessage(
        session,
        { name: 'ClientBotInput', body: message },
        bench.nowMs,
      )
    }
    const hands = () => bench.sealed.slice(-3).map(({ inputs }) => inputs[2])
    const rest = testSlots.map(({ initial }) => initial)
    bench.runTo(bench.nowMs + 150)
    expect(hands()).toEqual([rest, rest, rest])
    say(ada, {})
    bench.runTo(bench.nowMs + 150)
    expect(hands()).toEqual([
      [7, 1, 9],
      [7, 1, 5],
      [7, 1, 5],
    ])
    expect(bench.sealed.at(-1)?.missing[2]).toBe(false)
    // Of a turn that is over, of somebody else, of another game, of no value.
    say(ada, { turn: 0, slots: [1, 1, 1] })
    say(bob, { slots: [2, 1, 1] })
    say(ada, { slots: [3] })
    expect(ada.guard.strikes.lastReason).toBe('wrong-input')
    say(ada, { slots: [4, 2, 1] })
    expect(bob.guard.strikes.lastReason).toBe('wrong-seat')
    bench.runTo(bench.nowMs + 150)
    expect(hands()).toEqual([
      [7, 1, 5],
      [7, 1, 5],
      [7, 1, 5],
    ])
  })

  test('the bot sits down once, with the first tick when it was there before', () => {
    const { bench } = makeBot()
    bench.runTo(200)
    expect(bench.sealed.flatMap(({ events }) => events)).toEqual([
      { type: 'join', seat: 0 },
      { type: 'join', seat: 1 },
      { type: 'join', seat: 2 },
    ])
  })

  test('one that comes and goes while the match runs does so at a tick', () => {
    const { bench, ada } = makeBot()
    bench.runTo(100)
    bench.act(ada, { type: 'remove-bot', seat: 2 })
    bench.runTo(150)
    bench.act(ada, { type: 'add-bot', seat: 2 })
    bench.runTo(200)
    expect(bench.sealed.slice(2).map(({ events }) => events)).toEqual([
      [{ type: 'leave', seat: 2, reason: 'left' }],
      [{ type: 'join', seat: 2 }],
    ])
  })

  test('are each sealed once, in sequence, however often they are sent', () => {
    const { bench, ada, give, sealed } = makeBot()
    expect(give(ada, { orders: [orderOf(1), orderOf(2)] })).toBeUndefined()
    give(ada, { orders: [orderOf(1), orderOf(2), orderOf(3)] })
    // A gap cannot be: these come over a lane that loses nothing.
    give(ada, { firstNumber: 9, orders: [orderOf(9)] })
    bench.runTo(100)
    expect(sealed()).toEqual([
      [2, 0],
      [2, 1],
      [2, 2],
    ])
  })

  test('are only taken from whoever runs the bot; of others they are struck for', () => {
    const { bench, ada, bob, give, sealed } = makeBot()
    for (let count = 1; count < strikesMax; count++) expect(give(bob)).toBeUndefined()
    expect(give(bob)).toMatchObject({ reason: 'bad-message' })
    expect(give(ada, { seat: 1 })).toBeUndefined()
    expect(ada.guard.strikes.lastReason).toBe('wrong-seat')
    bench.runTo(100)
    expect(sealed()).toEqual([])
  })

  test('of who ran it before are dropped without blame, and the new runner counts from 0', () => {
    const { bench, ada, bob, give, sealed } = makeBot()
    give(ada, { orders: [orderOf(1), orderOf(2)] })
    bench.match.handleDetached(ada, 0)
    expect(bench.match.room.bots.at(2)?.runner).toBe(bob.member)
    expect(give(ada, { firstNumber: 2 })).toBeUndefined()
    expect(ada.guard.strikes.total).toBe(0)
    give(bob, { turn: 2, orders: [orderOf(3)] })
    give(bob, { turn: 1, firstNumber: 1, orders: [orderOf(4)] })
    bench.runTo(100)
    expect(sealed()).toEqual([
      [2, 0],
      [2, 1],
      [2, 0],
    ])
  })

  test('cost the budget of who sends them, and too many are a flood', () => {
    const { bench, ada, give, sealed } = makeBot()
    give(ada, { orders: many(16) })
    give(ada, { firstNumber: 16, orders: many(16) })
    give(ada, { firstNumber: 32, orders: many(16) })
    expect(give(ada, { firstNumber: 48, orders: many(16) })).toBeUndefined()
    expect(give(ada, { firstNumber: 64, orders: many(1) })).toMatchObject({ reason: 'rate' })
    bench.runTo(200)
    expect(sealed()).toHaveLength(ordersBurstMax)
  })

  test('the runner is told where to go on when the bot moves', () => {
    const { bench, ada, bob, give } = makeBot()
    const channel = bob.channel as RecordingChannel
    expect(channel.takeControls('RelayBots')).toEqual([
      { bots: [{ seat: 2, runner: ada.member.id, turn: 1, nextOrder: 0 }] },
    ])
    give(ada)
    bench.match.handleDetached(ada, 0)
    expect(channel.takeControls('RelayBots')).toEqual([
      { bots: [{ seat: 2, runner: bob.member.id, turn: 2, nextOrder: 0 }] },
    ])
    bench.match.remove(bob, 'left', 0)
    expect(bench.match.wakeAtMs()).toBeLessThanOrEqual(1_000)
    bench.match.handleTime(1_000)
    expect(bench.match.room.bots.at(2)?.runner).toBeUndefined()
  })
})

test('[T-36] an activity that changes all the time counts once per second, after ten at once', () => {
  const { bench, ada } = make()
  let changes = 0
  let last = ada.guard.activity
  for (let flip = 0; flip < 400; flip++) {
    bench.nowMs = flip * 25
    bench.match.handleMessage(
      ada,
      { name: 'ClientHere', body: { activity: flip % 2 === 0 ? 'hidden' : 'active' } },
      bench.nowMs,
    )
    if (ada.guard.activity !== last) changes += 1
    last = ada.guard.activity
  }
  expect(changes).toBeGreaterThan(10)
  expect(changes).toBeLessThanOrEqual(20)
})
