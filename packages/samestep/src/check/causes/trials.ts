/**
 * Plays a script again and again, each time with something else about it. What the trials before
 * left in variables of modules must not decide the next one: where there are modules that nobody has
 * used yet, a trial that has to be right takes some.
 */
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { Finding } from '../lanes/lane.ts'
import type { LaneOptions } from '../lanes/lane-world.ts'
import { factors } from '../machine/machine-state.ts'
import { MatchCheck, playScript } from '../rules/match-check.ts'
import type { Script } from '../scripts/script.ts'
import type { GameGraphs } from './game-graphs.ts'

/** A script that was played. */
export interface Trial {
  readonly finding: Finding | undefined
  readonly check: MatchCheck
  readonly game: Game
}

/** Plays scripts of one game. */
export class Trials {
  readonly game: Game
  readonly options: LaneOptions
  readonly graphs: GameGraphs | undefined

  constructor(game: Game, options: LaneOptions, graphs: GameGraphs | undefined) {
    this.game = game
    this.options = options
    this.graphs = graphs
  }

  /** The same trials with other lanes. */
  with(options: LaneOptions): Trials {
    return new Trials(this.game, { ...this.options, ...options }, this.graphs)
  }

  /** On modules that have been used before: for the many trials that only make a script small. */
  play(script: Script, change: LaneOptions = {}): Trial {
    return playOn(this.game, script, { ...this.options, ...change })
  }

  /** On modules of its own, where there are any. */
  playClean(script: Script, change: LaneOptions = {}): Trial {
    const { graphs } = this
    if (graphs === undefined) return this.play(script, change)
    const options = { ...this.options, ...change }
    const isTogether = 'fresh' in change && change.fresh === undefined
    return playOn(graphs.take([]), script, {
      ...options,
      twinGame: graphs.take(options.others ?? factors),
      fresh: isTogether ? undefined : graphs.take([]),
    })
  }
}

function playOn(game: Game, script: Script, options: LaneOptions): Trial {
  const check = new MatchCheck(game, script, options)
  return { finding: playScript(check, script), check, game }
}
