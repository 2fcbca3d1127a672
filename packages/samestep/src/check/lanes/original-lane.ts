import { saveSnapshot } from '../../sim/game/copies/snapshots.ts'
import type { Fault, TickReport } from '../../sim/game/run/report.ts'
import { firstFrame, Viewer } from '../causes/viewer.ts'
import type { AnyBundle } from '../scripts/script.ts'
import type { Copy } from './copy.ts'
import type { Finding, RunTick } from './lane.ts'
import { makeFinding } from './lane.ts'
import type { LaneWorld } from './lane-world.ts'

/** The match as it is, on a plain machine, drawn once per tick for the first seat. */
export class OriginalLane {
  readonly copy: Copy
  readonly #world: LaneWorld
  readonly #viewer: Viewer

  constructor(world: LaneWorld) {
    this.#world = world
    this.copy = world.make('original', world.base)
    this.#viewer = new Viewer(world)
    // Whatever a screen keeps in variables is of this match from now on, and not of the last one.
    this.#viewer.repeat(this.copy, firstFrame)
  }

  /** Runs a tick. What the game threw is in the faults; what the engine threw, too. */
  run(bundle: AnyBundle): RunTick {
    const { simulation } = this.copy
    const { tick } = bundle
    let snapshot: Uint8Array | undefined
    const report = this.#step(bundle)
    return {
      tick,
      bundle,
      original: this.copy,
      faults: report.faults,
      outcomes: report.outcomes,
      systemHashes: report.systemHashes,
      snapshot: () => {
        snapshot ??= saveSnapshot(simulation, { encoding: 'raw' })
        return snapshot
      },
    }
  }

  #step(bundle: AnyBundle): Pick<TickReport, 'faults' | 'outcomes' | 'systemHashes'> {
    const { simulation } = this.copy
    try {
      const { meter } = this.#world.options
      return this.#world.base.run(bundle.tick, () => {
        meter?.begin()
        const report = simulation.step(bundle)
        meter?.end()
        return report
      })
    } catch (error) {
      const fault: Fault = {
        tick: bundle.tick,
        where: 'step',
        name: 'tick',
        seat: undefined,
        error,
      }
      return { faults: [fault], outcomes: [], systemHashes: [] }
    }
  }

  /** The first thing that the game threw, as a finding. */
  judge({ tick, faults }: RunTick): Finding | undefined {
    const [fault] = faults
    if (fault === undefined || this.#world.skips('throws')) return this.#judgeAllocation(tick)
    return makeFinding({
      check: 'throws',
      lane: 'original',
      tick,
      error: fault.error,
      place: fault.where === 'step' ? fault.name : `${fault.where} '${fault.name}'`,
    })
  }

  #judgeAllocation(tick: number): Finding | undefined {
    const { meter, allocationBytesMax = Number.POSITIVE_INFINITY } = this.#world.options
    const bytes = meter?.bytesPerTick ?? 0
    if (bytes <= allocationBytesMax) return undefined
    const detail = `a tick allocates about ${bytes} bytes; the bound is ${allocationBytesMax}`
    return makeFinding({ check: 'allocation', lane: 'original', tick, detail })
  }

  /** Draws the tick for the player of seat 0. */
  look(tick: RunTick): Finding | undefined {
    // Taken before, for the one time in which it is needed; the reloading lane wants it anyway.
    if (this.#world.options.draw !== undefined) tick.snapshot()
    return this.#viewer.judge('original', this.copy, firstFrame, () => tick.snapshot())
  }
}
