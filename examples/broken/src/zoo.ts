/**
 * All the broken games of this folder, and what `samestep check` should say about each. The line is
 * the one with the mark.
 */
import { readFileSync } from 'node:fs'
import type { Game } from 'samestep'
import type { CauseId, CheckId, Draw } from 'samestep/check'

/** One broken game, and what is to be found in it. */
export type Exhibit = {
  readonly file: string
  readonly check: CheckId
  readonly cause: CauseId
  /** The part and the field: `sheep.x`. */
  readonly where: string
}

export const exhibits: readonly Exhibit[] = [
  { file: 'math-random', check: 'machine', cause: 'random', where: 'sheep.x' },
  { file: 'wall-clock', check: 'machine', cause: 'clock', where: 'well.level' },
  { file: 'time-zone', check: 'machine', cause: 'zone', where: 'night.isDark' },
  { file: 'locale-sort', check: 'machine', cause: 'locale', where: 'table.next' },
  { file: 'math-sin', check: 'machine', cause: 'math', where: 'planets.x' },
  { file: 'sort-key', check: 'machine', cause: 'sort', where: 'targets.hp' },
  { file: 'set-order', check: 'order', cause: 'iteration-order', where: 'line.waiting' },
  { file: 'missing-save', check: 'reload', cause: 'missing-save', where: 'forge.heat' },
  { file: 'float-sequence', check: 'reload', cause: 'float-sequence', where: 'scale.total' },
  { file: 'nan-bits', check: 'nan', cause: 'nan-bits', where: 'wind.x' },
  { file: 'impure-validate', check: 'pure', cause: 'impure-validate', where: 'stats.clicks' },
  { file: 'stale-derived', check: 'derived', cause: 'stale-derived', where: 'derived.perOwner' },
  { file: 'module-cache', check: 'rejoin', cause: 'module-state', where: 'walker.spent' },
  { file: 'write-from-render', check: 'viewer', cause: 'view-write', where: 'lamps.flash' },
  { file: 'view-random', check: 'viewer', cause: 'view-random', where: '#random.main' },
  { file: 'viewer-leak', check: 'viewer', cause: 'viewer-leak', where: 'ants.x' },
]

/** A broken game, twice: from two instances of its module. */
export type Loaded = {
  readonly game: Game
  readonly fresh: Game
  readonly draw: Draw | undefined
  /** The line with the mark. */
  readonly line: number
}

/** Loads an exhibit. */
export async function loadExhibit(file: string): Promise<Loaded> {
  const url = new URL(`./${file}.ts`, import.meta.url)
  const module = await import(url.href)
  const again = await import(`${url.href}?fresh`)
  const lines = readFileSync(url, 'utf8').split('\n')
  return {
    game: gameOf(module),
    fresh: gameOf(again),
    draw: module.draw,
    line: lines.findIndex((line) => line.includes('// ✗')) + 1,
  }
}

function gameOf(module: object): Game {
  return Object.values(module).find((value) => 'fingerprint' in value) as Game
}
