import type { RenderModes } from '../../sim/guard/cell-check.ts'
import { CellCheck } from '../../sim/guard/cell-check.ts'
import type { Copy } from './copy.ts'
import type { Finding, Lane, RunTick } from './lane.ts'
import { makeFinding } from './lane.ts'
import type { LaneWorld } from './lane-world.ts'

/**
 * The same match with columns that look at what is written to them. A value that a typed array cuts
 * down is the same everywhere, so no other lane could notice. What this copy's state is, is not
 * compared: the twin and the reload are there for that.
 */
export class CellsLane implements Lane {
  readonly #world: LaneWorld
  readonly #copy: Copy

  constructor(world: LaneWorld) {
    this.#world = world
    const { render = {} } = world.game
    // Chance orders the largest values that there are; what is added to one is no mistake of the game.
    const cells = new CellCheck(render as RenderModes, 'round')
    this.#copy = world.make('cells', world.base, { cells })
  }

  run({ tick, bundle }: RunTick): Finding | undefined {
    const { faults } = this.#world.base.run(tick, () => this.#copy.simulation.step(bundle))
    const fault = faults.find(({ where }) => where === 'cell')
    if (fault?.cell === undefined) return undefined
    const { part, row, field, value, kept, writer } = fault.cell
    return makeFinding({
      check: 'cells',
      lane: 'cells',
      tick,
      error: fault.error,
      place: writer.replace(/^step '(.*)'$/, '$1'),
      differences: [{ part, row, field, mine: shown(value), theirs: shown(kept) }],
    })
  }
}

/** JSON has no NaN and no infinity, and nothing for a name that no field has. */
function shown(value: number | string | undefined): number | string | null {
  if (value === undefined) return null
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}
