/**
 * The same game many times over, each time from modules that were loaded anew. Variables at the top
 * of a module outlive a match and are shared by all simulations of a process; only a game whose
 * modules nobody has used yet shows whether they matter. Whoever can load files provides them: the
 * command `samestep check` does.
 */

import { deepDiff } from '../../base/deep-diff.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { CallSite } from '../../sim/trace/call-site.ts'
import type { AmbientUse } from '../machine/machine.ts'
import type { Factor } from '../machine/machine-state.ts'

/** A top-level variable of a module of the game. */
export interface ModuleVariable {
  readonly name: string
  /** Where it is declared. */
  readonly site: CallSite | undefined
}

/** A module variable and its current value. */
export interface ModuleValue extends ModuleVariable {
  readonly value: unknown
}

/** Provides games from unused modules. */
export interface GameGraphs {
  /** A game whose modules were loaded on a machine that differs from the normal one in these ways. */
  take(others: readonly Factor[]): Game
  /** What the modules of a game asked their machine for while they loaded. */
  usesOf(game: Game): readonly AmbientUse[]
  /** The current variables of its modules. */
  valuesOf(game: Game): readonly ModuleValue[]
}

/** Which variables of its modules a game has changed, as far as can be seen. */
export function changedVariables(graphs: GameGraphs, used: Game): readonly ModuleVariable[] {
  const before = new Map(graphs.valuesOf(graphs.take([])).map(({ name, value }) => [name, value]))
  return graphs
    .valuesOf(used)
    .filter(({ name, value }) => before.has(name) && isChanged(before.get(name), value))
    .map(({ name, site }) => ({ name, site }))
}

function isChanged(before: unknown, after: unknown): boolean {
  if (typeof before === 'function' || typeof after === 'function') return false
  return deepDiff(before, after).length > 0
}
