import type { PartDeclarations } from '../state/part.ts'
import type { State } from '../state/state.ts'
import type { RenderModes } from './cell-check.ts'
import { CellCheck } from './cell-check.ts'
import type { CodeWatch } from './code-watch.ts'
import type { OutsideWitness } from './game-guard.ts'
import { GameGuard } from './game-guard.ts'

declare const process: { readonly env: { readonly NODE_ENV?: string } }

/**
 * A guard for one simulation; `undefined` in a build for production.
 *
 * The test stands here, and in this form, because a bundler puts the value in its place: what is left
 * names no guard, so its code is not in the bundle. In a browser without a bundler there is no
 * `process`, and no guard either.
 */
export function createGuard(
  state: State<PartDeclarations>,
  game: string,
  witness?: OutsideWitness,
): CodeWatch | undefined {
  let Guard: typeof GameGuard | undefined
  try {
    Guard = process.env.NODE_ENV === 'production' ? undefined : GameGuard
  } catch {
    return undefined
  }
  return Guard === undefined ? undefined : new Guard(state, game, witness)
}

/** A check of the values that one simulation's game code writes; `undefined` as above. */
export function createCellCheck(render: RenderModes): CellCheck | undefined {
  let Check: typeof CellCheck | undefined
  try {
    Check = process.env.NODE_ENV === 'production' ? undefined : CellCheck
  } catch {
    return undefined
  }
  return Check === undefined ? undefined : new Check(render)
}
