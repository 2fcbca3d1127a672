import { describe, expect, test } from 'vitest'
import type { Match } from '../../relay/match/match.ts'
import type { Session } from '../../relay/match/session.ts'
import { World } from '../engine/world.ts'
import { checkStretch, FlushCheck, HoldBook } from './pace-checks.ts'

/** A relay's books about one client; ticks are sealed every 30 ms. */
function make() {
  const world = new World({ seed: 1 })
  const check = new FlushCheck(world)
  const bytes = { each: 2 }
  const session = { name: 'ada', link: 1, sentTick: 0, ackedTick: 0, ticksPerPacket: 1 }
  const log = {
    firstTick: 1,
    sealedTick: 0,
    at: () => new Uint8Array(bytes.each),
    lastFor: (ackedTick: number) => Math.min(log.sealedTick, ackedTick + 120),
  }
  const look = () => check.check({ log, sessions: new Set([session]) } as unknown as Match)
  const seal = (sends: boolean) => {
    world.runUntil(world.nowMs + 30)
    log.sealedTick += 1
    check.noteSealed(log.sealedTick)
    if (sends) session.sentTick = log.sealedTick
    look()
  }
  look()
  return { world, session, bytes, seal, look }
}

describe('[I-25] a tick that waits', () => {
  test('for others may do so for 100 ms, and otherwise not at all', () => {
    const { world, session, seal, look } = make()
    seal(true)
    session.ticksPerPacket = 4
    for (let ticks = 0; ticks < 4; ticks++) seal(false)
    world.runUntil(world.nowMs + 10)
    look()
    world.runUntil(world.nowMs + 10)
    expect(look).toThrow('Tick 2 waits since 110 ms to be sent to ada')
    session.sentTick = 5
    session.ticksPerPacket = 1
    seal(false)
    world.runUntil(world.nowMs + 6)
    expect(look).toThrow('Tick 6 waits since 6 ms')
  })

  test('for a new link goes out with the next tick, whenever that comes', () => {
    const { world, session, seal, look } = make()
    session.link = -1
    for (let ticks = 0; ticks < 10; ticks++) seal(false)
    session.link = 2
    look()
    world.runUntil(world.nowMs + 500)
    look()
    seal(true)
    seal(false)
    expect(() => seal(false)).toThrow('I-25')
  })

  test('may do so longer when there is more than a packet holds', () => {
    const { session, bytes, seal } = make()
    bytes.each = 1_000
    session.ticksPerPacket = 4
    for (let ticks = 0; ticks < 10; ticks++) seal(false)
    bytes.each = 2
    for (let ticks = 0; ticks < 4; ticks++) seal(false)
    expect(() => seal(false)).toThrow('Tick 1 waits since')
  })

  test('for who has confirmed nothing for long waits for him', () => {
    const { session, seal } = make()
    for (let ticks = 0; ticks < 120; ticks++) seal(true)
    for (let ticks = 0; ticks < 30; ticks++) seal(false)
    session.ackedTick = 100
    seal(true)
    expect(session.sentTick).toBe(151)
  })
})

describe('[I-26] the speed', () => {
  const matchAt = (effectivePercent: number, lagStretch: boolean, lagMode = 'off') => {
    const pace = { requestedPercent: 100, effectivePercent }
    return { config: { lagMode, lagStretch }, room: { pace } } as unknown as Match
  }
  const look = (...[percent, stretch, mode]: Parameters<typeof matchAt>) => {
    return () => checkStretch(new World({ seed: 1 }), matchAt(percent, stretch, mode))
  }

  test('is what was asked for, or a tenth less where ticks may be stretched', () => {
    for (const percent of [91, 95, 100]) look(percent, true)()
    expect(look(90, true)).toThrow('The match goes at 90 % where 100 were asked for')
    expect(look(101, true)).toThrow('I-26')
    look(100, false)()
    expect(look(99, false)).toThrow('I-26')
    look(20, false, 'maximum')()
  })
})

test('[I-29] who holds inputs back must say so, unless what he said is still on its way', () => {
  const world = new World({ seed: 1 })
  const book = new HoldBook(world)
  const session = { name: 'ada', guard: { heldMs: 0 }, newestInputTick: 40 }
  const look = () => book.check(session as unknown as Session)
  for (let tick = 1; tick <= 40; tick++) {
    book.noteArrival()
    world.runUntil(world.nowMs + 9)
    book.noteInput(tick)
  }
  for (let looks = 0; looks < 2; looks++) look()
  expect(look).toThrow('ada holds inputs back for 9.0 ms and says 0')
  session.newestInputTick = 15
  look()
  session.newestInputTick = 40
  session.guard.heldMs = 9
  look()
  session.guard.heldMs = 0
  book.noteArrival()
  book.noteInput(41)
  look()
})
