/** What it costs to check a game in every tick, against only playing it. */
import type { Game } from 'samestep'
import type { CheckId, Script } from 'samestep/check'
import { checkGame, simulate } from 'samestep/check'
import { battle } from '../../examples/battle/src/game.ts'
import { sandbox } from '../../examples/sand/src/game.ts'
import { tag } from '../../examples/tag/src/game.ts'
import type { Figure, Suite } from '../types.ts'

const seats = 4
const seed = 7
/** Ticks per measured run: past the compiler, and most moods of a player by chance are met. */
const ticks = 400
/** The best of some runs is nearest to the truth: others on the machine only make it slower. */
const runs = 3

type Subject = { readonly name: string; readonly game: Game; readonly options: object }

const subjects: readonly Subject[] = [
  { name: 'battle, 160 units', game: battle as unknown as Game, options: { unitsPerSeat: 40 } },
  { name: 'tag', game: tag as unknown as Game, options: {} },
  { name: 'sand', game: sandbox as unknown as Game, options: {} },
]

function best(run: () => void): number {
  let bestMs = Number.POSITIVE_INFINITY
  for (let count = 0; count <= runs; count++) {
    const before = performance.now()
    run()
    // The first run is for the compiler.
    if (count > 0) bestMs = Math.min(bestMs, performance.now() - before)
  }
  return bestMs
}

function check({ game, options }: Subject): void {
  const { failure } = checkGame(game, { ticks, seats, seed, options })
  if (failure !== undefined) throw new Error(failure.text)
}

/** The match that a check of the same seed plays first. */
function scriptOf({ game, options }: Subject): Script {
  let script: Script | undefined
  const onMatch = (match: { readonly script: Script }) => {
    script ??= match.script
  }
  checkGame(game, { ticks, seats, seed, options, only: ['canonical'], onMatch })
  if (script === undefined) throw new Error(`${game.id} was not played`)
  return script
}

/** Plays as a player's machine does, without what is only for development. */
function play({ game }: Subject, script: Script): void {
  const before = process.env.NODE_ENV
  process.env.NODE_ENV = 'production'
  simulate(game, { script })
  if (before === undefined) delete process.env.NODE_ENV
  else process.env.NODE_ENV = before
}

/** The checks of each lane, to see what it costs by itself. */
const lanes: { readonly [name: string]: readonly CheckId[] } = {
  'the original': ['throws'],
  'another machine': ['twin', 'machine'],
  'values of cells': ['cells'],
  reloading: ['reload', 'bytes', 'derived', 'order'],
  'joining late': ['rejoin'],
  'a second match': ['later'],
  'full tables': ['full'],
}

/** What each lane costs alone, by how many times playing takes. The original runs in all of them. */
function laneFigures(subject: Subject): Figure[] {
  const { game, options, name } = subject
  const script = scriptOf(subject)
  const plainMs = best(() => play(subject, script))
  const figures = Object.entries(lanes).map(([lane, only]) => {
    const ms = best(() => checkGame(game, { ticks, seats, seed, options, only }))
    return { name: `${name}, ${lane} / plain`, value: ms / plainMs, unit: 'times' }
  })
  const longMs = best(() => {
    checkGame(game, { ticks: 1, longTicks: ticks, seats, seed, options })
  })
  return [
    ...figures,
    { name: `${name}, a long match / plain`, value: longMs / plainMs, unit: 'times' },
  ]
}

function makeFigures(): Figure[] {
  return [...subjects.flatMap(wholeFigures), ...laneFigures(subjects[0] as Subject)]
}

function wholeFigures(subject: Subject): Figure[] {
  const script = scriptOf(subject)
  const checkedMs = best(() => check(subject))
  const plainMs = best(() => play(subject, script))
  return [
    { name: `${subject.name}, checked`, value: (1_000 * ticks) / checkedMs, unit: 'ticks/s' },
    { name: `${subject.name}, checked / plain`, value: checkedMs / plainMs, unit: 'times' },
  ]
}

/** The speed of `samestep check`. */
export const suites: readonly Suite[] = [
  {
    name: 'check-speed',
    work: `${ticks} ticks of tag, 4 seats`,
    baseline: 'played',
    prepare: () => {
      const subject = subjects[1] as Subject
      const script = scriptOf(subject)
      return {
        figures: makeFigures(),
        contenders: { played: () => play(subject, script), checked: () => check(subject) },
      }
    },
  },
]
