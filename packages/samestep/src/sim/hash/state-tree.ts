/**
 * The tree of SHA-256 hashes: made every 30 ticks, compared by judges, signed into replays.
 *
 *     leaf = SHA256(0x00 ‖ u16 labelLength ‖ label ‖ u32 byteLength ‖ SHA256(canonical bytes))
 *     node = SHA256(0x01 ‖ left ‖ right)
 *     root = SHA256(0x02 ‖ u32 leafCount ‖ top)          top = 32 zeros if there are no leaves
 *
 * Numbers are little-endian. The bytes of a leaf are hashed by themselves first so that a native
 * SHA-256 runs over the column where it lies: with the label in front, every column would have to be
 * copied behind it. Floats are hashed as `HashKernel.normalise` would leave them.
 */
import { assert } from '../../base/assert.ts'
import { leafCountMax } from '../limits.ts'
import { areWordsCanonical, canonicaliseWords } from './canonical.ts'
import type { StateHash } from './hashes.ts'
import { stateHashFromBytes } from './hashes.ts'
import type { FloatFormat } from './kernel.ts'
import { assertRun } from './kernel.ts'
import { leafDomain, nodeDomain, rootDomain } from './kernel-constants.ts'
import type { LeafFormat, LeafLabel, LeafSource } from './leaf.ts'
import type { StateMemory } from './memory.ts'
import { sha256Bytes, sha256Into } from './sha256.ts'
import type { HashTree } from './tree-shape.ts'
import { levelCount, levelWidth } from './tree-shape.ts'

/** A finished tree; nothing changes it. */
export class StateTree implements HashTree<StateHash> {
  readonly leafCount: number
  /** What is reported for the tick. */
  readonly root: StateHash
  readonly #labels: readonly LeafLabel[]
  /** 32 bytes per node: all leaves, then level 1, and so on up to the top. */
  readonly #nodes: Uint8Array
  /** Where each level starts, in nodes. */
  readonly #levelStarts: readonly number[]

  /** The first 32 bytes of `leaves` for each of `labels` are copied. */
  constructor(labels: readonly LeafLabel[], leaves: Uint8Array) {
    assert(leaves.length >= sha256Bytes * labels.length, 'A leaf has 32 bytes')
    this.leafCount = labels.length
    this.#labels = labels
    const starts: number[] = []
    let nodeCount = 0
    for (let level = 0; level < levelCount(this.leafCount); level++) {
      starts.push(nodeCount)
      nodeCount += levelWidth(this.leafCount, level)
    }
    const nodes = new Uint8Array(sha256Bytes * nodeCount)
    nodes.set(leaves.subarray(0, sha256Bytes * this.leafCount))
    for (let level = 1; level < starts.length; level++) {
      raiseLevel(nodes, starts[level - 1]!, levelWidth(this.leafCount, level - 1))
    }
    this.#nodes = nodes
    this.#levelStarts = starts
    this.root = hashStateRoot(this.leafCount, nodes.subarray(-sha256Bytes))
  }

  label(index: number): LeafLabel {
    const label = this.#labels[index]
    assert(label !== undefined, `The tree has no leaf ${index}`)
    return label
  }

  node(level: number, index: number): StateHash {
    assert(index >= 0 && index < levelWidth(this.leafCount, level), `The tree has no node ${index}`)
    return stateHashFromBytes(this.#nodes, sha256Bytes * (this.#levelStarts[level]! + index))
  }
}

/** Where the leaves of the tree being built are gathered. Grows, and is kept for the next tree. */
let gathered = new Uint8Array(64 * sha256Bytes)

/** Hashes all leaves of `source`, which is only read. `memory` lets floats be checked faster. */
export function buildStateTree(source: LeafSource, memory?: StateMemory): StateTree {
  const labels: LeafLabel[] = []
  source.visitLeaves({
    leaf(label, bytes, start, byteLength, format) {
      const at = sha256Bytes * labels.length
      labels.push(label)
      if (at === gathered.length) {
        const larger = new Uint8Array(2 * at)
        larger.set(gathered)
        gathered = larger
      }
      hashLeafInto(label, bytes, start, byteLength, format, memory, gathered, at)
    },
  })
  return new StateTree(labels, gathered)
}

/** The leaf that `bytes` make under this label: what an inclusion proof starts from. */
export function hashStateLeaf(
  label: LeafLabel,
  bytes: Uint8Array,
  format: LeafFormat = 'raw',
): StateHash {
  const out = new Uint8Array(sha256Bytes)
  hashLeafInto(label, bytes, 0, bytes.length, format, undefined, out, 0)
  return stateHashFromBytes(out)
}

/** Writes the node above two others: the 64 bytes of `pair` from `start` on, left one first. */
export function hashStateNode(
  pair: Uint8Array,
  start: number,
  out: Uint8Array,
  outStart: number,
): void {
  // A loop: a subarray of 64 bytes costs more to make than they cost to copy.
  for (let index = 0; index < 2 * sha256Bytes; index++) nodeInput[1 + index] = pair[start + index]!
  sha256Into(nodeInput, out, outStart)
}

/** The root of a tree with this top node; `top` is empty if there are no leaves. */
export function hashStateRoot(leafCount: number, top: Uint8Array): StateHash {
  assert(leafCount <= leafCountMax, `No tree has ${leafCount} leaves`)
  rootInput.fill(0, 1)
  writeWord(rootInput, 1, leafCount)
  rootInput.set(top, 5)
  const out = new Uint8Array(sha256Bytes)
  sha256Into(rootInput, out, 0)
  return stateHashFromBytes(out)
}

// What is hashed, put together here: hashing is synchronous, so one of each is enough.
const nodeInput = new Uint8Array(1 + 2 * sha256Bytes)
nodeInput[0] = nodeDomain
const rootInput = new Uint8Array(1 + 4 + sha256Bytes)
rootInput[0] = rootDomain

/** One for each length of label that was met: half of a leaf's own cost would be making it. */
const leafInputs: (Uint8Array | undefined)[] = []
/** Longer labels are legal but rare; the few bytes of each length above are not worth keeping. */
const keptLabelLength = 255

function leafInput(labelLength: number): Uint8Array {
  const kept = leafInputs[labelLength]
  if (kept !== undefined) return kept
  const input = new Uint8Array(1 + 2 + labelLength + 4 + sha256Bytes)
  input[0] = leafDomain
  input[1] = labelLength
  input[2] = labelLength >>> 8
  if (labelLength <= keptLabelLength) leafInputs[labelLength] = input
  return input
}

function writeWord(out: Uint8Array, at: number, word: number): void {
  out[at] = word
  out[at + 1] = word >>> 8
  out[at + 2] = word >>> 16
  out[at + 3] = word >>> 24
}

/** Makes the level above the one of `width` nodes at `start`, right behind it. */
function raiseLevel(nodes: Uint8Array, start: number, width: number): void {
  const from = sha256Bytes * start
  const above = from + sha256Bytes * width
  for (let pair = 0; pair < width >>> 1; pair++) {
    hashStateNode(nodes, from + 2 * sha256Bytes * pair, nodes, above + sha256Bytes * pair)
  }
  const isOdd = width % 2 === 1
  if (isOdd) nodes.copyWithin(above + sha256Bytes * (width >>> 1), above - sha256Bytes, above)
}

function hashLeafInto(
  label: LeafLabel,
  bytes: Uint8Array,
  start: number,
  byteLength: number,
  format: LeafFormat,
  memory: StateMemory | undefined,
  out: Uint8Array,
  outStart: number,
): void {
  assertRun(start, byteLength, format, bytes.length)
  const labelLength = label.bytes.length
  const input = leafInput(labelLength)
  input.set(label.bytes, 3)
  writeWord(input, 3 + labelLength, byteLength)
  let content = bytes.subarray(start, start + byteLength)
  if (format !== 'raw') {
    const isInPlace =
      bytes === memory?.bytes && memory.kernel.isCanonical(start, byteLength, format)
    if (!isInPlace) content = canonicalBytes(content, format)
  }
  sha256Into(content, input, 7 + labelLength)
  sha256Into(input, out, outStart)
}

/** The canonical form of `bytes`: the same array if it is canonical already, else a copy. */
function canonicalBytes(bytes: Uint8Array, format: FloatFormat): Uint8Array {
  const wordCount = bytes.length / 4
  if (bytes.byteOffset % 4 === 0) {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset, wordCount)
    if (areWordsCanonical(words, 0, wordCount, format)) return bytes
  }
  const copy = bytes.slice()
  canonicaliseWords(new Int32Array(copy.buffer), 0, wordCount, format)
  return copy
}
