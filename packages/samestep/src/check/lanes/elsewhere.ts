/**
 * The same matches in another process: with modules that were loaded anew, another language, another
 * time zone, and whatever else makes one machine not the other. One process writes its matches down,
 * the other plays them, last match first, and says where its hashes part.
 */

import { show } from '../../base/deep-diff.ts'
import { UsageError } from '../../base/errors.ts'
import { loadSnapshot, saveSnapshot } from '../../sim/game/copies/snapshots.ts'
import { diffStates } from '../../sim/game/copies/state-diff.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import { createSimulation } from '../../sim/game/run/simulation.ts'
import { findCause, noEvidence } from '../causes/causes.ts'
import type { PlayedMatch } from '../check-options.ts'
import type { CheckFailure } from '../failure-text.ts'
import { failureText } from '../failure-text.ts'
import type { Reproduction } from '../scripts/reproduction.ts'
import { makeReproduction, readReproduction } from '../scripts/reproduction.ts'
import type { Script } from '../scripts/script.ts'
import { bundleOf, ScriptReader } from '../scripts/script.ts'

/** A match to be played in another process. Plain JSON. */
export interface PackedMatch {
  readonly script: Reproduction
  /** The low and high words of each tick's hash, alternating. */
  readonly hashes: readonly number[]
}

/** Where another process had a different state. Plain JSON. */
export interface Parting {
  readonly match: number
  readonly tick: number
  /** Its state after the tick. */
  readonly snapshot: readonly number[]
}

/** Serialises matches for another process. */
export function packMatches<G extends GameShape, R>(
  game: Game<G, R>,
  matches: readonly PlayedMatch[],
): PackedMatch[] {
  return matches.map(({ script, hashes }) => ({
    script: makeReproduction(game as unknown as Game, script, 'elsewhere', 'original'),
    hashes: [...hashes],
  }))
}

/** Plays a script as a match, for {@link packMatches}. */
export function recordMatch<G extends GameShape, R>(
  given: Game<G, R>,
  script: Script,
): PlayedMatch {
  const hashes = new Uint32Array(2 * script.ticks)
  play(given as unknown as Game, script, script.ticks, (tick, simulation) =>
    simulation.syncHashWordsAt(tick, hashes.subarray(2 * tick - 2, 2 * tick)),
  )
  return { script, hashes }
}

/** Plays packed matches, last first, and returns the first tick after which the state differed. */
export function playElsewhere<G extends GameShape, R>(
  given: Game<G, R>,
  matches: readonly PackedMatch[],
): Parting | undefined {
  const game = given as unknown as Game
  for (let match = matches.length - 1; match >= 0; match--) {
    const { script: file, hashes } = matches[match] as PackedMatch
    const { script } = readReproduction(game, file)
    const words = new Uint32Array(2)
    const simulation = play(game, script, script.ticks, (tick, at) => {
      at.syncHashWordsAt(tick, words)
      return words[0] === hashes[2 * tick - 2] && words[1] === hashes[2 * tick - 1]
    })
    const tick = simulation.matchTick
    simulation.syncHashWordsAt(tick, words)
    const isSame = words[0] === hashes[2 * tick - 2] && words[1] === hashes[2 * tick - 1]
    if (isSame) continue
    return { match, tick, snapshot: [...saveSnapshot(simulation, { encoding: 'deflate' })] }
  }
  return undefined
}

/** Plays a script up to a tick, or until it is told to stop. */
function play(
  game: Game,
  script: Script,
  ticks: number,
  goesOn: (tick: number, simulation: Simulation) => boolean = () => true,
): Simulation {
  const { seed, seats, options } = script
  const simulation = createSimulation(game, {
    seed,
    seats,
    options: options as never,
    development: false,
    guard: false,
    matchId: 'check',
  })
  const reader = new ScriptReader(script.items)
  for (let tick = 1; tick <= ticks; tick++) {
    simulation.step(bundleOf(tick, reader.at(tick)))
    if (!goesOn(tick, simulation)) break
  }
  return simulation
}

/**
 * Explains where the state of another process began to differ.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` if it refers to a match that was not packed.
 */
export function explainParting<G extends GameShape, R>(
  given: Game<G, R>,
  matches: readonly PlayedMatch[],
  { match, tick, snapshot }: Parting,
  check: 'elsewhere' | 'engines' = 'elsewhere',
  where = 'another process, with modules, a language and a time zone of its own,',
): CheckFailure {
  const game = given as unknown as Game
  const script = matches[match]?.script
  if (script === undefined) {
    throw new UsageError('SS_BAD_ARGUMENT', `Cannot explain match ${match}: it was not packed`)
  }
  const here = play(game, script, tick)
  const there = play(game, script, 0)
  loadSnapshot(there, Uint8Array.from(snapshot))
  const [first] = diffStates(here, there)
  const cause = findCause({
    ...noEvidence,
    check,
    part: first?.part,
    values: first === undefined ? undefined : [first.mine, first.theirs],
  })
  const short = { ...script, ticks: tick, items: script.items.filter((item) => item.tick <= tick) }
  const failure = {
    check,
    tick,
    foundAtTick: tick,
    system: undefined,
    place:
      first === undefined
        ? undefined
        : { ...first, values: [show(first.mine), show(first.theirs)] as const },
    sides: [
      'this process',
      check === 'engines' ? 'the other engine' : 'the other process',
    ] as const,
    site: undefined,
    siteKind: 'write' as const,
    effect: undefined,
    use: undefined,
    variables: [],
    error: undefined,
    cause,
    detail: `${where} had another state after the tick`,
    reproduction: makeReproduction(game, short, check, 'original'),
    isReproduced: true,
  }
  return { ...failure, text: failureText(failure) }
}
