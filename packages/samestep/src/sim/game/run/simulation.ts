import { assert } from '../../../base/assert.ts'
import { isDevelopment } from '../../../base/environment.ts'
import { UsageError } from '../../../base/errors.ts'
import type { CellCheck } from '../../guard/cell-check.ts'
import type { CodeWatch } from '../../guard/code-watch.ts'
import { copyLeaves } from '../../hash/leaf-copy.ts'
import type { StateHash, StateTree, SyncHash, SyncTree } from '../../hash/tree.ts'
import { buildStateTree, syncHashFromWords } from '../../hash/tree.ts'
import { assertEngine } from '../../math/self-test.ts'
import type { Difference } from '../../state/part.ts'
import { State } from '../../state/state.ts'
import type { GameInput, GameShape, GameState, StepContext } from '../definition/context.ts'
import type { Game } from '../definition/define-game.ts'
import { DerivedValues } from '../derived/derived.ts'
import { declaredPolicy } from '../orders/order-rules.ts'
import { OrderRunner } from '../orders/order-runner.ts'
import type { Bundle } from './bundle.ts'
import { RandomPart } from './engine-parts.ts'
import { HeldInputs } from './held-inputs.ts'
import { chooseCellCheck, chooseWatch } from './instruments.ts'
import { Observers, type SimulationObserver } from './observers.ts'
import { ReportBuilder, type TickReport } from './report.ts'
import type { SimulationOptions } from './simulation-options.ts'
import { checkSeats, declareParts, makeOptions } from './simulation-options.ts'
import { SimulationView } from './simulation-view.ts'
import { SystemRunner } from './system-runner.ts'
import { TickHashes } from './tick-hashes.ts'

export type { SimulationOptions } from './simulation-options.ts'

/**
 * One running game: a state, and the code that advances it from tick to tick.
 *
 * The simulation knows nothing about networks. Given the same game, seed, seats, options and bundles, it
 * has the same state after the same tick on every machine, and its hashes prove it.
 *
 *     bundle:  events ─► inputs ─► derived ─► orders: validate, apply ─► systems ─► normalise ─► hash
 */
export class Simulation<G extends GameShape = GameShape, R = unknown> extends SimulationView<G, R> {
  readonly #inputs: HeldInputs
  readonly #derived: DerivedValues<G['derived']>
  readonly #orders: OrderRunner<G>
  readonly #report: ReportBuilder
  readonly #context: { -readonly [K in keyof StepContext<G>]: StepContext<G>[K] }
  readonly #observers = new Observers()
  readonly #systems: SystemRunner<G>
  readonly #hashes: TickHashes
  /** Is told where game code runs, in development and while tracing. */
  readonly #watch: CodeWatch | undefined
  /** Checks what game code writes, in development; never while tracing. */
  readonly #cells: CellCheck | undefined

  constructor(game: Game<G, R>, options: SimulationOptions<G>) {
    assertEngine()
    const development = options.development ?? isDevelopment()
    const terms = {
      matchId: options.matchId ?? '',
      seats: checkSeats(game, options.seats ?? game.seats.min),
      options: makeOptions(game, options.options ?? {}),
      seed: options.seed,
      orderPolicy: options.orderPolicy ?? declaredPolicy(game.orderCodec.types),
    }
    const cells = chooseCellCheck(game, options, development)
    const wrapLive = (options.trace ?? cells)?.wrapLive
    const parts = new State(declareParts(game), {
      development,
      kernel: options.kernel ?? 'auto',
      ...(wrapLive === undefined ? {} : { wrapLive }),
    })
    super(game, terms, parts)
    if (options.observer !== undefined) this.#observers.add(options.observer)
    this.#cells = cells
    this.#watch = chooseWatch(game, options, development, this.parts, this.#cells)
    this.#hashes = new TickHashes(this.parts, game.tickRate, this.#watch)
    this.#inputs = new HeldInputs(game.inputCodec, this.parts.part('#inputs'), development)
    this.#derived = new DerivedValues(game.definition.derived ?? {}, this.parts.live, this.#watch)
    this.#report = new ReportBuilder()
    this.#context = {
      state: this.state,
      derived: this.#derived.values as StepContext<G>['derived'],
      random: (this.parts.live as { readonly '#random': StepContext<G>['random'] })['#random'],
      seats: this.seats,
      options: this.options,
      tick: 0,
      inputs: [],
      orders: [],
      events: [],
    }
    this.#orders = new OrderRunner(game, {
      step: this.#context,
      parts: this.parts,
      report: this.#report,
      development,
      watch: this.#watch,
      policy: this.orderPolicy,
    })
    this.#systems = new SystemRunner(game.systems, {
      observers: this.#observers,
      report: this.#report,
      watch: this.#watch,
      hash:
        options.hashSystems === true ? (name) => this.#hashes.tell(name, this.#report) : undefined,
    })
    this.#watched(0, () => this.#setUp())
  }

  /**
   * Starts the work that ticks have requested, and returns whether the next tick can run without delay.
   * `step` never waits.
   */
  prepare(): boolean {
    return this.#derived.prepare(this.tick + 1)
  }

  /** The report of the last tick that ran, even if a guard made `step` throw after it. */
  get report(): TickReport {
    return this.#report
  }

  /** The writable state, for game code and tests. For rendering, use {@link view}. */
  get state(): GameState<G> {
    return this.parts.live as GameState<G>
  }

  /** The current derived data, for checks. */
  get derived(): StepContext<G>['derived'] {
    return this.#context.derived
  }

  /**
   * Runs one tick. It never throws because of the bundle or the game: orders that cannot run and game code
   * that throws are in the report, the same on every machine.
   *
   * @throws UsageError `SS_WRONG_TICK` unless the bundle is for the next tick. With a guard, after the tick
   * is complete: `SS_NONDETERMINISTIC`, `SS_OUTSIDE_WRITE`.
   */
  step(bundle: Bundle<GameInput<G>>): TickReport {
    const tick = this.matchTick + 1
    if (bundle.tick !== tick) {
      throw new UsageError(
        'SS_WRONG_TICK',
        `Cannot run the bundle of tick ${bundle.tick}: the simulation is at ${this.matchTick}, so the next is ${tick}`,
      )
    }
    const watch = this.#watch
    if (watch === undefined) return this.#runTick(bundle, tick)
    watch.begin(tick)
    try {
      return this.#runTick(bundle, tick)
    } finally {
      watch.end()
    }
  }

  #runTick(bundle: Bundle<GameInput<G>>, matchTick: number): TickReport {
    const observer = this.#observers.current
    observer?.phaseBegins('previous', this.tick)
    this.previousTick.capture()
    this.#context.events = bundle.events
    this.system.begin(matchTick, bundle.events)
    // Loops over empty arrays of two kinds cost more than this question.
    if (bundle.events.length > 0) this.#releaseInputs(bundle.events)
    const { tick } = this
    observer?.phaseBegins('inputs', tick)
    this.#context.tick = tick
    this.#report.begin(tick, matchTick)
    this.#inputs.advance(bundle.inputs)
    const { wrongInputs } = bundle
    if (wrongInputs !== undefined && wrongInputs.length > 0) {
      for (const wrong of wrongInputs) this.#report.wrongInput(wrong)
    }
    observer?.phaseBegins('derived', tick)
    this.#derived.refreshForTick((error) => this.#report.fault('derived', 'derived', error))
    observer?.phaseBegins('orders', tick)
    this.#context.orders = this.#orders.run(bundle.orders, this.isPaused)
    if (!this.isPaused) this.#systems.run(this.#context, tick)
    observer?.phaseBegins('normalise', tick)
    this.parts.normalise()
    observer?.phaseBegins('hash', tick)
    this.#hashes.remember(matchTick)
    if (this.#cells !== undefined) {
      for (const found of this.#cells.take()) this.#report.misfit(found)
    }
    observer?.tickEnds(tick)
    if (observer !== undefined) this.#observers.complain()
    return this.#report.end()
  }

  #releaseInputs(events: Bundle['events']): void {
    for (const event of events) if (event.type === 'leave') this.#inputs.release(event.seat)
  }

  /** Adds an observer of the following ticks, and returns a function that removes it. */
  observe(observer: SimulationObserver): () => void {
    return this.#observers.add(observer)
  }

  /** The 64-bit hash of the whole current state. Reading it changes nothing. */
  syncHash(): SyncHash {
    const { rootLo, rootHi } = this.#hashes.compute()
    return syncHashFromWords(rootLo, rootHi)
  }

  /** The sync hash after an earlier match tick, or `undefined` if it is no longer remembered. */
  syncHashAt(tick: number): SyncHash | undefined {
    return this.#hashes.recent.at(tick)
  }

  /**
   * Like {@link syncHashAt}, but writes two words instead of returning text: `out[0]` gets the low one,
   * `out[1]` the high one. Returns false and leaves `out` unchanged if the hash is no longer remembered.
   */
  syncHashWordsAt(tick: number, out: Uint32Array): boolean {
    return this.#hashes.recent.wordsAt(tick, out)
  }

  /** The current tree of sync hashes, for descending to what differs. Valid until the next call. */
  syncTree(): SyncTree {
    return this.#hashes.compute()
  }

  /**
   * The tree of sync hashes as last computed, without computing it again: right after a tick, the tree of
   * its state.
   */
  get lastTree(): SyncTree {
    return this.#hashes.tree
  }

  /** The 256-bit hash of the whole current state. */
  stateHash(): StateHash {
    return this.stateTree().root
  }

  /** The hash tree of {@link stateHash}, for proofs. */
  stateTree(): StateTree {
    return buildStateTree(this.parts, this.parts.memory)
  }

  /**
   * A copy of everything that is hashed, placed after `head`, so that its hash can be computed later.
   * `into` is reused if it is large enough.
   */
  copyLeaves(head: Uint8Array, into: Uint8Array): Uint8Array {
    return copyLeaves(this.parts, this.parts.memory, head, into)
  }

  /** Lists what differs in one leaf, given another machine's bytes of that leaf. */
  explainLeaf(label: string, mine: Uint8Array, theirs: Uint8Array): Difference[] {
    return this.parts.explainLeaf(label, mine, theirs)
  }

  /**
   * Must be called after the state was replaced: derived data and remembered hashes belong to the old one.
   *
   * @throws WireError if the simulation cannot continue from what was loaded.
   */
  handleLoaded(): void {
    this.#random.completeLoad(this.seed)
    this.#watch?.loaded()
    this.#watched(this.matchTick, () => this.#resume())
  }

  /**
   * Runs a function that writes to the state outside of any tick, hidden from the guard. For making
   * machines differ on purpose.
   */
  disturb(write: () => void): void {
    write()
    this.#watch?.loaded()
  }

  #resume(): void {
    this.#context.tick = this.tick
    this.#context.inputs = this.#handedInputs(this.#inputs.records(this.seats))
    this.#derived.refresh('load')
    this.previousTick.capture()
    this.#hashes.recent.restart(this.matchTick)
    this.#hashes.remember(this.matchTick)
  }

  /** Runs something that calls game code outside of a tick. */
  #watched(tick: number, run: () => void): void {
    this.#watch?.begin(tick)
    try {
      run()
    } finally {
      this.#watch?.end()
    }
  }

  get #random(): RandomPart<string> {
    const random = this.parts.part('#random')
    assert(random instanceof RandomPart, 'The random part is another one')
    return random
  }

  /**
   * The inputs as game code gets them: the records themselves, or wrapped ones that record accesses.
   */
  #handedInputs(records: readonly object[]): StepContext<G>['inputs'] {
    const { '#inputs': part } = this.parts.live as { '#inputs'?: { readonly seats: object[] } }
    return (part?.seats ?? records) as StepContext<G>['inputs']
  }

  #setUp(): void {
    this.#random.live.seed(this.seed)
    this.#context.inputs = this.#handedInputs(this.#inputs.start(this.seats))
    this.#derived.refresh('load')
    this.#watch?.enter('setup', 'setup')
    try {
      this.game.definition.setup?.(this.#context as never)
    } finally {
      this.#watch?.leave()
    }
    this.parts.normalise()
    this.#derived.refresh('load')
    this.previousTick.capture()
    this.#hashes.remember(0)
  }
}

/**
 * Starts a simulation at tick 0.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for seats that the game does not allow, `SS_BAD_VALUE` for invalid
 * options, `SS_ENGINE_DIFFERS` on an engine that computes differently.
 */
export function createSimulation<G extends GameShape, R>(
  game: Game<G, R>,
  options: SimulationOptions<G>,
): Simulation<G, R> {
  return new Simulation(game, options)
}
