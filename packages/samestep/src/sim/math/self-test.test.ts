import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { UsageError } from '../../base/errors.ts'
import { dmath } from './dmath.ts'
import * as selfTest from './self-test.ts'

/** A module whose verdict nobody has asked for yet. */
async function freshAssert(): Promise<() => void> {
  vi.resetModules()
  const fresh = await import('./self-test.ts')
  return fresh.assertEngine
}

beforeEach(() => {
  vi.restoreAllMocks()
})
afterEach(() => {
  vi.restoreAllMocks()
})

test('[DET-04] this engine computes the digests that are written in the source', () => {
  expect(dmath.sin(0)).toBe(0)
  const expected = selfTest.expectedDigests()
  expect(expected.map(({ group }) => group)).toContain('dmath')
  expect(selfTest.computeEngineDigests()).toEqual(expected)
  expect(() => selfTest.assertEngine()).not.toThrow()
})

test('[DET-04] digests are the same on each call', () => {
  expect(selfTest.computeEngineDigests()).toEqual(selfTest.computeEngineDigests())
})

test.each<[keyof Math & ('sqrt' | 'fround' | 'imul' | 'clz32' | 'round'), string]>([
  ['sqrt', 'arithmetic'],
  ['fround', 'rounding'],
  ['round', 'rounding'],
  ['imul', 'arithmetic'],
  ['clz32', 'integers'],
])('[DET-04] an engine with a wrong Math.%s is refused, naming its %s', async (name, group) => {
  const assertEngine = await freshAssert()
  const right = Math[name] as (...values: number[]) => number
  vi.spyOn(Math, name).mockImplementation(
    (...values: number[]) => right(...values) * (1 + 2 ** -52) + 1,
  )
  let caught: unknown
  try {
    assertEngine()
  } catch (error) {
    caught = error
  }
  vi.restoreAllMocks()
  expect(caught).toBeInstanceOf(Error)
  expect(caught).toMatchObject({ name: 'UsageError', code: 'SS_ENGINE_DIFFERS' })
  expect((caught as UsageError).message).toContain(`its ${group} is`)
})

test('[DET-04] a good verdict is kept: later calls compute nothing', async () => {
  const assertEngine = await freshAssert()
  assertEngine()
  const sqrt = vi.spyOn(Math, 'sqrt')
  assertEngine()
  expect(sqrt).not.toHaveBeenCalled()
})

test('[DET-04] a bad verdict is given on each call', async () => {
  const assertEngine = await freshAssert()
  const spy = vi.spyOn(Math, 'clz32').mockReturnValue(7)
  expect(() => assertEngine()).toThrow('Cannot simulate')
  expect(() => assertEngine()).toThrow('Cannot simulate')
  spy.mockRestore()
  expect(() => assertEngine()).not.toThrow()
})

test('[DET-04] a module that is imported is tested with the rest, also after a good verdict', async () => {
  vi.resetModules()
  const fresh = await import('./self-test.ts')
  fresh.assertEngine()
  expect(fresh.expectedDigests()).toEqual(fresh.ENGINE_DIGESTS)
  await import('./dmath.ts')
  expect(fresh.expectedDigests().at(-1)?.group).toBe('dmath')
  fresh.assertEngine()
  fresh.registerEngineGroup({ group: 'wrong', digest: '0' }, ({ add }) => add(1))
  expect(() => fresh.assertEngine()).toThrow('its wrong is')
})
