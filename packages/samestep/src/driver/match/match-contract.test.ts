/** The same script against every way to play: a game that runs with one runs with all of them. */
import { describe, expect, test } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import { lateMark, noSuchMark } from '../testing/driver-world.ts'
import type { AnyLedgerMatch } from '../testing/match-stages.ts'
import { matchStages } from '../testing/match-stages.ts'
import { catchReported } from '../testing/reported-errors.ts'
import type { MatchEvents } from './match.ts'

const byOwner = { start: 'by-owner', countdownMs: 500 } as const

/** Writes down the events of some names, in sequence. */
function record<K extends keyof MatchEvents>(
  match: AnyLedgerMatch,
  ...names: K[]
): MatchEvents[K][] {
  const told: MatchEvents[K][] = []
  for (const name of names) match.on(name, (event) => told.push(event))
  return told
}

describe.each(Object.entries(matchStages))('%s', (_name, makeStage) => {
  test('without a lobby the match is played at once', async () => {
    const stage = makeStage()
    const match = await stage.join()
    expect([match.status, match.seat, match.member !== undefined]).toEqual(['active', 0, true])
    await stage.pass(1_000)
    const { tick, alpha, current } = match.advance(stage.world.timing.nowMs())
    expect(tick).toBeGreaterThan(15)
    expect(alpha).toBeGreaterThanOrEqual(0)
    expect(alpha).toBeLessThanOrEqual(1)
    expect(current.seats.rowsUsed).toBe(8)
    expect(match.simulation.tick).toBe(tick)
    expect(match.cursors.simulatedTick).toBeGreaterThanOrEqual(tick)
    expect(match.playState()).toEqual({ name: 'active' })
    expect(typeof match.transport).toBe('string')
  })

  test('in a lobby there is a room, and nothing to draw or to order', async () => {
    const stage = makeStage()
    const match = await stage.join({ seats: 2, lobby: byOwner, name: 'Ada' })
    await stage.pass(100)
    expect([match.status, match.seat]).toEqual(['lobby', 0])
    expect(match.room).toMatchObject({ phase: 'lobby' })
    expect(match.room?.members).toMatchObject([{ id: match.member, name: 'Ada', seat: 0 }])
    expect(match.playState()).toMatchObject({ name: 'waiting', room: match.room })
    expect(match.cursors).toEqual({ inputTick: 0, sealedTick: 0, simulatedTick: 0 })
    expect(match.statistics.cursors).toEqual(match.cursors)
    for (const attempt of [
      () => match.simulation,
      () => match.order('mark', { number: 0 }),
      () => match.input({ right: true }),
    ]) {
      expect(attempt).toThrow(expect.objectContaining({ code: 'SS_NOT_LAUNCHED' }))
      expect(attempt).toThrow(/the match is in its lobby; wait for the event 'launched'/)
    }
  })

  test('a loop that draws goes through every phase of a match without a throw', async () => {
    const stage = makeStage()
    const match = await stage.join({ seats: 1, lobby: byOwner, loadsItself: true })
    const denied = record(match, 'denied')
    const phases: string[] = []
    const draw = async (frames: number) => {
      for (let frame = 0; frame < frames; frame++) {
        await stage.pass(16)
        const { phase, current, previous, blend, alpha, tick } = match.advance(
          stage.world.timing.nowMs(),
        )
        // As a game draws: whatever rows there are.
        for (const row of current.seats) blend.seats.held(row, alpha)
        expect([current.all.leaves, previous !== undefined, tick >= 0]).toEqual([0, true, true])
        if (phases.at(-1) !== phase) phases.push(phase)
      }
    }
    await draw(10)
    expect(phases).toEqual(['lobby'])
    match.act({ type: 'start' })
    await draw(20)
    match.reportLoad(100)
    await draw(60)
    match.close()
    await draw(2)
    expect(phases).toEqual(['lobby', 'loading', 'countdown', 'running', 'ended'])
    expect(match.playState()).toEqual({
      name: 'closed',
      reason: 'left',
      message: 'You left the match',
    })
    expect(denied).toEqual([])
  })

  test('a game that does not load by itself is denied nothing that it never asked for', async () => {
    const stage = makeStage()
    const match = await stage.join({ seats: 1, lobby: { start: 'by-owner', countdownMs: 0 } })
    const denied = record(match, 'denied')
    match.act({ type: 'start' })
    await stage.pass(2_000)
    expect([match.playState().name, denied]).toEqual(['active', []])
  })

  test('a pause is shown with who wanted it and since when', async () => {
    const stage = makeStage()
    const match = await stage.join()
    await stage.pass(500)
    match.act({ type: 'pause' })
    await stage.pass(1_000)
    const state = match.playState()
    expect(state).toMatchObject({ name: 'paused', bySeat: 0 })
    expect(state.name === 'paused' && state.forMs).toBeGreaterThan(500)
    expect(state.name === 'paused' && state.sinceTick).toBeGreaterThan(5)
    match.act({ type: 'resume' })
    await stage.pass(1_000)
    expect(match.playState()).toEqual({ name: 'active' })
  })

  test('misuse is told with what there is, and never costs the session', async () => {
    const stage = makeStage()
    const match = await stage.join()
    await stage.pass(200)
    const wrong: [() => unknown, RegExp][] = [
      // @ts-expect-error a time is missing
      [() => match.advance(), /Cannot advance to undefined: pass the time of the frame in ms/],
      [() => match.advance(Number.NaN), /Cannot advance to NaN/],
      [
        // @ts-expect-error there is no such event
        () => match.on('tikc', () => {}),
        /Cannot listen for 'tikc': the events are .*, tick, transport, vote/,
      ],
      // @ts-expect-error there is no such action
      [() => match.act({ type: 'paus' }), /Cannot act 'paus': the actions are .*pause, /],
      // @ts-expect-error an action is missing
      [() => match.act(), /Cannot act 'undefined': the actions are/],
      // @ts-expect-error the scope is missing
      [() => match.act({ type: 'say', text: 'x' }), /Cannot act 'say': scope is missing, as in/],
      // @ts-expect-error the member is missing
      [() => match.act({ type: 'kick' }), /Cannot act 'kick': member is missing/],
      [() => match.act({ type: 'take-seat', seat: -1 }), /take-seat\.seat/],
      [() => match.act({ type: 'set-options', options: { goal: 1e9 } }), /options\.goal/],
      // @ts-expect-error there is no such option
      [() => match.act({ type: 'set-options', options: { gaol: 1 } }), /gaol/],
      // @ts-expect-error the options are missing
      [() => match.act({ type: 'set-options' }), /Cannot act 'set-options': options is missing/],
      // @ts-expect-error there is no such scope
      [() => match.act({ type: 'say', scope: 'me', text: 'x' }), /say\.scope.*all/],
    ]
    for (const [attempt, message] of wrong) {
      expect(attempt).toThrow(UsageError)
      expect(attempt).toThrow(message)
    }
    await stage.pass(500)
    expect(match.status).toBe('active')
  })

  test('a lobby with a bot is launched, loaded, counted down and played', async () => {
    const stage = makeStage()
    const match = await stage.join({ seats: 2, lobby: byOwner, loadsItself: true })
    const told = record(match, 'launched', 'bot')
    const blames = record(match, 'blame')
    match.act({ type: 'add-bot', seat: 1 })
    await stage.pass(200)
    expect(told).toEqual([{ type: 'bot', seat: 1, isHere: true }])
    expect(match.botSeats).toEqual([1])
    match.act({ type: 'start' })
    await stage.pass(200)
    expect(told.slice(1)).toEqual([{ type: 'launched', seat: 0 }])
    expect([match.status, match.room?.phase]).toEqual(['active', 'loading'])
    match.reportLoad(40)
    await stage.pass(200)
    expect(match.room?.members[0]?.loadProgress).toBe(40)
    expect([match.blame, blames]).toEqual([blames[0], [{ cause: 'loading', seats: [0] }]])
    match.reportLoad(100)
    await stage.pass(200)
    expect(match.room?.phase).toBe('countdown')
    expect([match.blame.cause, blames.length]).toEqual(['nobody', 2])
    await stage.pass(1_000)
    expect(match.room?.phase).toBe('running')
    expect(match.simulation.tick).toBeGreaterThan(3)
    expect(match.orderAs(1, 'mark', { number: 0 })).toBe(true)
    expect(match.orderAs(0, 'mark', { number: 0 })).toBe(false)
    await stage.pass(500)
    expect(match.simulation.view.seats.due[1]).toBe(1)
    expect(match.simulation.view.seats.held[1]).toBe(0)
    expect(match.inputAs(1, { right: true })).toBe(true)
    expect(match.inputAs(0, { right: true })).toBe(false)
    expect(() => match.inputAs(1, { left: true } as never)).toThrow(/the input fields are/)
    await stage.pass(1_000)
    expect(match.simulation.view.seats.held[1]).toBeGreaterThan(10)
    expect(match.simulation.view.seats.held[0]).toBe(0)
  })

  test('options are the game’s own, set by name and shown whole', async () => {
    const stage = makeStage()
    const match = await stage.join({ seats: 1, lobby: byOwner, options: { goal: 7 } })
    await stage.pass(100)
    const [shown, denied] = [record(match, 'room'), record(match, 'denied')]
    expect(match.room?.options).toEqual({ goal: 7, rules: 'short' })
    // One right after the other: the second does not undo the first, which nobody has shown yet.
    match.act({ type: 'set-options', options: { rules: 'long' } })
    match.act({ type: 'set-options', options: { goal: 9 } })
    await stage.pass(500)
    expect(match.room?.options).toEqual({ goal: 9, rules: 'long' })
    expect(shown.at(-1)?.options).toEqual({ goal: 9, rules: 'long' })
    const options = match.room?.options as { goal: number }
    expect(() => {
      options.goal = 1
    }).toThrow(TypeError)
    match.act({ type: 'set-options', options: { goal: 3 } })
    await stage.pass(500)
    match.act({ type: 'start' })
    await stage.pass(2_000)
    expect(match.simulation.options).toEqual({ goal: 3, rules: 'long' })
    expect(denied).toEqual([])
    match.act({ type: 'set-options', options: { goal: 4 } })
    await stage.pass(500)
    expect(denied).toMatchObject([{ action: 'set-options', reason: 'wrong-phase' }])
    expect(match.room?.options.goal).toBe(3)
  })

  test('orders settle with their tick, and inputs are held', async () => {
    const stage = makeStage()
    const match = await stage.join()
    const told = record(match, 'tick')
    await stage.pass(200)
    const handle = match.order('mark', { number: 0 })
    match.input({ right: true })
    await stage.pass(1_000)
    expect(handle.end).toMatchObject({ result: 'executed' })
    expect(await handle.settled).toBe(handle.end)
    expect(told).toMatchObject([{ tick: handle.end?.result === 'executed' ? handle.end.tick : 0 }])
    expect(match.simulation.view.seats.due[0]).toBe(1)
    expect(match.simulation.view.seats.held[0]).toBeGreaterThan(10)
    // @ts-expect-error there is no such order
    expect(() => match.order('fly', {})).toThrow(/orders are mark, crash/)
    expect(() => match.order('mark', { number: 1e9 })).toThrow(/mark\.number/)
    // @ts-expect-error there is no such input
    expect(() => match.input({ left: true })).toThrow()
  })

  test('whether an order would run is said at once, by the game and by where the match stands', async () => {
    const stage = makeStage()
    const match = await stage.join({ seats: 1, lobby: byOwner })
    await stage.pass(100)
    expect(match.canOrder('mark', { number: 0 })).toBe('The match is in its lobby')
    match.act({ type: 'start' })
    await stage.pass(2_000)
    expect(match.canOrder('mark', { number: 0 })).toBe(true)
    expect(match.canOrder('crash', {})).toBe(true)
    expect(match.canOrder('mark', { number: noSuchMark })).toBe('There is no such mark')
    expect(match.canOrder('mark', { number: lateMark })).toBe('Nobody has marked anything')
    const handle = match.order('mark', { number: 0 }, { precheck: true })
    expect(handle.end).toBeUndefined()
    await stage.pass(500)
    expect(handle.end).toMatchObject({ result: 'executed' })
    // By data derived from the newest state.
    expect(match.canOrder('mark', { number: lateMark })).toBe(true)
    // @ts-expect-error there is no such order
    expect(() => match.canOrder('fly', {})).toThrow(/orders are mark, crash/)
    expect(() => match.canOrder('mark', { number: 1e9 })).toThrow(/mark\.number/)
    match.act({ type: 'pause' })
    await stage.pass(500)
    expect(match.canOrder('mark', { number: 0 })).toBe('The match is paused')
    match.close()
    expect(match.canOrder('mark', { number: 0 })).toBe('The session is over')
  })

  test('an order that is checked first is refused at once, and sent to nobody', async () => {
    const stage = makeStage()
    const match = await stage.join()
    await stage.pass(200)
    const told = record(match, 'tick')
    const refused = { result: 'refused', reason: 'There is no such mark' }
    const checked = match.order('mark', { number: noSuchMark }, { precheck: true })
    expect(checked.end).toEqual({ ...refused, tick: undefined })
    expect(await checked.settled).toBe(checked.end)
    await stage.pass(500)
    expect(told).toEqual([])
    const sent = match.order('mark', { number: noSuchMark })
    expect(sent.end).toBeUndefined()
    await stage.pass(500)
    expect(sent.end).toMatchObject(refused)
    expect(told).toMatchObject([{ outcomes: [refused] }])
  })

  test('each order is told of when it is issued and when it has ended, and pending in between', async () => {
    const stage = makeStage()
    const match = await stage.join()
    await stage.pass(200)
    const told: string[] = []
    match.on('order', (event) => {
      const data = event.order.name === 'mark' ? event.order.data.number : ''
      told.push(`${event.order.number} ${event.order.name} ${data} ${event.result}`)
      // Who has heard of the end does not find it among those without.
      const isPending = match.pendingOrders.some(({ number }) => number === event.order.number)
      expect(isPending).toBe(event.result === 'issued')
      if (event.result === 'executed') expect(event.tick).toBeGreaterThan(event.order.issuedTick)
    })
    const data = { number: 0 }
    match.order('mark', data)
    match.order('mark', { number: noSuchMark })
    data.number = 7
    expect(told).toEqual(['0 mark 0 issued', `1 mark ${noSuchMark} issued`])
    expect(match.pendingOrders).toMatchObject([
      { number: 0, name: 'mark', data: { number: 0 } },
      { number: 1, name: 'mark', data: { number: noSuchMark } },
    ])
    match.order('mark', { number: noSuchMark }, { precheck: true })
    expect(told.splice(0).at(-1)).toBe(`2 mark ${noSuchMark} refused`)
    await stage.pass(500)
    expect(told.splice(0)).toEqual(['0 mark 0 executed', `1 mark ${noSuchMark} refused`])
    expect(match.pendingOrders).toEqual([])
    const closed = record(match, 'closed')
    match.order('mark', { number: 1 })
    match.on('order', () => expect(closed).toEqual([]))
    match.close()
    expect(told).toEqual(['3 mark 1 issued', '3 mark 1 lost'])
    expect(match.pendingOrders).toEqual([])
  })

  test('a listener of orders may issue others, and one that throws keeps nobody from issuing', async () => {
    const stage = makeStage()
    const match = await stage.join()
    await stage.pass(200)
    const reported = catchReported()
    match.on('order', ({ order, result }) => {
      if (result === 'executed' && order.number < 3)
        match.order('mark', { number: order.number + 1 })
      if (result === 'issued' && order.number === 2) throw new Error('of a listener')
    })
    match.order('mark', { number: 0 })
    await stage.pass(2_000)
    expect(match.simulation.view.seats.due[0]).toBe(4)
    expect(reported).toMatchObject([{ message: 'of a listener' }])
  })

  test('what is asked of the room is granted or denied in an event', async () => {
    const stage = makeStage()
    const match = await stage.join()
    const told = record(match, 'said', 'denied')
    await stage.pass(200)
    match.act({ type: 'say', scope: 'all', text: 'hello' })
    match.act({ type: 'set-speed', percent: 50 })
    match.act({ type: 'start' })
    await stage.pass(1_000)
    expect(told).toMatchObject([{ member: match.member, text: 'hello' }, { action: 'start' }])
    const before = match.simulation.tick
    await stage.pass(2_000)
    expect(Math.abs(match.simulation.tick - before - 20)).toBeLessThanOrEqual(2)
  })

  test('whoever was hidden plays on', async () => {
    const stage = makeStage()
    const match = await stage.join()
    await stage.pass(500)
    match.setHidden(true)
    await stage.pass(1_000)
    match.setHidden(false)
    const before = match.simulation.tick
    for (let count = 0; count < 60; count++) {
      await stage.pass(16)
      match.noteDraw(2)
    }
    expect(match.simulation.tick - before).toBeGreaterThan(12)
    expect(match.playState()).toEqual({ name: 'active' })
  })

  test('statistics tell what an overlay shows', async () => {
    const stage = makeStage()
    const match = await stage.join()
    await stage.pass(3_000)
    const { statistics } = match
    expect(statistics.cursors.simulatedTick).toBeGreaterThan(40)
    expect(statistics.rttMs).toBeGreaterThanOrEqual(0)
    expect(statistics.inputDelay).toBeGreaterThanOrEqual(1)
    expect(statistics.packetsReceived).toBeGreaterThan(40)
    expect(statistics.match?.seats).toMatchObject([{ seat: 0 }])
  })

  test('ticks are measured for as long as somebody wants it, over a new launch too', async () => {
    const stage = makeStage()
    const match = await stage.join({ seats: 1, lobby: byOwner, loadsItself: true })
    await stage.pass(500)
    expect(match.timings).toBeUndefined()
    const undo = match.measureTicks()
    const undoOther = match.measureTicks()
    match.act({ type: 'start' })
    await stage.pass(300)
    match.act({ type: 'cancel' })
    await stage.pass(300)
    expect(match.status).toBe('lobby')
    match.act({ type: 'start' })
    await stage.pass(300)
    match.reportLoad(100)
    await stage.pass(2_000)
    const { ticks = 0, scopes = [] } = match.timings ?? {}
    expect(ticks).toBeGreaterThan(10)
    expect(scopes.find(({ kind }) => kind === 'system')).toMatchObject({
      name: 'step',
      count: ticks,
    })
    expect(scopes.filter(({ kind }) => kind === 'phase')).toHaveLength(7)
    undo()
    undo()
    await stage.pass(500)
    expect(match.timings?.ticks).toBeGreaterThan(ticks)
    undoOther()
    expect(match.timings).toBeUndefined()
    await stage.pass(500)
    expect(match.timings).toBeUndefined()
  })

  test('a listener that is undone hears no more, and one that throws disturbs nobody', async () => {
    const stage = makeStage()
    const match = await stage.join()
    const heard: string[] = []
    const reported = catchReported()
    const undo = match.on('said', () => {
      heard.push('first')
      throw new Error('of a listener')
    })
    match.on('said', () => heard.push('second'))
    await stage.pass(200)
    match.act({ type: 'say', scope: 'all', text: 'one' })
    await stage.pass(500)
    undo()
    match.act({ type: 'say', scope: 'all', text: 'two' })
    await stage.pass(2_000)
    expect(heard).toEqual(['first', 'second', 'second'])
    expect(reported).toMatchObject([{ message: 'of a listener' }])
  })

  test('closing is told once, settles what was on its way, and leaves no timer', async () => {
    const stage = makeStage()
    const match = await stage.join()
    await stage.pass(500)
    const told = record(match, 'closed', 'status')
    const handle = match.order('mark', { number: 0 })
    match.close()
    match.close()
    expect(told).toEqual([{ reason: 'left', message: 'You left the match' }, 'closed'])
    expect([match.status, match.transport, handle.end]).toEqual([
      'closed',
      undefined,
      { result: 'lost' },
    ])
    expect(() => match.order('mark', { number: 0 })).toThrow(
      expect.objectContaining({ code: 'SS_CLOSED' }),
    )
    expect(() => match.act({ type: 'start' })).toThrow(
      expect.objectContaining({ code: 'SS_CLOSED' }),
    )
    await stage.pass(1_000)
    stage.world.relay.stop()
    await stage.pass(1_000)
    expect(stage.world.timing.timerCount).toBe(0)
  })
})
