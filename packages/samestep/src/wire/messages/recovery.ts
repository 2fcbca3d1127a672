import { assert } from '../../base/assert.ts'
import { WireError } from '../../base/errors.ts'
import { bool, bytes, list, optional, range, struct, u32 } from '../../sim/schema/index.ts'
import { bundleBytesMax } from '../limits.ts'
import { nonceBytes, proofBytes } from './return-proof.ts'

/**
 * How a match outlives the loss of its relay: its clients keep what they cannot change, and give it back.
 *
 *     while it runs     ◄── tag        a keyed seal on the ticks since the last one, every second
 *                       ◄── capsule    all that another relay needs beside ticks, encrypted
 *     afterwards        join ──►  ◄── recover    the relay does not know the match: what do you have?
 *                       recover ──►    capsule, tags, and the proof that the seat is one's own
 *                       history ──►    the bundles behind them, in pieces
 */

/** Bytes of a tag: a forged one passes once in 2^128 attempts. */
export const tagBytes = 16

/** Ticks that one tag covers at the most: a second of the fastest match, and more while nobody is there. */
export const tagTicksMax = 4_095

/** Bytes of a capsule: a hundred members with long names. Larger matches are not kept at clients. */
export const capsuleBytesMax = 24_576

/** Tags that a client keeps, and gives back. */
export const tagsMax = 64

/** Bytes of bundles that a client keeps for this, and gives back: 20 s of the busiest usual match. */
export const historyBytesMax = 262_144

/** Ticks of them. */
export const historyTicksMax = 8_191

/** Bytes of one piece of them. */
export const historyPieceBytesMax = 16_384

const tag = struct({ tick: u32, count: range(0, tagTicksMax), tag: bytes(tagBytes) })

/** A tag, and now and then a capsule of the same tick. */
const relayTagFields = struct({
  /** The newest tick that it covers, and how many. */
  tick: u32,
  count: range(0, tagTicksMax),
  tag: bytes(tagBytes),
  capsule: optional(bytes(capsuleBytesMax)),
})

/** Asks for a proof, and for what the client has of its match. */
const relayRecoverFields = struct({ nonce: bytes(nonceBytes), wantsHistory: bool })

/** The answer. */
const clientRecoverFields = struct({
  /** As in `ClientProof`. */
  proof: bytes(proofBytes),
  /** The oldest tick that the client can go back to by itself. */
  backTick: u32,
  capsule: bytes(capsuleBytesMax),
  tags: list(tag, tagsMax),
  /** The bundles that follow in pieces: the tick of the first, and how many. */
  firstTick: u32,
  count: range(0, historyTicksMax),
})

/** A piece of the bundles: the length of each in two bytes, and the bundle. */
const clientHistoryFields = struct({ bytes: bytes(historyPieceBytesMax) })

assert(2 + bundleBytesMax <= historyPieceBytesMax, 'Every bundle fits a piece')

/** Puts bundles into as few pieces as there are. */
export function packHistory(bundles: readonly Uint8Array[]): Uint8Array[] {
  const pieces: Uint8Array[] = []
  let [first, size] = [0, 0]
  const flush = (end: number) => {
    const piece = new Uint8Array(size)
    let at = 0
    for (const bundle of bundles.slice(first, end)) {
      piece[at] = bundle.byteLength & 0xff
      piece[at + 1] = bundle.byteLength >>> 8
      piece.set(bundle, at + 2)
      at += 2 + bundle.byteLength
    }
    if (size > 0) pieces.push(piece)
    first = end
    size = 0
  }
  for (const [index, { byteLength }] of bundles.entries()) {
    if (size + 2 + byteLength > historyPieceBytesMax) flush(index)
    size += 2 + byteLength
  }
  flush(bundles.length)
  return pieces
}

/**
 * The bundles of a piece, as copies.
 *
 * @throws WireError for bytes that are no whole bundles.
 */
export function unpackHistory(piece: Uint8Array): Uint8Array[] {
  const bundles: Uint8Array[] = []
  for (let at = 0; at < piece.byteLength; ) {
    const size = (piece[at] as number) | ((piece[at + 1] ?? 0) << 8)
    const end = at + 2 + size
    if (at + 2 > piece.byteLength || end > piece.byteLength || size > bundleBytesMax) {
      throw new WireError('SS_WIRE_TRUNCATED', at, 'Cannot read a bundle that is not all there')
    }
    bundles.push(piece.slice(at + 2, end))
    at = end
  }
  return bundles
}

/** What is said so that a match outlives its relay. */
export const recoveryMessages = {
  /** The relay does not know the match, or lost some of it: asks who this is, and what it has. */
  RelayRecover: { number: 52, fields: relayRecoverFields },
  /** The answer. */
  ClientRecover: { number: 53, fields: clientRecoverFields },
  /** A piece of the bundles that the client has. */
  ClientHistory: { number: 54, fields: clientHistoryFields },
  /** What the client is to keep, should this relay be lost. */
  RelayTag: { number: 55, fields: relayTagFields },
} as const
