import { assert } from '../../../base/assert.ts'
import type { SyncHash } from '../../hash/tree.ts'
import { recentHashesFor } from '../../limits.ts'
import type { SnapshotBuffer } from '../../snapshot/buffer.ts'
import { alignUp } from '../../snapshot/buffer.ts'
import { cellBytes, viewCells } from '../../snapshot/cells.ts'
import { readSnapshot } from '../../snapshot/reader.ts'
import type { Section } from '../../snapshot/section.ts'
import type { Kept } from '../../state/previous.ts'
import { State } from '../../state/state.ts'
import type { GameShape } from '../definition/context.ts'
import type { Game } from '../definition/define-game.ts'
import { RecentHashes } from '../run/recent-hashes.ts'
import type { Simulation } from '../run/simulation.ts'
import { declareParts, makeOptions } from '../run/simulation-options.ts'
import type { SimulationTerms } from '../run/simulation-view.ts'
import { SimulationView } from '../run/simulation-view.ts'
import { saveState } from './snapshots.ts'

/**
 * A simulation runs in one thread and is drawn in another. What crosses is one run of bytes per
 * picture, in memory that goes back and forth, so that no tick makes garbage as large as the state:
 *
 *     snapshot, raw │ two words of sync hash for each new tick │ the columns of `render`, a tick ago
 *
 * Both threads have the same game, so nothing in it says what it is; only the lengths travel beside.
 */

/** How the bytes of a picture are divided. */
export interface PictureLayout {
  /** The match tick. */
  readonly tick: number
  /** Bytes of the snapshot, which comes first. */
  readonly stateBytes: number
  /** Sync hashes behind it; the last is that of {@link tick}. */
  readonly hashCount: number
}

/** Writes what a mirror needs that has seen everything up to `knownTick`. */
export function writePicture<G extends GameShape, R>(
  simulation: Simulation<G, R>,
  into: SnapshotBuffer,
  knownTick: number,
): PictureLayout {
  saveState(simulation, { encoding: 'raw', into })
  const stateBytes = into.length
  const tick = simulation.matchTick
  let first = tick
  const oldest = Math.max(knownTick, tick - recentHashesFor(simulation.game.tickRate))
  while (first > oldest && simulation.syncHashWordsAt(first, words)) first -= 1
  // A tick that a mirror has seen before, or that is not remembered, still has a state to show.
  const hashCount = tick - first
  into.reserve(hashCount * 8)
  for (let index = 0; index < hashCount; index++) {
    simulation.syncHashWordsAt(first + 1 + index, words)
    const at = stateBytes / 4 + 2 * index
    into.words[at] = words[0] as number
    into.words[at + 1] = words[1] as number
  }
  into.length = stateBytes + hashCount * 8
  savePrevious(simulation.previousTick.kept, into)
  return { tick, stateBytes, hashCount }
}

/** Appends what is kept of the rows that are in use now. */
function savePrevious(kept: readonly Kept[], out: SnapshotBuffer): void {
  for (const { table, type, previous } of kept) {
    const size = table.rows.rowsUsed * cellBytes[type]
    out.pad()
    out.reserve(size)
    out.bytes.set(new Uint8Array(previous.buffer, previous.byteOffset, size), out.length)
    out.length += size
  }
}

/** Takes that over, from `offset` on; the tick after it is loaded already. */
function loadPrevious(kept: readonly Kept[], bytes: Uint8Array, offset: number): void {
  let at = offset
  for (const { table, type, previous } of kept) {
    const rows = table.rows.rowsUsed
    at = alignUp(at)
    previous.set(viewCells(type, bytes.buffer, bytes.byteOffset + at, rows))
    at += rows * cellBytes[type]
  }
}

/**
 * Lets a buffer go on with other memory, such as what came back from another thread; what was written
 * is gone. Its length must be a multiple of 8, as that of all memory of such a buffer is.
 */
export function adoptMemory(buffer: SnapshotBuffer, memory: ArrayBuffer): void {
  assert(memory.byteLength % 8 === 0, 'Adopted memory was once given away')
  buffer.bytes = new Uint8Array(memory)
  buffer.words = new Int32Array(memory)
  buffer.view = new DataView(memory)
  buffer.length = 0
}

const words = new Uint32Array(2)

/** What a mirror has to be told once: the rest follows from the game. */
export interface MirrorOptions<G extends GameShape> extends SimulationTerms<G> {
  /** Views that throw when they are written to. */
  readonly development: boolean
}

/**
 * Shows a simulation that runs elsewhere, as it was in the last picture that came from there. No game
 * code runs here, but the `create` and `load` of a custom part.
 */
export class SimulationMirror<G extends GameShape, R> extends SimulationView<G, R> {
  readonly #hashes: RecentHashes
  /** The newest tick whose hash is known; −1 for none. */
  #hashedTick = -1

  constructor(game: Game<G, R>, options: MirrorOptions<G>) {
    // Nothing is hashed here, so there is no kernel to load.
    const parts = new State(declareParts(game), {
      development: options.development,
      kernel: 'js',
    })
    super(game, { ...options, options: makeOptions(game, options.options) }, parts)
    this.#hashes = new RecentHashes(game.tickRate)
  }

  /** The sync hash after a tick, as the simulation told it; `undefined` when it is too long ago. */
  syncHashAt(tick: number): SyncHash | undefined {
    return this.#hashes.at(tick)
  }

  /** Shows another tick. The bytes are only borrowed. */
  load(bytes: Uint8Array, { tick, stateBytes, hashCount }: PictureLayout): void {
    const { version } = this.game
    const { sections } = readSnapshot(bytes.subarray(0, stateBytes))
    this.parts.load(sections.map(this.#own), {
      fileVersion: version,
      gameVersion: version,
      unknown: 'refuse',
    })
    this.#takeHashes(bytes, tick, stateBytes, hashCount)
    loadPrevious(this.previousTick.kept, bytes, stateBytes + hashCount * 8)
  }

  /** A custom part may keep the bytes that it loads; these go back to the thread they came from. */
  readonly #own = (section: Section): Section => {
    if (section.kind !== 'bytes' || this.parts.part(section.name)?.kind !== 'custom') return section
    return { ...section, content: section.content.slice() }
  }

  #takeHashes(bytes: Uint8Array, tick: number, start: number, count: number): void {
    const first = tick - count + 1
    if (first !== this.#hashedTick + 1) this.#hashes.restart(first)
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset + start, count * 2)
    for (let index = 0; index < count; index++) {
      const lo = words[2 * index] as number
      this.#hashes.remember(first + index, lo, words[2 * index + 1] as number)
    }
    this.#hashedTick = tick
  }
}
