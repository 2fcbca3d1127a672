import type { BitReader } from '../../base/bit-reader.ts'
import type { BitWriter } from '../../base/bit-writer.ts'
import type { LeaveReason, SystemEvent } from '../../sim/game/run/bundle.ts'
import { bundleEventsMax, heirBits } from '../limits.ts'

const countBits = 8
const kindBits = 3
/** The seat number of a pause or resume that no seat asked for. */
const nobody = 127
const askerBits = 7
const percentBits = 10
const delayBits = 8
const reasonBits = 3

const leaveReasons: readonly LeaveReason[] = [
  'left',
  'timeout',
  'kicked',
  'voted-out',
  'refused',
  'relay-closed',
]

/** The system events of one bundle: their number, then each with its kind and its fields. */
export class EventCodec {
  readonly #seatCount: number
  readonly #seatBits: number

  constructor(seatCount: number) {
    this.#seatCount = seatCount
    this.#seatBits = 32 - Math.clz32(seatCount - 1)
  }

  /** Appends events. There must be at least one. */
  write(out: BitWriter, events: readonly SystemEvent[]): void {
    out.bits(events.length, countBits)
    for (const event of events) this.#writeEvent(out, event)
  }

  /**
   * Reads what {@link write} appended.
   *
   * @throws WireError for anything else.
   */
  read(input: BitReader): SystemEvent[] {
    const count = input.bits(countBits)
    if (count === 0) throw input.fault('SS_WIRE_NOT_CANONICAL', 'Cannot accept a list of no events')
    if (count > bundleEventsMax) {
      throw input.fault('SS_WIRE_TOO_LARGE', `Cannot accept ${count} events`)
    }
    const events: SystemEvent[] = []
    for (let index = 0; index < count; index++) events.push(this.#readEvent(input))
    return events
  }

  #writeEvent(out: BitWriter, event: SystemEvent): void {
    const seatBits = this.#seatBits
    switch (event.type) {
      case 'join':
        out.bits(0, kindBits)
        out.bits(event.seat, seatBits)
        return
      case 'leave':
        out.bits(1, kindBits)
        out.bits(event.seat, seatBits)
        out.bits(leaveReasons.indexOf(event.reason), reasonBits)
        return
      case 'pause':
        out.bits(2, kindBits)
        out.bits(event.seat ?? nobody, askerBits)
        return
      case 'resume':
        out.bits(3, kindBits)
        out.bits(event.seat ?? nobody, askerBits)
        return
      case 'speed':
        out.bits(4, kindBits)
        out.bits(event.percent, percentBits)
        return
      case 'delay':
        out.bits(5, kindBits)
        out.bits(event.ticks, delayBits)
        return
      case 'hand-over':
        out.bits(6, kindBits)
        out.bits(event.seat, seatBits)
        out.bits(event.member === undefined ? 0 : 1, 1)
        if (event.member !== undefined) out.bits(event.member, heirBits)
    }
  }

  #readEvent(input: BitReader): SystemEvent {
    const kind = input.bits(kindBits)
    switch (kind) {
      case 0:
        return { type: 'join', seat: this.#readSeat(input) }
      case 1:
        return { type: 'leave', seat: this.#readSeat(input), reason: readReason(input) }
      case 2:
        return { type: 'pause', seat: this.#readAsker(input) }
      case 3:
        return { type: 'resume', seat: this.#readAsker(input) }
      case 4:
        return { type: 'speed', percent: input.bits(percentBits) }
      case 5:
        return { type: 'delay', ticks: input.bits(delayBits) }
      case 6: {
        const seat = this.#readSeat(input)
        const member = input.bits(1) === 1 ? input.bits(heirBits) : undefined
        return { type: 'hand-over', seat, member }
      }
      default:
        throw input.fault('SS_WIRE_UNKNOWN', `Cannot accept a system event of kind ${kind}`)
    }
  }

  #readSeat(input: BitReader): number {
    return checkSeat(input, input.bits(this.#seatBits), this.#seatCount)
  }

  #readAsker(input: BitReader): number | undefined {
    const seat = input.bits(askerBits)
    return seat === nobody ? undefined : checkSeat(input, seat, this.#seatCount)
  }
}

/** Returns the seat that was read if the match has it; throws otherwise. */
export function checkSeat(input: BitReader, seat: number, seatCount: number): number {
  if (seat < seatCount) return seat
  throw input.fault('SS_WIRE_OUT_OF_RANGE', `Cannot accept seat ${seat} of ${seatCount}`)
}

function readReason(input: BitReader): LeaveReason {
  const index = input.bits(reasonBits)
  const reason = leaveReasons[index]
  if (reason === undefined) {
    throw input.fault('SS_WIRE_OUT_OF_RANGE', `Cannot accept reason ${index} for leaving`)
  }
  return reason
}
