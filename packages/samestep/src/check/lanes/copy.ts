import { UsageError } from '../../base/errors.ts'
import type { GameShape, StepContext } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { SystemHash } from '../../sim/game/run/report.ts'
import type { Simulation, SimulationOptions } from '../../sim/game/run/simulation.ts'
import { createSimulation } from '../../sim/game/run/simulation.ts'
import { errorText } from '../error-text.ts'

/** One simulation of the game under check, and what its own code is given. */
export interface Copy {
  readonly simulation: Simulation
  /** What `step` gets: the way to derived data, which no simulation shows. */
  readonly context: StepContext<GameShape>
}

/** A game that cannot even begin: its `setup` threw. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
  /** What it threw. */
  override readonly cause: unknown

  constructor(game: string, cause: unknown) {
    super(`Cannot check '${game}': its setup threw ${errorText(cause)}`)
    this.cause = cause
  }
}

/** Makes copies of one game. */
export class CopyMaker {
  readonly game: Game
  readonly #options: SimulationOptions<GameShape>
  readonly #watched: Game
  #context: StepContext<GameShape> | undefined

  constructor(game: Game, options: SimulationOptions<GameShape>) {
    this.game = game
    this.#options = options
    const { definition } = game
    // The context is one object for the whole life of a simulation, and setup is the first to see it.
    const setup = (context: unknown): void => {
      this.#context = context as StepContext<GameShape>
      try {
        definition.setup?.(context as never)
      } catch (error) {
        throw error instanceof UsageError ? error : new SetupError(game.id, error)
      }
    }
    this.#watched = { ...game, definition: { ...definition, setup } as Game['definition'] }
  }

  /** A simulation at tick 0. */
  make(options: Partial<SimulationOptions<GameShape>> = {}): Copy {
    // Each has options of its own: what one copy does to them must not help the others.
    const { optionsCodec } = this.game
    const own = optionsCodec.copy({ ...optionsCodec.makeDefault(), ...this.#options.options })
    const simulation = createSimulation(this.#watched, {
      ...this.#options,
      options: own as never,
      ...options,
    })
    return { simulation, context: this.#context as StepContext<GameShape> }
  }
}

/** Whether two simulations have the same state, by their hashes after the tick that ran last. */
export function isSameAfter(tick: number, a: Simulation, b: Simulation): boolean {
  if (!a.syncHashWordsAt(tick, wordsA) || !b.syncHashWordsAt(tick, wordsB)) return false
  return wordsA[0] === wordsB[0] && wordsA[1] === wordsB[1]
}

const wordsA = new Uint32Array(2)
const wordsB = new Uint32Array(2)

/** Whether a simulation's state is still what it was after its last tick. Hashes it anew. */
export function isUntouched(simulation: Simulation): boolean {
  if (!simulation.syncHashWordsAt(simulation.matchTick, wordsA)) return true
  const tree = simulation.syncTree()
  return tree.rootLo === wordsA[0] && tree.rootHi === wordsA[1]
}

/** The first system whose end two runs of a tick did not reach with the same state. */
export function firstSystem(
  a: readonly SystemHash[],
  b: readonly SystemHash[],
): string | undefined {
  for (const [index, { system, lo, hi }] of a.entries()) {
    const other = b[index]
    if (other === undefined || other.lo !== lo || other.hi !== hi) return system
  }
  return undefined
}
