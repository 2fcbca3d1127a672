import { UsageError } from '../../base/errors.ts'
import { loadSnapshot, saveSnapshot } from '../../sim/game/copies/snapshots.ts'
import { diffStates } from '../../sim/game/copies/state-diff.ts'
import { emptyBundle } from '../../sim/game/run/bundle.ts'
import type { TableReader } from '../../sim/state/table-rows.ts'
import type { AnyBundle } from '../scripts/script.ts'
import type { Copy } from './copy.ts'
import { isSameAfter } from './copy.ts'
import type { Finding, Lane, RunTick } from './lane.ts'
import { makeFinding } from './lane.ts'
import type { LaneWorld } from './lane-world.ts'

/** How long full tables are played on. */
const fullTicks = 6
/** Tables are filled at one tick in so many, and at the end of every match. */
const fillEveryTicks = 400
type Rows = TableReader & { rowsMax: number }

/**
 * Plays on with tables that are full, or one row short of it: not by rows that the game would never
 * have made, but by lowering the maximum to what is there. What the game does about it is its own
 * affair: it may throw `SS_TABLE_FULL`. But two copies must go on agreeing, and a reload must not
 * change anything.
 */
export class FullLane implements Lane {
  readonly #world: LaneWorld
  readonly #tables: readonly string[]
  #last: RunTick | undefined

  constructor(world: LaneWorld) {
    this.#world = world
    const parts = Object.entries(world.game.definition.state)
    this.#tables = parts.filter(([, part]) => part.kind === 'table').map(([name]) => name)
  }

  run(now: RunTick): Finding | undefined {
    if (this.#tables.length === 0) return undefined
    this.#last = now
    return now.tick % fillEveryTicks === 0 ? this.#play(now) : undefined
  }

  finish(): Finding | undefined {
    return this.#last === undefined ? undefined : this.#play(this.#last)
  }

  #play(now: RunTick): Finding | undefined {
    const full = this.#world.restore('full', now.snapshot())
    const short = this.#world.chance('full', now.tick).below(2)
    let bytes = saveSnapshot(full.simulation, { encoding: 'raw' })
    const copy = this.#world.restore('full copy', bytes, {
      modules: this.#world.options.ownModules === true ? 'fresh' : undefined,
    })
    for (const name of this.#tables) this.#lower([full, copy], name, short)
    for (let index = 1; index <= fullTicks; index++) {
      const bundle = bundleFor(now.tick + index, now.bundle)
      const finding = this.#runTick(bundle, full, copy)
      if (finding !== undefined) return finding
      bytes = saveSnapshot(full.simulation, { encoding: 'raw' })
      this.#world.base.run(bundle.tick, () => loadSnapshot(copy.simulation, bytes))
    }
    return undefined
  }

  /** Makes a table so small that its rows fill it, or all but one. */
  #lower([full, copy]: readonly [Copy, Copy], name: string, short: number): void {
    const [rows, others] = [full, copy].map(
      ({ simulation }) => simulation.parts.part(name)?.live as Rows,
    ) as [Rows, Rows]
    const rowsMax = Math.min(Math.max(rows.rowsUsed + short, 1), rows.rowsMax)
    rows.rowsMax = rowsMax
    others.rowsMax = rowsMax
  }

  #runTick(bundle: AnyBundle, full: Copy, copy: Copy): Finding | undefined {
    const { base } = this.#world
    const { tick } = bundle
    const a = base.run(tick, () => full.simulation.step(bundle))
    const systemHashes = [...a.systemHashes]
    const b = base.run(tick, () => copy.simulation.step(bundle))
    if (isSameAfter(tick, full.simulation, copy.simulation)) return undefined
    return makeFinding({
      check: 'full',
      lane: 'full',
      tick,
      sides: [
        { name: 'the original, with full tables', copy: full, systemHashes },
        { name: 'the reloaded copy', copy, systemHashes: b.systemHashes },
      ],
      differences: diffStates(full.simulation, copy.simulation),
      error: a.faults.find(({ error }) => error instanceof UsageError)?.error,
      detail: `its tables were full (${this.#tables.join(', ')})`,
    })
  }
}

/** The first tick repeats the orders of the last one: they are the ones that matter now. */
function bundleFor(tick: number, last: AnyBundle): AnyBundle {
  return tick === last.tick + 1 ? { ...last, tick, events: [] } : emptyBundle(tick)
}
