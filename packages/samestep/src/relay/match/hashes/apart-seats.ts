import { seatsMax } from '../../../sim/limits.ts'
import type { HashGroup } from './hash-comparer.ts'
import { hasSeat } from './hash-comparer.ts'

/**
 * Which seats were told apart from which. What splits only these is no news:
 *
 *     told first    0 | 1 2 3
 *     told next     0 2 3 | 1
 *     no news       0 | 2 3 | 1,  0 1 | 2 3,  …
 *     news          0 1 2 | 3
 *
 * So two liars that differ in turns are told of once each, and do not use up what a match may tell.
 */
export class ApartSeats {
  /** For each seat those it was told apart from, a bit each. */
  readonly #apartLo = new Int32Array(seatsMax)
  readonly #apartHi = new Int32Array(seatsMax)

  /** Whether seats of different groups were not told apart yet. */
  isNews(groups: readonly HashGroup[]): boolean {
    const { allLo, allHi } = unite(groups)
    return groups.some((group) => {
      const othersLo = allLo & ~group.seatsLo
      const othersHi = allHi & ~group.seatsHi
      for (let seat = 0; seat < seatsMax; seat++) {
        if (!hasSeat(group, seat)) continue
        const newLo = othersLo & ~this.#apartLo[seat]!
        const newHi = othersHi & ~this.#apartHi[seat]!
        if ((newLo | newHi) !== 0) return true
      }
      return false
    })
  }

  /** These groups were told apart. */
  note(groups: readonly HashGroup[]): void {
    const { allLo, allHi } = unite(groups)
    for (const group of groups) {
      for (let seat = 0; seat < seatsMax; seat++) {
        if (!hasSeat(group, seat)) continue
        this.#apartLo[seat]! |= allLo & ~group.seatsLo
        this.#apartHi[seat]! |= allHi & ~group.seatsHi
      }
    }
  }

  /** A seat has another state: what was told of it is void. */
  forget(seat: number): void {
    this.#apartLo[seat] = 0
    this.#apartHi[seat] = 0
    const words = seat < 32 ? this.#apartLo : this.#apartHi
    const mask = ~(1 << (seat % 32))
    for (let other = 0; other < seatsMax; other++) words[other]! &= mask
  }
}

function unite(groups: readonly HashGroup[]): { allLo: number; allHi: number } {
  let allLo = 0
  let allHi = 0
  for (const { seatsLo, seatsHi } of groups) {
    allLo |= seatsLo
    allHi |= seatsHi
  }
  return { allLo, allHi }
}
