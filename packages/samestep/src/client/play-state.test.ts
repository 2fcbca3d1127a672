import { describe, expect, test } from 'vitest'
import { TickPacer } from './pacing/tick-pacer.ts'
import { playState } from './play-state.ts'
import { ClientWorld, roomOf } from './testing/client-world.ts'

/** A pacer at 20 ticks per second that has played up to a tick, and the time. */
function played(ticks: number) {
  const pacer = new TickPacer(20)
  let nowMs = 0
  for (let tick = 1; tick <= ticks; tick++) {
    nowMs += 50
    pacer.noteArrival(tick, nowMs)
    pacer.noteRan(pacer.plan(nowMs, tick - 1, tick), 0.1)
  }
  return { pacer, nowMs }
}

describe('a player is shown', () => {
  test('that it waits, before the match runs, and for whom', () => {
    const world = new ClientWorld().enterLobby()
    expect(world.client.playState(world.nowMs)).toEqual({ name: 'waiting', room: undefined })
    world.show('lobby')
    expect(world.client.playState(world.nowMs)).toEqual({ name: 'waiting', room: roomOf('lobby') })
    world.launch()
    world.show('loading')
    expect(world.client.playState(world.nowMs)).toMatchObject({ name: 'waiting' })
    world.show('running')
    expect(world.client.playState(world.nowMs)).toEqual({ name: 'active' })
  })

  test('the match, from its first tick on, whatever was said of the room', () => {
    const world = new ClientWorld().sit()
    expect(world.client.playState(world.nowMs).name).toBe('waiting')
    world.tick()
    expect(world.client.playState(world.nowMs)).toEqual({ name: 'active' })
  })

  test('that nobody looks', () => {
    const world = new ClientWorld().sit()
    world.tick()
    world.client.setHidden(true)
    expect(world.client.playState(world.nowMs)).toEqual({ name: 'hidden' })
    world.client.setHidden(false)
    expect(world.client.playState(world.nowMs)).toEqual({ name: 'active' })
  })

  test('for how long the next tick is late, and the seats that may be why', () => {
    const { pacer, nowMs } = played(20)
    for (let late = 10; late <= 400; late += 10) pacer.plan(nowMs + late, 20, 20)
    const room = roomOf('running', { presence: 'lagging' }, { presence: 'silent' })
    const state = playState(pacer, 'active', room, nowMs + 400)
    expect(state).toMatchObject({ name: 'stalled', waitingFor: [0, 1] })
    expect(state.name === 'stalled' && state.forMs).toBeGreaterThan(300)
    expect(state.name === 'stalled' && state.forMs).toBeLessThanOrEqual(400)
  })

  test('no seat when all are there, or when nothing is known: then it is the line', () => {
    const { pacer, nowMs } = played(20)
    for (let late = 10; late <= 400; late += 10) pacer.plan(nowMs + late, 20, 20)
    const away = roomOf('running', { presence: 'hidden' }, { presence: 'gone' })
    const watcher = roomOf('running', {}, { presence: 'silent', seat: undefined })
    for (const room of [undefined, roomOf('running'), away, watcher]) {
      expect(playState(pacer, 'active', room, nowMs + 400)).toMatchObject({ waitingFor: [] })
    }
  })

  test('how far it is with catching up', () => {
    const { pacer, nowMs } = played(20)
    pacer.noteArrival(220, nowMs + 10_000)
    let simulated = 20
    for (let frame = 0; frame < 3; frame++) {
      const count = pacer.plan(nowMs + 10_000 + frame * 16, simulated, 220)
      pacer.noteRan(count, 0.1 * count)
      simulated += count
    }
    const state = playState(pacer, 'catching-up', undefined, nowMs + 10_050)
    expect(state).toMatchObject({ name: 'catching-up', ticksLeft: 220 - simulated })
    if (state.name !== 'catching-up') throw new Error('It does not catch up')
    expect(simulated).toBeGreaterThan(20)
    expect(state.progress).toBeGreaterThan(0)
    expect(state.progress).toBeLessThan(1)
    expect(Number.isFinite(state.leftMs)).toBe(true)
  })

  test('that its machine is too slow, and how much', () => {
    const { pacer, nowMs } = played(20)
    for (let count = 0; count < 64; count++) pacer.load.noteTicks(1, 75)
    pacer.plan(nowMs + 50, 20, 21)
    expect(playState(pacer, 'slow', undefined, nowMs)).toEqual({ name: 'slow', loadPercent: 150 })
  })
})
