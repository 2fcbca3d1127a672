import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BitWriter } from '../../base/bit-writer.ts'
import { orderBytesMax } from '../../sim/limits.ts'
import { clientStatuses } from '../codes.ts'
import { inputsPerTurnMax, outboxOrdersMax, windowTicksMax } from '../limits.ts'
import { layouts, rowOf } from '../testing/layouts.ts'
import { refusalOf } from '../testing/properties.ts'
import { slotOf } from '../testing/slot-of.ts'
import {
  type ClientTurn,
  expand16,
  heldMsMax,
  isClientTurn,
  readClientTurn,
  readTurnHead,
  turnSlotsMax,
  writeClientTurn,
} from './client-turn.ts'
import { decodeLoad } from './load-code.ts'
import { SlotDelta } from './slot-delta.ts'
import { lagTicksMax } from './turn-hash.ts'

const quiet: ClientTurn = {
  received: 0,
  controlSeen: 0,
  report: undefined,
  hash: undefined,
  firstInputTick: 0,
  inputs: new Uint32Array(0),
  inputCount: 0,
  heldMs: 0,
  firstOrderNumber: 0,
  orders: [],
}
const start = { nearReceived: 0, nearInputTick: 0, nearOrderNumber: 0 }
const noInputs = new SlotDelta([])

function write(delta: SlotDelta, turn: ClientTurn): Uint8Array {
  const out = new BitWriter()
  writeClientTurn(out, delta, turn)
  return out.finish()
}

function read(delta: SlotDelta, bytes: Uint8Array, context = start): ClientTurn {
  const turn = readClientTurn(bytes, delta, context, new Uint32Array(turnSlotsMax(delta)))
  // What is read is used again by the next one.
  return {
    ...structuredClone(turn),
    inputs: turn.inputs.slice(0, turn.inputCount * delta.slotCount),
  }
}

/** A number from `min` on, and what a receiver thinks that it is near to. */
function nearby(min: number, distance: number): fc.Arbitrary<{ value: number; near: number }> {
  return fc
    .tuple(fc.integer({ min, max: 5_000_000 }), fc.integer({ min: -distance, max: distance }))
    .map(([value, away]) => ({ value, near: Math.max(value + away, 0) }))
}

const turns = layouts.chain((layout) =>
  fc.record({
    layout: fc.constant(layout),
    rows: fc.array(rowOf(layout), { maxLength: layout.length === 0 ? 0 : 5 }),
    received: nearby(0, windowTicksMax),
    inputTick: nearby(1, 30_000),
    order: nearby(0, 30_000),
    controlSeen: fc.nat(255),
    report: fc.option(
      fc.record({
        stamp: fc.nat(65_535),
        rttMs: fc.nat(65_535),
        activity: fc.constantFrom(...clientStatuses),
        loadPercent: fc.nat(255).map(decodeLoad),
        token: fc.option(fc.nat(0xffff_ffff), { nil: undefined }),
      }),
      { nil: undefined },
    ),
    heldMs: fc.nat(heldMsMax),
    hash: fc.option(
      fc.tuple(fc.nat(lagTicksMax), fc.nat(12), fc.nat(0xffff_ffff), fc.nat(0xffff_ffff)),
      { nil: undefined },
    ),
    orders: fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 4 }),
  }),
)

test('every turn comes back, wherever in the match it is', () => {
  fc.assert(
    fc.property(turns, (it) => {
      const delta = new SlotDelta(it.layout)
      const received = it.received.value
      const executedTick = Math.max(received - (it.hash?.[0] ?? 0), 0)
      const turn: ClientTurn = {
        received,
        controlSeen: it.controlSeen,
        report: it.report,
        hash: it.hash && {
          executedTick,
          tick: executedTick - (executedTick % 2 ** it.hash[1]),
          lo: it.hash[2],
          hi: it.hash[3],
        },
        firstInputTick: it.rows.length === 0 ? 0 : it.inputTick.value,
        inputs: Uint32Array.from(it.rows.flat()),
        inputCount: it.rows.length,
        heldMs: it.rows.length === 0 ? 0 : it.heldMs,
        firstOrderNumber: it.orders.length === 0 ? 0 : it.order.value,
        orders: it.orders,
      }
      const bytes = write(delta, turn)
      expect(isClientTurn(bytes)).toBe(true)
      const context = {
        nearReceived: it.received.near,
        nearInputTick: it.inputTick.near,
        nearOrderNumber: it.order.near,
      }
      expect(read(delta, bytes, context)).toEqual(turn)
      const { controlSeen, report, hash } = turn
      expect(readTurnHead(bytes, it.received.near)).toEqual({
        hasInputs: turn.inputCount > 0,
        hasOrders: turn.orders.length > 0,
        received,
        controlSeen,
        report,
        hash,
      })
    }),
    { numRuns: 400 },
  )
})

test('an acknowledgement alone is four bytes', () => {
  expect(write(noInputs, quiet)).toEqual(Uint8Array.of(0x40, 0, 0, 0))
})

test('inputs that stay as they are cost one bit each', () => {
  const delta = new SlotDelta([slotOf(16, 5)])
  const inputs = new Uint32Array(40).fill(5)
  const bytes = write(delta, { ...quiet, firstInputTick: 1, inputs, inputCount: 40 })
  expect(bytes).toHaveLength(4 + Math.ceil((16 + 8 + 8 + 40) / 8))
})

test('a report is six bytes, and ten with a token', () => {
  const report = {
    stamp: 1,
    rttMs: 2,
    activity: 'active',
    loadPercent: 3,
    token: undefined,
  } as const
  expect(write(noInputs, { ...quiet, report })).toHaveLength(4 + 6)
  expect(write(noInputs, { ...quiet, report: { ...report, token: 0 } })).toHaveLength(4 + 10)
})

test('a token of 0 is another thing than none', () => {
  const none = { stamp: 0, rttMs: 0, activity: 'hidden', loadPercent: 0, token: undefined } as const
  for (const report of [none, { ...none, token: 0 }]) {
    expect(read(noInputs, write(noInputs, { ...quiet, report })).report).toEqual(report)
  }
})

test('of one turn nothing is left in the next', () => {
  const report = { stamp: 1, rttMs: 2, activity: 'slow', loadPercent: 3, token: 4 } as const
  const delta = new SlotDelta([slotOf(8)])
  const full: ClientTurn = {
    ...quiet,
    report,
    hash: { executedTick: 0, tick: 0, lo: 1, hi: 2 },
    firstInputTick: 1,
    inputs: Uint32Array.of(9),
    inputCount: 1,
    heldMs: 200,
    orders: [Uint8Array.of(1)],
  }
  expect(read(delta, write(delta, full))).toEqual(full)
  expect(read(delta, write(delta, quiet))).toEqual(quiet)
})

test('a turn holds as many inputs and orders as there may be', () => {
  const delta = new SlotDelta([slotOf(32, 0, true)])
  const inputs = Uint32Array.from({ length: inputsPerTurnMax }, (_, index) => index * 67_000_000)
  const orders = Array.from({ length: outboxOrdersMax }, (_, index) => Uint8Array.of(index))
  const turn = { ...quiet, firstInputTick: 9, inputs, inputCount: inputsPerTurnMax, orders }
  expect(read(delta, write(delta, turn))).toEqual(turn)
})

test('the largest order comes back', () => {
  const orders = [new Uint8Array(orderBytesMax).fill(0xa5)]
  expect(read(noInputs, write(noInputs, { ...quiet, orders })).orders).toEqual(orders)
})

test('orders own their bytes: the packet may be reused', () => {
  const bytes = write(noInputs, { ...quiet, orders: [Uint8Array.of(1, 2, 3)] })
  const { orders } = read(noInputs, bytes)
  bytes.fill(0)
  expect(orders).toEqual([Uint8Array.of(1, 2, 3)])
})

test('every input is relative to the one before it, the first to what is held at first', () => {
  const delta = new SlotDelta([slotOf(8, 100), slotOf(1, 0, true)])
  const inputs = Uint32Array.of(101, 1, 101, 0, 101, 1, 100, 0)
  const turn = { ...quiet, firstInputTick: 1, inputs, inputCount: 4 }
  expect(read(delta, write(delta, turn)).inputs).toEqual(inputs)
})

describe('a number of 16 bits', () => {
  test('is found again within half its range, over several wraps', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 40_000, max: 2 ** 40 }),
        fc.integer({ min: -32_768, max: 32_767 }),
        (near, distance) => {
          expect(expand16((near + distance) % 65_536, near)).toBe(near + distance)
        },
      ),
    )
  })
})

test('no other message is taken for a turn', () => {
  expect(isClientTurn(new Uint8Array(0))).toBe(false)
  for (let first = 0; first < 256; first++) {
    expect(isClientTurn(Uint8Array.of(first))).toBe(first >= 0x40 && first < 0x50)
  }
})

describe('refuses', () => {
  test.each([
    ['no bytes', [], 'TRUNCATED'],
    ['another message', [0x50, 0, 0, 0], 'UNKNOWN'],
    ['a turn that breaks off', [0x40, 0, 0], 'TRUNCATED'],
    ['what is behind it', [0x40, 0, 0, 0, 0], 'TRAILING_BYTES'],
    ['a tick before the start', [0x40, 0xff, 0xff, 0], 'OUT_OF_RANGE'],
    [
      'a hash of a tick before the start',
      [0x44, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      'OUT_OF_RANGE',
    ],
    // Of tick 0 nothing can be cleared.
    [
      'a hash with more cleared bits than need be',
      [0x44, 0, 0, 0, 0, 0x08, 0, 0, 0, 0, 0, 0, 0, 0],
      'NOT_CANONICAL',
    ],
    ['an input of tick 0', [0x42, 0, 0, 0, 0, 0, 0, 0, 0], 'OUT_OF_RANGE'],
    ['more inputs than a turn holds', [0x42, 0, 0, 0, 0, 1, 0, 192], 'OUT_OF_RANGE'],
    ['inputs that begin before tick 1', [0x42, 0, 0, 0, 1, 0, 0, 1, 0], 'OUT_OF_RANGE'],
    ['inputs that break off', [0x42, 0, 0, 0, 1, 0, 0], 'TRUNCATED'],
    ['an activity that there is not', [0x48, 0, 0, 0, 0, 0, 0, 0, 5, 0], 'OUT_OF_RANGE'],
    ['a report that breaks off', [0x48, 0, 0, 0, 0, 0, 0, 0, 0], 'TRUNCATED'],
    ['a token that is not there', [0x48, 0, 0, 0, 0, 0, 0, 0, 0, 0x08, 0, 0, 0], 'TRUNCATED'],
    ['padding behind a report', [0x48, 0, 0, 0, 0, 0, 0, 0, 0, 0x10], 'NOT_CANONICAL'],
    ['an order number before the first', [0x41, 0, 0, 0, 0xff, 0xff, 0, 0, 0], 'OUT_OF_RANGE'],
    ['an order that is too long', [0x41, 0, 0, 0, 0, 0, 0x40, 0x00, 0x01], 'TOO_LARGE'],
    ['an order that is not there', [0x41, 0, 0, 0, 0, 0, 0x40, 0x00, 0x00], 'TRUNCATED'],
    ['padding that is not zero', [0x41, 0, 0, 0, 0, 0, 0x00, 0x00, 0x02], 'NOT_CANONICAL'],
  ])('%s', (_title, bytes, code) => {
    expect(refusalOf(() => read(noInputs, Uint8Array.from(bytes)))).toBe(`SS_WIRE_${code}`)
  })

  test('a changed input where the game has none', () => {
    const bytes = Uint8Array.of(0x42, 0, 0, 0, 1, 0, 0, 0, 1)
    expect(refusalOf(() => read(noInputs, bytes))).toBe('SS_WIRE_NOT_CANONICAL')
  })
})
