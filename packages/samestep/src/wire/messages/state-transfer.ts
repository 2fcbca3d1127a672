import { assert } from '../../base/assert.ts'
import { bool, bytes, optional, range, seat, struct, u32 } from '../../sim/schema/index.ts'

/**
 * How the state of a match travels to somebody who has none: in chunks, each with a hash, asked for by
 * whoever wants them. The same fields go from a client that has the state to the relay, and from the
 * relay to the client that joins.
 *
 *     wants it                           has it
 *       │  fetch, count 0 ────────────────► │
 *       │ ◄──────────────────── manifest    │   how long it is, and a hash of every chunk
 *       │  fetch, first, count ───────────► │
 *       │ ◄──────────── chunk, chunk, …     │   on the bulk lane, behind everything else
 */

/** Bytes of a chunk before it is compressed: an eighth of a second of a line of one megabit. */
export const chunkBytes = 16_384

/**
 * Bytes of a hash of a chunk. They tell which chunk of a download is bad; the state as a whole is
 * proved by its own hash of 32 bytes.
 */
export const chunkHashBytes = 16

/** Bytes of a state: the hashes of its chunks then fit one message of 32 KiB. */
export const stateBytesMax = 33_554_432

/** Chunks of the largest state. */
export const chunksMax = stateBytesMax / chunkBytes

/** Chunks that one message asks for. */
export const chunksPerFetchMax = 16

/** Bytes of the hash that the players agreed on. */
export const agreedHashBytes = 32

/**
 * Ticks between two hashes of the whole state that everybody who plays reports (HSH-07): often enough to
 * settle a quarrel within seconds, and seldom enough to cost a copy of the state that nobody notices.
 */
export const stateHashTicks = 30

/** Whether the whole state after a tick is hashed: at ticks 0 and 1 too, where versions differ first. */
export function isStateHashTick(tick: number): boolean {
  return tick <= 1 || tick % stateHashTicks === 0
}

assert(Number.isInteger(chunksMax), 'The largest state is whole chunks')
assert(chunksMax * chunkHashBytes + 64 <= 65_535, 'A manifest fits one message')

/** Asks for the manifest of the state after a tick (`count` 0), or for some of its chunks. */
export const fetchFields = struct({
  tick: u32,
  first: range(0, chunksMax - 1),
  count: range(0, chunksPerFetchMax),
})

/** What a state consists of. */
export const manifestFields = struct({
  tick: u32,
  /** What most players said that the state hashes to, or whoever sends this, if nobody else can. */
  hash: bytes(agreedHashBytes),
  /** Whether a strict majority said so; false when there was only one to ask. */
  isAgreed: bool,
  bytes: range(0, stateBytesMax),
  /** The hashes of all chunks, one after the other. */
  chunkHashes: bytes(chunksMax * chunkHashBytes),
})

/** One chunk. */
export const chunkFields = struct({
  tick: u32,
  index: range(0, chunksMax - 1),
  isDeflated: bool,
  content: bytes(chunkBytes),
})

/** What is said to give the state of a match to somebody. */
export const stateMessages = {
  /** Somebody needs the state: keep a copy of it after this tick, and say what it hashes to. */
  RelayAskState: { number: 32, fields: struct({ tick: u32 }) },
  /** What the state after a tick hashes to; it is kept for a while. */
  ClientState: { number: 33, fields: struct({ tick: u32, hash: bytes(agreedHashBytes) }) },
  /** Asks a client for the state that it keeps. */
  RelayFetch: { number: 34, fields: fetchFields },
  /** What the state consists of that the client keeps. */
  ClientManifest: { number: 35, fields: manifestFields },
  /** A part of it. */
  ClientChunk: { number: 36, fields: chunkFields },
  /** What the state consists of from which the receiver goes on. */
  RelayManifest: { number: 37, fields: manifestFields },
  /** Asks the relay for the state. */
  ClientFetch: { number: 38, fields: fetchFields },
  /** A part of it. */
  RelayChunk: { number: 39, fields: chunkFields },
  /** Whether the state that the client got is the one that was promised. */
  ClientLoaded: { number: 40, fields: struct({ tick: u32, isGood: bool }) },
  /** Which seat the receiver has from a tick on, in which it may never hear of it. */
  RelaySeat: { number: 42, fields: struct({ seat: optional(seat), seatTick: u32 }) },
} as const
