import { describe, expect, test } from 'vitest'
import { WireError } from '../base/errors.ts'
import type { RecordEntry } from './entries.ts'
import { MatchHistories } from './match-histories.ts'
import { MatchHistory } from './match-history.ts'
import { scanRecord } from './scan.ts'
import {
  BundleMaker,
  makeSampleRecord,
  sampleGroups,
  sampleMatch,
  sampleMember,
  sampleOrder,
  sampleRoom,
} from './testing/sample.ts'

function historyOf(...entries: RecordEntry[]): MatchHistory {
  const history = new MatchHistory(sampleMatch)
  for (const entry of entries) history.apply(entry)
  return history
}

const bundle = (body: Uint8Array): RecordEntry => ({ name: 'bundle', body })
const member = (...args: Parameters<typeof sampleMember>): RecordEntry => ({
  name: 'member',
  body: sampleMember(...args),
})

describe('the history of a match', () => {
  test('has its newest ticks, inputs, members and room', () => {
    const history = historyOf(...sampleGroups().flat().slice(1))
    expect(history.sealedTick).toBe(10)
    // The last of the gap is kept.
    expect(history.firstTick).toBe(9)
    expect(history.bundles[0]).toEqual(Uint8Array.of(1, 2, 3))
    expect([...history.inputs]).toEqual([2, 0, 1, 500, 1, 0])
    expect([...history.members.keys()]).toEqual([0, 2])
    const { pause: _, vote, proposals, ...room } = sampleRoom
    // Ticks have passed since: what was left is less.
    expect(history.room?.vote?.remainingMs).toBeLessThan(vote?.remainingMs as number)
    expect(history.room?.proposals[0]?.waitMs).toBeLessThan(proposals[0]?.waitMs as number)
    expect(history.kicked).toEqual([new Uint8Array(16).fill(0x71)])
    expect(history.silenced).toMatchObject([{ of: 'ticket', isMuted: true, muteMs: 0 }])
    expect(history.room).toMatchObject({ ...room, inputDelay: 4, pause: { by: 'player', seat: 1 } })
    expect(history.taken).toEqual([])
    expect(history.end?.reason).toBe('over')
  })

  test('counts the orders of a member on from what was sealed, refused and taken', () => {
    const bundles = new BundleMaker()
    const start = [member(0, 0, 250), member(1, 1)]
    const sealed = bundle(bundles.make([sampleOrder(0, 250), sampleOrder(0, 257)]))
    const history = historyOf(...start, sealed)
    expect(history.members.get(0)?.nextOrder).toBe(258)
    history.apply({ name: 'refused', body: { member: 0, number: 258, reason: 'rate' } })
    expect(history.members.get(0)?.nextOrder).toBe(259)
    history.apply({ name: 'taken', body: { seat: 0, number: 259, bytes: Uint8Array.of(1) } })
    expect(history.members.get(0)?.nextOrder).toBe(260)
    expect(history.members.get(1)?.nextOrder).toBe(0)
  })

  test('[I-04] a taken order waits until it is sealed, and is not counted twice', () => {
    const bundles = new BundleMaker()
    const taken = sampleOrder(0, 5)
    const history = historyOf(member(0, 0, 5), { name: 'taken', body: taken })
    expect(history.taken).toEqual([taken])
    history.apply(bundle(bundles.make([sampleOrder(0, 5)])))
    expect(history.taken).toEqual([])
    expect(history.members.get(0)?.nextOrder).toBe(6)
  })

  test('ORD-10 an order that goes past one in a pause is not taken for it', () => {
    const bundles = new BundleMaker()
    const waits = { seat: 0, number: 5, bytes: Uint8Array.of(1) }
    const history = historyOf(member(0, 0, 260), { name: 'taken', body: waits })
    history.apply(bundle(bundles.make([sampleOrder(0, 261)])))
    expect([history.taken, history.members.get(0)?.nextOrder]).toEqual([[waits], 262])
  })

  test('events wait until a bundle has them', () => {
    const waiting = new BundleMaker().make([], [{ type: 'join', seat: 0 }])
    const history = historyOf({ name: 'waiting', body: waiting })
    expect(history.waitingEvents).toEqual([{ type: 'join', seat: 0 }])
    history.apply(bundle(new BundleMaker().make([], [{ type: 'join', seat: 0 }])))
    expect(history.waitingEvents).toEqual([])
  })

  test('sealed events move the pace on', () => {
    const bundles = new BundleMaker()
    const history = historyOf({ name: 'room', body: sampleRoom })
    const events = [{ type: 'resume', seat: 1 } as const, { type: 'speed', percent: 80 } as const]
    history.apply(bundle(bundles.make([], events)))
    expect(history.room).toMatchObject({ pause: undefined, effectivePercent: 80 })
  })

  test('who pauses again before a resume is sealed has paused: the relay goes on in that pause', () => {
    const resume = { type: 'resume', seat: 1 } as const
    const pause = { type: 'pause', seat: 1 } as const
    const room: RecordEntry = { name: 'room', body: sampleRoom }
    const inOne = historyOf(room, bundle(new BundleMaker().make([], [resume, pause])))
    expect([inOne.isPaused, inOne.room?.pause?.seat]).toEqual([true, 1])
    const waiting = new BundleMaker().make([], [resume, pause])
    const inTwo = historyOf(room, { name: 'waiting', body: waiting })
    expect(inTwo.isPaused).toBe(true)
    inTwo.apply(bundle(new BundleMaker().make([], [resume])))
    expect([inTwo.isPaused, inTwo.room?.pause?.seat]).toEqual([false, 1])
    inTwo.apply(bundle(new BundleMaker().make([], [pause])))
    expect([inTwo.isPaused, inTwo.room?.pause?.seat]).toEqual([true, 1])
  })

  test.each<[string, RecordEntry]>([
    ['a bundle that is none', bundle(Uint8Array.of(0xff, 0xff, 0xff))],
    ['a seat that it has not', member(0, 3)],
    [
      'inputs of another game',
      { name: 'gap', body: { firstTick: 1, lastTick: 2, why: 'lost', inputs: [1] } },
    ],
    ['another match', { name: 'match', body: sampleMatch }],
  ])('refuses %s', (_, entry) => {
    expect(() => historyOf(entry)).toThrow(WireError)
  })
})

describe('the matches of a file', () => {
  test('[F-16] a torn group counts for nothing, wherever it is torn', () => {
    const sample = makeSampleRecord()
    for (let cut = 0; cut <= sample.length; cut++) {
      const histories = new MatchHistories()
      const ends: number[] = []
      scanRecord([sample.subarray(0, cut)], (item) => {
        histories.add(item)
        if (item.isLast) ends.push(item.tick)
      })
      const history = histories.byId.get(sampleMatch.id)
      expect(history?.sealedTick).toBe(ends.at(-1))
      // Whoever is in the first group is in it as a whole.
      if (history !== undefined) expect(history.room).toBeDefined()
    }
  })

  test('a match that is written anew replaces what was said before', () => {
    const histories = new MatchHistories()
    const add = (entry: RecordEntry, isLast = true) =>
      histories.add({ entry, isLast, match: 0, tick: 0, offset: 0 })
    add({ name: 'match', body: sampleMatch })
    add(member(0, 0))
    add({ name: 'match', body: sampleMatch }, false)
    expect(histories.byId.get(sampleMatch.id)?.members.size).toBe(1)
    add(member(1, 1))
    expect([...histories.byId.get(sampleMatch.id)!.members.keys()]).toEqual([1])
  })
})
