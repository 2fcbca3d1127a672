import type { CellCheck, RenderModes } from '../../guard/cell-check.ts'
import type { CodeWatch } from '../../guard/code-watch.ts'
import { createCellCheck, createGuard } from '../../guard/create-guard.ts'
import type { PartDeclarations } from '../../state/part.ts'
import type { State } from '../../state/state.ts'
import type { GameShape } from '../definition/context.ts'
import type { Game } from '../definition/define-game.ts'
import type { SimulationOptions } from './simulation-options.ts'

/**
 * The tools that watch game code: the guard and the cell check in development, and a trace if one is
 * requested. In production, there is none by default.
 */

/** The check of the cells that game code writes. A trace takes its place. */
export function chooseCellCheck<G extends GameShape, R>(
  game: Game<G, R>,
  options: SimulationOptions<G>,
  development: boolean,
): CellCheck | undefined {
  if (options.trace !== undefined) return undefined
  const isWanted = options.guard ?? development
  const render = (game.render ?? {}) as RenderModes
  return options.cells ?? (isWanted ? createCellCheck(render) : undefined)
}

/** The watch that is told where game code runs; `undefined` if there is none. */
export function chooseWatch<G extends GameShape, R>(
  game: Game<G, R>,
  options: SimulationOptions<G>,
  development: boolean,
  parts: State<PartDeclarations>,
  cells: CellCheck | undefined,
): CodeWatch | undefined {
  const { trace } = options
  trace?.attach(parts)
  const wantsGuard = options.guard ?? development
  const guard = wantsGuard ? createGuard(parts, game.id, trace) : undefined
  if (trace !== undefined) return trace.join(guard)
  return cells === undefined ? guard : cells.join(guard)
}
