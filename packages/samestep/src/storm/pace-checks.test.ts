import { describe, expect, test } from 'vitest'
import type { Match } from '../relay/match.ts'
import { World } from './engine/world.ts'
import { FlushCheck } from './pace-checks.ts'

/** A relay's books about one client; ticks are sealed every 30 ms. */
function make() {
  const world = new World({ seed: 1 })
  const check = new FlushCheck(world)
  const session = { name: 'ada', link: 1, sentTick: 0, ackedTick: 0, ticksPerPacket: 1 }
  const log = { sealedTick: 0 }
  const look = () => check.check({ log, sessions: new Set([session]) } as unknown as Match)
  const seal = (sends: boolean) => {
    world.runUntil(world.nowMs + 30)
    log.sealedTick += 1
    check.noteSealed(log.sealedTick)
    if (sends) session.sentTick = log.sealedTick
    look()
  }
  look()
  return { world, session, log, seal, look }
}

describe('[I-25] a tick that waits', () => {
  test('may do so for 100 ms', () => {
    const { world, seal, look } = make()
    seal(true)
    for (let ticks = 0; ticks < 4; ticks++) seal(false)
    world.runUntil(world.nowMs + 10)
    look()
    world.runUntil(world.nowMs + 10)
    expect(look).toThrow('Tick 2 waits since 110 ms to be sent to ada')
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
    for (let ticks = 0; ticks < 4; ticks++) seal(false)
    expect(() => seal(false)).toThrow('I-25')
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
