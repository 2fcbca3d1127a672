/** The sealed bundles of the last ticks, with which a client can run them again. */
export class BundleHistory {
  /** By tick modulo their number. */
  readonly #bundles: (Uint8Array | undefined)[]
  readonly #bytesMax: number
  #oldestTick = 0
  #nextTick = 0
  #bytes = 0

  constructor(ticks: number, bytesMax: number) {
    this.#bundles = new Array(ticks).fill(undefined)
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

  /** Keeps the bundle of the next tick. It is not copied: nobody may write to it. */
  note(tick: number, bundle: Uint8Array): void {
    if (tick !== this.#nextTick) this.clear(tick)
    while (this.#nextTick - this.#oldestTick >= this.#bundles.length) this.#dropOldest()
    this.#bundles[tick % this.#bundles.length] = bundle
    this.#bytes += bundle.byteLength
    this.#nextTick = tick + 1
    while (this.#bytes > this.#bytesMax) this.#dropOldest()
  }

  at(tick: number): Uint8Array | undefined {
    if (tick < this.#oldestTick || tick >= this.#nextTick) return undefined
    return this.#bundles[tick % this.#bundles.length]
  }

  /** Forgets everything: the next bundle is that of `nextTick`. */
  clear(nextTick: number): void {
    this.#bundles.fill(undefined)
    this.#bytes = 0
    this.#oldestTick = nextTick
    this.#nextTick = nextTick
  }

  #dropOldest(): void {
    const index = this.#oldestTick % this.#bundles.length
    this.#bytes -= this.#bundles[index]?.byteLength ?? 0
    this.#bundles[index] = undefined
    this.#oldestTick += 1
  }
}
