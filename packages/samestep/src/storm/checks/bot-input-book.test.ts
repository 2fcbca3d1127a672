import { expect, test } from 'vitest'
import { makeMatchConfig } from '../../wire/messages/match-config.ts'
import { slotOf } from '../../wire/testing/slot-of.ts'
import { World } from '../engine/world.ts'
import { BotInputBook } from './bot-input-book.ts'

function make() {
  const book = new BotInputBook(new World({ seed: 1 }))
  const inputSlots = [slotOf(8, 100), slotOf(4, 5, true)]
  book.noteStarted(makeMatchConfig({ seats: 3, tickRate: 30, inputSlots }))
  let tick = 0
  const held = (...slots: number[]) => book.noteHeld(2, Uint32Array.from(slots))
  const sealed = (...slots: number[]) => book.noteSealed(++tick, 2, Uint32Array.from(slots))
  return { held, sealed }
}

test('a bot that was told nothing holds still', () => {
  const { sealed } = make()
  sealed(100, 5)
  expect(() => sealed(7, 5)).toThrow('ORD-18')
})

test('changes come in sequence, some of them together, shots with whichever is sealed', () => {
  const { held, sealed } = make()
  held(7, 9)
  held(8, 5)
  held(9, 5)
  sealed(8, 9)
  sealed(8, 5)
  sealed(9, 5)
  sealed(9, 5)
})

test.each([
  ['a shot that goes on', [7, 9], [7, 9]],
  ['a shot that comes back', [7, 5], [7, 9]],
  ['what was held before', [8, 5], [7, 5]],
])('%s is found', (_, first, second) => {
  const { held, sealed } = make()
  held(7, 9)
  held(8, 5)
  sealed(...first)
  expect(() => sealed(...second)).toThrow('ORD-18')
})
