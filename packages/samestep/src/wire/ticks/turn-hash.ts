import type { BitReader } from '../../base/bit-reader.ts'
import type { BitWriter } from '../../base/bit-writer.ts'

/**
 * The hash of a turn: the chain over the sync hashes of all executed ticks, from tick 0 on.
 *
 * A chain covers every tick before it, so one report per turn is enough, provided that two clients
 * ever report the same tick. A turn can follow several ticks, and clients group them differently. So
 * a report is not about the newest tick but about the *roundest* one since the last report: the one
 * that is divisible by the largest power of two.
 *
 *     ticks in threes     1 [2] 3 │ [4] 5  6 │ 7 [8] 9 │ 10 11 [12]
 *     one tick later      1 │ 2  3 [4] │ 5 [6] 7 │ [8] 9 10 │ 11 [12] 13
 *
 * A client that runs at most 2ᵏ ticks between two turns reports every multiple of 2ᵏ: no other number
 * in its group is as round. So any two clients have a tick in common at least every 2ᵏ ticks, for the
 * k of the slower one. Tick 0 is the roundest of all and always the first to be reported.
 *
 * The roundest tick follows from the newest by clearing low bits, so five bits identify it.
 */
export interface TurnHash {
  /** The newest tick that the client executed. */
  readonly executedTick: number
  /** The last tick that the chain covers. */
  readonly tick: number
  readonly lo: number
  readonly hi: number
}

const lagBits = 11
/** The largest distance between received and executed tick that a turn can report. */
export const lagTicksMax = 2 ** lagBits - 1

const clearedBits = 5

/** The fewest low bits of the executed tick to clear in order to get the tick of the hash. */
function clearedOf(executedTick: number, tick: number): number {
  if (tick === executedTick) return 0
  // The highest bit in which they differ is the last that has to be cleared.
  return 32 - Math.clz32(executedTick ^ tick)
}

/** A tick with its low bits cleared. */
function clear(tick: number, bits: number): number {
  return ((tick >>> bits) << bits) >>> 0
}

/** How round a tick is: how many of its low bits are 0. Nothing is rounder than tick 0. */
export function roundness(tick: number): number {
  return tick === 0 ? 32 : 31 - Math.clz32(tick & -tick)
}

/** Appends a hash to a turn that confirms `received`. */
export function writeTurnHash(out: BitWriter, received: number, hash: TurnHash): void {
  out.bits(received - hash.executedTick, lagBits)
  out.bits(clearedOf(hash.executedTick, hash.tick), clearedBits)
  out.bits(hash.lo, 32)
  out.bits(hash.hi, 32)
}

/** The one object that {@link readTurnHash} returns: relays read one per player and tick. */
const readHash: { -readonly [K in keyof TurnHash]: TurnHash[K] } = {
  executedTick: 0,
  tick: 0,
  lo: 0,
  hi: 0,
}

/**
 * Reads a hash. It is valid until the next one is read.
 *
 * @throws WireError for a tick before the first, or for anything but the canonical bits.
 */
export function readTurnHash(input: BitReader, received: number): TurnHash {
  const executedTick = received - input.bits(lagBits)
  const cleared = input.bits(clearedBits)
  readHash.lo = input.bits(32)
  readHash.hi = input.bits(32)
  if (executedTick < 0) {
    throw input.fault('SS_WIRE_OUT_OF_RANGE', `Cannot accept the hash of tick ${executedTick}`)
  }
  const tick = clear(executedTick, cleared)
  if (clearedOf(executedTick, tick) !== cleared) {
    throw input.fault('SS_WIRE_NOT_CANONICAL', `Cannot accept ${cleared} cleared bits`)
  }
  readHash.executedTick = executedTick
  readHash.tick = tick
  return readHash
}
