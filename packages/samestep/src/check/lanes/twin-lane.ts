import { diffStates } from '../../sim/game/copies/state-diff.ts'
import type { Frame } from '../causes/viewer.ts'
import { drawFrames, firstFrame, Viewer } from '../causes/viewer.ts'
import type { Copy } from './copy.ts'
import { isSameAfter } from './copy.ts'
import type { Finding, Lane, RunTick } from './lane.ts'
import { makeFinding } from './lane.ts'
import type { LaneWorld } from './lane-world.ts'

/**
 * The same match at the same time on another machine, drawn for other viewers, more often or less.
 * One lane holds a game to all of that; when it fails, it is run again with one of them at a time.
 */
export class TwinLane implements Lane {
  readonly #world: LaneWorld
  readonly #twin: Copy
  readonly #viewer: Viewer
  #frame: Frame

  constructor(world: LaneWorld) {
    this.#world = world
    this.#twin = world.make('twin', world.other, { modules: 'twin' })
    this.#viewer = new Viewer(world)
    const seat = world.script.seats - 1
    this.#frame = world.options.otherViewer === false ? firstFrame : { seat, alpha: 1 }
  }

  run(now: RunTick): Finding | undefined {
    const { tick, bundle, original, systemHashes } = now
    const twin = this.#twin.simulation
    // What the screen left in variables is this player's when the twin runs, and the original's else.
    this.#viewer.repeat(this.#twin, this.#frame)
    const touched = this.#viewer.judgeOther(original, () => now.snapshot())
    if (touched !== undefined) return touched
    const report = this.#world.other.run(tick, () => twin.step(bundle))
    if (isSameAfter(tick, original.simulation, twin)) {
      const finding = this.#look(now)
      this.#viewer.repeat(original, firstFrame)
      return finding
    }
    return makeFinding({
      check: 'twin',
      lane: 'twin',
      tick,
      sides: [
        { name: 'the original', copy: original, systemHashes },
        { name: 'the twin', copy: this.#twin, systemHashes: report.systemHashes },
      ],
      differences: diffStates(original.simulation, twin),
    })
  }

  /** Draws what the twin's player sees after the tick. */
  #look(now: RunTick): Finding | undefined {
    const { options, script } = this.#world
    const prng = this.#world.chance('frames', now.tick)
    const frames = options.otherViewer === false ? [firstFrame] : drawFrames(prng, script.seats)
    for (const frame of frames) {
      this.#frame = frame
      const finding = this.#viewer.judge('twin', this.#twin, frame, () => now.snapshot())
      if (finding !== undefined) return finding
    }
    return undefined
  }
}
