import { expect, test } from 'vitest'
import { bool, range } from '../../sim/schema/index.ts'
import { BotInputs } from './bot-inputs.ts'

function make() {
  const inputs = new BotInputs({ dx: range(-2, 2).default(0), fire: bool.oneShot() })
  inputs.assign(2, 1, true)
  return inputs
}

/** What is sent until there is nothing more to say. */
function sent(inputs: BotInputs) {
  const bodies = []
  for (let body = inputs.take(); body !== undefined; body = inputs.take()) bodies.push(body)
  return bodies
}

test('ORD-18 the relay is told what a bot holds when that changes, and not otherwise', () => {
  const inputs = make()
  expect(sent(inputs)).toEqual([])
  inputs.hold(2, { dx: 1 })
  expect(sent(inputs)).toEqual([{ seat: 2, turn: 1, slots: [3, 0] }])
  inputs.hold(2, { dx: 1 })
  expect(sent(inputs)).toEqual([])
  inputs.hold(2, { dx: -2 })
  inputs.hold(2, { dx: 2 })
  expect(sent(inputs)).toEqual([{ seat: 2, turn: 1, slots: [4, 0] }])
})

test('a shot is said once, and again when it is fired again', () => {
  const inputs = make()
  inputs.hold(2, { fire: true })
  expect(sent(inputs)).toEqual([{ seat: 2, turn: 1, slots: [2, 1] }])
  expect(sent(inputs)).toEqual([])
  inputs.hold(2, { fire: true })
  expect(sent(inputs)).toHaveLength(1)
})

test('over a new link the relay is told anew, without shots of before', () => {
  const inputs = make()
  inputs.hold(2, { dx: 1, fire: true })
  sent(inputs)
  inputs.assign(2, 1, true)
  expect(sent(inputs)).toEqual([{ seat: 2, turn: 1, slots: [3, 0] }])
})

test('in another turn, after one of somebody else that was never heard of, it holds nothing yet', () => {
  const inputs = make()
  inputs.hold(2, { dx: 1 })
  sent(inputs)
  inputs.assign(2, 3, true)
  expect(sent(inputs)).toEqual([])
  inputs.hold(2, { fire: true })
  expect(sent(inputs)).toEqual([{ seat: 2, turn: 3, slots: [2, 1] }])
})

test('a bot that thinks elsewhere holds nothing here, and begins anew when it comes back', () => {
  const inputs = make()
  inputs.hold(2, { dx: 1 })
  inputs.assign(2, 2, false)
  expect([inputs.hold(2, { dx: 2 }), inputs.hold(5, { dx: 2 }), sent(inputs)]).toEqual([
    false,
    false,
    [],
  ])
  inputs.assign(2, 3, true)
  expect(sent(inputs)).toEqual([])
  inputs.hold(2, { fire: true })
  expect(sent(inputs)).toEqual([{ seat: 2, turn: 3, slots: [2, 1] }])
})

test('a match that is called off leaves nothing held', () => {
  const inputs = make()
  inputs.hold(2, { dx: 1 })
  inputs.forgetAll()
  expect(sent(inputs)).toEqual([])
})

test('what no input can hold is an error, also of a bot elsewhere', () => {
  expect(() => make().hold(9, { dx: 7 })).toThrowError(/input.dx/)
  expect(() => make().hold(2, { jump: true })).toThrowError(/the input fields are dx, fire/)
})
