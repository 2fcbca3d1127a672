import { expect, test } from 'vitest'
import { WishedOptions } from './wished-options.ts'

test('what was asked for last counts until everything is answered', () => {
  const wished = new WishedOptions()
  expect(wished.options).toBeUndefined()
  wished.note({ size: 1 })
  wished.note({ size: 2 })
  wished.answer(1)
  expect(wished.options).toEqual({ size: 2 })
  wished.answer(1)
  expect(wished.options).toBeUndefined()
})

test('changes of somebody else answer at the most too early, and never below nothing', () => {
  const wished = new WishedOptions()
  wished.answer(3)
  wished.note({ size: 1 })
  expect(wished.options).toEqual({ size: 1 })
  wished.answer(2)
  expect(wished.options).toBeUndefined()
})

test('a lost link is the end of it', () => {
  const wished = new WishedOptions()
  wished.note({ size: 1 })
  wished.forget()
  wished.note({ size: 2 })
  wished.answer(1)
  expect(wished.options).toBeUndefined()
})
