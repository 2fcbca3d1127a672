import type { InputLayout } from '../../../wire/ticks/input-layout.ts'
import type { SlotDelta } from '../../../wire/ticks/slot-delta.ts'

/**
 * What bots hold. A bot does not make an input for each tick, as a player does: its runner says what it
 * holds when that changes, and every tick from the next one on is sealed with it. So a bot is never late,
 * nobody waits for it, and it costs nothing while it holds still.
 *
 *     runner   hold: right, fire        hold: left
 *     sealed   7: right, fire   8: right   9: left
 */
export class BotHolds {
  readonly #layout: InputLayout
  readonly #delta: SlotDelta
  /** By seat; `undefined` for one that no bot plays, or that never held anything. */
  readonly #slots: (Uint32Array | undefined)[]

  constructor(seats: number, delta: SlotDelta) {
    this.#layout = delta.layout
    this.#delta = delta
    this.#slots = new Array<Uint32Array | undefined>(seats).fill(undefined)
  }

  /** From the next tick on. A shot that no tick has had yet is still fired. */
  hold(seat: number, slots: ArrayLike<number>): void {
    const before = this.#slots[seat]
    const next = Uint32Array.from(slots)
    this.#layout.forEach(({ isOneShot, initial }, index) => {
      const isFired = isOneShot && before !== undefined && before[index] !== initial
      if (isFired && next[index] === initial) next[index] = before[index] as number
    })
    this.#slots[seat] = next
  }

  /** The seat is somebody else's from now on, or nobody's. */
  release(seat: number): void {
    this.#slots[seat] = undefined
  }

  /** Writes what a bot holds in this tick; shots are fired with it. False when no bot holds anything. */
  write(seat: number, out: Uint32Array, at: number): boolean {
    const slots = this.#slots[seat]
    if (slots === undefined) return false
    out.set(slots, at)
    this.#delta.writeHeld(slots, 0, slots, 0)
    return true
  }
}
