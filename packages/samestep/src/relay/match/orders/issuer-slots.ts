import { relaySeat } from '../../../sim/game/run/bundle.ts'

/**
 * Whoever issues orders shares ticks with the others by slots: one for each seat, one for the relay, and
 * one for all spectators together. So two hundred who watch get as much of a tick as one who plays.
 */

/** Slots of a match with so many seats. */
export function slotCount(seats: number): number {
  return seats + 2
}

/** The slot of who issued an order: a seat, or below 0 the relay or a spectator. */
export function slotOf(seat: number, seats: number): number {
  if (seat >= 0) return seat
  return seat === relaySeat ? seats : seats + 1
}
