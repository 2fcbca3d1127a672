import type { TurnHash } from '../../wire/ticks/turn-hash.ts'

/**
 * Finds out who reports old hashes to be never compared with anybody (T-49). A report is of one of the
 * ticks that were executed since the last one, so it lies behind everything reported before:
 *
 *     executed      1 2 3 4 │ 5 6 7 │ 8 9
 *     report of           4 │   6   │ 8       each is newer than what was executed at the report before
 *     withheld            4 │ 4     │ 4       time passes, and nothing new is said of the state
 *
 * A relay that was restarted takes clients to be further than they are, so one such report is nothing.
 */
export class WithheldHashes {
  #count = 0

  /** Takes in a report of somebody who had executed so much before. True when it withholds its hashes. */
  note(executedTick: number, hash: Pick<TurnHash, 'executedTick' | 'tick'>): boolean {
    if (hash.executedTick <= executedTick) return false
    this.#count = hash.tick > executedTick ? 0 : this.#count + 1
    return this.#count >= withheldMax
  }
}

/** Reports in a row that say nothing new. */
const withheldMax = 3
