import { toHex } from '../../../sim/hash/hex.ts'
import { agreedHashBytes, isStateHashTick } from '../../../wire/messages/state-transfer.ts'
import type { HashGroup } from './hash-comparer.ts'

/**
 * The hashes of whole states that seats report, by tick: 256 bits, which nobody can make a second state
 * for. Machines that differ here and not in the 64 bits of a tick are the work of a liar; all others were
 * told apart before.
 */
export class StateHashes {
  /** By tick, oldest first: who said what. */
  readonly #ticks = new Map<number, Map<string, number[]>>()
  /** The oldest tick on which seats differ and that nobody has looked at; `Infinity` for none. */
  #suspectTick = Number.POSITIVE_INFINITY

  /** Takes in what a seat says. False when it said something else about the same tick before. */
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

  /** The oldest tick on which seats differ; `Infinity` for none. */
  get suspectTick(): number {
    return this.#suspectTick
  }

  /** A difference was told, or is no news: what is looked at next is the one after it. */
  passSuspect(): void {
    const passed = this.#suspectTick
    this.#suspectTick = Number.POSITIVE_INFINITY
    for (const [tick, said] of this.#ticks) {
      if (tick > passed && said.size > 1) this.#suspectTick = Math.min(this.#suspectTick, tick)
    }
  }

  /** Who says the same about a tick; the numbers of the groups stand for their hashes. */
  groupsAt(tick: number): HashGroup[] {
    const said = this.#ticks.get(tick)
    return said === undefined ? [] : [...said.values()].map(groupOf)
  }

  /** Ticks before this one that somebody reported, newest first. */
  ticksBefore(tick: number): number[] {
    return [...this.#ticks.keys()].filter((each) => each < tick).sort((a, b) => b - a)
  }

  /** Somebody else plays there now, or the same player from the beginning: what was said is void. */
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

  /** A tick that is older than all that are kept is not looked at any more. */
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

/** Ticks that are kept: half a minute of them at 30 per second, and who is behind is compared too. */
const ticksKept = 32
