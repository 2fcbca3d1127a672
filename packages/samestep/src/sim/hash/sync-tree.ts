import { assert } from '../../base/assert.ts'
import type { SyncHash } from './hashes.ts'
import { syncHashFromWords } from './hashes.ts'
import type { HashKernel } from './kernel.ts'
import type { LeafFormat, LeafLabel, LeafSource, LeafVisitor } from './leaf.ts'
import type { StateMemory } from './memory.ts'
import { createStateMemory } from './memory.ts'
import { mixNode, mixRoot } from './mix.ts'
import type { HashTree } from './tree-shape.ts'
import { levelWidth } from './tree-shape.ts'

/** For sources without a state memory; created on first use. */
let sharedKernel: HashKernel | undefined

/** Leaves of up to so many bytes are not hashed again while they stay as they are. */
const shortBytesMax = 32
/** Instead of the length of a leaf that is too long to be compared. */
const notShort = shortBytesMax + 1
/** Words per leaf: its length, and its content. */
const shortRow = 1 + shortBytesMax / 4

/**
 * The tree of 64-bit hashes that is rebuilt every tick. One object serves a whole match: once it has
 * seen the largest number of leaves, {@link update} allocates nothing.
 */
export class SyncTree implements HashTree<SyncHash> {
  /** Two words per node: all leaves, then level 1, and so on up to the top. */
  #hashes = new Uint32Array(2 * 64)
  readonly #root = new Uint32Array(2)
  readonly #labels: LeafLabel[] = []
  /** A copy of them that was given out; `undefined` when they have changed since. */
  #labelsKept: readonly LeafLabel[] | undefined
  /** Where each level starts, in words; a tree has at most 33 levels. */
  readonly #levelStarts = new Uint32Array(33)
  #leafCount = 0
  /** What short leaves contained when they were hashed last: their length in bytes, and their words. */
  #short = new Int32Array(shortRow * 64)
  /** Whether the hash of each node differs from that of the last time; used for one level after the other. */
  #isChanged = new Uint8Array(64)
  /** How many leaves there were when the nodes above them were computed: with another number, nodes move. */
  #raisedCount = -1
  #kernel: HashKernel | undefined
  #memory: StateMemory | undefined
  readonly #visitor: LeafVisitor = {
    leaf: (label, bytes, start, byteLength, format) => {
      this.#addLeaf(label, bytes, start, byteLength, format)
    },
  }

  constructor() {
    mixRoot(0, 0, 0, this.#root, 0)
  }

  get leafCount(): number {
    return this.#leafCount
  }

  /** Low word of the root, unsigned. */
  get rootLo(): number {
    return this.#root[0]!
  }

  /** High word of the root, unsigned. */
  get rootHi(): number {
    return this.#root[1]!
  }

  /** The root as a value: the sync hash. */
  get root(): SyncHash {
    return syncHashFromWords(this.rootLo, this.rootHi)
  }

  /**
   * Hashes all leaves of `source` and the nodes above them. Leaves whose bytes are `memory.bytes`
   * are hashed in place; others are copied in pieces.
   */
  update(source: LeafSource, memory?: StateMemory): void {
    sharedKernel ??= memory === undefined ? createStateMemory(0).kernel : undefined
    // Short leaves are compared with what the same memory had in the same place.
    if (this.#memory !== memory) {
      this.#labels.length = 0
      this.#labelsKept = undefined
    }
    this.#memory = memory
    this.#kernel = memory?.kernel ?? sharedKernel
    this.#leafCount = 0
    const countBefore = this.#raisedCount
    // If a leaf throws, those before it have hashes that no node above them knows.
    this.#raisedCount = -1
    source.visitLeaves(this.#visitor)
    // Setting a length, even to its current value, costs more than the comparison.
    if (this.#labels.length > this.#leafCount) {
      this.#labels.length = this.#leafCount
      this.#labelsKept = undefined
    }
    if (this.#leafCount !== countBefore) this.#isChanged.fill(1, 0, this.#leafCount)
    this.#raise()
    this.#raisedCount = this.#leafCount
  }

  label(index: number): LeafLabel {
    const label = this.#labels[index]
    assert(label !== undefined, `The tree has no leaf ${index}`)
    return label
  }

  node(level: number, index: number): SyncHash {
    assert(
      index >= 0 && index < levelWidth(this.#leafCount, level),
      `The tree has no node ${index}`,
    )
    const at = this.#levelStarts[level]! + 2 * index
    return syncHashFromWords(this.#hashes[at]!, this.#hashes[at + 1]!)
  }

  /** Copies the hashes of all leaves, two words each, low word first. Allocates nothing. */
  copyLeaves(out: Uint32Array, outIndex: number): void {
    const hashes = this.#hashes
    const words = 2 * this.#leafCount
    for (let index = 0; index < words; index++) out[outIndex + index] = hashes[index]!
  }

  /** The labels of all leaves, in their sequence: the same array until one of them changes. */
  get labels(): readonly LeafLabel[] {
    this.#labelsKept ??= Object.freeze([...this.#labels])
    return this.#labelsKept
  }

  #addLeaf(
    label: LeafLabel,
    bytes: Uint8Array,
    start: number,
    byteLength: number,
    format: LeafFormat,
  ): void {
    const index = this.#leafCount++
    const kernel = this.#kernel!
    // All levels have at most twice as many nodes as leaves, plus one odd node moved up per level.
    if (this.#hashes.length < 2 * (2 * this.#leafCount + this.#levelStarts.length)) this.#grow()
    const isOwn = bytes === this.#memory?.bytes
    const isShort = byteLength <= shortBytesMax && (!isOwn || start % 4 === 0)
    if (isShort && this.#isSame(index, label, bytes, start, byteLength, isOwn)) {
      this.#isChanged[index] = 0
      return
    }
    // What it contained when it was short is not what is hashed now.
    if (!isShort) this.#short[shortRow * index] = notShort
    if (isOwn) kernel.leaf(label, start, byteLength, format, leafHash, 0)
    else kernel.leafOfBytes(label, bytes, start, byteLength, format, leafHash, 0)
    this.#setLeaf(index)
    if (this.#labels[index] === label) return
    this.#labels[index] = label
    this.#labelsKept = undefined
  }

  #setLeaf(index: number): void {
    const hashes = this.#hashes
    const at = 2 * index
    const lo = leafHash[0]!
    const hi = leafHash[1]!
    this.#isChanged[index] = hashes[at] === lo && hashes[at + 1] === hi ? 0 : 1
    hashes[at] = lo
    hashes[at + 1] = hi
  }

  /**
   * Whether a short leaf is in the same place of the tree with the same content as when it was hashed last.
   * Single values rarely change, and comparing a few words takes a tenth of the time of hashing them.
   */
  #isSame(
    index: number,
    label: LeafLabel,
    bytes: Uint8Array,
    start: number,
    byteLength: number,
    isOwn: boolean,
  ): boolean {
    const words = this.#memory?.words
    const short = this.#short
    const at = shortRow * index
    let isSame = short[at] === byteLength && this.#labels[index] === label
    short[at] = byteLength
    // What lies between the end of the leaf and that of its last word is nobody's, or another row's: if it
    // changed, the leaf is hashed once more than needed.
    for (let word = 0; 4 * word < byteLength; word++) {
      const place = start + 4 * word
      const value = isOwn ? words![place >>> 2]! : wordAt(bytes, place, start + byteLength)
      if (short[at + 1 + word] === value) continue
      short[at + 1 + word] = value
      isSame = false
    }
    return isSame
  }

  #grow(): void {
    const larger = new Uint32Array(2 * this.#hashes.length)
    larger.set(this.#hashes)
    this.#hashes = larger
    const short = new Int32Array(2 * this.#short.length)
    short.set(this.#short)
    this.#short = short
    const isChanged = new Uint8Array(2 * this.#isChanged.length)
    isChanged.set(this.#isChanged)
    this.#isChanged = isChanged
  }

  /** Computes the nodes above the leaves that changed, level by level, and the root. */
  #raise(): void {
    const hashes = this.#hashes
    const isChanged = this.#isChanged
    let start = 0
    let width = this.#leafCount
    this.#levelStarts[0] = 0
    for (let level = 1; width > 1; level++) {
      const above = start + 2 * width
      this.#levelStarts[level] = above
      const pairs = width >>> 1
      for (let pair = 0; pair < pairs; pair++) {
        const isNew = isChanged[2 * pair]! | isChanged[2 * pair + 1]!
        isChanged[pair] = isNew
        if (isNew === 0) continue
        const left = start + 4 * pair
        mixNode(hashes, left, left + 2, hashes, above + 2 * pair)
      }
      if (width % 2 === 1) {
        isChanged[pairs] = isChanged[width - 1]!
        hashes[above + 2 * pairs] = hashes[above - 2]!
        hashes[above + 2 * pairs + 1] = hashes[above - 1]!
      }
      start = above
      width = pairs + (width % 2)
    }
    const isEmpty = this.#leafCount === 0
    const topLo = isEmpty ? 0 : hashes[start]!
    const topHi = isEmpty ? 0 : hashes[start + 1]!
    mixRoot(this.#leafCount, topLo, topHi, this.#root, 0)
  }
}

/** The hash of one leaf, before it is compared with that of the last time. */
const leafHash = new Uint32Array(2)

/** Four bytes as a signed word; those from `end` on count as zeros. */
function wordAt(bytes: Uint8Array, at: number, end: number): number {
  let word = 0
  for (let index = Math.min(at + 4, end) - 1; index >= at; index--)
    word = (word << 8) | bytes[index]!
  return word
}
