import { RecordWriter } from '../../record/index.ts'
import { snapshotPieceBytesMax } from '../../record/limits.ts'
import { saveSnapshot } from '../../sim/game/copies/snapshots.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import { fromHex } from '../../sim/hash/hex.ts'
import type { WatchedMatch } from './tick-watcher.ts'

/**
 * Level 1: everything that was sealed, tick by tick, with what the state was hashed to: a record, as a
 * relay writes its journal.
 *
 *     match · [gap · snapshot]  bundle · hash  bundle · hash  …
 *
 * A log that begins in the middle of a match begins with its state.
 */
export class OrderLog {
  readonly #match: WatchedMatch
  readonly #name: string
  readonly #words = new Uint32Array(2)
  readonly #writer: RecordWriter

  /** `name` is what players type to join it. */
  constructor(match: WatchedMatch, name: string) {
    this.#match = match
    this.#name = name
    this.#writer = this.#begin()
  }

  /** Bytes of the whole log so far. */
  get totalBytes(): number {
    return this.#writer.totalBytes
  }

  note(bundle: Uint8Array): void {
    const { simulation, seated } = this.#match
    const { matchTick } = simulation
    this.#writer.appendBundle(0, bundle)
    if (!simulation.syncHashWordsAt(matchTick, this.#words)) return
    const hash = new Uint8Array(8)
    const view = new DataView(hash.buffer)
    view.setUint32(0, this.#words[0] as number, true)
    view.setUint32(4, this.#words[1] as number, true)
    const seats = seated.seat === undefined ? [] : [seated.seat]
    this.#writer.append(0, { name: 'hash', body: { tick: matchTick, of: 'sync', hash, seats } })
  }

  /** What was written since the last call, in memory of its own. */
  take(): Uint8Array {
    return this.#writer.take().slice()
  }

  #begin(): RecordWriter {
    const { simulation, seated } = this.#match
    const { game, matchTick, matchId, seed } = simulation
    const writer = new RecordWriter(idOf(matchId, matchTick))
    writer.append(0, {
      name: 'match',
      body: {
        id: matchId,
        name: this.#name,
        seed: String(seed),
        gameId: game.id,
        gameVersion: game.version,
        fingerprint: fromHex(game.fingerprint),
        config: seated.config,
      },
    })
    if (matchTick > 0) this.#writeState(writer, simulation)
    return writer
  }

  #writeState(writer: RecordWriter, simulation: Simulation): void {
    const { matchTick } = simulation
    // Words beside the state are the slots of all seats, and the chain of two words behind them.
    const inputs = Array.from(this.#match.inner.saveNow().words).slice(0, -2)
    const gap = { firstTick: 1, lastTick: matchTick, why: 'trimmed', inputs } as const
    writer.append(0, { name: 'gap', body: gap })
    const state = saveSnapshot(simulation)
    const stateHash = fromHex(simulation.stateHash())
    const count = Math.max(Math.ceil(state.byteLength / snapshotPieceBytesMax), 1)
    for (let index = 0; index < count; index++) {
      const start = index * snapshotPieceBytesMax
      const bytes = state.slice(start, start + snapshotPieceBytesMax)
      writer.append(0, {
        name: 'snapshot',
        body: { tick: matchTick, stateHash, index, count, bytes },
      })
    }
  }
}

/** Eight bytes that no other log of this machine begins with. Nothing depends on who else has them. */
function idOf(matchId: string, tick: number): Uint8Array {
  const id = new Uint8Array(8)
  const view = new DataView(id.buffer)
  let mixed = 0x811c_9dc5
  for (let index = 0; index < matchId.length; index++) {
    mixed = Math.imul(mixed ^ matchId.charCodeAt(index), 0x0100_0193) >>> 0
  }
  view.setUint32(0, mixed, true)
  view.setUint32(4, tick, true)
  return id
}
