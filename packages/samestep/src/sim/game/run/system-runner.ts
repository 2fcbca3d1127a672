import type { CodeWatch } from '../../guard/code-watch.ts'
import type { GameShape, StepContext } from '../definition/context.ts'
import type { Game } from '../definition/define-game.ts'
import type { Observers } from './observers.ts'
import type { ReportBuilder } from './report.ts'

/** What is called while the systems of a tick run. */
export interface SystemHearers {
  readonly observers: Observers
  readonly report: ReportBuilder
  readonly watch: CodeWatch | undefined
  /** Hashes the state after each system; `undefined` for never. */
  readonly hash: ((name: string) => void) | undefined
}

/** Runs the systems of a game in sequence. If one throws, the others still run. */
export class SystemRunner<G extends GameShape> {
  readonly #systems: Game<G>['systems']
  readonly #hearers: SystemHearers

  constructor(systems: Game<G>['systems'], hearers: SystemHearers) {
    this.#systems = systems
    this.#hearers = hearers
  }

  run(context: StepContext<G>, tick: number): void {
    const { observers, report, watch, hash } = this.#hearers
    const observer = observers.current
    observer?.phaseBegins('systems', tick)
    for (const system of this.#systems) {
      observer?.systemBegins(system.name, tick)
      watch?.enter('step', system.name)
      try {
        const result: unknown = system.run(context)
        report.refusePromise('step', system.name, result)
      } catch (error) {
        // A system that throws stops there; the others still run. Every machine runs the same code on
        // the same state, so it throws at the same place everywhere.
        report.fault('step', system.name, error)
      }
      watch?.leave()
      observer?.systemEnds(system.name, tick)
      hash?.(system.name)
    }
  }
}
