/** Every maximum of the simulation layer, with its reason. Relations between them are tested. */

/** Rows of one block of a column: one leaf of the hash tree. See sim/hash/tree.ts for why 16 384. */
export const leafRowsMax = 16_384

/**
 * Bytes of one order: with its frame it must fit the 1 200 bytes that every network path carries in
 * one datagram, or one large order would cost a fragment and, on loss, a round trip.
 */
export const orderBytesMax = 1_024

/** Kinds of orders of one game: a relay's table of them fits the message that brings it. */
export const orderKindsMax = 256

/** The most orders of a class in a second, or at once, that a limit can say. */
export const orderRateMax = 1_000

/** Seats of one match. Membership is a bitmap of two 32-bit words. */
export const seatsMax = 64

/**
 * Files of a content manifest, and bytes of a name in UTF-8: it travels with every join, and the relay
 * keeps one for each match.
 */
export const contentFilesMax = 64
export const contentNameBytesMax = 64

/** Ticks per second. Above 240 a tick is shorter than what browsers can schedule. */
export const tickRateMax = 240

/**
 * For how long a simulation remembers its sync hashes, at normal speed: longer than any report is under
 * way. Slow games remember {@link recentHashesMin} of them, so that a test that plays on sees enough.
 */
export const recentHashesMs = 30_000
export const recentHashesMin = 1_024

/** Sync hashes that a simulation of that tick rate remembers. */
export function recentHashesFor(tickRate: number): number {
  return Math.max(Math.ceil((recentHashesMs * tickRate) / 1_000), recentHashesMin)
}

/** Named random streams of one game. Each costs 32 bytes in every snapshot; games use a handful. */
export const randomStreamsMax = 64

/** UTF-16 units of a stream's name. It is an identifier, not a text. */
export const streamNameLengthMax = 64

/** UTF-16 units of a match seed: 256 bits in hexadecimal, twice of what a relay makes. */
export const seedLengthMax = 64

/** Bytes of a state memory: offsets stay within signed 32 bits, with room for the hash kernel. */
export const stateBytesMax = 0x7ffe_0000

/** Bytes of a leaf's label in UTF-8: the state hash writes the length into 16 bits. */
export const labelBytesMax = 0xffff

/** Leaves of one hash tree: their number is hashed and sent in 32 bits. */
export const leafCountMax = 0xffff_ffff

/** What a game is called: in messages, logs and file names, so that nothing in it needs care anywhere. */
export const gameIdPattern = /^[a-z0-9][a-z0-9-]{0,62}$/

/** Jobs of one kind that wait for their tick: each is hashed in every tick until then. */
export const jobsWaitingMax = 1_024

/** Ticks that a job may take: a minute at the highest tick rate. Longer work is made of several jobs. */
export const jobDueTicksMax = 60 * tickRateMax

/** Entries of a trace from one kept hash to the next: eight bytes per 256 entries, and eight steps to search. */
export const traceBlockEntries = 256
