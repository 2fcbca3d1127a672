/**
 * Both hashes once more, written from their description with as little cleverness as possible: what
 * the fast ones are tested against, and what an implementation in another language may start from.
 */
import { createHash } from 'node:crypto'
import type { LeafFormat } from '../leaf.ts'

/** One leaf as a test gives it: a label and bytes. */
export type PlainLeaf = {
  readonly label: string
  readonly bytes: Uint8Array
  readonly format?: LeafFormat
}

/** Two words, low first. */
type Pair = readonly [number, number]

const fold = (word: number, shift: number): number => word ^ (word >>> shift)
const rotate = (word: number, by: number): number => (word << by) | (word >>> (32 - by))

function startWord(index: number): number {
  let word = Math.imul(index + 1, 0x9e3779b1)
  word = Math.imul(fold(word, 16), 0x85ebca6b)
  word = Math.imul(fold(word, 13), 0xc2b2ae35)
  return fold(word, 16)
}

function mix(start: Pair, inputs: readonly Pair[], length: number, domain: number): Pair {
  const silence = Array<Pair>(4).fill([0, 0])
  return [...inputs, [length, domain] as const, ...silence].reduce<Pair>(([a, b], [x, y]) => {
    const mixedA = fold(Math.imul(a ^ x, 0xcc9e2d51), 15)
    const mixedB = fold(Math.imul(b ^ y, 0xc2b2ae35), 13)
    const sum = (mixedA + mixedB) | 0
    return [sum, rotate(mixedB, 19) ^ sum]
  }, start)
}

const treeStart: Pair = [startWord(0), startWord(1)]

/** `bytes` padded with zeros to a multiple of `unit`, as little-endian words. */
function wordsOf(bytes: Uint8Array, unit: number): number[] {
  const padded = new Uint8Array(Math.ceil(bytes.length / unit) * unit)
  padded.set(bytes)
  const view = new DataView(padded.buffer)
  return Array.from({ length: padded.length / 4 }, (_none, index) => view.getInt32(4 * index, true))
}

/** A copy of `bytes` with one NaN and no negative zero. */
export function canonicalBytes(bytes: Uint8Array, format: LeafFormat): Uint8Array {
  const copy = bytes.slice()
  const view = new DataView(copy.buffer)
  if (format === 'f32') {
    for (let at = 0; at < copy.length; at += 4) {
      const value = view.getFloat32(at, true)
      if (Number.isNaN(value)) view.setUint32(at, 0x7fc00000, true)
      else if (value === 0) view.setUint32(at, 0, true)
    }
  } else if (format === 'f64') {
    for (let at = 0; at < copy.length; at += 8) {
      const value = view.getFloat64(at, true)
      if (Number.isNaN(value)) view.setBigUint64(at, 0x7ff8000000000000n, true)
      else if (value === 0) view.setBigUint64(at, 0n, true)
    }
  }
  return copy
}

/** The seed of a label. */
export function referenceSeed(label: string): Pair {
  const bytes = new TextEncoder().encode(label)
  const words = wordsOf(bytes, 8)
  const pairs = Array.from(
    { length: words.length / 2 },
    (_none, index): Pair => [words[2 * index]!, words[2 * index + 1]!],
  )
  return mix(treeStart, pairs, bytes.length, 3)
}

/** The sync hash of a leaf as two words. */
export function referenceSyncLeaf({ label, bytes, format = 'raw' }: PlainLeaf): Pair {
  const seed = referenceSeed(label)
  const words = wordsOf(canonicalBytes(bytes, format), 128)
  // accumulators[a][lane]
  const accumulators = Array.from({ length: 8 }, (_none, a) =>
    Array.from({ length: 4 }, (_nothing, lane) => (startWord(4 * a + lane) + seed[a % 2]!) | 0),
  )
  words.forEach((word, index) => {
    const a = Math.floor(index / 4) % 8
    const lane = index % 4
    const own = accumulators[a]!
    const multiplier = a % 2 === 0 ? 0x9e3779b1 : 0x85ebca6b
    own[lane] =
      (Math.imul(fold(own[lane]! ^ word, 15), multiplier) + accumulators[(a + 7) % 8]![lane]!) | 0
  })
  const inputs = accumulators.flatMap(([a, b, c, d]): Pair[] => [
    [a!, b!],
    [c!, d!],
  ])
  return mix(seed, inputs, bytes.length, 0)
}

/** Combines hashes pair by pair; an odd last one moves up. */
function top<H>(leaves: readonly H[], node: (left: H, right: H) => H): H | undefined {
  let level = leaves
  while (level.length > 1) {
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_none, index) => {
      const left = level[2 * index]!
      const right = level[2 * index + 1]
      return right === undefined ? left : node(left, right)
    })
  }
  return level[0]
}

const hexOfPair = ([lo, hi]: Pair): string =>
  [hi, lo].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')

/** The sync hash of a leaf as text. */
export function referenceSyncLeafText(leaf: PlainLeaf): string {
  return hexOfPair(referenceSyncLeaf(leaf))
}

/** The sync hash of a state with these leaves. */
export function referenceSyncRoot(leaves: readonly PlainLeaf[]): string {
  const node = (left: Pair, right: Pair): Pair => mix(treeStart, [left, right], 2, 1)
  const summit = top(leaves.map(referenceSyncLeaf), node) ?? [0, 0]
  return hexOfPair(mix(treeStart, [summit], leaves.length, 2))
}

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** The state hash of a leaf. */
export function referenceStateLeaf({ label, bytes, format = 'raw' }: PlainLeaf): Buffer {
  const text = new TextEncoder().encode(label)
  const content = sha256(canonicalBytes(bytes, format))
  const length = u32(text.length).subarray(0, 2)
  return sha256(Uint8Array.of(0), length, text, u32(bytes.length), content)
}

/** The state hash of a state with these leaves. */
export function referenceStateRoot(leaves: readonly PlainLeaf[]): string {
  const node = (left: Buffer, right: Buffer): Buffer => sha256(Uint8Array.of(1), left, right)
  const summit = top(leaves.map(referenceStateLeaf), node) ?? Buffer.alloc(32)
  return sha256(Uint8Array.of(2), u32(leaves.length), summit).toString('hex')
}
