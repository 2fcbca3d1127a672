import { WireError } from '../../base/errors.ts'
import { loadSnapshot, saveSnapshot } from '../../sim/game/copies/snapshots.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import { stateBytesMax } from '../../wire/messages/state-transfer.ts'

/**
 * Everything that somebody needs to go on with a match after a tick: the state of the game, and some
 * words beside it: the slots of every seat's last input, from which the next bundle says only the
 * differences, and the chain over the hashes of all ticks so far.
 *
 *     u32 words | words, u32 each | snapshot
 *
 * All in little-endian. The snapshot is raw: as fast as a copy for whoever keeps it, and compressed in
 * chunks when somebody asks for it.
 */
export function saveMatchState<G extends GameShape, R>(
  simulation: Simulation<G, R>,
  words: Uint32Array,
): Uint8Array {
  return joinMatchState(words, saveSnapshot(simulation, { encoding: 'raw' }))
}

/** The words beside a state. */
export function joinWords(slots: Uint32Array, chain: Uint32Array): Uint32Array {
  const words = new Uint32Array(slots.length + chain.length)
  words.set(slots)
  words.set(chain, slots.length)
  return words
}

/** The same of a snapshot that was saved before, with the words that belonged to it. */
export function joinMatchState(words: Uint32Array, snapshot: Uint8Array): Uint8Array {
  const headBytes = 4 + words.length * 4
  const bytes = new Uint8Array(headBytes + snapshot.byteLength)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, words.length, true)
  for (let index = 0; index < words.length; index++) {
    view.setUint32(4 + index * 4, words[index] as number, true)
  }
  bytes.set(snapshot, headBytes)
  return bytes
}

/**
 * Puts a simulation where the state says that it was, and fills the words beside it. Both are then what
 * the state's hash can be compared with; until that was done nothing may run.
 *
 * @throws WireError for bytes that are no state of this match.
 */
export function loadMatchState<G extends GameShape, R>(
  simulation: Simulation<G, R>,
  words: Uint32Array,
  bytes: Uint8Array,
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const headBytes = 4 + words.length * 4
  if (bytes.byteLength < headBytes || view.getUint32(0, true) !== words.length) {
    throw new WireError('SS_WIRE_MISMATCH', 0, `A state without ${words.length} words beside it`)
  }
  // A copy of its own: the cells of a raw snapshot begin on multiples of 64.
  loadSnapshot(simulation, bytes.slice(headBytes), { sameMatch: true, bytesMax: stateBytesMax })
  for (let index = 0; index < words.length; index++) {
    words[index] = view.getUint32(4 + index * 4, true)
  }
}

/**
 * What players agree on, before it is hashed: a copy of the state of the game as it is now, with its tick
 * and the words. Its SHA-256 is what is told. Made in the tick, hashed outside of it: copying is twenty
 * times as fast as hashing. `into` is used again if it is large enough.
 */
export function copyMatchState<G extends GameShape, R>(
  simulation: Simulation<G, R>,
  words: Uint32Array,
  into: Uint8Array = nothing,
): Uint8Array {
  const head = new Uint8Array(domain.length + 8 + words.length * 4)
  const view = new DataView(head.buffer)
  for (let index = 0; index < domain.length; index++) head[index] = domain.charCodeAt(index)
  view.setUint32(domain.length, simulation.matchTick, true)
  view.setUint32(domain.length + 4, words.length, true)
  for (let index = 0; index < words.length; index++) {
    view.setUint32(domain.length + 8 + index * 4, words[index] as number, true)
  }
  return simulation.copyLeaves(head, into)
}

const nothing = new Uint8Array(0)

/** Keeps this hash apart from all others that are made of the same bytes (T-53). */
const domain = 'samestep/match-state\0'
