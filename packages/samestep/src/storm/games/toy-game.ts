import { defineGame } from '../../sim/game/definition/define-game.ts'
import { order } from '../../sim/game/orders/order.ts'
import {
  bool,
  bytes,
  i32,
  list,
  map,
  range,
  ref,
  struct,
  u8,
  u16,
  u32,
} from '../../sim/schema/index.ts'
import { plain } from '../../sim/state/plain.ts'
import { single } from '../../sim/state/single.ts'
import { table } from '../../sim/state/table.ts'

/** Made once: writing down where an error was made costs more than all of the tick. */
const tripped = new Error('Tripped')

/** What the code of one machine does otherwise than that of the others, in one tick (F-26). */
export interface ToyQuirk {
  readonly kind: 'draw' | 'reorder'
  readonly tick: number
}

/**
 * The game that storms play when they are given no other: small, fast, and sensitive to every mistake
 * of sequence. Any order lost, doubled or moved changes its state for ever. At so many ticks per second. With a quirk, as a
 * machine has it whose code is another.
 */
export function makeToyGame(tickRate: number, quirk?: ToyQuirk) {
  return defineGame({
    id: 'storm-toy',
    version: 1,
    tickRate,
    seats: { min: 1, max: 64 },
    state: {
      units: table(64, { x: i32, y: i32, owner: u8, mark: u32 }),
      chain: single({ order: u32, input: u32 }),
      book: plain(struct({ last: map(u8, u16, 64) })),
    },
    input: { dx: range(-2, 2).default(0), dy: range(-2, 2).default(0), fire: bool.oneShot() },
    orders: {
      mark: { unit: ref('units'), tag: u32 },
      spawn: { x: i32, tag: u32 },
      write: { note: bytes(200), tag: u32 },
      /** Orders that make game code throw: the match must survive them. */
      trip: order({ tag: u32 }, { maxPerTick: 4 }),
      gather: { units: list(ref('units'), 20), tag: u32 },
    },
    setup({ state, seats }) {
      for (let owner = 0; owner < seats; owner++) state.units.add({ owner })
    },
    validate({ order }) {
      return order.data.tag % 13 !== 5 || 'An unlucky tag'
    },
    apply({ state, seat, order, random }) {
      const { units, chain, book } = state
      // A chain in which every order leaves its trace, in its place.
      chain.order = (Math.imul(chain.order ^ order.data.tag, 0x9e37_79b1) + seat) >>> 0
      // Set again, a key moves to the end: a Map whose sequence is state.
      book.last.delete(seat)
      book.last.set(seat, order.data.tag & 0xffff)
      if (order.type === 'trip') throw tripped
      if (order.type === 'mark') {
        const row = units.rowOf(order.data.unit)
        if (row >= 0) units.mark[row] = order.data.tag
      }
      if (order.type === 'spawn') {
        if (units.count === units.rowsMax) units.remove(random.below(units.rowsMax))
        units.add({ x: order.data.x, owner: seat, mark: order.data.tag })
      }
      if (order.type === 'gather') {
        for (const unit of order.data.units) {
          const row = units.rowOf(unit)
          if (row >= 0) units.x[row] = units.y[row]!
        }
      }
    },
    step({ state, inputs, random, tick, events }) {
      const { units, chain, book } = state
      const isOdd = tick === quirk?.tick
      for (let at = 0; at < events.length; at++) {
        const event = events[at]!
        const who = 'seat' in event ? (event.seat ?? 98) : 99
        chain.input = (Math.imul(chain.input, 33) + who * 2 + (event.type === 'join' ? 1 : 0)) >>> 0
      }
      for (let row = units.first(); row >= 0; row = units.next(row)) {
        const input = inputs[units.owner[row]!]
        if (input === undefined) continue
        units.x[row] = (units.x[row]! + input.dx) | 0
        units.y[row] = (units.y[row]! + input.dy) | 0
        if (input.fire) chain.input = (Math.imul(chain.input, 31) + row + tick) >>> 0
      }
      if (isOdd && quirk?.kind === 'reorder') {
        const entries = [...book.last].reverse()
        book.last.clear()
        for (const [seat, tag] of entries) book.last.set(seat, tag)
      }
      const isDrawn = !isOdd || quirk?.kind !== 'draw'
      if (tick % 16 === 0 && isDrawn) chain.input = (chain.input ^ random.next()) >>> 0
    },
  })
}

/** The toy game at the usual 30 ticks per second. */
export const toyGame = makeToyGame(30)
