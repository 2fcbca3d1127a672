import type { DeepDifference } from '../../base/deep-diff.ts'
import { show } from '../../base/deep-diff.ts'
import type { DerivedDeclaration } from '../../sim/game/derived/derived.ts'
import { CarriedDerived, diffDerived } from '../../sim/game/derived-diff.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import { makeFault } from './finding.ts'
import type { WatchedMatch } from './tick-watcher.ts'

type Values = { readonly [name: string]: unknown }

/**
 * Level 2: derived data against what it would be if computed anew. It is computed into scratch, from the
 * twin's state, and never written back: a check that repaired what it checks would hide what it found.
 *
 * - `refresh: 'load'`: what the rules of the match kept, against a fresh computation;
 * - `refresh: 'tick'`: what comes of the value before, against what comes of nothing.
 */
export class DerivedCheck {
  readonly #match: WatchedMatch
  readonly #declarations: readonly (readonly [string, DerivedDeclaration<unknown>])[]
  readonly #carried = new CarriedDerived()
  /** Those that were told: one that is wrong stays wrong. */
  readonly #told = new Set<string>()

  constructor(match: WatchedMatch) {
    this.#match = match
    this.#declarations = Object.entries(match.simulation.game.definition.derived ?? {})
  }

  /** The state is another one: nothing is carried on from the one before. */
  restart(): void {
    this.#carried.forget()
  }

  /** `twin` has the state of the match. */
  run(twin: Simulation): void {
    for (const [name, declaration] of this.#declarations) {
      if (this.#told.has(name)) continue
      const { state } = twin
      const [kept, fresh] =
        declaration.refresh === 'load'
          ? [
              (this.#match.simulation.derived as Values)[name],
              declaration.recompute(state, undefined),
            ]
          : this.#carried.computeTwice(name, declaration, state)
      const differences = diffDerived(declaration, kept, fresh)
      if (differences.length > 0) this.#tell(name, differences)
    }
  }

  #tell(name: string, differences: readonly DeepDifference[]): void {
    this.#told.add(name)
    this.#match.tell(
      makeFault(this.#match.simulation, {
        check: 'derived',
        level: 2,
        what: `Cannot trust derived '${name}': it is not what its own recompute gives`,
        advice: 'a late joiner recomputes it and gets a different state',
        differences: differences.map(({ path, a, b }) => ({
          part: `derived.${name}`,
          row: undefined,
          field: path.replace(/^\./, ''),
          mine: show(a),
          theirs: show(b),
        })),
        writer: `derived '${name}'`,
      }),
    )
  }
}
