/**
 * What the hash tree is made of. A leaf is a labelled run of bytes: one block of rows of one column,
 * the encoded bytes of a plain part, the random generators, the tick.
 */

/** How the bytes of a leaf are read. Floats are hashed by value: one NaN, no negative zero. */
export type LeafFormat = 'raw' | 'f32' | 'f64'

/** The name of a leaf, prepared once so that hashing it every tick costs nothing. */
export interface LeafLabel {
  /** `units/x/0`: part, column, block. */
  readonly text: string
  /** The text in UTF-8, for the state hash. */
  readonly bytes: Uint8Array
  /** 64 bits derived from the text, for the sync hash. */
  readonly seedLo: number
  readonly seedHi: number
}

/** Receives the leaves of a state in canonical sequence. */
export interface LeafVisitor {
  /** `bytes` is borrowed: read `byteLength` bytes from `start` before returning, never write. */
  leaf(
    label: LeafLabel,
    bytes: Uint8Array,
    start: number,
    byteLength: number,
    format: LeafFormat,
  ): void
}

/** Anything that can show its leaves. Showing them changes nothing. */
export interface LeafSource {
  visitLeaves(visitor: LeafVisitor): void
}
