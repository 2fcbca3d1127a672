import { describe, expect, test } from 'vitest'
import { TickPacer } from '../pacing/tick-pacer.ts'
import { ClientWorld } from '../testing/client-world.ts'
import { roomOf, shownRoom } from '../testing/rooms.ts'
import { MissedInputs } from './missed-inputs.ts'
import { playState } from './play-state.ts'

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

/** Nothing was missed. */
const none = new MissedInputs(20)

describe('a player is shown', () => {
  test('that it waits, before the match runs, and for whom', () => {
    const world = new ClientWorld().enterLobby()
    expect(world.client.playState(world.nowMs)).toEqual({ name: 'waiting', room: undefined })
    world.show('lobby')
    expect(world.client.playState(world.nowMs)).toEqual({
      name: 'waiting',
      room: shownRoom('lobby'),
    })
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

  test('for how long the next tick is late, and the seats that everybody waits for', () => {
    const { pacer, nowMs } = played(20)
    for (let late = 10; late <= 400; late += 10) pacer.plan(nowMs + late, 20, 20)
    const room = { ...roomOf('running'), waitingFor: [1] }
    const state = playState(
      { pacer, missed: none, activity: 'active', pause: undefined },
      room,
      nowMs + 400,
    )
    expect(state).toMatchObject({ name: 'stalled', waitingFor: [1] })
    expect(state.name === 'stalled' && state.forMs).toBeGreaterThan(300)
    expect(state.name === 'stalled' && state.forMs).toBeLessThanOrEqual(400)
  })

  test('no seat when the match waits for nobody, also where somebody is silent: then it is the line', () => {
    const { pacer, nowMs } = played(20)
    for (let late = 10; late <= 400; late += 10) pacer.plan(nowMs + late, 20, 20)
    const away = roomOf('running', { presence: 'lagging' }, { presence: 'silent' })
    for (const room of [undefined, roomOf('running'), away]) {
      expect(
        playState({ pacer, missed: none, activity: 'active', pause: undefined }, room, nowMs + 400),
      ).toMatchObject({ waitingFor: [] })
    }
  })

  test('that most of its inputs come too late, while the game goes on', () => {
    const { pacer, nowMs } = played(20)
    const missed = new MissedInputs(20)
    for (let tick = 1; tick <= 45; tick++) missed.note(tick, true)
    const state = playState(
      { pacer, missed, activity: 'active', pause: undefined },
      undefined,
      nowMs,
    )
    expect(state).toEqual({ name: 'inputs-late', missedPercent: 75 })
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
    const state = playState(
      { pacer, missed: none, activity: 'catching-up', pause: undefined },
      undefined,
      nowMs + 10_050,
    )
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
    expect(
      playState({ pacer, missed: none, activity: 'slow', pause: undefined }, undefined, nowMs),
    ).toEqual({
      name: 'slow',
      loadPercent: 150,
    })
  })

  test('that the match is paused, by whom and since when, until it goes on', () => {
    const world = new ClientWorld().sit()
    world.tick()
    world.tick({ events: [{ type: 'pause', seat: 1 }] })
    world.wait(400)
    expect(world.client.playState(world.nowMs)).toEqual({
      name: 'paused',
      bySeat: 1,
      sinceTick: 1,
      forMs: 400,
      isHalted: false,
    })
    world.tick({ events: [{ type: 'resume', seat: 0 }] })
    expect(world.client.playState(world.nowMs).name).toBe('active')
    world.tick({ events: [{ type: 'pause', seat: undefined }] })
    expect(world.client.playState(world.nowMs)).toMatchObject({ name: 'paused', bySeat: undefined })
  })

  test('that the relay is looked for, before it has let anybody in and in a lobby', () => {
    const world = new ClientWorld()
    expect(world.client.playState(world.nowMs)).toEqual({ name: 'connecting' })
    world.enterLobby()
    expect(world.client.playState(world.nowMs).name).toBe('waiting')
    world.breakLink()
    expect(world.client.playState(world.nowMs)).toEqual({ name: 'connecting' })
  })

  test('that it is over, and why', () => {
    const world = new ClientWorld().sit()
    world.tick()
    world.say('RelayClose', { reason: 'kicked', message: 'Out' })
    const closed = { name: 'closed', reason: 'kicked', message: 'Out' }
    expect(world.client.playState(world.nowMs)).toEqual(closed)
  })
})
