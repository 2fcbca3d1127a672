import type { RecentSource } from '../../desync/recent/recent-ticks.ts'
import { RecentTicks, recentBytesDefault } from '../../desync/recent/recent-ticks.ts'
import { saveSnapshot } from '../../sim/game/copies/snapshots.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { SyncTree } from '../../sim/hash/sync-tree.ts'
import type { SnapshotBuffer } from '../../sim/snapshot/buffer.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import type { HashReports } from '../outbox/hash-reports.ts'
import { joinWords } from '../state/match-state.ts'
import type { RunningOptions } from './match-simulation.ts'
import type { TickRunner } from './tick-runner.ts'

/**
 * The record of a running match's last seconds, from its current tick on. Clients without a seat are
 * never asked for it, so they keep nothing.
 */
export function makeRecent<G extends GameShape, R>(
  runner: TickRunner<G, R>,
  hashes: HashReports,
  { config, seat }: MessageBody<'RelaySeated'>,
  { desyncMemoryBytes = recentBytesDefault }: RunningOptions,
): RecentTicks {
  const source = new RunSource(runner, hashes.chain)
  const bytesMax = seat === undefined ? 0 : desyncMemoryBytes
  const recent = new RecentTicks(source, config.tickRate, bytesMax)
  recent.start()
  return recent
}

/** A match that runs here. */
class RunSource<G extends GameShape, R> implements RecentSource {
  readonly chain: Uint32Array
  readonly #runner: TickRunner<G, R>

  constructor(runner: TickRunner<G, R>, chain: Uint32Array) {
    this.#runner = runner
    this.chain = chain
  }

  get tick(): number {
    return this.#runner.simulation.matchTick
  }

  get speedPercent(): number {
    return this.#runner.simulation.speedPercent
  }

  get tree(): SyncTree {
    return this.#runner.simulation.lastTree
  }

  get words(): Uint32Array {
    return joinWords(this.#runner.slots, this.chain)
  }

  save(into: SnapshotBuffer): Uint8Array {
    return saveSnapshot(this.#runner.simulation, { encoding: 'raw', into })
  }
}
