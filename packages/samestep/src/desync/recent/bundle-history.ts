/** Room at first: some seconds of a match in which little happens. */
const firstRingBytes = 4_096

/**
 * The sealed bundles of the last ticks, with which a client can run them again.
 *
 * They are copied into one ring of bytes. Kept as objects, thousands of them would outlive every
 * collection of garbage, and each would cost several times its own bytes.
 */
export class BundleHistory {
  /** Where each bundle begins, by tick modulo their number. Counts on beyond the ring, and wraps at 32 bits. */
  #starts: Uint32Array
  readonly #bytesMax: number
  /** Its length is a power of two, so that a wrapped place still is a place in it. */
  #ring = new Uint8Array(firstRingBytes)
  /** Begins shortly before it wraps, so that every match passes that point, and no bug waits there. */
  #endAt = 2 ** 32 - firstRingBytes / 4
  #bytes = 0
  #oldestTick = 0
  #nextTick = 0

  constructor(ticks: number, bytesMax: number) {
    this.#starts = new Uint32Array(ticks)
    this.#bytesMax = bytesMax
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** The oldest tick whose bundle is kept; all after it are, up to the newest. */
  get oldestTick(): number {
    return this.#oldestTick
  }

  /** Keeps a copy of the bundle of the next tick. */
  note(tick: number, bundle: Uint8Array): void {
    if (tick !== this.#nextTick) this.clear(tick)
    const size = bundle.byteLength
    if (size > this.#bytesMax) {
      this.clear(tick + 1)
      return
    }
    const starts = this.#starts
    const count = this.#nextTick - this.#oldestTick
    if (count === starts.length) this.#dropOldest()
    while (this.#bytes + size > this.#bytesMax) this.#dropOldest()
    if (this.#bytes + size > this.#ring.length) this.#grow(this.#bytes + size)
    starts[tick % starts.length] = this.#endAt
    this.#write(bundle)
    this.#bytes += size
    this.#nextTick = tick + 1
  }

  /** A copy of the bundle of a tick. */
  at(tick: number): Uint8Array | undefined {
    if (tick < this.#oldestTick || tick >= this.#nextTick) return undefined
    const start = this.#startOf(tick)
    return this.#read(start, (this.#startOf(tick + 1) - start) >>> 0)
  }

  /** From now on so many ticks are kept, which are more than before, if there is memory for them. */
  makeRoom(ticks: number): void {
    const before = this.#starts
    this.#starts = new Uint32Array(ticks)
    for (let tick = this.#oldestTick; tick < this.#nextTick; tick++) {
      this.#starts[tick % ticks] = before[tick % before.length] as number
    }
  }

  /** Forgets everything: the next bundle is that of `nextTick`. */
  clear(nextTick: number): void {
    this.#bytes = 0
    this.#oldestTick = nextTick
    this.#nextTick = nextTick
  }

  #startOf(tick: number): number {
    return tick === this.#nextTick
      ? this.#endAt
      : (this.#starts[tick % this.#starts.length] as number)
  }

  #dropOldest(): void {
    const start = this.#startOf(this.#oldestTick)
    this.#oldestTick += 1
    this.#bytes -= (this.#startOf(this.#oldestTick) - start) >>> 0
  }

  /** A loop, because a usual bundle has some twenty bytes. */
  #write(bundle: Uint8Array): void {
    const ring = this.#ring
    const mask = ring.length - 1
    const at = this.#endAt
    for (let index = 0; index < bundle.length; index++) {
      ring[(at + index) & mask] = bundle[index] as number
    }
    this.#endAt = (at + bundle.length) >>> 0
  }

  #read(start: number, size: number): Uint8Array {
    const ring = this.#ring
    const mask = ring.length - 1
    const bundle = new Uint8Array(size)
    for (let index = 0; index < size; index++)
      bundle[index] = ring[(start + index) & mask] as number
    return bundle
  }

  /** Doubles the room until there is enough. Each byte moves to its place in the larger ring. */
  #grow(needed: number): void {
    const before = this.#ring
    let size = before.length
    while (size < needed) size *= 2
    this.#ring = new Uint8Array(size)
    const first = (this.#endAt - this.#bytes) >>> 0
    for (let index = 0; index < this.#bytes; index++) {
      const place = first + index
      this.#ring[place & (size - 1)] = before[place & (before.length - 1)] as number
    }
  }
}
