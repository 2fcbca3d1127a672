import { describe, expect, test } from 'vitest'
import { ordersBurstMax, outboxOrdersMax } from '../../wire/limits.ts'
import { SessionGuard } from './session-guard.ts'

function make(): SessionGuard {
  return new SessionGuard(0, 20, undefined, 0)
}

/** How many of so many wishes are heard. */
function wish(guard: SessionGuard, count: number, nowMs: number): { [verdict: string]: number } {
  const counts: { [verdict: string]: number } = {}
  for (let left = count; left > 0; left--) {
    const verdict = guard.admitAct(nowMs)
    counts[verdict] = (counts[verdict] ?? 0) + 1
  }
  return counts
}

describe('wishes', () => {
  test('sixty at once are heard, then fifteen per second; the rest are refused', () => {
    const guard = make()
    expect(wish(guard, 70, 0)).toEqual({ taken: 60, rate: 10 })
    expect(wish(guard, 20, 1_000)).toEqual({ taken: 15, rate: 5 })
  })

  test('loading in steps of a percent within ten seconds is heard throughout', () => {
    const guard = make()
    for (let step = 0; step < 100; step++) expect(guard.admitAct(step * 100)).toBe('taken')
  })

  test('far above that is a flood', () => {
    const guard = make()
    expect(wish(guard, 241, 0)).toEqual({ taken: 60, rate: 180, flood: 1 })
  })
})

test('who is let in is there and level, and that is no news', () => {
  const { liveness, activity } = make()
  expect([liveness.presence, activity]).toEqual(['active', 'active'])
  expect(liveness.pollEvent()).toBeUndefined()
})

test('what a dead line held up comes in all at once; without a gap it is too much', () => {
  for (const gapMs of [100, 5_000]) {
    const guard = make()
    guard.noteHeard(400)
    guard.noteHeard(400 + gapMs)
    const verdicts = Array.from({ length: outboxOrdersMax }, () =>
      guard.admission.admit(new Uint8Array(4), false, 400 + gapMs),
    )
    const taken = verdicts.filter((verdict) => verdict === 'taken').length
    expect(taken).toBe(gapMs === 100 ? ordersBurstMax : outboxOrdersMax)
  }
})
