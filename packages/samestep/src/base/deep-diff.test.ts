import { describe, expect, test } from 'vitest'
import { deepDiff, show } from './deep-diff.ts'

describe('comparing by structure', () => {
  test('finds nothing between equal values, also when they contain themselves', () => {
    const make = () => {
      const node: { [key: string]: unknown } = { list: [1, [2]], map: new Map([[1, { a: 1 }]]) }
      node.self = node
      node.cells = Float64Array.of(1, Number.NaN, -0)
      return node
    }
    expect(deepDiff(make(), make())).toEqual([])
    expect(deepDiff(Float64Array.of(0), Float64Array.of(-0))).toEqual([])
  })

  test.each([
    [{ a: { b: 1 } }, { a: { b: 2 } }, '.a.b'],
    [{ a: 1 }, {}, '.a'],
    [[1, 2], [1], '.length'],
    [{ cells: Uint8Array.of(1, 2) }, { cells: Uint8Array.of(1, 3) }, '.cells[1]'],
    [new Map([['x', 1]]), new Map([['x', 2]]), '.get("x")'],
    [new Set([1]), new Set([2]), ''],
    [{ a: [] }, { a: {} }, '.a'],
    [null, 0, ''],
  ])('names the place where %j and %j differ', (a, b, path) => {
    const [first] = deepDiff(a, b)
    expect(first?.path).toBe(path)
    expect(first?.kind).toBe('value')
  })

  test('tells another sequence from other members', () => {
    expect(deepDiff(new Set([1, 2]), new Set([2, 1]))[0]?.kind).toBe('sequence')
    const a = new Map([
      ['x', 1],
      ['y', 2],
    ])
    const b = new Map([
      ['y', 2],
      ['x', 1],
    ])
    expect(deepDiff({ a }, { a: b })).toMatchObject([{ path: '.a', kind: 'sequence' }])
    const objects = (...ids: number[]) => new Set(ids.map((id) => ({ id })))
    expect(deepDiff(objects(1, 2), objects(2, 1))[0]?.path).toBe('[0].id')
  })

  test('stops at eight differences', () => {
    expect(deepDiff([...'abcdefghijkl'], [...'ABCDEFGHIJKL'])).toHaveLength(8)
  })

  test('shows values in few words', () => {
    expect(show(new Set([1, 2]))).toBe('Set [1,2]')
    expect(show(Number.NaN)).toBe('NaN')
    expect(show('x'.repeat(200))).toHaveLength(78)
  })
})
