import type { Room } from '../../../room/room.ts'
import { relaySeat } from '../../../sim/game/run/bundle.ts'
import { heldOrdersMax } from '../../../wire/limits.ts'
import type { MatchNotes } from '../../record/match-notes.ts'
import type { Sealer } from '../ticks/sealer.ts'
import type { OrderRulebook } from './order-table.ts'

/** What orders of the relay itself need of the match around them. */
export interface RelayOrderParts {
  readonly sealer: Sealer
  readonly room: Room
  readonly rules: OrderRulebook | undefined
  readonly notes: MatchNotes | undefined
}

/**
 * Orders that the program around the relay issues: weather, a referee's decision, what a shop sold. They
 * are sealed as everybody's, with a place of their own in each tick, and are opaque to the relay too.
 */
export class RelayOrders {
  readonly #parts: RelayOrderParts
  #count = 0

  constructor(parts: RelayOrderParts) {
    this.#parts = parts
  }

  /**
   * Takes an order for the next tick. False when the game has no such order for the relay, the match does
   * not run, or too many wait.
   */
  order(bytes: Uint8Array, nowMs: number): boolean {
    const { sealer, room, rules, notes } = this.#parts
    if (!room.isLaunched || rules === undefined) return false
    if (rules.refusalOf(bytes, 'relay') !== undefined) return false
    const isHeld = room.pace.isPaused && rules.waitsInPause(bytes)
    if (isHeld && sealer.waitingOf(relaySeat) >= heldOrdersMax) return false
    if (!sealer.hasRoomFor(relaySeat)) return false
    const number = this.#count++
    sealer.addOrder({ seat: relaySeat, number: number % 256, bytes, arrivedAtMs: nowMs })
    notes?.fresh.push({ seat: relaySeat, number, bytes })
    return true
  }
}
