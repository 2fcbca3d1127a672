import type { Session } from '../session.ts'
import type { HashGroup } from './hash-comparer.ts'

/** The group that a witness agrees with; `group` is `undefined` if it agrees with none. */
export interface WitnessSide {
  /** The member that is the witness. */
  readonly member: number
  readonly group: number | undefined
}

/**
 * What witnesses report about their states. A witness runs the game without playing, so it has no
 * reason to lie about who is right. Whether its word decides anything is up to the rules of the
 * match.
 */
export class WitnessHashes {
  /** For each witness: the tick and both words of the hash, by tick modulo the number kept. */
  readonly #reports = new Map<Session, Float64Array>()

  /** Notes a report. */
  handleHash(session: Session, tick: number, lo: number, hi: number): void {
    let words = this.#reports.get(session)
    if (words === undefined) {
      this.#dropGone()
      words = new Float64Array(rowWords * ticksKept).fill(-1)
      this.#reports.set(session, words)
    }
    const at = rowWords * (tick % ticksKept)
    words[at] = tick
    words[at + 1] = lo
    words[at + 2] = hi
  }

  /** Whether every connected witness has reported a tick. */
  hasAll(tick: number): boolean {
    for (const [session, words] of this.#reports) {
      const isThere = session.member.isIn && session.isConnected
      if (isThere && !hasReported(words, tick)) return false
    }
    return true
  }

  /** How many witnesses have reported a tick. */
  countAt(tick: number): number {
    let count = 0
    for (const words of this.#reports.values()) if (hasReported(words, tick)) count += 1
    return count
  }

  /** Which group each witness agrees with about a tick. Those that did not report it are left out. */
  sidesAt(tick: number, groups: readonly HashGroup[]): readonly WitnessSide[] {
    const sides: WitnessSide[] = []
    const at = rowWords * (tick % ticksKept)
    for (const [session, words] of this.#reports) {
      if (!session.member.isIn || !hasReported(words, tick)) continue
      const index = groups.findIndex(({ lo, hi }) => lo === words[at + 1] && hi === words[at + 2])
      sides.push({ member: session.member.id, group: index < 0 ? undefined : index })
    }
    return sides
  }

  #dropGone(): void {
    for (const session of this.#reports.keys()) {
      if (!session.member.isIn) this.#reports.delete(session)
    }
  }
}

/** The group that all witnesses agree with; `undefined` if there is none, or no witness. */
export function sideOfAll(sides: readonly WitnessSide[]): number | undefined {
  const [first, ...others] = sides
  return others.every(({ group }) => group === first?.group) ? first?.group : undefined
}

function hasReported(words: Float64Array, tick: number): boolean {
  return words[rowWords * (tick % ticksKept)] === tick
}

/** Words per tick: the tick, and the two words of its hash. */
const rowWords = 3

/** Ticks that are remembered: more than differences of seats are kept for, also at the highest rate. */
const ticksKept = 1_024
