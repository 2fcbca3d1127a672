import { WireError } from '../../base/errors.ts'
import type { Prng } from '../../base/prng.ts'
import { decodeRecord, encodeRecord } from '../../sim/schema/index.ts'
import { damage } from '../scripts/explorer.ts'
import type { Finding, Lane, RunTick } from './lane.ts'
import { makeFinding } from './lane.ts'
import type { LaneWorld } from './lane-world.ts'

/** Damaged copies of each order and input: over a match, every bit of every kind is met. */
const copiesEach = 2
const checkedPerTickMax = 6

/**
 * Holds the decoders of orders and inputs to their word: bytes are either refused with a `WireError`,
 * or they are what encoding the value gives. Otherwise two different texts would be one order, and a
 * hash over sealed bytes would not stand for what was done.
 */
export class BytesLane implements Lane {
  readonly #world: LaneWorld

  constructor(world: LaneWorld) {
    this.#world = world
  }

  run({ tick, bundle }: RunTick): Finding | undefined {
    const prng = this.#world.chance('bytes', tick)
    const { inputCodec } = this.#world.game
    for (const { bytes } of bundle.orders.slice(0, checkedPerTickMax)) {
      const finding = this.#try(tick, bytes, prng, 'an order', (text) => this.#recodeOrder(text))
      if (finding !== undefined) return finding
    }
    for (const input of bundle.inputs.slice(0, checkedPerTickMax)) {
      if (input === undefined) continue
      const bytes = encodeRecord(inputCodec, input as never)
      const recode = (text: Uint8Array) => encodeRecord(inputCodec, decodeRecord(inputCodec, text))
      const finding = this.#try(tick, bytes, prng, 'an input', recode)
      if (finding !== undefined) return finding
    }
    return undefined
  }

  #recodeOrder(bytes: Uint8Array): Uint8Array {
    const { orderCodec } = this.#world.game
    const { type, data } = orderCodec.decode(bytes)
    return orderCodec.encode(type.name, data)
  }

  #try(
    tick: number,
    bytes: Uint8Array,
    prng: Prng,
    what: string,
    recode: (bytes: Uint8Array) => Uint8Array,
  ): Finding | undefined {
    for (let copy = 0; copy <= copiesEach; copy++) {
      const text = copy === 0 ? bytes : damage(bytes, prng)
      const again = recodeOrRefuse(text, recode)
      if (again === undefined || isSame(text, again)) continue
      return makeFinding({
        check: 'canonical',
        lane: 'bytes',
        tick,
        detail: `${what} was read from ${hex(text)} and is written as ${hex(again)}`,
      })
    }
    return undefined
  }
}

function recodeOrRefuse(
  bytes: Uint8Array,
  recode: (bytes: Uint8Array) => Uint8Array,
): Uint8Array | undefined {
  try {
    return recode(bytes)
  } catch (error) {
    if (error instanceof WireError) return undefined
    throw error
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('') || 'no bytes'
}
