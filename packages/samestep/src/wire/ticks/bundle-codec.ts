import type { BitReader } from '../../base/bit-reader.ts'
import type { BitWriter } from '../../base/bit-writer.ts'
import type { SystemEvent } from '../../sim/game/run/bundle.ts'
import { relaySeat, spectatorOf, spectatorSeat } from '../../sim/game/run/bundle.ts'
import { orderBytesMax } from '../../sim/limits.ts'
import { bundleOrdersMax } from '../limits.ts'
import { checkSeat, EventCodec } from './event-codec.ts'
import type { InputLayout } from './input-layout.ts'
import { SlotDelta } from './slot-delta.ts'
import { SlotValues } from './slot-values.ts'

/**
 * The bytes of one sealed tick. They are whole bytes, so that a relay encodes a tick once and copies
 * it to all clients.
 *
 *     1 bit     1: inputs changed, and that is all
 *     4 bits    only after 0: inputs changed · inputs missing · orders · events: which of these follow
 *     inputs    a bit per seat whose input changed; then each one's {@link SlotDelta}, in seat order
 *     missing   a bit per seat whose input did not come in time, so that the relay decided it
 *     orders    each: issuer, number 8, length (0 and 5 bits, or 1 and 11 bits from 32 on), bytes, and
 *               a bit whether another one follows
 *     events    number of events 8; each: kind 3 and what it needs
 *               zero bits to the end of the byte
 *
 * A seat takes as many bits as the seats of the match need. An issuer is a seat, in as many bits as
 * one more seat would need; that additional number means another issuer: then 0 for the relay, or 1
 * and the number of the spectator's member, 32. A tick in which nothing happens is one byte.
 */

/** One order in a bundle: its issuer, the low bits of the issuer's own count, and the game's bytes. */
export interface BundleOrder {
  /** A seat, or below 0 for the relay and for spectators: see `spectatorOf`. */
  readonly seat: number
  /** The low eight bits of the issuer's order number: lets the issuer recognize its own orders. */
  readonly number: number
  readonly bytes: Uint8Array
}

/** What happens at one tick besides the inputs. */
export interface BundleContent {
  readonly orders: readonly BundleOrder[]
  readonly events: readonly SystemEvent[]
}

/** Slots of one seat for which a bundle has invalid values. */
export interface WrongSlots {
  readonly seat: number
  /** A bit per slot. */
  readonly mask: number
}

/** A decoded bundle. */
export interface DecodedBundle extends BundleContent {
  /** Slots that got their initial value because the sealed one is invalid: nearly always none. */
  readonly wrongSlots: readonly WrongSlots[]
}

const numberBits = 8
const memberBits = 32
/** Most orders are a few numbers: five bits hold their lengths. */
const shortLengthBits = 5
const shortLengthMax = 2 ** shortLengthBits - 1
const longLengthBits = 11

const changedMark = 1
const missingMark = 2
const ordersMark = 4
const eventsMark = 8

const none: readonly never[] = Object.freeze([])

/** Encodes and decodes the bundles of one match. Keeps no state except scratch space. */
export class BundleCodec {
  readonly seatCount: number
  readonly delta: SlotDelta
  readonly #values: SlotValues
  readonly #events: EventCodec
  readonly #masks: Int32Array

  constructor(seatCount: number, layout: InputLayout) {
    this.seatCount = seatCount
    this.#events = new EventCodec(seatCount)
    this.delta = new SlotDelta(layout)
    this.#values = new SlotValues(layout)
    this.#masks = new Int32Array(seatCount)
  }

  /** Slots of all seats. */
  get slotTotal(): number {
    return this.seatCount * this.delta.slotCount
  }

  /**
   * Appends one bundle. `previous` and `current` hold the slots of all seats, seat by seat; `missing`
   * has a 1 per seat whose input the relay decided.
   */
  encode(
    out: BitWriter,
    content: BundleContent,
    previous: Uint32Array,
    current: Uint32Array,
    missing: Uint8Array,
  ): void {
    const { orders, events } = content
    const marks =
      (this.#findChanges(previous, current) ? changedMark : 0) |
      (missing.includes(1) ? missingMark : 0) |
      (orders.length > 0 ? ordersMark : 0) |
      (events.length > 0 ? eventsMark : 0)
    out.bits(marks === changedMark ? 1 : 0, 1)
    if (marks !== changedMark) out.bits(marks, 4)
    if ((marks & changedMark) !== 0) this.#writeInputs(out, previous, current)
    if ((marks & missingMark) !== 0) {
      for (let seat = 0; seat < this.seatCount; seat++) out.bits(missing[seat] as number, 1)
    }
    if ((marks & ordersMark) !== 0) writeOrders(out, orders, this.seatCount)
    if ((marks & eventsMark) !== 0) this.#events.write(out, events)
    out.align()
  }

  /**
   * Reads one bundle to its last byte, and turns `slots`, the inputs of the previous tick, into those
   * of this tick. An invalid value becomes the initial one, the same on every machine. If it throws,
   * `slots` is half-written.
   *
   * @throws WireError for anything but what {@link encode} writes.
   */
  decode(input: BitReader, slots: Uint32Array, missing: Uint8Array): DecodedBundle {
    const marks = readMarks(input)
    const wrongSlots = this.#readInputs(input, slots, (marks & changedMark) !== 0)
    this.#readMissing(input, missing, (marks & missingMark) !== 0)
    const orders = (marks & ordersMark) === 0 ? none : this.#readOrders(input)
    const events = (marks & eventsMark) === 0 ? none : this.#events.read(input)
    input.align()
    return { orders, events, wrongSlots }
  }

  #findChanges(previous: Uint32Array, current: Uint32Array): boolean {
    const { delta } = this
    const masks = this.#masks
    let any = 0
    for (let seat = 0; seat < this.seatCount; seat++) {
      const at = seat * delta.slotCount
      const mask = delta.changedMask(previous, at, current, at)
      masks[seat] = mask
      any |= mask
    }
    return any !== 0
  }

  #writeInputs(out: BitWriter, previous: Uint32Array, current: Uint32Array): void {
    const masks = this.#masks
    for (let seat = 0; seat < this.seatCount; seat++) out.bits(masks[seat] === 0 ? 0 : 1, 1)
    for (let seat = 0; seat < this.seatCount; seat++) {
      const mask = masks[seat] as number
      const at = seat * this.delta.slotCount
      if (mask !== 0) this.delta.write(out, mask, previous, at, current, at)
    }
  }

  #readInputs(input: BitReader, slots: Uint32Array, isChanged: boolean): readonly WrongSlots[] {
    const { delta, seatCount } = this
    const masks = this.#masks
    let any = 0
    for (let seat = 0; seat < seatCount; seat++) {
      const bit = isChanged ? input.bits(1) : 0
      masks[seat] = bit
      any |= bit
    }
    if (isChanged && any === 0) {
      throw input.fault('SS_WIRE_NOT_CANONICAL', 'Cannot accept changed inputs of no seat')
    }
    let wrong: WrongSlots[] | undefined
    for (let seat = 0; seat < seatCount; seat++) {
      const at = seat * delta.slotCount
      if (masks[seat] !== 1) {
        delta.writeHeld(slots, at, slots, at)
        continue
      }
      delta.read(input, slots, at, slots, at)
      const mask = this.#values.repair(slots, at)
      if (mask === 0) continue
      wrong ??= []
      wrong.push({ seat, mask })
    }
    return wrong ?? none
  }

  #readMissing(input: BitReader, missing: Uint8Array, isMissing: boolean): void {
    let any = 0
    for (let seat = 0; seat < this.seatCount; seat++) {
      const bit = isMissing ? input.bits(1) : 0
      missing[seat] = bit
      any |= bit
    }
    if (isMissing && any === 0) {
      throw input.fault('SS_WIRE_NOT_CANONICAL', 'Cannot accept missing inputs of no seat')
    }
  }

  #readOrders(input: BitReader): BundleOrder[] {
    const orders: BundleOrder[] = []
    do {
      if (orders.length === bundleOrdersMax) {
        throw input.fault('SS_WIRE_TOO_LARGE', `Cannot accept more than ${bundleOrdersMax} orders`)
      }
      const seat = this.#readIssuer(input)
      const number = input.bits(numberBits)
      orders.push({ seat, number, bytes: input.bytes(readLength(input)) })
    } while (input.bits(1) === 1)
    return orders
  }

  #readIssuer(input: BitReader): number {
    const seat = input.bits(issuerBitsOf(this.seatCount))
    if (seat !== this.seatCount) return checkSeat(input, seat, this.seatCount)
    return input.bits(1) === 0 ? relaySeat : spectatorSeat(input.bits(memberBits))
  }
}

function readMarks(input: BitReader): number {
  if (input.bits(1) === 1) return changedMark
  const marks = input.bits(4)
  if (marks === changedMark) {
    throw input.fault('SS_WIRE_NOT_CANONICAL', 'Cannot accept a long form of changed inputs')
  }
  return marks
}

/** Bits for the number of a seat, or for the number after the last seat: an issuer without one. */
function issuerBitsOf(seatCount: number): number {
  return 32 - Math.clz32(seatCount)
}

function writeIssuer(out: BitWriter, seat: number, seatCount: number): void {
  out.bits(seat < 0 ? seatCount : seat, issuerBitsOf(seatCount))
  if (seat >= 0) return
  const member = spectatorOf(seat)
  out.bits(member === undefined ? 0 : 1, 1)
  if (member !== undefined) out.bits(member, memberBits)
}

function writeOrders(out: BitWriter, orders: readonly BundleOrder[], seatCount: number): void {
  for (let index = 0; index < orders.length; index++) {
    const { seat, number, bytes } = orders[index] as BundleOrder
    writeIssuer(out, seat, seatCount)
    out.bits(number, numberBits)
    const length = bytes.byteLength
    const isLong = length > shortLengthMax
    out.bits(isLong ? 1 : 0, 1)
    out.bits(length, isLong ? longLengthBits : shortLengthBits)
    out.bytes(bytes)
    out.bits(index < orders.length - 1 ? 1 : 0, 1)
  }
}

function readLength(input: BitReader): number {
  if (input.bits(1) === 0) return input.bits(shortLengthBits)
  const length = input.bits(longLengthBits)
  if (length <= shortLengthMax) {
    throw input.fault('SS_WIRE_NOT_CANONICAL', `Cannot accept a long form of length ${length}`)
  }
  if (length > orderBytesMax) {
    throw input.fault('SS_WIRE_TOO_LARGE', `Cannot accept an order of ${length} bytes`)
  }
  return length
}
