import { BitReader } from '../../base/bit-reader.ts'
import type { BitWriter } from '../../base/bit-writer.ts'
import type { OrderRefusal } from '../codes.ts'
import { orderRefusals } from '../codes.ts'
import { bundleBytesMax, bundlesPerPacketMax, shortBundlesMax, tickBits } from '../limits.ts'
import { expandTick, truncateTick } from './tick-window.ts'

/**
 * `RelayBundles`: the one message that a running match sends to a client in each tick.
 *
 *     byte 0    1 c f n n n n n: control block follows (c); number of bundles less one (n), or with f
 *               the form: one part of a single bundle (n is 0), or whole bundles (n is 1)
 *     tick      of the first bundle: its low eight bits, or with f all 32
 *     count     only in form 1: number of bundles less one, u8
 *     control   version u8, order number u16, late inputs u8, echoed stamp u16, held ms u16, token u32,
 *               smallest and median margin i16 each, number of refusals 4 bits, each: order number u16,
 *               reason 3 bits; zero bits
 *     part      only in form 0: length of the whole bundle u16, where the part begins u16
 *     lengths   of every bundle but the last: one byte, or 255 and two bytes from 255 on
 *     bundles   one after the other, each as {@link BundleCodec} writes it
 *
 * An idle tick is three bytes. The control block is repeated until the client names its version. The
 * long forms are for what needs several datagrams: these may overtake each other, and each is worth
 * keeping, so each states its exact tick.
 */

/** What the relay tells one client besides the ticks. */
export interface RelayControl {
  /** Counts the changes of this block, modulo 255: a client that has seen none sends 255. */
  readonly version: number
  /** Every order below this number of the client's own count was taken or refused; low 16 bits. */
  readonly orderNumber: number
  /** How many of the client's inputs were late so far, modulo 256. */
  readonly lateInputs: number
  /**
   * The newest stamp that the client sent, and how long ago it arrived, from which the client
   * computes its round trip. 65 535 for longer ago, or never.
   */
  readonly echoStamp: number
  readonly echoHeldMs: number
  /** A random number to be sent back with the executed tick, as proof of life; 0 for none yet. */
  readonly token: number
  /**
   * How many ms before their ticks were sealed the last inputs arrived: the smallest and the median.
   * Negative for late ones, {@link marginUnknown} if there were none.
   */
  readonly marginMinMs: number
  readonly marginMedianMs: number
  /** Orders that will not run. Repeated like the rest of the block. */
  readonly refusals: readonly { readonly number: number; readonly reason: OrderRefusal }[]
}

/** Refusals in one control block. More wait for the next version. */
export const refusalsPerControlMax = 15

/** Stands for no margin. */
export const marginUnknown = -32_768

const bundlesMark = 0x80
const controlMark = 0x40
const formMark = 0x20
const countMask = 0x1f
/** These stand in place of the number of bundles in the long forms. */
const partForm = 0
const wholeForm = 1
const longLength = 255

/** A decoded message. */
export interface ReceivedBundles {
  readonly firstTick: number
  /** Whether the message states its exact tick, so that it is usable however late it arrives. */
  readonly isExact: boolean
  readonly control: RelayControl | undefined
  /** The bundles in sequence. */
  readonly bundles: readonly Uint8Array[]
  /** Set when `bundles` holds one part of the first tick's bundle instead of whole ones. */
  readonly part: BundlePart | undefined
}

/** A part of a bundle that is too large for one datagram. */
export interface BundlePart {
  readonly totalBytes: number
  readonly start: number
}

/** Whether a message is `RelayBundles`, by its first byte. */
export function isRelayBundles(bytes: Uint8Array): boolean {
  return ((bytes[0] as number) & bundlesMark) !== 0
}

/** Whether such a message states its exact tick. */
export function isExactBundles(bytes: Uint8Array): boolean {
  return ((bytes[0] as number) & formMark) !== 0
}

/**
 * Writes a message of `count` ticks from `firstTick` on, whose bytes `bundleAt` returns. An exact
 * message has the whole number of its first tick; only such a message can hold more than
 * {@link shortBundlesMax}.
 */
export function writeRelayBundles(
  out: BitWriter,
  firstTick: number,
  count: number,
  bundleAt: (tick: number) => Uint8Array,
  control: RelayControl | undefined,
  mustBeExact = false,
): void {
  const isExact = mustBeExact || count > shortBundlesMax
  const marks = bundlesMark | (control === undefined ? 0 : controlMark)
  out.bits(isExact ? marks | formMark | wholeForm : marks | (count - 1), 8)
  if (isExact) {
    out.bits(firstTick, 32)
    out.bits(count - 1, 8)
  } else {
    out.bits(truncateTick(firstTick), tickBits)
  }
  if (control !== undefined) writeControl(out, control)
  for (let index = 0; index < count - 1; index++) {
    const length = bundleAt(firstTick + index).byteLength
    out.bits(Math.min(length, longLength), 8)
    if (length >= longLength) out.bits(length, 16)
  }
  for (let index = 0; index < count; index++) out.bytes(bundleAt(firstTick + index))
}

/** Writes a message with one part of a bundle that is too large for a datagram. */
export function writeBundlePart(
  out: BitWriter,
  tick: number,
  bundle: Uint8Array,
  start: number,
  end: number,
  control: RelayControl | undefined,
): void {
  out.bits(bundlesMark | formMark | partForm | (control === undefined ? 0 : controlMark), 8)
  out.bits(tick, 32)
  if (control !== undefined) writeControl(out, control)
  out.bits(bundle.byteLength, 16)
  out.bits(start, 16)
  out.bytes(bundle.subarray(start, end))
}

const reader = new BitReader()

/** Lengths of all bundles but the last, for the message that is being read. */
const lengths = new Uint16Array(bundlesPerPacketMax)

/**
 * Decodes a message. `nearTick` is the tick that the receiver expects next. Whole bundles up to
 * `haveTick` are left empty: the receiver has them.
 *
 * @throws WireError for anything but what {@link writeRelayBundles} writes.
 */
export function readRelayBundles(
  bytes: Uint8Array,
  nearTick: number,
  haveTick = 0,
): ReceivedBundles {
  reader.reset(bytes)
  const head = reader.bits(8)
  const isExact = (head & formMark) !== 0
  const isPart = isExact && (head & countMask) === partForm
  if ((head & bundlesMark) === 0 || (isExact && (head & countMask) > wholeForm)) {
    throw reader.fault('SS_WIRE_UNKNOWN', `Cannot accept a head of ${head}`)
  }
  const firstTick = isExact ? reader.bits(32) : expandTick(reader.bits(tickBits), nearTick)
  const count = readCount(reader, head)
  if (firstTick < 1) {
    throw reader.fault('SS_WIRE_OUT_OF_RANGE', `Cannot accept bundles of tick ${firstTick}`)
  }
  const control = (head & controlMark) === 0 ? undefined : readControl(reader)
  const part = isPart ? readPart(reader) : undefined
  const earlier = count === 1 ? undefined : readEarlier(reader, count - 1, firstTick, haveTick)
  const rest = reader.remainingBits / 8
  if (rest === 0) throw reader.fault('SS_WIRE_TRUNCATED', 'Cannot read the last bundle')
  checkLength(reader, rest)
  const last = takeBundle(reader, rest, isPart || firstTick + count - 1 > haveTick)
  reader.end()
  // A list that begins with what it has takes a third of the memory of one that something is pushed to.
  const bundles = earlier ?? [last]
  if (earlier !== undefined) earlier.push(last)
  if (part !== undefined && part.start + rest > part.totalBytes) {
    throw reader.fault('SS_WIRE_OUT_OF_RANGE', 'Cannot accept a part that ends behind its bundle')
  }
  return { firstTick, isExact, control, bundles, part }
}

/** All bundles but the last: their lengths, then the bundles. */
function readEarlier(
  input: BitReader,
  count: number,
  firstTick: number,
  haveTick: number,
): Uint8Array[] {
  const bundles: Uint8Array[] = []
  for (let index = 0; index < count; index++) lengths[index] = readLength(input)
  for (let index = 0; index < count; index++) {
    const length = lengths[index] as number
    bundles.push(takeBundle(input, length, firstTick + index > haveTick))
  }
  return bundles
}

/** The number of bundles, which the long forms store elsewhere. */
function readCount(input: BitReader, head: number): number {
  if ((head & formMark) === 0) return (head & countMask) + 1
  if ((head & countMask) === partForm) return 1
  const count = input.bits(8) + 1
  if (count <= bundlesPerPacketMax) return count
  throw input.fault('SS_WIRE_OUT_OF_RANGE', `Cannot accept ${count} bundles in one message`)
}

const noBytes = new Uint8Array(0)

/** The receiver has most of a datagram already: copying all of it took 4 % of a client's tick. */
function takeBundle(input: BitReader, length: number, isWanted: boolean): Uint8Array {
  if (isWanted) return input.bytes(length)
  input.skip(length)
  return noBytes
}

function readPart(input: BitReader): BundlePart {
  const totalBytes = input.bits(16)
  const start = input.bits(16)
  if (totalBytes > bundleBytesMax) {
    throw input.fault('SS_WIRE_TOO_LARGE', `Cannot accept a bundle of ${totalBytes} bytes`)
  }
  return { totalBytes, start }
}

function writeControl(out: BitWriter, control: RelayControl): void {
  out.bits(control.version, 8)
  out.bits(control.orderNumber, 16)
  out.bits(control.lateInputs, 8)
  out.bits(control.echoStamp, 16)
  out.bits(control.echoHeldMs, 16)
  out.bits(control.token, 32)
  out.bits(control.marginMinMs & 0xffff, 16)
  out.bits(control.marginMedianMs & 0xffff, 16)
  out.bits(control.refusals.length, 4)
  for (const { number, reason } of control.refusals) {
    out.bits(number, 16)
    out.bits(orderRefusals.indexOf(reason), 3)
  }
  out.align()
}

function readControl(input: BitReader): RelayControl {
  const version = input.bits(8)
  const orderNumber = input.bits(16)
  const lateInputs = input.bits(8)
  const echoStamp = input.bits(16)
  const echoHeldMs = input.bits(16)
  const token = input.bits(32)
  const marginMinMs = (input.bits(16) << 16) >> 16
  const marginMedianMs = (input.bits(16) << 16) >> 16
  const refusals: { number: number; reason: OrderRefusal }[] = []
  for (let left = input.bits(4); left > 0; left--) {
    const number = input.bits(16)
    // Eight reasons: three bits always name one.
    refusals.push({ number, reason: orderRefusals[input.bits(3)] as OrderRefusal })
  }
  input.align()
  return {
    version,
    orderNumber,
    lateInputs,
    echoStamp,
    echoHeldMs,
    token,
    marginMinMs,
    marginMedianMs,
    refusals,
  }
}

function readLength(input: BitReader): number {
  const short = input.bits(8)
  if (short < longLength) {
    checkLength(input, short)
    return short
  }
  const length = input.bits(16)
  if (length < longLength) {
    throw input.fault('SS_WIRE_NOT_CANONICAL', `Cannot accept a long form of length ${length}`)
  }
  checkLength(input, length)
  return length
}

function checkLength(input: BitReader, length: number): void {
  if (length >= 1 && length <= bundleBytesMax) return
  const code = length < 1 ? 'SS_WIRE_OUT_OF_RANGE' : 'SS_WIRE_TOO_LARGE'
  throw input.fault(code, `Cannot accept a bundle of ${length} bytes`)
}
