import { expect, test } from 'vitest'
import { BitWriter } from '../../base/bit-writer.ts'
import { slotOf } from '../../wire/testing/slot-of.ts'
import type { ClientTurn } from '../../wire/ticks/client-turn.ts'
import { readClientTurn, turnSlotsMax } from '../../wire/ticks/client-turn.ts'
import { SlotDelta } from '../../wire/ticks/slot-delta.ts'
import { writeFittingTurn } from './turn-fit.ts'

const layout = Array.from({ length: 8 }, () => slotOf(32))
const delta = new SlotDelta(layout)
const bytesMax = 1_176

function turnOf(inputCount: number, orderSizes: readonly number[]): ClientTurn {
  return {
    received: 40,
    controlSeen: 7,
    report: undefined,
    heldMs: 0,
    hash: undefined,
    firstInputTick: 41,
    inputs: Uint32Array.from({ length: inputCount * 8 }, (_, index) => (index * 0x9e37_79b1) >>> 0),
    inputCount,
    firstOrderNumber: 3,
    orders: orderSizes.map((size, index) => new Uint8Array(size).fill(index + 1)),
  }
}

function writeAndRead(turn: ClientTurn) {
  const bytes = writeFittingTurn(new BitWriter(), delta, turn, bytesMax)
  expect(bytes.byteLength).toBeLessThanOrEqual(bytesMax)
  const near = { nearReceived: 40, nearInputTick: 40, nearOrderNumber: 3 }
  return readClientTurn(bytes, delta, near, new Uint32Array(turnSlotsMax(delta)))
}

test('a turn that fits is sent whole', () => {
  const read = writeAndRead(turnOf(3, [10, 20]))
  expect(read).toMatchObject({ firstInputTick: 41, inputCount: 3, firstOrderNumber: 3 })
  expect(read.orders.map(({ length }) => length)).toEqual([10, 20])
})

test('of many orders the first ones go, so that the relay can take them in sequence', () => {
  const read = writeAndRead(turnOf(2, [300, 301, 302, 303, 304, 305]))
  expect(read.firstOrderNumber).toBe(3)
  expect(read.orders.map(({ length }) => length)).toEqual([300, 301, 302])
  expect(read.inputCount).toBe(2)
})

test('of many inputs the newest go, since the others went before', () => {
  const turn = turnOf(64, [])
  const read = writeAndRead(turn)
  expect(read.inputCount).toBeGreaterThan(10)
  expect(read.firstInputTick + read.inputCount).toBe(41 + 64)
  const last = Array.from(read.inputs.subarray((read.inputCount - 1) * 8, read.inputCount * 8))
  expect(last).toEqual(Array.from(turn.inputs.subarray(63 * 8)))
})

test('the largest order goes although the inputs alone would fill a datagram', () => {
  const read = writeAndRead(turnOf(64, [1_024, 1_024]))
  expect(read.orders.map(({ length }) => length)).toEqual([1_024])
})
