import { RecentTicks, recentBytesDefault } from '../../desync/recent/recent-ticks.ts'
import { saveSnapshot } from '../../sim/game/copies/snapshots.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
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
  const { simulation } = runner
  const recent = new RecentTicks(
    {
      get tick() {
        return simulation.matchTick
      },
      chain: hashes.chain,
      get tree() {
        return simulation.lastTree
      },
      get words() {
        return joinWords(runner.slots, hashes.chain)
      },
      save: (into) => saveSnapshot(simulation, { encoding: 'raw', into }),
    },
    config.tickRate,
    seat === undefined ? 0 : desyncMemoryBytes,
  )
  recent.start()
  return recent
}
