/**
 * The bytes of a snapshot. Little-endian; every head, name and content begins on a multiple of 8 (the
 * cells of a raw snapshot, of 64); the gaps are zero.
 *
 *     head      what it is of: see header.ts
 *     body      sections, one after the other; deflated as a whole in the encoding `deflate`
 *     checksum  8 bytes, see checksum.ts
 *
 *     section   u8 kind | u8 bytes of name | u16 columns | u32 bytes behind the name | name
 *       table   u32 rows | u32 masks | columns | masks, 64 bytes each
 *       bytes   content
 *     column    u8 type | u8 encoding | u8 bytes of name | u8 0 | u32 bytes of content | name | content
 *
 * Columns bring their names and types, so that a reader of another version can tell what it knows from
 * what it does not. A raw column is its cells; a packed one is blocks, see block.ts.
 *
 * In the encodings `packed` and `deflate` the checksum covers every byte before it. In `raw` it covers
 * heads and names only, a table's after those of its columns and the file's last: raw snapshots stay in memory (the ring of recent ticks), where nothing tears
 * them, and summing the cells would cost six times as much as copying them.
 */

/** The encoding of a snapshot's body. */
export type SnapshotEncoding =
  /** Cells as they are in memory: as fast as a copy. For storing, not for sending. */
  | 'raw'
  /** Columns packed, see block.ts: about a third of the size at a twentieth of zlib's time. */
  | 'packed'
  /** Packed and then deflated: worthwhile if much of the state is plain objects or custom bytes. */
  | 'deflate'

/** The encodings in the sequence of their numbers in a file: append, never reorder. */
export const snapshotEncodings: readonly SnapshotEncoding[] = ['raw', 'packed', 'deflate']

/** `SSNP` as a little-endian word: the first four bytes of every snapshot, for ever. */
export const snapshotMagic = 0x504e_5353

/** The version of the layout above. A reader refuses all others. */
export const snapshotFormatVersion = 1

/** The number of a section that is a table. */
export const tableKind = 1

/** The number of a section of bytes. */
export const bytesKind = 2

/** The number of a column whose content is its cells. */
export const rawColumn = 0

/** The number of a column whose content is blocks. */
export const packedColumn = 1

/** Bytes of a section's head and of a column's, without the name. */
export const partHeadBytes = 8

/**
 * In a raw snapshot cells begin on multiples of this: a cache line. Copies between memory that is not
 * aligned alike take up to 1.8 times as long.
 */
export const rawCellsAlignment = 64

/** Bytes of a table's counts, behind its name. */
export const tableCountsBytes = 8

/** Bytes of the checksum. */
export const checksumBytes = 8
