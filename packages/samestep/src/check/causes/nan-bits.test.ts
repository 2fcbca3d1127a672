import { expect, test } from 'vitest'
import { changesWithNaNBits } from './nan-bits.ts'

const bitsOf = (cells: Float64Array) => new BigUint64Array(cells.buffer).join()

test('a NaN whose bits are saved is named, and left as it was', () => {
  const world = { wind: { x: Float64Array.of(1, Number.NaN) } }
  const before = bitsOf(world.wind.x)
  const isSame = () => bitsOf(world.wind.x) === before
  expect(changesWithNaNBits(world, isSame)).toBe('.wind.x[1]')
  expect(bitsOf(world.wind.x)).toBe(before)
})

test('a NaN that is saved as a value of its own is fine', () => {
  const world = [new Map([['x', Float32Array.of(Number.NaN)]])]
  const isSame = () => Number.isNaN(world[0]?.get('x')?.[0])
  expect(changesWithNaNBits(world, isSame)).toBeUndefined()
})

test('values that contain themselves, and values that are no objects, end', () => {
  const world: { self?: object; list: unknown[] } = { list: [1, 'x', null, new Set([2])] }
  world.self = world
  expect(changesWithNaNBits(world, () => false)).toBeUndefined()
})

test('arrays with holes, which packages keep, are walked as they are', () => {
  const holes: unknown[] = []
  holes[3] = new Float64Array([Number.NaN])
  expect(changesWithNaNBits({ holes }, () => false)).toBe('.holes[3][0]')
})
