import type { DeepDifference } from '../../base/deep-diff.ts'
import type { DerivedDeclaration } from '../../sim/game/derived/derived.ts'
import { CarriedDerived, diffDerived } from '../../sim/game/derived-diff.ts'
import type { Copy } from '../lanes/copy.ts'
import { isUntouched } from '../lanes/copy.ts'
import type { Finding, RunTick } from '../lanes/lane.ts'
import { makeFinding } from '../lanes/lane.ts'
import type { LaneWorld } from '../lanes/lane-world.ts'

type Values = { readonly [name: string]: unknown }

/**
 * Compares derived data with what it would be if computed anew. Everything is computed into scratch,
 * from a copy's state: a check that repaired what it checks would hide what it found.
 *
 * - `refresh: 'load'`: what the original's rules kept, against what the copy computed when it loaded;
 * - `refresh: 'tick'`: what comes of the value before, against what comes of nothing.
 */
export class DerivedCheck {
  readonly #world: LaneWorld
  readonly #declarations: readonly (readonly [string, DerivedDeclaration<unknown>])[]
  readonly #carried = new CarriedDerived()

  constructor(world: LaneWorld) {
    this.#world = world
    this.#declarations = Object.entries(world.game.definition.derived ?? {})
  }

  /** `copy` has the state of the original and was loaded just now. */
  run({ tick, original }: RunTick, copy: Copy): Finding | undefined {
    if (this.#declarations.length === 0 || this.#world.skips('derived')) return undefined
    for (const [name, declaration] of this.#declarations) {
      const [kept, fresh] =
        declaration.refresh === 'load'
          ? [(original.context.derived as Values)[name], (copy.context.derived as Values)[name]]
          : this.#world.base.run(tick, () =>
              this.#carried.computeTwice(name, declaration, copy.simulation.state),
            )
      const differences = diffDerived(declaration, kept, fresh)
      if (differences.length > 0) {
        return this.#report(tick, name, differences, [original, copy])
      }
    }
    if (isUntouched(copy.simulation)) return undefined
    return this.#report(tick, this.#declarations[0]?.[0] ?? '', [], [original, copy])
  }

  #report(
    tick: number,
    name: string,
    hidden: readonly DeepDifference[],
    copies: readonly [Copy, Copy],
  ): Finding {
    return makeFinding({
      check: 'derived',
      lane: 'reload',
      tick,
      place: `derived '${name}'`,
      hidden: hidden.map((each) => ({ ...each, path: `derived.${name}${each.path}` })),
      sides: [
        { name: 'as it was kept', copy: copies[0], systemHashes: [] },
        { name: 'computed anew', copy: copies[1], systemHashes: [] },
      ],
      detail:
        hidden.length > 0
          ? `derived '${name}' is not what its own recompute gives`
          : 'the state is another one after recompute: computing derived data wrote to it',
    })
  }
}
