import { expect, test } from 'vitest'
import { BitWriter } from '../base/bit-writer.ts'
import type { SystemEvent } from '../sim/game/run/bundle.ts'
import { orderBytesMax, seatsMax } from '../sim/limits.ts'
import {
  bundleBytesMax,
  bundleEventsMax,
  bundlesHeadBytesMax,
  bundlesPerPacketMax,
  countdownMsMax,
  datagramBundleBytesMax,
  datagramBytesMax,
  delayMsMaxDefault,
  heirIdMax,
  inboxTicksMax,
  inputAheadTicksMax,
  inputBitsTotalMax,
  inputSlotsMax,
  inputsPerTurnMax,
  linkOverheadBytesMax,
  loadMsMax,
  logMs,
  orderClassesMax,
  outboxOrdersMax,
  packetsPerTickFor,
  receivedBits,
  shortBundlesMax,
  shortTicksMax,
  streamPacketBytesMax,
  tickBits,
  ticksIn,
  waitingOrdersMax,
  windowBytesMax,
  windowTicksFor,
  windowTicksMax,
} from './limits.ts'
import { type MessageName, messageBytesMax, messageTypes } from './messages/messages.ts'
import { hiddenMsMax } from './patience.ts'
import { slotOf } from './testing/slot-of.ts'
import { BundleCodec } from './ticks/bundle-codec.ts'
import type { InputLayout, InputSlot } from './ticks/input-layout.ts'
import {
  type RelayControl,
  refusalsPerControlMax,
  writeBundlePart,
  writeRelayBundles,
} from './ticks/relay-bundles.ts'
import { slotDeltaBitsMax } from './ticks/slot-delta.ts'
import { lagTicksMax } from './ticks/turn-hash.ts'

const fullControl: RelayControl = {
  version: 255,
  orderNumber: 65_535,
  lateInputs: 255,
  echoStamp: 65_535,
  echoHeldMs: 65_535,
  token: 0xffff_ffff,
  marginMinMs: -1,
  marginMedianMs: 0,
  refusals: Array.from({ length: refusalsPerControlMax }, () => ({
    number: 65_535,
    reason: 'rate',
  })),
}

function encodeBundle(
  layout: InputLayout,
  current: number,
  orders: readonly Uint8Array[],
  events: readonly SystemEvent[],
): Uint8Array {
  const codec = new BundleCodec(seatsMax, layout)
  const out = new BitWriter()
  codec.encode(
    out,
    { orders: orders.map((bytes, number) => ({ seat: seatsMax - 1, number, bytes })), events },
    new Uint32Array(codec.slotTotal),
    new Uint32Array(codec.slotTotal).fill(current),
    new Uint8Array(seatsMax).fill(1),
  )
  return out.finish()
}

/** Slots of 32 bits, as many as the inputs of all seats may have. */
function widestLayout(): InputLayout {
  const layout: InputSlot[] = []
  const slot = slotOf(32)
  while (seatsMax * (2 + slotDeltaBitsMax([...layout, slot])) <= inputBitsTotalMax)
    layout.push(slot)
  return layout
}

test('all inputs, the largest order and all events fit one bundle', () => {
  const layout = widestLayout()
  expect(layout.length).toBeGreaterThan(5)
  expect(layout.length).toBeLessThanOrEqual(inputSlotsMax)
  const events = Array.from(
    { length: bundleEventsMax },
    (): SystemEvent => ({
      type: 'hand-over',
      seat: seatsMax - 1,
      member: heirIdMax,
    }),
  )
  // Half of the range away is the longest change there is.
  const bundle = encodeBundle(layout, 2 ** 31, [new Uint8Array(orderBytesMax)], events)
  expect(bundle.byteLength).toBeGreaterThan(bundleBytesMax * 0.9)
  expect(bundle.byteLength).toBeLessThanOrEqual(bundleBytesMax)
})

test('the largest order alone fits one datagram with all that stands before it', () => {
  const bundle = encodeBundle([], 0, [new Uint8Array(orderBytesMax)], [])
  expect(bundle.byteLength).toBeLessThanOrEqual(datagramBundleBytesMax)
})

test('the longest head of a message of ticks is within its limit', () => {
  const part = new BitWriter()
  writeBundlePart(part, 1, new Uint8Array(100), 0, 1, fullControl)
  expect(part.byteLength - 1).toBeLessThanOrEqual(bundlesHeadBytesMax)
  const many = new BitWriter()
  writeRelayBundles(many, 1, bundlesPerPacketMax, () => new Uint8Array(1), fullControl)
  // Each bundle is a byte, and so is the length of each but the last.
  expect(many.byteLength - 2 * bundlesPerPacketMax).toBeLessThanOrEqual(bundlesHeadBytesMax)
})

test('a datagram holds its heads and its bundles', () => {
  expect(linkOverheadBytesMax + bundlesHeadBytesMax + datagramBundleBytesMax).toBe(datagramBytesMax)
})

test('offsets within a bundle fit their 16 bits', () => {
  expect(bundleBytesMax).toBeLessThan(2 ** 16)
})

test('truncated ticks are unambiguous where they are used', () => {
  expect(2 ** tickBits).toBeGreaterThanOrEqual(2 * shortTicksMax)
  expect(shortBundlesMax).toBeLessThanOrEqual(shortTicksMax)
  expect(2 ** receivedBits).toBeGreaterThanOrEqual(2 * windowTicksMax)
})

test.each([1, 10, 30, 60, 120, 240])(
  'limits that mean a time mean it at %i ticks/s',
  (tickRate) => {
    // Two seconds of round trip, however many ticks these are.
    expect(windowTicksFor(tickRate)).toBeGreaterThanOrEqual(ticksIn(2_000, tickRate))
    expect(windowTicksFor(tickRate)).toBeLessThanOrEqual(windowTicksMax)
    expect(inputAheadTicksMax).toBeGreaterThan(ticksIn(delayMsMaxDefault, tickRate))
    expect(packetsPerTickFor(tickRate)).toBeGreaterThanOrEqual(2)
    expect(packetsPerTickFor(tickRate) * tickRate).toBeLessThanOrEqual(480)
  },
)

test('a relay remembers for longer than anybody may be silent', () => {
  expect(logMs).toBeGreaterThan(hiddenMsMax)
})

test('a time that is a whole number of ticks is that many', () => {
  expect([10, 30, 60, 240].map((rate) => ticksIn(100, rate))).toEqual([1, 3, 6, 24])
  expect(ticksIn(101, 30)).toBe(4)
})

test('what is on its way to a client fits a stream with room for all else', () => {
  expect(2 * windowBytesMax).toBeLessThanOrEqual(1_048_576)
})

test('whatever waits for the beginning of a match, the room can tell for how long', () => {
  // One field of the room says what remains, whichever of the two it is of.
  expect(countdownMsMax).toBeLessThanOrEqual(loadMsMax)
})

test('a config can name every class of orders that it has', () => {
  // A match allows or forbids classes by the bits of one word, of which the sign is left out.
  expect(orderClassesMax).toBeLessThan(32)
})

test('a turn can repeat every input that the relay would still take', () => {
  expect(inputsPerTurnMax).toBeGreaterThanOrEqual(inputAheadTicksMax)
})

test('a client as far behind as it may be can still say which tick its hash is of', () => {
  expect(lagTicksMax).toBeGreaterThanOrEqual(inboxTicksMax)
})

test('the relay has room for all that one client may have on its way', () => {
  expect(waitingOrdersMax).toBeGreaterThanOrEqual(outboxOrdersMax)
  // A bundle names an order by eight bits.
  expect(waitingOrdersMax + outboxOrdersMax).toBeLessThanOrEqual(256)
})

test.each(Object.keys(messageTypes) as MessageName[])('%s fits one packet of a stream', (name) => {
  expect(messageBytesMax(name)).toBeLessThanOrEqual(streamPacketBytesMax)
})
