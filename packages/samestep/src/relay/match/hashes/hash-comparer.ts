import { assert } from '../../../base/assert.ts'
import { seatsMax } from '../../../sim/limits.ts'

/**
 * The hashes that seats report, by tick. No report is taken as the truth: a tick on which seats
 * differ splits them into groups, and which of them is right is decided elsewhere.
 *
 * A reported hash is a chain over all ticks up to its own, so seats that agree at a tick agree on all
 * before it, and seats that differ at a tick differ from then on.
 */
export interface HashGroup {
  readonly lo: number
  readonly hi: number
  /** The seats that reported it: bits of seats 0 to 31, and of those above. */
  seatsLo: number
  seatsHi: number
}

/** How long reports are kept, to be compared with those of clients that are behind. */
const keptMs = 20_000

/**
 * Ticks for which differing reports are kept. After machines diverge nearly every tick differs, so
 * this bounds the memory: 64 ticks of at most 64 groups.
 */
const splitTicksMax = 64

/** Words per tick: the tick plus one, or 0 for none; then the hash and the seats of the first group. */
const rowWords = 5

/** See {@link HashGroup}. */
export class HashComparer {
  /** By tick modulo the number kept. A match without a difference uses nothing else. */
  readonly #rows: Uint32Array
  readonly #ticksKept: number
  /** The other groups of ticks that have several, oldest first. */
  readonly #splits = new Map<number, HashGroup[]>()
  #newestTick = -1
  /** The newest tick on which several seats agreed and none differed. */
  comparedTick = 0
  /** Ticks on which seats differed. */
  mismatches = 0

  /** `extraMs` is how much longer than usual reports are kept, for delayed spectators. */
  constructor(tickRate: number, extraMs = 0) {
    const ticks = Math.ceil((tickRate * (keptMs + extraMs)) / 1_000)
    this.#ticksKept = Math.max(ticks, splitTicksMax)
    this.#rows = new Uint32Array(rowWords * this.#ticksKept)
  }

  /** The newest reported tick; -1 for none. */
  get newestTick(): number {
    return this.#newestTick
  }

  /** Kept ticks with several groups, for limits. */
  get splitCount(): number {
    return this.#splits.size
  }

  /**
   * Notes the report of a seat. `contradicts` if the seat reported another hash for the same tick
   * before; that is not noted. `differs` if another seat reported another hash, `old` if the tick is
   * no longer kept.
   */
  report(
    seat: number,
    tick: number,
    lo: number,
    hi: number,
  ): 'noted' | 'differs' | 'old' | 'contradicts' {
    assert(seat < seatsMax, 'Seats have 64 bits')
    const rows = this.#rows
    const at = this.#rowAt(tick)
    if ((rows[at] as number) > tick + 1) return 'old'
    const [bitLo, bitHi] = seat < 32 ? [1 << seat, 0] : [0, 1 << (seat - 32)]
    const isBlank = rows[at + 3] === 0 && rows[at + 4] === 0 && !this.#splits.has(tick)
    if (rows[at] !== tick + 1 || isBlank) {
      this.#startRow(at, tick, lo, hi, bitLo, bitHi)
      return 'noted'
    }
    const isFirst = rows[at + 1] === lo && rows[at + 2] === hi
    const before = this.#groupOf(at, tick, bitLo, bitHi)
    if (before !== undefined) {
      return before.lo === lo && before.hi === hi ? 'noted' : 'contradicts'
    }
    if (!isFirst) {
      this.#addOther(tick, lo, hi, bitLo, bitHi)
      return this.isSplit(tick) ? 'differs' : 'noted'
    }
    const isShared = rows[at + 3] !== 0 || rows[at + 4] !== 0
    rows[at + 3] = (rows[at + 3] as number) | bitLo
    rows[at + 4] = (rows[at + 4] as number) | bitHi
    if (this.isSplit(tick)) return 'differs'
    if (isShared && tick > this.comparedTick) this.comparedTick = tick
    return 'noted'
  }

  /** What seats reported for a tick, one group per hash; empty if none did, or it is not kept. */
  groupsAt(tick: number): readonly HashGroup[] {
    const at = this.#rowAt(tick)
    if (tick < 0 || this.#rows[at] !== tick + 1) return nobody
    const others = this.#splits.get(tick)
    const first = this.#firstOf(at)
    // Forgetting a seat may leave an empty group.
    const isEmpty = first.seatsLo === 0 && first.seatsHi === 0
    const groups = isEmpty ? [] : [first]
    return others === undefined ? groups : [...groups, ...others]
  }

  /** The oldest tick that may still be known. */
  get oldestTick(): number {
    return Math.max(this.#newestTick - this.#ticksKept + 1, 0)
  }

  /** Whether seats differed on a tick. */
  isSplit(tick: number): boolean {
    return this.#splits.has(tick) && this.groupsAt(tick).length > 1
  }

  /** Drops the reports of a seat: another player has it now, or the same player started over. */
  forgetSeat(seat: number): void {
    const [maskLo, maskHi] = seat < 32 ? [~(1 << seat), -1] : [-1, ~(1 << (seat - 32))]
    const rows = this.#rows
    for (let at = 0; at < rows.length; at += rowWords) {
      rows[at + 3] = (rows[at + 3] as number) & maskLo
      rows[at + 4] = (rows[at + 4] as number) & maskHi
    }
    for (const [tick, others] of this.#splits) {
      for (const group of others) {
        group.seatsLo &= maskLo
        group.seatsHi &= maskHi
      }
      const left = others.filter(({ seatsLo, seatsHi }) => seatsLo !== 0 || seatsHi !== 0)
      if (left.length > 0) this.#splits.set(tick, left)
      else this.#splits.delete(tick)
    }
  }

  #rowAt(tick: number): number {
    return rowWords * (tick % this.#ticksKept)
  }

  #startRow(at: number, tick: number, lo: number, hi: number, bitLo: number, bitHi: number): void {
    const rows = this.#rows
    this.#splits.delete((rows[at] as number) - 1)
    rows[at] = tick + 1
    rows[at + 1] = lo
    rows[at + 2] = hi
    rows[at + 3] = bitLo
    rows[at + 4] = bitHi
    if (tick > this.#newestTick) this.#newestTick = tick
  }

  #firstOf(at: number): HashGroup {
    const rows = this.#rows
    return {
      lo: rows[at + 1] as number,
      hi: rows[at + 2] as number,
      seatsLo: rows[at + 3] as number,
      seatsHi: rows[at + 4] as number,
    }
  }

  #groupOf(at: number, tick: number, bitLo: number, bitHi: number): HashGroup | undefined {
    const rows = this.#rows
    const isFirst = ((rows[at + 3] as number) & bitLo) | ((rows[at + 4] as number) & bitHi)
    if (isFirst !== 0) return this.#firstOf(at)
    return this.#splits.get(tick)?.find(({ seatsLo, seatsHi }) => {
      return ((seatsLo & bitLo) | (seatsHi & bitHi)) !== 0
    })
  }

  #addOther(tick: number, lo: number, hi: number, bitLo: number, bitHi: number): void {
    const others = this.#splits.get(tick) ?? this.#startSplit(tick)
    const group = others.find((other) => other.lo === lo && other.hi === hi)
    if (group === undefined) {
      others.push({ lo, hi, seatsLo: bitLo >>> 0, seatsHi: bitHi >>> 0 })
      return
    }
    group.seatsLo = (group.seatsLo | bitLo) >>> 0
    group.seatsHi = (group.seatsHi | bitHi) >>> 0
  }

  #startSplit(tick: number): HashGroup[] {
    const others: HashGroup[] = []
    this.mismatches += 1
    this.#splits.set(tick, others)
    if (this.#splits.size > splitTicksMax) {
      for (const oldest of this.#splits.keys()) {
        this.#splits.delete(oldest)
        break
      }
    }
    return others
  }
}

const nobody: readonly HashGroup[] = Object.freeze([])

/** The seats of a group, in ascending sequence. */
export function seatsOf(group: HashGroup): number[] {
  const seats: number[] = []
  for (let seat = 0; seat < seatsMax; seat++) if (hasSeat(group, seat)) seats.push(seat)
  return seats
}

/** Whether a seat is one of a group. */
export function hasSeat({ seatsLo, seatsHi }: HashGroup, seat: number): boolean {
  return (((seat < 32 ? seatsLo : seatsHi) >>> (seat % 32)) & 1) === 1
}
