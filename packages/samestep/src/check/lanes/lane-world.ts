import { Prng } from '../../base/prng.ts'
import { loadSnapshot } from '../../sim/game/copies/snapshots.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { SimulationOptions } from '../../sim/game/run/simulation.ts'
import type { CallSiteResolver } from '../../sim/trace/call-site.ts'
import { Machine } from '../machine/machine.ts'
import type { Factor } from '../machine/machine-state.ts'
import { factors } from '../machine/machine-state.ts'
import type { AllocationMeter } from '../rules/allocation-meter.ts'
import type { Script } from '../scripts/script.ts'
import type { Copy } from './copy.ts'
import { CopyMaker } from './copy.ts'
import type { CheckId, LaneId } from './lane.ts'

// biome-ignore lint/suspicious/noExplicitAny: a game's own picture type is known where it is written.
type AnyPicture = any

/** Draws the game for one viewer. It gets what `match.advance` returns, and the viewer's seat. */
export type Draw = (picture: AnyPicture, seat: number) => void

/** How a match is checked. */
export interface LaneOptions {
  /** Which lanes run; all by default. */
  readonly lanes?: ReadonlySet<LaneId> | undefined
  readonly skip?: ReadonlySet<CheckId> | undefined
  readonly draw?: Draw | undefined
  /** The same game from modules of its own, for whoever joins late. */
  readonly fresh?: Game | undefined
  /** The same game from modules that were loaded on the other machine, for the twin. */
  readonly twinGame?: Game | undefined
  /** Whether a copy that is reloaded runs on the fresh modules, and not on those of the original. */
  readonly ownModules?: boolean | undefined
  /** In what the twin's machine differs; in everything by default. */
  readonly others?: readonly Factor[] | undefined
  /** Whether the twin is looked at in another way than the original; it is by default. */
  readonly otherViewer?: boolean | undefined
  /** Told before a copy is made, for tracing it. */
  readonly simulation?: ((name: string) => Partial<SimulationOptions<GameShape>>) | undefined
  readonly resolve?: CallSiteResolver | undefined
  /** Whether every line that asks a machine for something is noted, and not only the first. */
  readonly everyUse?: boolean | undefined
  /** Told of every tick of every match that is played, also while a finding is made small. */
  readonly onBeat?: ((tick: number) => void) | undefined
  readonly meter?: AllocationMeter | undefined
  /** The most bytes that a tick may allocate. */
  readonly allocationBytesMax?: number | undefined
}

type CopyOptions = Partial<SimulationOptions<GameShape>> & {
  /** Which of the game's modules it runs on; those of the original when left out. */
  readonly modules?: 'fresh' | 'twin' | undefined
}

/** What the lanes of one match share: the game, its two machines, and chance by tick. */
export class LaneWorld {
  readonly game: Game
  readonly script: Omit<Script, 'items' | 'ticks'>
  readonly options: LaneOptions
  readonly base: Machine
  readonly other: Machine
  /** Drawing may ask for the time; nobody minds, and nobody notes it. */
  readonly studio: Machine
  readonly #maker: CopyMaker
  readonly #freshMaker: CopyMaker
  readonly #twinMaker: CopyMaker

  constructor(game: Game, script: Omit<Script, 'items' | 'ticks'>, options: LaneOptions) {
    this.game = game
    this.script = script
    this.options = options
    const { seed, seats } = script
    const machine = { seed, tickRate: game.tickRate, ...pickMachine(options) }
    this.base = new Machine(machine)
    this.other = new Machine({ ...machine, others: options.others ?? factors })
    this.studio = new Machine(machine)
    const simulation = {
      seed,
      seats,
      options: script.options as never,
      development: false,
      guard: false,
      matchId: 'check',
    }
    this.#maker = new CopyMaker(game, simulation)
    this.#freshMaker = new CopyMaker(options.fresh ?? game, simulation)
    this.#twinMaker = new CopyMaker(options.twinGame ?? game, simulation)
  }

  has(lane: LaneId): boolean {
    return this.options.lanes === undefined || this.options.lanes.has(lane)
  }

  skips(check: CheckId): boolean {
    return this.options.skip?.has(check) === true
  }

  /** A copy at tick 0, set up on a machine. */
  make(name: string, machine: Machine, options: CopyOptions = {}): Copy {
    const { modules, ...given } = options
    const more = this.options.simulation?.(name) ?? {}
    const maker = this.#makerFor(modules)
    return machine.run(0, () => maker.make({ ...given, ...more }))
  }

  #makerFor(modules: CopyOptions['modules']): CopyMaker {
    if (modules === 'fresh') return this.#freshMaker
    return modules === 'twin' ? this.#twinMaker : this.#maker
  }

  /** A new copy with the state of a snapshot. */
  restore(name: string, bytes: Uint8Array, options: CopyOptions = {}): Copy {
    const copy = this.make(name, this.base, options)
    this.base.run(copy.simulation.matchTick, () => loadSnapshot(copy.simulation, bytes))
    return copy
  }

  /** Chance that depends on the tick alone, so that a shorter script meets the same. */
  chance(name: string, tick: number): Prng {
    return new Prng(this.script.seed, `check/${name}/${tick}`)
  }
}

function pickMachine({
  resolve,
  everyUse,
}: LaneOptions): Pick<LaneOptions, 'resolve' | 'everyUse'> {
  return { resolve, everyUse }
}
