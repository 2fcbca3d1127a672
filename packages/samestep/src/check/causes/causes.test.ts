import { describe, expect, test } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import type { CauseId, Evidence } from './causes.ts'
import { causeIds, findCause, noEvidence } from './causes.ts'

const none: Evidence = { ...noEvidence, check: 'twin' }

const value = { path: 'world.heat', a: 1, b: 0, kind: 'value' } as const
const sequence = { path: 'world.line', a: [1, 2], b: [2, 1], kind: 'sequence' } as const

/** What speaks for each cause. */
const cases: readonly (readonly [CauseId, Partial<Evidence>])[] = [
  ['async-write', { check: 'async' }],
  ['mutated-options', { check: 'reload', areOptionsChanged: true }],
  ['kept-bytes', { check: 'bytes', memory: 'kept', hidden: [value] }],
  ['live-save', { check: 'bytes', memory: 'live', hidden: [value] }],
  ['library-random', { check: 'machine', factor: 'random', isInPackage: true }],
  ['environment', { check: 'machine', factor: 'environment', called: 'navigator.language' }],
  ['engine-texts', { check: 'machine', factor: 'texts', called: 'error.message' }],
  ['engine', { check: 'engines' }],
  ['derived-leftovers', { check: 'derived', isLeftover: true, hidden: [value] }],
  ['aliasing', { check: 'reload', alias: ['world.king', 'world.units[0]'] }],
  ['async-step', { check: 'throws', error: new UsageError('SS_ASYNC_STEP', 'a promise') }],
  ['table-full', { check: 'throws', error: new UsageError('SS_TABLE_FULL', 'full') }],
  ['cell-misfit', { check: 'cells', error: new UsageError('SS_BAD_VALUE', 'no room') }],
  ['game-throws', { check: 'throws', error: new RangeError('no') }],
  ['game-throws', { check: 'viewer', error: new RangeError('no') }],
  ['impure-validate', { check: 'pure', part: 'stats' }],
  ['view-write', { check: 'viewer', part: 'lamps' }],
  ['view-write', { check: 'viewer', error: new UsageError('SS_READONLY_VIEW', 'no') }],
  ['view-random', { check: 'viewer', part: '#random' }],
  ['viewer-leak', { check: 'viewer', isViewer: true, part: 'ants' }],
  ['random', { check: 'machine', factor: 'random', called: 'Math.random' }],
  ['clock', { check: 'machine', factor: 'clock' }],
  ['zone', { check: 'machine', factor: 'zone' }],
  ['locale', { check: 'machine', factor: 'locale' }],
  // Near floats by another engine's Math are not floats in another sequence.
  ['math', { check: 'machine', factor: 'math', values: [0.1, 0.10000000000000002] }],
  ['sort', { check: 'machine', factor: 'sort' }],
  ['nan-bits', { check: 'nan', hidden: [value] }],
  ['impure-derived', { check: 'derived' }],
  ['stale-derived', { check: 'derived', hidden: [value] }],
  ['float-sequence', { check: 'reload', values: [61.57142857142858, 61.57142857142857] }],
  ['float-sequence', { check: 'rejoin', values: [1e300, 1e300 * (1 + 1e-15)] }],
  ['iteration-order', { check: 'order', hidden: [sequence] }],
  ['iteration-order', { check: 'reload', hidden: [sequence], values: [3, 4] }],
  ['missing-save', { check: 'reload', hidden: [value], values: [1, 0] }],
  ['unfaithful-save', { check: 'bytes' }],
  ['outside-state', { check: 'reload', values: [1, 2] }],
  ['module-state', { check: 'rejoin', isModule: true, hidden: [value] }],
  ['module-state', { check: 'later', values: [1, 2] }],
  ['module-state', { check: 'twin', values: [1, 2] }],
  ['environment', { check: 'elsewhere' }],
  ['not-canonical', { check: 'canonical' }],
  ['allocation', { check: 'allocation' }],
  ['unknown', { check: 'machine' }],
]

describe('causes', () => {
  test.each(cases)('%s is told by %j', (id, evidence) => {
    const cause = findCause({ ...none, ...evidence })
    expect(cause.id).toBe(id)
    expect(cause.evidence).not.toBe('')
  })

  test('all have a test', () => {
    expect(new Set(cases.map(([id]) => id))).toEqual(new Set(causeIds))
  })

  test('say what to do in whole sentences, each another', () => {
    const advice = cases.map(([, evidence]) => findCause({ ...none, ...evidence }).advice)
    for (const text of advice) expect(text).toMatch(/^[A-Za-z].*\.$/)
    expect(new Set(advice).size).toBe(causeIds.length)
  })

  test('whole numbers that are close are not floats that are close', () => {
    const values = [4_000_000_001, 4_000_000_000] as const
    expect(findCause({ ...none, check: 'reload', values }).id).toBe('outside-state')
  })

  test('name what the game called', () => {
    const { evidence } = findCause({
      ...none,
      check: 'machine',
      factor: 'clock',
      called: 'Date.now',
    })
    expect(evidence).toContain('Date.now')
  })
})
