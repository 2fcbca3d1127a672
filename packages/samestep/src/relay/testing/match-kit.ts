import { BitReader } from '../../base/bit-reader.ts'
import { BitWriter } from '../../base/bit-writer.ts'
import type { SystemEvent } from '../../sim/game/bundle.ts'
import type { BundleOrder } from '../../wire/bundle-codec.ts'
import { BundleCodec } from '../../wire/bundle-codec.ts'
import type { ClientTurn } from '../../wire/client-turn.ts'
import { writeClientTurn } from '../../wire/client-turn.ts'
import type { MatchConfig } from '../../wire/match-config.ts'
import { makeMatchConfig } from '../../wire/match-config.ts'
import { SlotDelta } from '../../wire/slot-delta.ts'
import type { GameIdentity } from '../match-types.ts'

/** A stick, a button that is held, a button that fires once. */
export const testSlots: MatchConfig['inputSlots'] = [
  { bits: 8, initial: 100, isOneShot: false },
  { bits: 1, initial: 0, isOneShot: false },
  { bits: 4, initial: 5, isOneShot: true },
]

/** Two seats, twenty ticks per second, missing inputs idle. */
export const testConfig: MatchConfig = makeMatchConfig({
  seats: 2,
  tickRate: 20,
  inputDelay: 2,
  inputSlots: testSlots,
  options: Uint8Array.of(1, 2, 3),
})

/** The game that everybody in these tests plays. */
export const testIdentity: GameIdentity = {
  gameId: 'chess',
  gameVersion: 3,
  fingerprint: new Uint8Array(32).fill(7),
}

/** What a bundle says, in plain values. */
export interface PlainBundle {
  readonly orders: readonly BundleOrder[]
  readonly events: readonly SystemEvent[]
  readonly inputs: readonly (readonly number[])[]
  readonly missing: readonly boolean[]
}

/** Reads the bundles of one match, one after the other. */
export class BundleReader {
  readonly #codec: BundleCodec
  readonly #slots: Uint32Array
  readonly #missing: Uint8Array
  readonly #reader = new BitReader()

  constructor(config: MatchConfig) {
    this.#codec = new BundleCodec(config.seats, config.inputSlots)
    this.#slots = new Uint32Array(this.#codec.slotTotal)
    this.#missing = new Uint8Array(config.seats)
    const { delta } = this.#codec
    for (let seat = 0; seat < config.seats; seat++) {
      delta.writeInitial(this.#slots, seat * delta.slotCount)
    }
  }

  read(bytes: Uint8Array): PlainBundle {
    this.#reader.reset(bytes)
    const { orders, events } = this.#codec.decode(this.#reader, this.#slots, this.#missing)
    this.#reader.end()
    const { slotCount } = this.#codec.delta
    return {
      orders: orders.map(({ seat, number, bytes: order }) => ({
        seat,
        number,
        bytes: order.slice(),
      })),
      events: [...events],
      inputs: Array.from(this.#missing, (_, seat) => [
        ...this.#slots.slice(seat * slotCount, (seat + 1) * slotCount),
      ]),
      missing: Array.from(this.#missing, (bit) => bit === 1),
    }
  }
}

/** A turn in plain values. What is left out is not said. */
export interface PlainTurn {
  readonly received?: number
  readonly controlSeen?: number
  readonly stamp?: number
  readonly hash?: ClientTurn['hash']
  readonly firstInputTick?: number
  readonly inputs?: readonly (readonly number[])[]
  readonly firstOrder?: number
  readonly orders?: readonly Uint8Array[]
}

const writer = new BitWriter()

/** The bytes of a turn. */
export function turnBytes(config: MatchConfig, turn: PlainTurn): Uint8Array {
  const { inputs = [], orders = [] } = turn
  writer.reset()
  writeClientTurn(writer, new SlotDelta(config.inputSlots), {
    received: turn.received ?? 0,
    controlSeen: turn.controlSeen ?? 255,
    report:
      turn.stamp === undefined
        ? undefined
        : {
            stamp: turn.stamp,
            rttMs: 65_535,
            activity: 'active',
            loadPercent: 0,
            token: undefined,
          },
    heldMs: 0,
    hash: turn.hash,
    firstInputTick: turn.firstInputTick ?? 0,
    inputs: Uint32Array.from(inputs.flat()),
    inputCount: inputs.length,
    firstOrderNumber: turn.firstOrder ?? 0,
    orders,
  })
  return writer.finish()
}

/** An order of some bytes that are easy to tell apart. */
export function orderOf(mark: number, size = 4): Uint8Array {
  return new Uint8Array(size).fill(mark)
}
