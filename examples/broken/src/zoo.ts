/**
 * All the broken games of this folder, and what `samestep check` should say about each, and the report of
 * a match between two machines where they can differ. The line is the one with the mark. Most mistakes show wherever a game is checked; those of {@link commandExhibits}
 * take the command, which loads games anew and lets time pass.
 */
import { readFileSync } from 'node:fs'
import type { DesyncReport, Game } from 'samestep'
import type { CauseId, CheckId, Draw } from 'samestep/check'
import { gameOf } from './game-of.ts'

/** One broken game, and what is to be found in it. */
export type Exhibit = {
  readonly file: string
  readonly check: CheckId
  readonly cause: CauseId
  /** The part and the field: `sheep.x`. */
  readonly where: string
  /** What is at the line with the mark: the mistake itself, or the first write that differs. */
  readonly line: 'fault' | 'write'
  /** The variable of a module that is to be named. */
  readonly variable?: string
  /** What the report of a match between two machines says, where they can differ. */
  readonly live?: LiveExhibit
}

/** What is to be found in a broken game when two machines play it. */
export type LiveExhibit = {
  readonly cause: NonNullable<DesyncReport['cause']>['id']
  /** The part and the field, where they are not those of the check. */
  readonly where?: string
  /**
   * The line that is named: the one with the mark, or the one with the second mark, where the mistake
   * reaches the state, or `either` of them, as engines have it. `none` where something else than a tick
   * wrote, or no line can be seen.
   */
  readonly line: 'marked' | 'second' | 'either' | 'none'
}

export const exhibits: readonly Exhibit[] = [
  {
    file: 'math-random',
    check: 'machine',
    cause: 'random',
    where: 'sheep.x',
    line: 'fault',
    live: { cause: 'random', line: 'marked' },
  },
  {
    file: 'wall-clock',
    check: 'machine',
    cause: 'clock',
    where: 'well.level',
    line: 'fault',
    live: { cause: 'clock', where: 'well.filledAt', line: 'marked' },
  },
  {
    file: 'time-zone',
    check: 'machine',
    cause: 'zone',
    where: 'night.isDark',
    line: 'fault',
    live: { cause: 'zone', line: 'marked' },
  },
  {
    file: 'locale-sort',
    check: 'machine',
    cause: 'locale',
    where: 'table.next',
    line: 'fault',
    live: { cause: 'locale', line: 'marked' },
  },
  {
    file: 'math-sin',
    check: 'machine',
    cause: 'math',
    where: 'planets.x',
    line: 'fault',
    live: { cause: 'math', where: 'planets.', line: 'either' },
  },
  { file: 'sort-key', check: 'machine', cause: 'sort', where: 'targets.hp', line: 'fault' },
  {
    file: 'set-order',
    check: 'order',
    cause: 'iteration-order',
    where: 'line.waiting',
    line: 'fault',
    live: { cause: 'outside-state', where: 'line.saved', line: 'second' },
  },
  {
    file: 'missing-save',
    check: 'reload',
    cause: 'missing-save',
    where: 'forge.heat',
    line: 'fault',
    live: { cause: 'outside-state', where: 'yard.swords', line: 'second' },
  },
  {
    file: 'float-sequence',
    check: 'reload',
    cause: 'float-sequence',
    where: 'scale.total',
    line: 'write',
    live: { cause: 'outside-state', line: 'marked' },
  },
  { file: 'nan-bits', check: 'nan', cause: 'nan-bits', where: 'wind.x', line: 'fault' },
  {
    file: 'impure-validate',
    check: 'pure',
    cause: 'impure-validate',
    where: 'stats.clicks',
    line: 'fault',
    live: { cause: 'outside-write', line: 'none' },
  },
  {
    file: 'stale-derived',
    check: 'derived',
    cause: 'stale-derived',
    where: 'derived.perOwner',
    line: 'fault',
    live: { cause: 'outside-state', where: 'huts.#life', line: 'second' },
  },
  {
    file: 'module-cache',
    check: 'rejoin',
    cause: 'module-state',
    where: 'walker.spent',
    line: 'write',
    live: { cause: 'values-differ', line: 'marked' },
  },
  {
    file: 'write-from-render',
    check: 'viewer',
    cause: 'view-write',
    where: 'lamps.flash',
    line: 'fault',
    live: { cause: 'outside-write', line: 'none' },
  },
  {
    file: 'view-random',
    check: 'viewer',
    cause: 'view-random',
    where: '#random.main',
    line: 'fault',
    live: { cause: 'outside-write', line: 'none' },
  },
  {
    file: 'viewer-leak',
    check: 'viewer',
    cause: 'viewer-leak',
    where: 'ants.x',
    line: 'write',
    live: { cause: 'paths-differ', line: 'marked' },
  },
  { file: 'kept-bytes', check: 'bytes', cause: 'kept-bytes', where: 'wall', line: 'fault' },
  { file: 'live-save', check: 'bytes', cause: 'live-save', where: 'pond', line: 'fault' },
  {
    file: 'aliasing',
    check: 'reload',
    cause: 'aliasing',
    where: 'court.king.wounds',
    line: 'write',
    live: { cause: 'outside-state', line: 'none' },
  },
  {
    file: 'mutated-options',
    check: 'throws',
    cause: 'mutated-options',
    where: '',
    line: 'fault',
  },
  {
    file: 'cell-overflow',
    check: 'cells',
    cause: 'cell-misfit',
    where: 'nests.eggs',
    line: 'fault',
  },
  {
    file: 'cell-fraction',
    check: 'cells',
    cause: 'cell-misfit',
    where: 'snails.x',
    line: 'fault',
  },
  { file: 'range-below', check: 'cells', cause: 'cell-misfit', where: 'oven.wait', line: 'fault' },
  {
    file: 'derived-leftovers',
    check: 'reload',
    cause: 'derived-leftovers',
    where: 'farm.fullest',
    line: 'write',
    live: { cause: 'outside-state', line: 'marked' },
  },
]

/** Mistakes that are made while modules load, after a tick, late in a match, or between simulations. */
export const commandExhibits: readonly Exhibit[] = [
  {
    file: 'math-taken',
    check: 'machine',
    cause: 'math',
    where: 'boats.height',
    line: 'fault',
    live: { cause: 'values-differ', line: 'marked' },
  },
  {
    file: 'power',
    check: 'machine',
    cause: 'math',
    where: 'dish.count',
    line: 'fault',
    live: { cause: 'values-differ', line: 'marked' },
  },
  {
    file: 'import-collator',
    check: 'machine',
    cause: 'locale',
    where: 'call.next',
    line: 'fault',
    live: { cause: 'locale', line: 'second' },
  },
  {
    file: 'import-sorted',
    check: 'machine',
    cause: 'locale',
    where: 'roll.next',
    line: 'fault',
    live: { cause: 'values-differ', line: 'second' },
  },
  {
    file: 'import-zone',
    check: 'machine',
    cause: 'zone',
    where: 'shop.fish',
    line: 'fault',
    live: { cause: 'values-differ', line: 'second' },
  },
  {
    file: 'import-env',
    check: 'machine',
    cause: 'environment',
    where: 'rats.bites',
    line: 'fault',
    live: { cause: 'paths-differ', line: 'second' },
  },
  {
    file: 'import-cores',
    check: 'machine',
    cause: 'environment',
    where: 'maze.visited',
    line: 'fault',
    live: { cause: 'values-differ', line: 'second' },
  },
  {
    file: 'import-random',
    check: 'machine',
    cause: 'random',
    where: 'harbour.water',
    line: 'fault',
    live: { cause: 'values-differ', line: 'second' },
  },
  {
    file: 'error-text',
    check: 'machine',
    cause: 'engine-texts',
    where: 'port.trouble',
    line: 'fault',
  },
  {
    file: 'late-fault',
    check: 'machine',
    cause: 'random',
    where: 'winter.snow',
    line: 'fault',
  },
  {
    file: 'late-promise',
    check: 'async',
    cause: 'async-write',
    where: 'post.delivered',
    line: 'fault',
    live: { cause: 'outside-write', line: 'none' },
  },
  {
    file: 'late-microtask',
    check: 'async',
    cause: 'async-write',
    where: 'bells.rung',
    line: 'fault',
    live: { cause: 'outside-write', line: 'none' },
  },
  {
    file: 'late-timer',
    check: 'async',
    cause: 'async-write',
    where: 'bomb.burst',
    line: 'fault',
    live: { cause: 'outside-write', line: 'none' },
  },
  {
    file: 'shared-counter',
    check: 'reload',
    cause: 'module-state',
    where: 'eggs.id',
    line: 'write',
    variable: 'nextId',
    live: { cause: 'unstable', line: 'marked' },
  },
  {
    file: 'shared-scratch',
    check: 'later',
    cause: 'module-state',
    where: 'ball.x',
    line: 'write',
    variable: 'last',
    live: { cause: 'values-differ', line: 'marked' },
  },
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
  return { game: gameOf(module), fresh: gameOf(again), draw: module.draw, line: markedLine(file) }
}

/** The line of a file that has the mark; or the second one, where what it does reaches the state. */
export function markedLine(file: string, mark: '✗' | '✎' = '✗'): number {
  const lines = readFileSync(new URL(`./${file}.ts`, import.meta.url), 'utf8').split('\n')
  return lines.findIndex((line) => line.includes(`// ${mark}`)) + 1
}
