import { assert } from '../../base/assert.ts'
import { isDevelopment } from '../../base/environment.ts'
import { UsageError } from '../../base/errors.ts'
import type { StateHash, StateTree, SyncHash } from '../hash/tree.ts'
import { buildStateTree, SyncTree, syncHashFromWords } from '../hash/tree.ts'
import { recentHashesMax } from '../limits.ts'
import { assertEngine } from '../math/self-test.ts'
import type { Random } from '../random/random.ts'
import type { Difference, PartDeclarations, ViewOf } from '../state/part.ts'
import type { BlendOf, PreviousOf } from '../state/previous.ts'
import { PreviousTick } from '../state/previous.ts'
import type { Single } from '../state/single.ts'
import { State } from '../state/state.ts'
import type { Bundle, SystemEvent } from './bundle.ts'
import type { GameInput, GameOptions, GameShape, GameState, StepContext } from './context.ts'
import type { Game } from './define-game.ts'
import { DerivedValues } from './derived.ts'
import { inputsPart, RandomPart, randomPart, systemPart } from './engine-parts.ts'
import { HeldInputs } from './held-inputs.ts'
import { OrderRunner } from './order-runner.ts'
import type { TickReport } from './report.ts'
import { ReportBuilder } from './report.ts'

/** How a simulation is started. */
export interface SimulationOptions<G extends GameShape> {
  /** The match's seed, made by the relay. Everything random follows from it. */
  readonly seed: number | string
  /** How many seats the match has. The game's minimum by default. */
  readonly seats?: number
  /** The match's options; those left out get their defaults. */
  readonly options?: Partial<GameOptions<G>>
  /** Binds snapshots to their match. */
  readonly matchId?: string
  /** More checks, and views that throw when written to. By default as the environment says. */
  readonly development?: boolean
  /** Where sync hashes are computed; `auto` takes WebAssembly where it is allowed. */
  readonly kernel?: 'auto' | 'wasm' | 'js'
  /** Hash the state after every system too: dear, for finding the one that differs. */
  readonly hashSystems?: boolean
  /** Told when systems begin and end, for timing and tracing. */
  readonly observer?: SimulationObserver
}

/** Watches systems run. It must not touch the state. */
export interface SimulationObserver {
  systemBegins?(name: string, tick: number): void
  systemEnds?(name: string, tick: number): void
}

/**
 * One running game: a state and the stepper that takes it from tick to tick.
 *
 * The simulation knows nothing of networks. Given the same game, seed, seats, options and bundles, it
 * has the same state after the same tick on every machine, and its hashes prove it.
 *
 *     tick n:  events ─► inputs ─► derived ─► orders: validate, apply ─► systems ─► normalise ─► hash
 */
export class Simulation<G extends GameShape = GameShape, R = unknown> {
  readonly game: Game<G, R>
  readonly seats: number
  readonly options: Readonly<GameOptions<G>>
  readonly seed: number | string
  readonly matchId: string
  /** All parts, the engine's own included: for snapshots, hashes and tools. */
  readonly parts: State<PartDeclarations>
  readonly #system: Single<typeof systemPart.fields>
  readonly #inputs: HeldInputs
  readonly #derived: DerivedValues<G['derived']>
  readonly #previous: PreviousTick<PartDeclarations, object>
  readonly #orders: OrderRunner<G>
  readonly #report: ReportBuilder
  readonly #context: { -readonly [K in keyof StepContext<G>]: StepContext<G>[K] }
  readonly #observer: SimulationObserver | undefined
  readonly #hashSystems: boolean
  readonly #tree = new SyncTree()
  /** The last sync hashes, two words each, by tick modulo their number. */
  readonly #recent = new Uint32Array(2 * recentHashesMax)
  #firstRecentTick = 0

  constructor(game: Game<G, R>, options: SimulationOptions<G>) {
    assertEngine()
    const development = options.development ?? isDevelopment()
    this.game = game
    this.seed = options.seed
    this.matchId = options.matchId ?? ''
    this.seats = checkSeats(game, options.seats ?? game.seats.min)
    this.options = makeOptions(game, options.options ?? {})
    this.#observer = options.observer
    this.#hashSystems = options.hashSystems ?? false
    this.parts = new State(declareParts(game), {
      development,
      kernel: options.kernel ?? 'auto',
    })
    this.#system = this.#live('#system')
    this.#inputs = new HeldInputs(game.inputCodec, this.parts.part('#inputs'), development)
    this.#derived = new DerivedValues(game.definition.derived ?? {}, this.parts.live)
    this.#previous = new PreviousTick(this.parts, (game.render ?? {}) as object)
    this.#report = new ReportBuilder()
    this.#context = this.#makeContext()
    this.#orders = new OrderRunner(game, this.#context, this.parts, this.#report, development)
    this.#setUp()
  }

  /** The tick that ran last; 0 after setup. */
  get tick(): number {
    return this.#system.tick as number
  }

  get isPaused(): boolean {
    return this.#system.paused as boolean
  }

  /** The match's speed in percent of the tick rate, as ordered by an event. */
  get speedPercent(): number {
    return this.#system.speedPercent as number
  }

  /** True while a seat has a player, by the join and leave events so far. */
  isPresent(seat: number): boolean {
    const word = (seat < 32 ? this.#system.presentLo : this.#system.presentHi) as number
    return ((word >>> (seat & 31)) & 1) === 1
  }

  /** The state for game code and tests. Rendering wants {@link view}. */
  get state(): GameState<G> {
    return this.parts.live as GameState<G>
  }

  /** The current state, not writable. */
  get view(): ViewOf<G['state']> {
    return this.parts.view as ViewOf<G['state']>
  }

  /** The columns named in `render`, as they were one tick ago. */
  get previous(): PreviousOf<G['state'], R> {
    return this.#previous.previous as PreviousOf<G['state'], R>
  }

  /** Drawn values between the two ticks: `blend.units.x(row, alpha)`. */
  get blend(): BlendOf<R> {
    return this.#previous.blend as BlendOf<R>
  }

  /**
   * Runs one tick. Never throws for what the bundle or the game does: orders that cannot run and game
   * code that throws are in the report, the same on every machine.
   *
   * @throws UsageError `SS_WRONG_TICK` unless the bundle is for the next tick.
   */
  step(bundle: Bundle<GameInput<G>>): TickReport {
    const tick = this.tick + 1
    if (bundle.tick !== tick) {
      throw new UsageError(
        'SS_WRONG_TICK',
        `Cannot run the bundle of tick ${bundle.tick}: the simulation is at ${this.tick}, so the next is ${tick}`,
      )
    }
    this.#report.begin(tick)
    this.#previous.capture()
    this.#system.tick = tick
    this.#context.tick = tick
    this.#context.events = bundle.events
    for (const event of bundle.events) this.#handleEvent(event)
    this.#inputs.advance(bundle.inputs)
    this.#refreshDerived()
    this.#context.orders = this.#orders.run(bundle.orders, this.isPaused)
    if (!this.isPaused) this.#runSystems(tick)
    this.parts.normalise()
    this.#remember(tick)
    return this.#report.end()
  }

  /** The 64-bit hash of the whole state now. Reading it changes nothing. */
  syncHash(): SyncHash {
    this.#tree.update(this.parts, this.parts.memory)
    return syncHashFromWords(this.#tree.rootLo, this.#tree.rootHi)
  }

  /** The sync hash after an earlier tick, or `undefined` when it is no longer remembered. */
  syncHashAt(tick: number): SyncHash | undefined {
    if (!this.syncHashWordsAt(tick, scratchWords)) return undefined
    return syncHashFromWords(scratchWords[0] as number, scratchWords[1] as number)
  }

  /**
   * As {@link syncHashAt}, as two words without text: `out[0]` gets the low one, `out[1]` the high
   * one. False, and `out` as it was, when the hash is no longer remembered.
   */
  syncHashWordsAt(tick: number, out: Uint32Array): boolean {
    const newest = this.tick
    const oldest = Math.max(this.#firstRecentTick, newest - recentHashesMax + 1)
    if (tick > newest || tick < oldest) return false
    const index = (tick % recentHashesMax) * 2
    out[0] = this.#recent[index] as number
    out[1] = this.#recent[index + 1] as number
    return true
  }

  /** The tree of sync hashes now, for descending to what differs. Valid until the next call. */
  syncTree(): SyncTree {
    this.#tree.update(this.parts, this.parts.memory)
    return this.#tree
  }

  /** The 256-bit hash of the whole state now. */
  stateHash(): StateHash {
    return this.stateTree().root
  }

  /** The tree behind {@link stateHash}, for proofs. */
  stateTree(): StateTree {
    return buildStateTree(this.parts, this.parts.memory)
  }

  /** Names what differs in one leaf of which another machine sent its bytes. */
  explainLeaf(label: string, mine: Uint8Array, theirs: Uint8Array): Difference[] {
    return this.parts.explainLeaf(label, mine, theirs)
  }

  /**
   * Called by whoever replaced the state: derived data and remembered hashes belong to the old one.
   *
   * @throws WireError when what was loaded cannot be gone on with.
   */
  handleLoaded(): void {
    const random = this.parts.part('#random')
    assert(random instanceof RandomPart, 'The random part is another one')
    random.completeLoad(this.seed)
    this.#system.tick = this.tick
    this.#context.tick = this.tick
    this.#context.inputs = this.#inputs.records(this.seats) as StepContext<G>['inputs']
    this.#derived.refresh('load')
    this.#previous.capture()
    this.#firstRecentTick = this.tick
    this.#remember(this.tick)
  }

  #live<T>(name: string): T {
    const part = this.parts.part(name)
    assert(part !== undefined, `The engine's own part ${name} is missing`)
    return part.live as T
  }

  #makeContext(): { -readonly [K in keyof StepContext<G>]: StepContext<G>[K] } {
    return {
      state: this.parts.live as GameState<G>,
      derived: this.#derived.values as StepContext<G>['derived'],
      random: this.#live<Random<G['random']>>('#random') as StepContext<G>['random'],
      seats: this.seats,
      options: this.options,
      tick: 0,
      inputs: [],
      orders: [],
      events: [],
    }
  }

  #setUp(): void {
    this.#live<Random<never>>('#random').seed(this.seed)
    this.#context.inputs = this.#inputs.start(this.seats) as StepContext<G>['inputs']
    this.#derived.refresh('load')
    this.game.definition.setup?.(this.#context as never)
    this.parts.normalise()
    this.#derived.refresh('load')
    this.#previous.capture()
    this.#remember(0)
  }

  #handleEvent(event: SystemEvent): void {
    switch (event.type) {
      case 'join':
        this.#setPresent(event.seat, true)
        return
      case 'leave':
        this.#setPresent(event.seat, false)
        this.#inputs.release(event.seat)
        return
      case 'pause':
        this.#system.paused = true
        return
      case 'resume':
        this.#system.paused = false
        return
      case 'speed':
        this.#system.speedPercent = event.percent
        return
      case 'delay':
        this.#system.inputDelay = event.ticks
    }
  }

  #setPresent(seat: number, isPresent: boolean): void {
    const system = this.#system as { presentLo: number; presentHi: number }
    const word = seat < 32 ? 'presentLo' : 'presentHi'
    const bit = 1 << (seat & 31)
    system[word] = (isPresent ? system[word] | bit : system[word] & ~bit) >>> 0
  }

  #refreshDerived(): void {
    try {
      this.#derived.refresh('tick')
    } catch (error) {
      this.#report.fault('derived', 'derived', error)
    }
  }

  #runSystems(tick: number): void {
    const observer = this.#observer
    for (const system of this.game.systems) {
      observer?.systemBegins?.(system.name, tick)
      try {
        const result: unknown = system.run(this.#context)
        this.#report.refusePromise('step', system.name, result)
      } catch (error) {
        // A system that throws is left where it threw; the others still run. Every machine runs the
        // same code on the same state, so it throws there too, at the same place.
        this.#report.fault('step', system.name, error)
      }
      observer?.systemEnds?.(system.name, tick)
      if (this.#hashSystems) this.#hashSystem(system.name)
    }
  }

  #hashSystem(name: string): void {
    this.#tree.update(this.parts, this.parts.memory)
    this.#report.systemHash(name, this.#tree.rootLo, this.#tree.rootHi)
  }

  #remember(tick: number): void {
    this.#tree.update(this.parts, this.parts.memory)
    const index = (tick % recentHashesMax) * 2
    this.#recent[index] = this.#tree.rootLo
    this.#recent[index + 1] = this.#tree.rootHi
  }
}

/** Where {@link Simulation.syncHashAt} has its two words for a moment. */
const scratchWords = new Uint32Array(2)

/**
 * Starts a simulation at tick 0.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for seats that the game does not allow, `SS_BAD_VALUE` for
 * options that do not fit, `SS_ENGINE_DIFFERS` on an engine that computes differently.
 */
export function createSimulation<G extends GameShape, R>(
  game: Game<G, R>,
  options: SimulationOptions<G>,
): Simulation<G, R> {
  return new Simulation(game, options)
}

/** The game's parts and the engine's own. A game without inputs has nothing to hold. */
function declareParts<G extends GameShape, R>(game: Game<G, R>): PartDeclarations {
  const { inputCodec, streams, definition } = game
  return {
    ...definition.state,
    '#system': systemPart,
    '#random': randomPart(streams),
    ...(inputCodec.names.length > 0 ? { '#inputs': inputsPart(inputCodec) } : {}),
  }
}

function checkSeats(
  game: { readonly id: string; readonly seats: { min: number; max: number } },
  seats: number,
): number {
  const { min, max } = game.seats
  if (!Number.isInteger(seats) || seats < min || seats > max) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot start '${game.id}' with ${seats} seats: it is for ${min} to ${max}`,
    )
  }
  return seats
}

function makeOptions<G extends GameShape, R>(
  game: Game<G, R>,
  given: object,
): Readonly<GameOptions<G>> {
  const options = { ...game.optionsCodec.makeDefault(), ...given }
  game.optionsCodec.check(options, 'options')
  return Object.freeze(game.optionsCodec.normalise(options)) as Readonly<GameOptions<G>>
}
