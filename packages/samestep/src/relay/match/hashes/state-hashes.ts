import { toHex } from '../../../sim/hash/hex.ts'
import { agreedHashBytes, isStateHashTick } from '../../../wire/messages/state-transfer.ts'
import type { HashGroup } from './hash-comparer.ts'

/**
 * The hashes of whole states that seats report, by tick: 256 bits, so that nobody can make a second
 * state with the same hash. Machines that differ here but not in the 64 bits of a tick are the work
 * of a liar; all other differences show earlier.
 */
export class StateHashes {
  /** By tick: the seats that reported each hash. */
  readonly #ticks = new Map<number, Map<string, number[]>>()
  /** The oldest tick with a difference that is not yet examined; `Infinity` for none. */
  #suspectTick = Number.POSITIVE_INFINITY

  /** Notes a report. Returns false if the seat reported another hash for the same tick before. */
  report(seat: number, tick: number, hash: Uint8Array): boolean {
    if (!isStateHashTick(tick) || hash.byteLength !== agreedHashBytes) return true
    const said = this.#ticks.get(tick) ?? this.#start(tick)
    if (said === undefined) return true
    const key = toHex(hash)
    for (const [other, seats] of said) {
      if (seats.includes(seat)) return other === key
    }
    const seats = said.get(key)
    if (seats === undefined) said.set(key, [seat])
    else seats.push(seat)
    if (said.size > 1) this.#suspectTick = Math.min(this.#suspectTick, tick)
    return true
  }

  /** The oldest tick with a difference that is not yet examined; `Infinity` for none. */
  get suspectTick(): number {
    return this.#suspectTick
  }

  /** A difference was told, or is no news: the next one to examine is the one after it. */
  passSuspect(): void {
    const passed = this.#suspectTick
    this.#suspectTick = Number.POSITIVE_INFINITY
    for (const [tick, said] of this.#ticks) {
      if (tick > passed && said.size > 1) this.#suspectTick = Math.min(this.#suspectTick, tick)
    }
  }

  /** The seats that agree about a tick, as groups; a number stands for each hash. */
  groupsAt(tick: number): HashGroup[] {
    const said = this.#ticks.get(tick)
    return said === undefined ? [] : [...said.values()].map(groupOf)
  }

  /** Reported ticks before this one, newest first. */
  ticksBefore(tick: number): number[] {
    return [...this.#ticks.keys()].filter((each) => each < tick).sort((a, b) => b - a)
  }

  /** Drops the reports of a seat: another player has it now, or the same player started over. */
  forgetSeat(seat: number): void {
    for (const said of this.#ticks.values()) {
      for (const [key, seats] of said) {
        const left = seats.filter((other) => other !== seat)
        if (left.length === 0) said.delete(key)
        else said.set(key, left)
      }
    }
    const said = this.#ticks.get(this.#suspectTick)
    if (said === undefined || said.size < 2) this.passSuspect()
  }

  /** Makes room for a tick; `undefined` if it is older than all that are kept and there is no room. */
  #start(tick: number): Map<string, number[]> | undefined {
    let oldest = Number.POSITIVE_INFINITY
    for (const each of this.#ticks.keys()) oldest = Math.min(oldest, each)
    if (this.#ticks.size >= ticksKept) {
      if (tick < oldest) return undefined
      this.#ticks.delete(oldest)
      if (oldest === this.#suspectTick) this.passSuspect()
    }
    const said = new Map<string, number[]>()
    this.#ticks.set(tick, said)
    return said
  }
}

function groupOf(seats: readonly number[], index: number): HashGroup {
  const group = { lo: index, hi: 0, seatsLo: 0, seatsHi: 0 }
  for (const seat of seats) {
    if (seat < 32) group.seatsLo = (group.seatsLo | (1 << seat)) >>> 0
    else group.seatsHi = (group.seatsHi | (1 << (seat - 32))) >>> 0
  }
  return group
}

/** Ticks that are kept: half a minute at 30 per second, so that slow clients are compared too. */
const ticksKept = 32
