import { expect, test } from 'vitest'
import { bool, u16 } from '../schema/index.ts'
import { single } from './single.ts'
import { State } from './state.ts'

test('rows of one declaration have the same accessors, so that engines give them one fast shape', () => {
  const declaration = { score: single({ wave: u16, over: bool }) }
  const [first, second] = [new State(declaration).live.score, new State(declaration).live.score]
  expect(Object.getOwnPropertyDescriptors(first)).toMatchObject({
    wave: { get: Object.getOwnPropertyDescriptor(second, 'wave')?.get },
    over: { set: Object.getOwnPropertyDescriptor(second, 'over')?.set },
  })
  first.wave = 3
  second.over = true
  expect([{ ...first }, { ...second }]).toEqual([
    { wave: 3, over: false },
    { wave: 0, over: true },
  ])
})

test('a row looks like a plain object with the declared values', () => {
  const { score } = new State({ score: single({ wave: u16, over: bool }) }).live
  expect(score).toStrictEqual({ wave: 0, over: false })
  expect([Object.keys(score), JSON.stringify(score)]).toEqual([
    ['wave', 'over'],
    '{"wave":0,"over":false}',
  ])
  expect(Object.isSealed(score)).toBe(true)
})
