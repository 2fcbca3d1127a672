/** Every maximum of the snapshot format, with its reason. Relations between them are tested. */

/**
 * A whole snapshot, in each of its forms: as a file, unpacked, in memory. 64 MiB is a hundred times
 * the state of a game with 10 000 units, and what a phone can hold twice while it loads.
 */
export const snapshotBytesMax = 64 * 1024 * 1024

/**
 * Sections of one snapshot: one per part of the state. A game has tens; each costs a reader an object
 * before anybody knows what it means.
 */
export const snapshotSectionsMax = 1024

/** Columns of one table. Four times what the widest table that we have seen needs. */
export const tableColumnsMax = 256

/** Rows of one table: one byte each would already fill a snapshot. */
export const snapshotRowsMax = snapshotBytesMax

/** Bytes of a section's, column's or game's name: lengths of names are one byte in the file. */
export const nameBytesMax = 255

/** Bytes of a match id: room for a UUID, a hash in hex, or what a person types. */
export const matchIdBytesMax = 64

/** Bytes of a fingerprint: SHA-256. */
export const fingerprintBytes = 32

/**
 * Distinct masks of one packed table. A block's head has 19 bits for the number of its mask; a table
 * that needs more packs the rest of its blocks without.
 */
export const tableMasksMax = 2 ** 19

/**
 * No deflate stream grows more than this: its longest match makes 258 bytes of two bits. A declared
 * length beyond it is a lie that needs no memory to be found out.
 */
export const deflateRatioMax = 1032
