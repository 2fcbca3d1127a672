import { expect, test } from 'vitest'
import { f64, fixedField, i16, range, u8, u16 } from '../schema/index.ts'
import { checkRender, lerp, lerpAngle, PreviousTick } from './previous.ts'
import { State } from './state.ts'
import { table } from './table.ts'

const declarations = { units: table(10, { x: fixedField, heading: f64, hp: i16, rest: i16 }) }
const render = { units: { x: 'lerp', heading: 'angle', hp: 'snap' } } as const

function moved() {
  const state = new State(declarations, { development: false })
  const previous = new PreviousTick(state, render)
  const { units } = state.live
  units.add({ x: 65_536, heading: 3, hp: 10 })
  previous.capture()
  units.x[0] = 3 * 65_536
  units.heading[0] = -3
  units.hp[0] = 20
  return { state, previous, units }
}

test('lerp runs from the previous tick to the current one, in ordinary numbers for fixed', () => {
  const { previous } = moved()
  const { x } = previous.blend.units
  expect([x(0, 0), x(0, 0.5), x(0, 1), x(0, 7)]).toEqual([1, 2, 3, 3])
})

test('angle takes the short way round', () => {
  const { previous } = moved()
  const turn = 2 * Math.PI
  expect(previous.blend.units.heading(0, 0.5)).toBeCloseTo(3 + (turn - 6) / 2, 12)
  expect(lerpAngle(350, 10, 0.5, 360)).toBe(360)
  expect(lerpAngle(10, 350, 0.5, 360)).toBe(0)
})

test.each([
  ['u16', u16, 65_530, 10, 65_538],
  ['u8', u8, 10, 250, 2],
  ['i16', i16, 32_760, -32_760, 32_768],
  ['range(0, 359)', range(0, 359), 350, 10, 360],
] as const)(
  'an angle in a column of %s wraps around where its values end',
  (_name, field, from, to, half) => {
    const declarations = { units: table(2, { heading: field }) }
    const state = new State(declarations, { development: true })
    const { units } = state.live
    const heading = { units: { heading: 'angle' } } as const
    const previous = new PreviousTick(state, heading)
    const row = units.add({ heading: from })
    previous.capture()
    units.heading[row] = to
    expect(previous.blend.units.heading(row, 0.5)).toBe(half)
    expect(previous.blend.units.heading(row, 1)).toBe(to)
  },
)

test('snap shows the current value', () => {
  expect(moved().previous.blend.units.hp(0, 0.1)).toBe(20)
})

test('a row that was born in this tick, or took a dead one’s place, appears where it is', () => {
  const { previous, units } = moved()
  const born = units.add({ x: 5 * 65_536 })
  expect(previous.blend.units.x(born, 0)).toBe(5)
  units.remove(0)
  units.add({ x: 9 * 65_536 })
  expect(previous.blend.units.x(0, 0)).toBe(9)
})

test('only the named columns are kept, and capture follows the table as it grows', () => {
  const { previous, units } = moved()
  expect(Object.keys(previous.previous.units)).toEqual(['x', 'heading', 'hp'])
  const row = units.add({ x: 1 })
  previous.capture()
  units.x[row] = 2
  expect(previous.previous.units.x[row]).toBe(1)
})

test('lerp is exact at both ends', () => {
  expect([lerp(0.1, 0.3, 0), lerp(0.1, 0.3, 1)]).toEqual([0.1, 0.3])
})

test('a render declaration is checked against the state', () => {
  expect(() => checkRender({ ships: {} }, declarations)).toThrowError(/not a table/)
  expect(() => checkRender({ units: { z: 'lerp' } }, declarations)).toThrowError(/columns are x/)
  expect(() => checkRender({ units: { x: 'fade' } }, declarations)).toThrowError(/'lerp', 'angle'/)
})
