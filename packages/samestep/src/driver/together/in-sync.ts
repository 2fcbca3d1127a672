import { diffStates } from '../../sim/game/copies/state-diff.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import { recentHashesFor } from '../../sim/limits.ts'
import type { Difference } from '../../sim/state/part.ts'

/** Thrown when two players of one match have different states. */
export class OutOfSyncError extends Error {
  override readonly name = 'OutOfSyncError'
  /** The first remembered tick after which their states differ. */
  readonly tick: number
  /** The two players, as indices into `matches`. */
  readonly players: readonly [number, number]
  /** Cells that differ now; empty if the two have not run the same number of ticks. */
  readonly differences: readonly Difference[]

  constructor(
    tick: number,
    players: readonly [number, number],
    differences: readonly Difference[],
  ) {
    const [a, b] = players
    const cells = differences.map(
      ({ part, row, field, mine, theirs }) =>
        `${part}${row === undefined ? '' : `[${row}]`}.${field} is ${JSON.stringify(mine)} and ${JSON.stringify(theirs)}`,
    )
    const where = cells.length === 0 ? '' : `: ${cells.join(', ')}`
    super(`Players ${a} and ${b} are out of sync since tick ${tick}${where}`)
    this.tick = tick
    this.players = players
    this.differences = differences
  }
}

/** One who plays. */
export interface Seen<G extends GameShape, R> {
  /** Its number among all players. */
  readonly player: number
  readonly simulation: Simulation<G, R>
}

/**
 * Compares the states after all ticks that everybody ran and remembers, from the oldest on.
 *
 * @throws OutOfSyncError for the first that differ.
 */
export function requireSync<G extends GameShape, R>(players: readonly Seen<G, R>[]): void {
  const [first, ...others] = players
  if (first === undefined) return
  const newest = Math.min(...players.map(({ simulation }) => simulation.matchTick))
  const count = recentHashesFor(first.simulation.game.tickRate)
  for (let tick = Math.max(newest - count + 1, 0); tick <= newest; tick++) {
    const expected = first.simulation.syncHashAt(tick)
    for (const other of others) {
      const hash = other.simulation.syncHashAt(tick)
      // Whoever came late does not remember what was before.
      if (expected === undefined || hash === undefined || hash === expected) continue
      throw new OutOfSyncError(tick, [first.player, other.player], differencesOf(first, other))
    }
  }
}

function differencesOf<G extends GameShape, R>(a: Seen<G, R>, b: Seen<G, R>): Difference[] {
  if (a.simulation.matchTick !== b.simulation.matchTick) return []
  return diffStates(a.simulation as unknown as Simulation, b.simulation as unknown as Simulation)
}
