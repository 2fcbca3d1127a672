import type { OrderRefusal } from '../../wire/codes.ts'

/** An order that was taken, until it is known whether the next tick had room for it. */
export interface FreshOrder {
  readonly seat: number
  readonly number: number
  readonly bytes: Uint8Array
}

/**
 * What happened in a match since it was last written down, as far as nobody could tell afterwards. All
 * else is compared with what was written before.
 */
export class MatchNotes {
  /** Whether the recorder has it on its list. */
  isTouched = false
  /** The number of the match in the file, and which file that is; -1 for none. */
  number = -1
  file = -1
  /** Whether somebody broke the rules. */
  isStruck = false
  readonly bundles: Uint8Array[] = []
  readonly fresh: FreshOrder[] = []
  readonly refused: { member: number; number: number; reason: OrderRefusal }[] = []
  readonly droppedSeats: number[] = []
  readonly said: { member: number; scope: 'all' | 'team' | 'spectators'; text: string }[] = []

  /** Everything is written down. */
  clear(): void {
    // Most ticks have a bundle and nothing else.
    this.bundles.length = 0
    this.isStruck = false
    if (this.fresh.length > 0) this.fresh.length = 0
    if (this.refused.length > 0) this.refused.length = 0
    if (this.droppedSeats.length > 0) this.droppedSeats.length = 0
    if (this.said.length > 0) this.said.length = 0
  }
}
