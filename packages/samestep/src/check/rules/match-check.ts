import type { Game } from '../../sim/game/definition/define-game.ts'
import { BytesLane } from '../lanes/bytes-lane.ts'
import { CellsLane } from '../lanes/cells-lane.ts'
import { FullLane } from '../lanes/full-lane.ts'
import type { CheckId, Finding, Lane, RunTick } from '../lanes/lane.ts'
import type { LaneOptions } from '../lanes/lane-world.ts'
import { LaneWorld } from '../lanes/lane-world.ts'
import { LaterLane } from '../lanes/later-lane.ts'
import { OriginalLane } from '../lanes/original-lane.ts'
import { RejoinLane } from '../lanes/rejoin-lane.ts'
import { ReloadLane } from '../lanes/reload-lane.ts'
import { TwinLane } from '../lanes/twin-lane.ts'
import type { Script, ScriptItem } from '../scripts/script.ts'
import { bundleOf, ScriptReader } from '../scripts/script.ts'

/** One match, played in all lanes at once. Give it ticks until it finds something. */
export class MatchCheck {
  readonly world: LaneWorld
  readonly original: OriginalLane
  readonly #lanes: readonly Lane[]
  tick = 0

  constructor(game: Game, script: Omit<Script, 'items' | 'ticks'>, options: LaneOptions = {}) {
    const world = new LaneWorld(game, script, options)
    this.world = world
    this.original = new OriginalLane(world)
    this.#lanes = [
      ...(world.has('twin') ? [new TwinLane(world)] : []),
      // Before the reload, which ends with an error at a value that no save can hold.
      ...(world.has('cells') ? [new CellsLane(world)] : []),
      ...(world.has('reload') ? [new ReloadLane(world)] : []),
      ...(world.has('rejoin') ? [new RejoinLane(world)] : []),
      ...(world.has('later') ? [new LaterLane(world)] : []),
      ...(world.has('bytes') ? [new BytesLane(world)] : []),
      ...(world.has('full') ? [new FullLane(world)] : []),
    ]
  }

  /** Runs one tick in every lane. `onRun` is told when the original has run it. */
  run(items: readonly ScriptItem[], onRun?: (tick: RunTick) => void): Finding | undefined {
    this.tick += 1
    this.world.options.onBeat?.(this.tick)
    const now = this.original.run(bundleOf(this.tick, items))
    onRun?.(now)
    const found = this.original.judge(now) ?? this.original.look(now)
    if (found !== undefined) return found
    for (const lane of this.#lanes) {
      const finding = lane.run(now)
      if (finding !== undefined && !this.#isSkipped(finding.check)) return finding
    }
    return undefined
  }

  /** Ends the match: some lanes are behind, or have something to do at the end. */
  finish(): Finding | undefined {
    for (const lane of this.#lanes) {
      const finding = lane.finish?.()
      if (finding !== undefined && !this.#isSkipped(finding.check)) return finding
    }
    return undefined
  }

  #isSkipped(check: CheckId): boolean {
    return this.world.skips(check)
  }
}

/** Plays a whole script and gives the first finding. */
export function playScript(check: MatchCheck, script: Script): Finding | undefined {
  const reader = new ScriptReader(script.items)
  for (let tick = 1; tick <= script.ticks; tick++) {
    const finding = check.run(reader.at(tick))
    if (finding !== undefined) return finding
  }
  return check.finish()
}
