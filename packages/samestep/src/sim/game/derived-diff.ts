import type { DeepDifference } from '../../base/deep-diff.ts'
import { deepDiff } from '../../base/deep-diff.ts'
import type { DerivedDeclaration } from './derived/derived.ts'

/** Derived data of `refresh: 'tick'`, carried on from tick to tick beside a simulation as it does itself. */
export class CarriedDerived {
  readonly #values = new Map<string, unknown>()

  /** What comes of the value before, and what comes of nothing. */
  computeTwice(
    name: string,
    declaration: DerivedDeclaration<unknown>,
    state: unknown,
  ): readonly [carried: unknown, fresh: unknown] {
    const fresh = declaration.recompute(state, undefined)
    const carried = declaration.recompute(state, this.#values.get(name))
    this.#values.set(name, carried)
    return [carried, fresh]
  }

  /** The state is another one: nothing is carried on from the one before. */
  forget(): void {
    this.#values.clear()
  }
}

/** Where what was kept differs from what is computed anew, as its declaration compares. */
export function diffDerived(
  { equals }: DerivedDeclaration<unknown>,
  kept: unknown,
  fresh: unknown,
): readonly DeepDifference[] {
  if (equals === undefined) return deepDiff(kept, fresh)
  if (equals(kept, fresh)) return []
  const found = deepDiff(kept, fresh)
  return found.length > 0 ? found : [{ path: '', a: kept, b: fresh, kind: 'value' }]
}
