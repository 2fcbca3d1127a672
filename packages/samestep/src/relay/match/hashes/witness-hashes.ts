import type { Session } from '../session.ts'
import type { HashGroup } from './hash-comparer.ts'

/** With which of several groups a witness agrees; with none of them where `group` is `undefined`. */
export interface WitnessSide {
  /** The member that is the witness. */
  readonly member: number
  readonly group: number | undefined
}

/**
 * What witnesses report of their states. A witness runs the game and does not play, so that it has no
 * reason to lie about who is right; whether its word decides anything is for the rules of the match.
 */
export class WitnessHashes {
  /** Of each witness tick and both words of the hash, by tick modulo the number kept. */
  readonly #reports = new Map<Session, Float64Array>()

  /** Takes in a report. */
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

  /** Whether every witness that is there has reported a tick. */
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

  /** Whom witnesses agree with about a tick. Those who did not report it are left out. */
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

/** The group with which all witnesses agree; `undefined` when there is none, or no witness. */
export function sideOfAll(sides: readonly WitnessSide[]): number | undefined {
  const [first, ...others] = sides
  return others.every(({ group }) => group === first?.group) ? first?.group : undefined
}

function hasReported(words: Float64Array, tick: number): boolean {
  return words[rowWords * (tick % ticksKept)] === tick
}

/** Words per tick: the tick, and the two of its hash. */
const rowWords = 3

/** Ticks that are remembered: more than the seats' differences are, at the fastest rate too. */
const ticksKept = 1_024
