import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BitWriter } from '../../base/bit-writer.ts'
import { orderRefusals } from '../codes.ts'
import { bundleBytesMax, bundlesPerPacketMax, shortBundlesMax, shortTicksMax } from '../limits.ts'
import { hostileBytes, refusalOf } from '../testing/properties.ts'
import {
  isExactBundles,
  isRelayBundles,
  marginUnknown,
  type ReceivedBundles,
  type RelayControl,
  readRelayBundles,
  refusalsPerControlMax,
  writeBundlePart,
  writeRelayBundles,
} from './relay-bundles.ts'

const control: fc.Arbitrary<RelayControl> = fc.record(
  {
    version: fc.nat(255),
    orderNumber: fc.nat(65_535),
    lateInputs: fc.nat(255),
    echoStamp: fc.nat(65_535),
    echoHeldMs: fc.nat(65_535),
    token: fc.nat(0xffff_ffff),
    marginMinMs: fc.integer({ min: -32_768, max: 32_767 }),
    marginMedianMs: fc.integer({ min: -32_768, max: 32_767 }),
    refusals: fc.array(
      fc.record(
        { number: fc.nat(65_535), reason: fc.constantFrom(...orderRefusals) },
        { noNullPrototype: true },
      ),
      { maxLength: refusalsPerControlMax },
    ),
  },
  { noNullPrototype: true },
)

const maybeControl = fc.option(control, { nil: undefined })

const bundle = fc
  .oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 20 }) },
    fc.constantFrom(1, 254, 255, 256, 257, bundleBytesMax),
  )
  .chain((length) => fc.nat(255).map((byte) => new Uint8Array(length).fill(byte)))

/** A tick, and the one that a receiver expects who may be elsewhere in the window. */
const ticks = fc
  .tuple(
    fc.integer({ min: 1, max: 10_000_000 }),
    fc.integer({ min: -shortTicksMax, max: shortTicksMax }),
  )
  .map(([tick, distance]) => ({ tick, near: Math.max(tick + distance, 0) }))

function write(
  tick: number,
  bundles: readonly Uint8Array[],
  block?: RelayControl | undefined,
  isExact = false,
): Uint8Array {
  const out = new BitWriter()
  const bundleAt = (it: number): Uint8Array => bundles[it - tick] as Uint8Array
  writeRelayBundles(out, tick, bundles.length, bundleAt, block, isExact)
  return out.finish()
}

test('bundles and the control block come back, whatever their number and lengths', () => {
  fc.assert(
    fc.property(
      ticks,
      fc.array(bundle, { minLength: 1, maxLength: bundlesPerPacketMax }),
      maybeControl,
      ({ tick, near }, bundles, block) => {
        const bytes = write(tick, bundles, block)
        expect(isRelayBundles(bytes)).toBe(true)
        const wanted: ReceivedBundles = {
          firstTick: tick,
          isExact: bundles.length > shortBundlesMax,
          control: block,
          bundles,
          part: undefined,
        }
        expect(readRelayBundles(bytes, near)).toEqual(wanted)
      },
    ),
    { numRuns: 200 },
  )
})

test('an exact message is about its ticks, wherever the receiver is', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 0xffff_ff00 }),
      fc.nat(0xffff_ffff),
      fc.array(bundle, { minLength: 1, maxLength: bundlesPerPacketMax }),
      maybeControl,
      (tick, near, bundles, block) => {
        const bytes = write(tick, bundles, block, true)
        expect([isRelayBundles(bytes), isExactBundles(bytes)]).toEqual([true, true])
        const wanted = { firstTick: tick, isExact: true, control: block, bundles, part: undefined }
        expect(readRelayBundles(bytes, near)).toEqual(wanted)
      },
    ),
    { numRuns: 100 },
  )
  expect(isExactBundles(write(1, [Uint8Array.of(0)]))).toBe(false)
})

test('a bundle in parts comes back part by part', () => {
  fc.assert(
    fc.property(
      ticks,
      fc.integer({ min: 1, max: bundleBytesMax }),
      fc.integer({ min: 1, max: 1_064 }),
      maybeControl,
      ({ tick, near }, totalBytes, partBytes, block) => {
        const whole = Uint8Array.from({ length: totalBytes }, (_, index) => index * 7)
        const again = new Uint8Array(totalBytes)
        for (let start = 0; start < totalBytes; start += partBytes) {
          const end = Math.min(start + partBytes, totalBytes)
          const out = new BitWriter()
          writeBundlePart(out, tick, whole, start, end, start === 0 ? block : undefined)
          const { firstTick, bundles, part, ...rest } = readRelayBundles(out.finish(), near)
          expect(firstTick).toBe(tick)
          expect(part).toEqual({ totalBytes, start })
          expect(rest.control).toEqual(start === 0 ? block : undefined)
          expect(bundles).toHaveLength(1)
          again.set(bundles[0] as Uint8Array, start)
        }
        expect(again).toEqual(whole)
      },
    ),
    { numRuns: 60 },
  )
})

test('an idle tick is three bytes', () => {
  expect(write(1, [Uint8Array.of(0)])).toHaveLength(3)
})

const emptyControl: RelayControl = {
  version: 1,
  orderNumber: 2,
  lateInputs: 3,
  echoStamp: 4,
  echoHeldMs: 5,
  token: 6,
  marginMinMs: -7,
  marginMedianMs: 8,
  refusals: [],
}

test('a control block without refusals is seventeen bytes', () => {
  expect(write(1, [Uint8Array.of(0)], emptyControl)).toHaveLength(3 + 17)
})

test('a repeated bundle costs one byte besides itself, three when it is long', () => {
  const last = Uint8Array.of(0)
  const cost = (length: number): number =>
    write(1, [new Uint8Array(length), last]).length - length - write(1, [last]).length
  expect([1, 254, 255, bundleBytesMax].map(cost)).toEqual([1, 1, 3, 3])
})

test('bundles outlive the message', () => {
  const bytes = write(1, [Uint8Array.of(1), Uint8Array.of(2)])
  const { bundles } = readRelayBundles(bytes, 1)
  bytes.fill(0)
  expect(bundles).toEqual([Uint8Array.of(1), Uint8Array.of(2)])
})

test('bundles that the receiver has are checked and left empty', () => {
  const three = [Uint8Array.of(1), Uint8Array.of(2, 2), Uint8Array.of(3)]
  const bytes = write(5, three)
  const none = new Uint8Array(0)
  expect(readRelayBundles(bytes, 5, 4).bundles).toEqual(three)
  expect(readRelayBundles(bytes, 7, 6).bundles).toEqual([none, none, three[2]])
  expect(readRelayBundles(bytes, 8, 7).bundles).toEqual([none, none, none])
  expect(refusalOf(() => readRelayBundles(bytes.subarray(0, 5), 8, 7))).toBe('SS_WIRE_TRUNCATED')
})

test('what the receiver has makes no difference to what is refused', () => {
  const bytes = write(10, [Uint8Array.of(1), Uint8Array.of(2, 2), Uint8Array.of(3)])
  fc.assert(
    fc.property(hostileBytes([bytes]), fc.nat(20), (hostile, haveTick) => {
      const [some, all] = [haveTick, 0].map((it) =>
        refusalOf(() => readRelayBundles(hostile, 10, it)),
      )
      expect(some).toBe(all)
    }),
  )
})

test('no other message is taken for bundles', () => {
  expect(isRelayBundles(new Uint8Array(0))).toBe(false)
  for (let first = 0; first < 256; first++) {
    expect(isRelayBundles(Uint8Array.of(first))).toBe(first >= 0x80)
  }
})

test('margins are signed, to their ends', () => {
  for (const [marginMinMs, marginMedianMs] of [
    [marginUnknown, marginUnknown],
    [-1, 0],
    [32_767, -32_767],
  ] as const) {
    const block = { ...emptyControl, marginMinMs, marginMedianMs }
    expect(readRelayBundles(write(1, [Uint8Array.of(0)], block), 1).control).toEqual(block)
  }
})

test('every reason of a refusal comes back', () => {
  const refusals = orderRefusals.map((reason, number) => ({ number, reason }))
  const block = { ...emptyControl, refusals }
  expect(readRelayBundles(write(1, [Uint8Array.of(0)], block), 1).control).toEqual(block)
})

describe('refuses', () => {
  /** All of a control block but the number of its refusals. */
  const quietBlock = new Array<number>(16).fill(0)

  test.each([
    ['no bytes', [], 'TRUNCATED'],
    ['another message', [0x40, 1, 0], 'UNKNOWN'],
    ['a form that there is not', [0xa2, 1, 0, 0, 0, 0, 0, 0], 'UNKNOWN'],
    ['more bundles than a message holds', [0xa1, 1, 0, 0, 0, 32, 1, 0, 0], 'OUT_OF_RANGE'],
    ['an exact tick before the first', [0xa1, 0, 0, 0, 0, 0, 0], 'OUT_OF_RANGE'],
    ['a head alone', [0x80, 1], 'TRUNCATED'],
    ['a tick before the first', [0x80, 0xff, 0], 'OUT_OF_RANGE'],
    ['an empty bundle', [0x81, 1, 0, 0, 0], 'OUT_OF_RANGE'],
    ['an empty last bundle', [0x81, 1, 1, 0], 'TRUNCATED'],
    ['a long form of a short length', [0x81, 1, 255, 254, 0, 0, 0], 'NOT_CANONICAL'],
    ['a bundle that is too long', [0x81, 1, 255, 1, 16, 0, 0], 'TOO_LARGE'],
    ['a bundle that is not there', [0x81, 1, 9, 0, 0], 'TRUNCATED'],
    ['a part of too much', [0xa0, 1, 0, 0, 0, 1, 16, 0, 0, 0], 'TOO_LARGE'],
    ['a part that ends behind the bundle', [0xa0, 1, 0, 0, 0, 2, 0, 1, 0, 7, 7], 'OUT_OF_RANGE'],
    ['an empty part', [0xa0, 1, 0, 0, 0, 2, 0, 1, 0], 'TRUNCATED'],
    ['a control block that breaks off', [0xc0, 1, ...quietBlock.slice(0, 15)], 'TRUNCATED'],
    ['a refusal that is not there', [0xc0, 1, ...quietBlock, 0x01, 0, 0], 'TRUNCATED'],
    ['padding behind a control block', [0xc0, 1, ...quietBlock, 0x10, 0], 'NOT_CANONICAL'],
    ['padding behind a refusal', [0xc0, 1, ...quietBlock, 0x01, 0x00, 0x80, 0x00], 'NOT_CANONICAL'],
  ])('%s', (_title, bytes, code) => {
    expect(refusalOf(() => readRelayBundles(Uint8Array.from(bytes), 1))).toBe(`SS_WIRE_${code}`)
  })
})
