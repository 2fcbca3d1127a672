import { describe, expect, test } from 'vitest'
import { formatMarkdown, formatPlain } from '../../../../tools/table.ts'
import { makeLetterTable } from './builtins.ts'
import { explainMismatches, findMismatches, makeGolden, makeTable } from './compare.ts'
import { parseLines } from './shell.ts'

const sin = { group: 'math', name: 'sin', digest: 'a1' }
const cos = { group: 'math', name: 'cos', digest: 'b2' }
const hash = { group: 'hash', name: 'sync', digest: 'c3' }
const golden = makeGolden(1000, [sin, cos, hash])

describe('digests', () => {
  test('are committed by group and name', () => {
    expect(golden).toEqual({
      count: 1000,
      digests: { math: { sin: 'a1', cos: 'b2' }, hash: { sync: 'c3' } },
    })
  })

  test('need names of their own', () => {
    expect(() => makeGolden(1, [sin, sin])).toThrow('Cannot tell two digests apart: math/sin')
  })

  test('that agree have no mismatches, in whatever sequence', () => {
    expect(findMismatches(golden, [hash, cos, sin])).toEqual([])
  })

  test('that differ, are missing or are new are all mismatches', () => {
    const tan = { group: 'math', name: 'tan', digest: 'd4' }
    expect(findMismatches(golden, [{ ...sin, digest: 'ff' }, hash, tan])).toEqual([
      { group: 'math', name: 'sin', expected: 'a1', actual: 'ff' },
      { group: 'math', name: 'cos', expected: 'b2', actual: undefined },
      { group: 'math', name: 'tan', expected: undefined, actual: 'd4' },
    ])
  })
})

test('only marked lines of a shell are digests', () => {
  const output = `warning\ndigest:${JSON.stringify(sin)}\n\ndigest:${JSON.stringify(cos)}\nbye`
  expect(parseLines(output)).toEqual([sin, cos])
})

describe('the table', () => {
  const table = makeTable(golden, [
    { engine: 'Node', version: '20', mismatches: [] },
    {
      engine: 'Odd',
      version: '1',
      mismatches: findMismatches(golden, [{ ...sin, digest: 'ff' }, hash]),
    },
    { engine: 'Dead', version: '2', mismatches: [], failure: 'it threw' },
  ])

  test('counts the wrong digests of a group, and gives an engine that failed none', () => {
    expect(table).toEqual([
      ['engine', 'version', 'math', 'hash'],
      ['Node', '20', '✓', '✓'],
      ['Odd', '1', '✗ 2', '✓'],
      ['Dead', '2', '✗', '✗'],
    ])
  })

  test('reads well in a terminal and in docs', () => {
    expect(formatPlain(table).split('\n')[2]).toBe('Odd     1        ✗ 2   ✓')
    expect(formatMarkdown(table).split('\n').slice(0, 3)).toEqual([
      '| engine | version | math | hash |',
      '| ------ | ------- | ---- | ---- |',
      '| Node   | 20      | ✓    | ✓    |',
    ])
  })
})

test("equal letters are equal bits of the engines' own functions", () => {
  const run = (name: string, ...digests: string[]) => ({
    name,
    version: '1',
    digests: digests.map((digest, index) => ({ group: 'builtin', name: `f${index}`, digest })),
  })
  const table = makeLetterTable([run('A', 'x', 'p'), run('B', 'y', 'p'), run('C', 'x')])
  expect(table).toEqual([
    ['function', 'A 1', 'B 1', 'C 1'],
    ['f0', 'a', 'b', 'a'],
    ['f1', 'a', 'a', '?'],
  ])
})

describe('differences', () => {
  const row = (engine: string, ...digests: Parameters<typeof findMismatches>[1]) => ({
    engine,
    version: '1',
    mismatches: findMismatches(golden, digests),
  })
  const odd = { ...sin, digest: 'ff' }

  test('of one engine carry its name', () => {
    expect(explainMismatches([row('A', sin, cos, hash), row('B', odd, cos, hash)])).toEqual([
      'B 1: math/sin is ff, a1 is committed',
    ])
  })

  test('that all engines share are told once: the commit is old', () => {
    const lines = explainMismatches([row('A', odd, cos, hash), row('B', odd, cos, hash)])
    expect(lines).toEqual([
      'math/sin is ff, a1 is committed',
      'All engines agree with each other: commit these with --update if you meant it',
    ])
  })

  test('tell what is missing and what is new', () => {
    const tan = { group: 'math', name: 'tan', digest: 'd4' }
    expect(explainMismatches([row('A', sin, hash, tan)])).toEqual([
      'A 1: math/cos is missing, b2 is committed',
      'A 1: math/tan is d4, none is committed',
    ])
  })

  test('never call engines agreed while one of them failed', () => {
    const failed = { engine: 'B', version: '1', mismatches: [], failure: 'it threw' }
    const lines = explainMismatches([row('A', odd, cos, hash), failed])
    expect(lines).toEqual(['A 1: math/sin is ff, a1 is committed'])
  })

  test('of engines that agree are none', () => {
    expect(explainMismatches([row('A', sin, cos, hash), row('B', hash, cos, sin)])).toEqual([])
  })
})
