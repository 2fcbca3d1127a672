import os from 'node:os'
import { describe, expect, test } from 'vitest'
import { Machine } from './machine.ts'
import type { Factor } from './machine-state.ts'
import { factors } from './machine-state.ts'
import { caughtName } from './machine-texts.ts'

const base = () => new Machine({ seed: 1, tickRate: 30 })
const other = (...others: Factor[]) => new Machine({ seed: 1, tickRate: 30, others })

/** What a game could ask its machine, by the factor that it tells of. */
const questions: { readonly [factor in Factor]: readonly (() => unknown)[] } = {
  random: [
    () => Math.random(),
    () => crypto.randomUUID(),
    () => crypto.getRandomValues(new Uint8Array(8)),
  ],
  clock: [
    () => Date.now(),
    () => new Date().toISOString(),
    () => performance.now(),
    () => process.hrtime.bigint(),
    () => process.uptime(),
  ],
  zone: [
    () => new Date(1e12).getHours(),
    () => new Date(1e12).getTimezoneOffset(),
    () => new Date(2020, 1, 1).getTime(),
    () => String(new Date(1e12)),
  ],
  locale: [
    () => ['tee', 'zoo', 'sun'].sort((a, b) => a.localeCompare(b)),
    () => ['tee', 'zoo', 'sun'].sort(new Intl.Collator().compare),
  ],
  math: [() => Math.sin(1), () => Math.cbrt(2), () => Math.hypot(1, 1), () => Math.exp(1)],
  sort: [
    () =>
      [3, 1, 3, 1, 2, 3, 2, 1]
        .map((key, id) => ({ key, id }))
        .sort((a, b) => (a.key > b.key ? 1 : -1)),
  ],
  environment: [
    () => process.env.NODE_ENV,
    () => process.env.SAMESTEP_NEVER_SET,
    () => navigator.hardwareConcurrency,
    () => navigator.language,
    () => process.platform,
    () => os.availableParallelism(),
  ],
  texts: [() => caughtText(() => JSON.parse('{')), () => caughtText(() => Object(1n).at(0))],
}

/** What an engine says, as instrumented code gets to see it. */
function caughtText(run: () => unknown): string {
  try {
    run()
    return ''
  } catch (error) {
    const { [caughtName]: caught } = globalThis as unknown as { [name: string]: typeof String }
    return (caught as unknown as (error: unknown) => Error)(error).message
  }
}

describe('a made-up machine', () => {
  test.each(factors)('answers otherwise in %s, and says who asked', (factor) => {
    for (const ask of questions[factor]) {
      const there = other(factor)
      expect(there.run(0, ask), String(ask)).not.toEqual(base().run(0, ask))
      const [use] = there.uses.filter((each) => each.factor === factor)
      expect(use?.site?.file).toMatch(/machine\.test\.ts$/)
    }
  })

  test('answers alike in whatever it does not differ in', () => {
    for (const factor of factors) {
      const others = factors.filter((each) => each !== factor && each !== 'sort')
      for (const ask of questions[factor]) {
        if (factor === 'zone') continue
        expect(other(...others).run(7, ask), String(ask)).toEqual(
          factor === 'sort' ? ask() : base().run(7, ask),
        )
      }
    }
  })

  test('is the same in the same tick, whoever runs on it', () => {
    const machine = base()
    const ask = () => [Math.random(), Date.now(), performance.now()]
    const first = machine.run(3, ask)
    expect(machine.run(4, ask)).not.toEqual(first)
    expect(machine.run(3, ask)).toEqual(first)
  })

  test('is gone afterwards, also when the game threw', () => {
    const before = [
      Math.random,
      Date,
      Math.sin,
      Intl.Collator,
      Array.prototype.sort,
      Date.prototype.getHours,
    ]
    const machine = other(...factors)
    expect(() =>
      machine.run(1, () => {
        throw new Error('the game')
      }),
    ).toThrow('the game')
    const after = [
      Math.random,
      Date,
      Math.sin,
      Intl.Collator,
      Array.prototype.sort,
      Date.prototype.getHours,
    ]
    expect(after).toEqual(before)
    expect(after.every((value, index) => value === before[index])).toBe(true)
  })

  test('leaves exact results exact', () => {
    const machine = other('math')
    const exact = () => [Math.hypot(3, 4), Math.cos(0), Math.log(1), Math.cbrt(27)]
    expect(machine.run(0, exact)).toEqual([5, 1, 0, 3])
  })

  test('sorts as every engine must where the comparator decides every pair', () => {
    const machine = other('sort')
    const items = Array.from({ length: 200 }, (_, id) => ({ id, key: (id * 7919) % 13 }))
    const sorted = () => [...items].sort((a, b) => a.key - b.key).map(({ id }) => id)
    expect(machine.run(0, sorted)).toEqual(sorted())
    const holes = () => [3, undefined, 1].sort((a, b) => (a ?? 0) - (b ?? 0))
    expect(machine.run(0, holes)).toEqual([1, 3, undefined])
  })

  test('speaks the language that the game names', () => {
    const named = () => ['tee', 'zoo'].sort((a, b) => a.localeCompare(b, 'en'))
    expect(other('locale').run(0, named)).toEqual(['tee', 'zoo'])
  })
})
