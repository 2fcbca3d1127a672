import type { LeafLabel, LeafSource } from '../hash/leaf.ts'
import type { StateMemory } from '../hash/memory.ts'
import { viewCells } from '../snapshot/cells.ts'
import type { Cells } from '../snapshot/section.ts'
import type { Column } from '../state/columns.ts'

/** One leaf as it was: where, how long, and its bytes if they are not in the state memory. */
interface Kept {
  start: number
  length: number
  bytes: Uint8Array | undefined
  /** The comparison that has met it last, to find the leaves that are gone. */
  round: number
}

/** Told of a leaf whose bytes are not what they were. */
export type ChangedLeaf = (label: string, before: Uint8Array, after: Uint8Array) => void

/**
 * A copy of a state, kept to find out what changed since. Costs as much memory as the state: for
 * development and for tracing.
 */
export class LeafShadow {
  readonly #memory: StateMemory
  /** As long as the state memory, so that offsets are the same in both. */
  readonly #copy: Uint8Array<ArrayBuffer>
  readonly #words: Int32Array
  readonly #copyWords: Int32Array
  readonly #leaves = new Map<LeafSource, Map<string, Kept>>()
  #round = 0

  constructor(memory: StateMemory) {
    this.#memory = memory
    const wordCount = Math.ceil(memory.bytes.byteLength / 4)
    this.#copy = new Uint8Array(wordCount * 4)
    this.#copyWords = new Int32Array(this.#copy.buffer)
    this.#words = new Int32Array(memory.buffer, 0, Math.floor(memory.buffer.byteLength / 4))
  }

  /** Remembers the leaves of a part as they are now. */
  capture(part: LeafSource): void {
    const leaves = this.#leavesOf(part)
    this.#round += 1
    const round = this.#round
    part.visitLeaves({
      leaf: (label, bytes, start, length) => {
        const kept = keptOf(leaves, label)
        kept.start = start
        kept.length = length
        kept.round = round
        if (bytes !== this.#memory.bytes) kept.bytes = copyOf(kept.bytes, bytes, start, length)
        else this.#copy.set(bytes.subarray(start, start + length), start)
      },
    })
    for (const [label, kept] of leaves) if (kept.round !== round) leaves.delete(label)
  }

  /** Tells of every leaf of a part that is not as it was captured. What was captured stays. */
  compare(part: LeafSource, changed: ChangedLeaf): void {
    const leaves = this.#leavesOf(part)
    this.#round += 1
    const round = this.#round
    part.visitLeaves({
      leaf: (label, bytes, start, length) => {
        const kept = leaves.get(label.text)
        if (kept !== undefined) kept.round = round
        if (kept !== undefined && this.#isSame(kept, bytes, start, length)) return
        const before = kept === undefined ? nothing : this.#before(kept)
        changed(label.text, before, bytes.slice(start, start + length))
      },
    })
    for (const [label, kept] of leaves) {
      if (kept.round !== round) changed(label, this.#before(kept), nothing)
    }
  }

  /** As {@link compare}, cell by cell: rows that came or went are no change, only what is in them. */
  compareCells(part: LeafSource, changed: ChangedLeaf): void {
    const leaves = this.#leavesOf(part)
    part.visitLeaves({
      leaf: (label, bytes, start, length) => {
        const isMemory = bytes === this.#memory.bytes
        const kept = leaves.get(label.text)
        if (isMemory && this.#isSameMemory(start, length)) return
        if (!isMemory && kept !== undefined && this.#isSame(kept, bytes, start, length)) return
        const before = isMemory ? this.#copy.slice(start, start + length) : undefined
        const old = before ?? (kept === undefined ? nothing : this.#before(kept))
        changed(label.text, old, bytes.slice(start, start + length))
      },
    })
  }

  /** The cells of a column as they were, to be written along with the real ones. */
  cellsOf(column: Column): Cells {
    return viewCells(column.codec.type, this.#copy.buffer, column.start, column.cells.length)
  }

  #leavesOf(part: LeafSource): Map<string, Kept> {
    let leaves = this.#leaves.get(part)
    if (leaves === undefined) {
      leaves = new Map()
      this.#leaves.set(part, leaves)
    }
    return leaves
  }

  #isSame(kept: Kept, bytes: Uint8Array, start: number, length: number): boolean {
    if (kept.length !== length) return false
    if (bytes === this.#memory.bytes) return this.#isSameMemory(start, length)
    const old = kept.bytes as Uint8Array
    for (let index = 0; index < length; index++) {
      if (old[index] !== bytes[start + index]) return false
    }
    return true
  }

  /** Word by word, four times faster than bytes. Columns begin at multiples of 128. */
  #isSameMemory(start: number, length: number): boolean {
    const words = this.#words
    const copy = this.#copyWords
    const endWord = (start + length) >>> 2
    for (let word = start >>> 2; word < endWord; word++) {
      if (words[word] !== copy[word]) return false
    }
    for (let byte = endWord << 2; byte < start + length; byte++) {
      if (this.#memory.bytes[byte] !== this.#copy[byte]) return false
    }
    return true
  }

  #before({ bytes, start, length }: Kept): Uint8Array {
    return bytes === undefined ? this.#copy.slice(start, start + length) : bytes.slice(0, length)
  }
}

const nothing = new Uint8Array(0)

function keptOf(leaves: Map<string, Kept>, label: LeafLabel): Kept {
  let kept = leaves.get(label.text)
  if (kept === undefined) {
    kept = { start: 0, length: 0, bytes: undefined, round: 0 }
    leaves.set(label.text, kept)
  }
  return kept
}

/** A copy in the memory of the one before, where it fits: nothing is allocated every tick. */
function copyOf(
  old: Uint8Array | undefined,
  bytes: Uint8Array,
  start: number,
  length: number,
): Uint8Array {
  const copy = old !== undefined && old.length >= length ? old : new Uint8Array(length * 2)
  copy.set(bytes.subarray(start, start + length))
  return copy
}
