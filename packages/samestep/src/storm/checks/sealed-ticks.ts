import { syncHashFromWords } from '../../sim/hash/hashes.ts'
import type { World } from '../engine/world.ts'
import type { Witnessed } from './order-checks.ts'
import type { SystemState } from './room-checks.ts'
import { equalBytes } from './room-checks.ts'

/** The hash is two words; `by` says who was the first to have it, and is empty before. */
type SealedTick = {
  readonly bytes: Uint8Array
  readonly system: SystemState | undefined
  lo: number
  hi: number
  by: string
  /** What it is for whoever flipped a field; `undefined` where nobody did. */
  flipped: { readonly lo: number; readonly hi: number } | undefined
}

/** What was sealed, and what everybody's state was after it. */
export class SealedTicks {
  readonly #world: World
  readonly #ticks = new Map<number, SealedTick>()
  #sealedTick = 0
  #prunedTick = 0
  /** Told of each tick after which whoever flipped a field has another state than the others. */
  onApart: ((tick: number) => void) | undefined

  constructor(world: World) {
    this.#world = world
  }

  get sealedTick(): number {
    return this.#sealedTick
  }

  /** The relay sealed a tick: the one after the last (I-02). */
  advance(tick: number): void {
    const last = this.#sealedTick
    this.#world.always('I-02', tick === last + 1, () => `Sealed ${tick} after ${last}`)
    this.#sealedTick = tick
  }

  /** What the newest tick consists of, and what is said about the match after it. */
  keep(bytes: Uint8Array, system: SystemState | undefined): void {
    this.#ticks.set(this.#sealedTick, { bytes, system, lo: 0, hi: 0, by: '', flipped: undefined })
  }

  systemAfter(tick: number): SystemState | undefined {
    return this.#ticks.get(tick)?.system
  }

  /** A client runs a tick exactly as it was sealed (I-01). */
  checkBundle(name: string, tick: number, bytes: Uint8Array): void {
    const sealed = this.#ticks.get(tick)
    // Who slept for hours may run what was on its way then; nobody remembers it any more.
    const isForgotten = tick < this.#prunedTick
    const isSame = isForgotten || (sealed !== undefined && equalBytes(sealed.bytes, bytes))
    this.#world.always('I-01', isSame, () => `${name} ran another tick ${tick} than was sealed`)
  }

  /**
   * A client got the state after a tick from others: the one that everybody had (I-11), or that of
   * whoever flipped a field, who may be in the majority.
   */
  noteRestored(client: Witnessed, tick: number, lo: number, hi: number): void {
    const world = this.#world
    world.sometimes('a client came by a state')
    const isSealed = tick <= this.#sealedTick
    world.always('I-11', isSealed, () => `${client.name} has a state after tick ${tick}, unsealed`)
    client.executedTick = tick
    const sealed = this.#ticks.get(tick)
    const flipped = sealed?.flipped
    const isAsAll = sealed !== undefined && sealed.by !== '' && sealed.lo === lo && sealed.hi === hi
    client.isFlipped = !isAsAll && flipped?.lo === lo && flipped.hi === hi
    world.sometimes('a joiner got the state of one who is out of step', client.isFlipped)
    this.noteHash(client, tick, lo, hi)
  }

  /** A client's state after a tick is everybody's (I-08). */
  noteHash(client: Witnessed, tick: number, lo: number, hi: number): void {
    const sealed = this.#ticks.get(tick)
    if (sealed === undefined) return
    if (client.isFlipped) {
      sealed.flipped = { lo, hi }
      this.#compareFlipped(tick, sealed)
      return
    }
    if (sealed.by === '') {
      sealed.lo = lo
      sealed.hi = hi
      sealed.by = client.name
      this.#compareFlipped(tick, sealed)
      return
    }
    this.#world.always('I-08', sealed.lo === lo && sealed.hi === hi, () => {
      const [mine, theirs] = [syncHashFromWords(lo, hi), syncHashFromWords(sealed.lo, sealed.hi)]
      return `After tick ${tick} ${client.name} has ${mine}, ${sealed.by} has ${theirs}`
    })
  }

  #compareFlipped(tick: number, { flipped, by, lo, hi }: SealedTick): void {
    if (flipped === undefined || by === '') return
    if (flipped.lo !== lo || flipped.hi !== hi) this.onApart?.(tick)
  }

  /** Ticks that everybody ran are settled; keeping them would make long storms slow. */
  prune(clients: Iterable<Witnessed>): void {
    let oldest = this.#sealedTick - keptTicks
    for (const { executedTick } of clients) oldest = Math.min(oldest, executedTick)
    // What is older than any log of a relay is not run any more.
    oldest = Math.max(oldest, this.#sealedTick - loggedTicks)
    for (; this.#prunedTick < oldest; this.#prunedTick++) this.#ticks.delete(this.#prunedTick)
  }
}

/** Ticks that are kept in any case, so that late hashes find something to be compared with. */
const keptTicks = 64

/** More than a relay keeps, at 240 ticks per second. */
const loggedTicks = 25_000
