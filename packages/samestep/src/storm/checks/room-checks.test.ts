import { describe, expect, test } from 'vitest'
import { makeMatchConfig } from '../../wire/messages/match-config.ts'
import { World } from '../engine/world.ts'
import { BotBook, RateCheck, SystemTrack, VoteBook } from './room-checks.ts'

function worldAt(ms: number): World {
  const world = new World({ seed: 1 })
  world.runUntil(ms)
  return world
}

const config = makeMatchConfig({
  seats: 3,
  tickRate: 30,
  inputDelay: 3,
  inputDelayMin: 2,
  inputDelayMax: 5,
  pace: { pauseBy: 'player', speedBy: 'owner', pausesMax: 2, pauseMsMax: 1_000 },
})

describe('the track of pauses, speed and delay', () => {
  const pause = { type: 'pause', seat: 1 } as const
  const resume = { type: 'resume', seat: undefined } as const

  test('is what the sealed ticks say', () => {
    const track = new SystemTrack(worldAt(0), config)
    track.noteEvents(1, [
      { type: 'join', seat: 2 },
      { type: 'speed', percent: 50 },
      { type: 'delay', ticks: 5 },
      pause,
    ])
    const { present, ...state } = track.state
    const paused = { isPaused: true, speedPercent: 50, inputDelay: 5 }
    expect(state).toEqual({ tick: 1, ranTicks: 0, ...paused })
    expect([...present]).toEqual([2])
    track.noteEvents(2, [resume])
    track.noteEvents(3, [])
    expect(track.state.ranTicks).toBe(2)
  })

  test('allows no more pauses than the match does, and none that outlasts its time', () => {
    const world = worldAt(0)
    const track = new SystemTrack(world, config)
    track.noteEvents(1, [pause])
    world.runUntil(1_400)
    track.noteEvents(2, [])
    world.runUntil(1_600)
    expect(() => track.noteEvents(3, [])).toThrow('T-39')
    track.noteEvents(4, [resume])
    track.noteEvents(5, [pause])
    track.noteEvents(6, [resume])
    expect(() => track.noteEvents(7, [pause])).toThrow('paused 3 times')
  })

  test('allows no second pause on top of one, and no end of what goes on', () => {
    const track = new SystemTrack(worldAt(0), config)
    expect(() => track.noteEvents(1, [resume])).toThrow('T-39')
    track.noteEvents(1, [pause])
    expect(() => track.noteEvents(2, [pause])).toThrow('T-39')
  })

  test('allows no delay beyond its range, and no change to what it is', () => {
    const track = new SystemTrack(worldAt(0), config)
    expect(() => track.noteEvents(1, [{ type: 'delay', ticks: 6 }])).toThrow('I-19')
    expect(() => track.noteEvents(1, [{ type: 'delay', ticks: 3 }])).toThrow('I-19')
  })
})

describe('the book of votes', () => {
  const vote = {
    id: 7,
    kind: 'kick',
    target: 2,
    percent: 0,
    proposer: 0,
    yes: 2,
    no: 1,
    electors: 3,
    needed: 2,
    remainingMs: 0,
    state: 'passed',
  } as const

  test('knows who was voted out by more than half, with ballots that were cast', () => {
    const book = new VoteBook(worldAt(0))
    book.noteBallot('c1', 7, true)
    book.noteHeard(vote)
    expect([book.isVotedOut(2), book.isVotedOut(1), book.isVotedOut(undefined)]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('accepts no tie, and no ballot that nobody cast or that was cast twice', () => {
    const tied = new VoteBook(worldAt(0))
    tied.noteBallot('c1', 7, true)
    expect(() => tied.noteHeard({ ...vote, electors: 4 })).toThrow('T-55')
    const stuffed = new VoteBook(worldAt(0))
    stuffed.noteBallot('c1', 7, true)
    stuffed.noteBallot('c1', 7, true)
    expect(() => stuffed.noteHeard({ ...vote, yes: 3 })).toThrow('T-55')
  })

  test('accepts no second proposal of one player within three minutes', () => {
    const book = new VoteBook(worldAt(0))
    const open = { ...vote, yes: 1, state: 'open' } as const
    book.noteHeard(open)
    book.noteHeard({ ...open, id: 8, proposer: 1 })
    expect(() => book.noteHeard({ ...open, id: 9 })).toThrow('T-56')
  })
})

describe('the book of bots', () => {
  const [a, b] = [Uint8Array.of(1), Uint8Array.of(2)]

  test('accepts orders once, in sequence, and of who runs the bot', () => {
    const book = new BotBook(worldAt(5_000))
    book.noteRunner(2, 4, 1)
    for (const bytes of [a, b, a]) book.noteIssued(2, 4, bytes)
    book.noteSealed(2, b, 1)
    book.noteSealed(2, a, 2)
    expect(() => book.noteSealed(2, a, 3)).toThrow('I-06')
  })

  test('accepts orders of a former runner only for a moment', () => {
    const world = worldAt(0)
    const book = new BotBook(world)
    book.noteRunner(2, 4, 1)
    for (const bytes of [a, b]) book.noteIssued(2, 4, bytes)
    for (let ticks = 0; ticks <= 8; ticks++) book.noteRunner(2, 5, 2)
    book.noteSealed(2, a, 1)
    book.noteRunner(2, 5, 2)
    expect(() => book.noteSealed(2, b, 2)).toThrow('it is run by 5')
  })
})

describe('the rate of ticks', () => {
  const state = {
    tick: 0,
    ranTicks: 0,
    isPaused: false,
    speedPercent: 100,
    inputDelay: 3,
    present: new Set<number>(),
  }

  function seal(intervalMs: number, change: (check: RateCheck, tick: number) => void = () => {}) {
    const world = worldAt(0)
    const check = new RateCheck(world, config)
    for (let tick = 1; tick <= 400; tick++) {
      world.runUntil(tick * intervalMs)
      change(check, tick)
      check.noteSealed(tick, state)
    }
  }

  test('is kept to one tick in ten seconds', () => {
    expect(() => seal(1_000 / 30)).not.toThrow()
    expect(() => seal(1_010 / 30)).toThrow('I-07')
    expect(() => seal(990 / 30)).toThrow('I-07')
  })

  test('is not looked at while the relay itself is disturbed', () => {
    expect(() => seal(1_010 / 30, (check) => check.disturb(20_000))).not.toThrow()
  })
})
