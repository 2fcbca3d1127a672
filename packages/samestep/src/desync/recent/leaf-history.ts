import type { LeafLabel } from '../../sim/hash/leaf.ts'
import type { SyncTree } from '../../sim/hash/sync-tree.ts'

/**
 * The leaves of the hash tree after each of the last ticks: 8 bytes per leaf and tick, copied from the
 * tree that was computed anyway. With them two machines find out which leaf differed first, at exactly
 * the tick on which it did, although their states have long moved on.
 *
 * A state of a hundred columns costs 800 bytes per tick, half a megabyte for 20 s at 30 ticks per second.
 */
export class LeafHistory {
  #ticksMax: number
  readonly #bytesMax: number
  /** Hashes of all leaves, by tick modulo the ticks that fit. */
  #words = new Uint32Array(0)
  /** The tick plus one whose leaves are in a row, and how they are named. */
  #ticks = new Uint32Array(0)
  #labels: (readonly LeafLabel[])[] = []
  #leavesMax = 0

  constructor(ticksMax: number, bytesMax: number) {
    this.#ticksMax = ticksMax
    this.#bytesMax = bytesMax
  }

  /** Bytes of the hashes that are kept. */
  get bytes(): number {
    return this.#words.byteLength
  }

  /** Keeps the leaves after a tick. Makes no garbage unless the names of the leaves changed. */
  note(tick: number, tree: SyncTree): void {
    if (tree.leafCount > this.#leavesMax) this.#grow(tree.leafCount)
    if (this.#ticks.length === 0) return
    const row = tick % this.#ticks.length
    tree.copyLeaves(this.#words, 2 * row * this.#leavesMax)
    this.#ticks[row] = tick + 1
    this.#labels[row] = tree.labels
  }

  /** The names of the leaves after a tick, in their sequence; `undefined` when they are not kept. */
  labelsAt(tick: number): readonly LeafLabel[] | undefined {
    if (this.#ticks.length === 0) return undefined
    const row = tick % this.#ticks.length
    return this.#ticks[row] === tick + 1 ? this.#labels[row] : undefined
  }

  /** The hashes of the leaves after a tick, two words each. Borrowed: valid until the next tick. */
  wordsAt(tick: number): Uint32Array | undefined {
    const labels = this.labelsAt(tick)
    if (labels === undefined) return undefined
    const start = 2 * (tick % this.#ticks.length) * this.#leavesMax
    return this.#words.subarray(start, start + 2 * labels.length)
  }

  clear(): void {
    this.#ticks.fill(0)
  }

  /** From now on so many ticks are kept, which are more than before, if there is memory for them. */
  makeRoom(ticksMax: number): void {
    this.#ticksMax = ticksMax
    const [ticks, words, labels] = [this.#ticks, this.#words, this.#labels]
    const rowWords = 2 * this.#leavesMax
    this.#allocate()
    for (let from = 0; from < ticks.length; from++) {
      const next = ticks[from] as number
      if (next === 0) continue
      const row = (next - 1) % this.#ticks.length
      this.#words.set(words.subarray(from * rowWords, (from + 1) * rowWords), row * rowWords)
      this.#ticks[row] = next
      this.#labels[row] = labels[from] as readonly LeafLabel[]
    }
  }

  /** A state with more leaves than before: what was kept is dropped, and there is room for twice as many. */
  #grow(leafCount: number): void {
    this.#leavesMax = this.#leavesMax === 0 ? leafCount : 2 * leafCount
    this.#allocate()
  }

  #allocate(): void {
    if (this.#leavesMax === 0) return
    const ticks = Math.min(this.#ticksMax, Math.floor(this.#bytesMax / (8 * this.#leavesMax)))
    this.#ticks = new Uint32Array(ticks)
    this.#words = new Uint32Array(2 * ticks * this.#leavesMax)
    this.#labels = new Array(ticks).fill(noLabels)
  }
}

const noLabels: readonly LeafLabel[] = Object.freeze([])
