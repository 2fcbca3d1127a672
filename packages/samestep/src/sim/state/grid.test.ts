import { expect, test } from 'vitest'
import { i32 } from '../schema/index.ts'
import { SpatialGrid } from './grid.ts'
import { State } from './state.ts'
import { table } from './table.ts'

function scatter(count: number) {
  const state = new State({ dots: table(500, { x: i32, y: i32 }) }, { development: false })
  const { dots } = state.live
  let seed = 1
  const draw = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return (seed >>> 8) % 1_200
  }
  for (let index = 0; index < count; index++) dots.add({ x: draw() - 100, y: draw() - 100 })
  for (let row = 0; row < count; row += 7) dots.remove(row)
  return dots
}

const options = { cellSize: 50, columns: 20, lines: 20 }

test('a query finds exactly the living rows within the radius, also outside the grid', () => {
  const dots = scatter(400)
  const grid = new SpatialGrid(options)
  grid.rebuild(dots, dots.x, dots.y)
  const out = new Int32Array(500)
  for (const [x, y, radius] of [
    [500, 500, 120],
    [0, 0, 80],
    [-90, 1_050, 300],
    [700, 20, 0],
    [500, 500, 5_000],
  ] as const) {
    const found = [...out.subarray(0, grid.query(x, y, radius, out))].sort((a, b) => a - b)
    const expected = [...dots].filter((row) => {
      const dx = dots.x[row]! - x
      const dy = dots.y[row]! - y
      return dx * dx + dy * dy <= radius * radius
    })
    expect(found).toEqual(expected)
  }
})

test('results come cell by cell and in row order within a cell', () => {
  const state = new State({ dots: table(10, { x: i32, y: i32 }) }, { development: false })
  const { dots } = state.live
  for (const x of [60, 10, 70, 20]) dots.add({ x, y: 10 })
  const grid = new SpatialGrid(options)
  grid.rebuild(dots, dots.x, dots.y)
  const out = new Int32Array(10)
  expect([...out.subarray(0, grid.query(40, 10, 100, out))]).toEqual([1, 3, 0, 2])
})

test('a query stops at the length of its output', () => {
  const dots = scatter(400)
  const grid = new SpatialGrid(options)
  grid.rebuild(dots, dots.x, dots.y)
  expect(grid.query(500, 500, 5_000, new Int32Array(3))).toBe(3)
})

test('eachInCell visits the rows of one cell in row order', () => {
  const state = new State({ dots: table(10, { x: i32, y: i32 }) }, { development: false })
  const { dots } = state.live
  for (const x of [10, 60, 20]) dots.add({ x, y: 0 })
  const grid = new SpatialGrid(options)
  grid.rebuild(dots, dots.x, dots.y)
  const rows: number[] = []
  grid.eachInCell(30, 30, (row) => rows.push(row))
  expect(rows).toEqual([0, 2])
})

test('a grid that was rebuilt equals a fresh one, and not one of another place', () => {
  const dots = scatter(300)
  const grid = new SpatialGrid(options)
  grid.rebuild(dots, dots.x, dots.y)
  const second = new SpatialGrid(options)
  second.rebuild(dots, dots.x, dots.y)
  second.rebuild(dots, dots.x, dots.y)
  expect(grid.equals(second)).toBe(true)
  dots.x[1] = 999
  second.rebuild(dots, dots.x, dots.y)
  expect(grid.equals(second)).toBe(false)
})

test('a grid that makes no sense is refused with its numbers', () => {
  expect(() => new SpatialGrid({ cellSize: 0, columns: 2, lines: 2 })).toThrowError(/size 0/)
  expect(() => new SpatialGrid({ cellSize: 1, columns: 1e6, lines: 1e6 })).toThrowError(/at most/)
})
