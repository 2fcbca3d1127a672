import { runInThisContext } from 'node:vm'
import { expect, test } from 'vitest'
import { allocateName, instrument, visitName } from './instrument.ts'

/** Runs instrumented code; gives its value, the places that it passed, and the sizes that it made. */
function run(body: string): {
  value: unknown
  places: Set<number>
  points: number
  made: number[]
} {
  const { code, points } = instrument(`var result = (() => {${body}})()`)
  const places = new Set<number>()
  const made: number[] = []
  const script = runInThisContext(
    `(function (${visitName}, ${allocateName}) { ${code}; return result })`,
  )
  const value: unknown = script(
    (point: number) => places.add(point),
    (array: { length: number }) => {
      made.push(array.length)
      return array
    },
  )
  return { value, places, points, made }
}

test.each([
  ['if and else', 'if (1 < 2) return "a"; else return "b"', 'a'],
  ['an if without a block', 'let x = 0; if (x === 0) x = 5; return x', 5],
  ['nested ifs', 'if (0) return 1; else if (1) return 2; else return 3', 2],
  [
    'loops',
    'let s = 0; for (let i = 0; i < 4; i++) s += i; while (s < 9) s++; do s++; while (0); return s',
    10,
  ],
  [
    'for of and for in',
    'let s = ""; for (const x of "ab") s += x; for (const k in { c: 1 }) s += k; return s',
    'abc',
  ],
  [
    'a choice in an expression',
    'const f = (x) => x > 1 ? "big" : x > 0 ? "one" : "none"; return f(2) + f(1) + f(0)',
    'bigonenone',
  ],
  [
    'logic',
    'const f = (x) => (x && x.y) ?? (x || "no"); return [f({ y: 3 }), f(0), f(null)].join()',
    '3,0,no',
  ],
  ['an arrow that gives an object', 'const f = (x) => ({ x }); return f(7).x', 7],
  ['a switch', 'switch (2) { case 1: case 2: return "two"; default: return "else" }', 'two'],
  ['catch and finally', 'try { throw 1 } catch { return "caught" } finally { void 0 }', 'caught'],
  [
    'a class with private parts',
    'class A { #x = 4; get x() { return this.#x } static m() { return new A().x } } return A.m()',
    4,
  ],
  ['a generator', 'function* g() { yield 1; yield 2 } return [...g()].length', 2],
])('%s computes what it did before', (_title, body, value) => {
  const result = run(body)
  expect(result.value).toEqual(value)
  expect(result.points).toBeGreaterThan(0)
})

test('tells the two ways of a branch apart', () => {
  const body = (x: number): string => `if (${x} > 1) { return 1 } else { return 2 }`
  const [one, two] = [run(body(5)).places, run(body(0)).places]
  expect(one).not.toEqual(two)
})

test('tells whether the right side of a logical expression was reached', () => {
  expect(run('return true && 1').places.size).toBe(run('return false && 1').places.size + 1)
})

test('hands over arrays that are made, and nothing else', () => {
  const { made } = run('new Map(); new Uint8Array(5); new Float64Array(3); new Array(2); return 0')
  expect(made).toEqual([5, 3, 2])
})

test('code that does not parse is refused', () => {
  expect(() => instrument('if (')).toThrow('Cannot instrument')
})
