import { Prng } from '../base/prng.ts'
import type { GameShape } from '../sim/game/definition/context.ts'
import type { Game } from '../sim/game/definition/define-game.ts'
import { explainFinding } from './check-failure.ts'
import type { CheckOptions, CheckProgress, CheckSettings, PlayedMatch } from './check-options.ts'
import { settle } from './check-options.ts'
import type { CheckFailure } from './failure-text.ts'
import type { CheckId, Finding, LaneId, RunTick } from './lanes/lane.ts'
import { checkIds } from './lanes/lane.ts'
import type { LaneOptions } from './lanes/lane-world.ts'
import type { AmbientUse } from './machine/machine.ts'
import { factors } from './machine/machine-state.ts'
import { AllocationMeter } from './rules/allocation-meter.ts'
import { idleChecks } from './rules/idle-checks.ts'
import { MatchCheck } from './rules/match-check.ts'
import { Explorer } from './scripts/explorer.ts'
import type { Script, ScriptItem } from './scripts/script.ts'

/** The result of a check. */
export interface CheckResult {
  readonly ok: boolean
  readonly game: string
  readonly seed: number
  readonly seats: number
  /** Ticks played in all matches together. */
  readonly ticks: number
  readonly matches: number
  /** Ticks of the long match; 0 without one. */
  readonly longTicks: number
  /** The checks that ran. */
  readonly checks: readonly CheckId[]
  /** Checks that do not apply to this game, and why. */
  readonly idle: { readonly [id in CheckId]?: string }
  /** The results of the issued orders, by name. */
  readonly orders: { readonly [name: string]: OrderCount }
  readonly failure: CheckFailure | undefined
  /** What the simulation asked its machine for, without a difference so far. */
  readonly warnings: readonly AmbientUse[]
  /** Approximate bytes that a tick allocates; `undefined` if not measured. */
  readonly allocationBytes: number | undefined
}

/** How often one kind of order was issued and executed. */
export interface OrderCount {
  readonly issued: number
  readonly executed: number
}

/** How often progress is told, in ticks. */
const progressEvery = 50

/**
 * Plays a game at random and checks in every tick that the state does not depend on anything it must not
 * depend on: a second instance, another machine, a reload, a late joiner, a second match, a viewer.
 *
 * Stops at the first failure, which is then shrunk, and explained down to the line.
 *
 * It does not return before it is done. State that lives in WebAssembly, such as a Rapier world, is
 * freed only in tasks after a garbage collection: for many ticks of such a game, call it several times
 * with other seeds and wait in between, or use `samestep check`, which collects after each match.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for invalid options.
 *
 * @example
 * ```ts
 * const { ok, failure } = checkGame(dots, { ticks: 5_000, seats: 4, seed: 7 })
 * if (!ok) console.log(failure.text)
 * ```
 */
export function checkGame<G extends GameShape, R>(
  game: Game<G, R>,
  options: CheckOptions = {},
): CheckResult {
  const plain = game as unknown as Game
  const check = new GameCheck(plain, options)
  check.play()
  return check.explain()
}

/** What was found, and in which match. */
type Found = { readonly script: Script; readonly finding: Finding }

/**
 * A check in two steps, for whoever has something to do in between: explaining a finding takes
 * modules that nobody has used, and loading them takes time.
 */
export class GameCheck {
  readonly #game: Game
  readonly #settings: CheckSettings
  readonly #lanes: LaneOptions
  readonly #prng: Prng
  readonly #orders = new Map<string, { issued: number; executed: number }>()
  readonly #warnings = new Map<string, AmbientUse>()
  readonly #meter: AllocationMeter | undefined
  readonly #longLanes: LaneOptions
  #found: Found | undefined
  #ticks = 0
  #longTicks = 0
  #matches = 0
  #issued = 0

  constructor(game: Game, options: CheckOptions) {
    const settings = settle(game, options)
    const { draw, graphs, skipped, heapBytes, allocationBytesMax, resolve } = settings
    this.#game = game
    this.#settings = settings
    this.#meter = heapBytes === undefined ? undefined : new AllocationMeter(heapBytes)
    this.#lanes = {
      lanes: lanesFor(skipped),
      draw,
      fresh: settings.fresh ?? graphs?.take([]),
      twinGame: graphs?.take(factors),
      skip: skipped,
      resolve,
      onBeat: settings.onBeat,
      meter: this.#meter,
      allocationBytesMax,
    }
    this.#longLanes = { ...this.#lanes, lanes: longLanes(skipped), meter: undefined }
    this.#prng = new Prng(settings.seed, 'check/matches')
  }

  /** Whether a match has shown something. */
  get hasFound(): boolean {
    return this.#found !== undefined
  }

  /** Plays until something is found, or to the end. */
  play(): void {
    while (this.playNext()) {
      // Each call plays a match.
    }
  }

  /**
   * Plays one match; false when there is no more to play. Rest between two calls where the state
   * may live outside the heap: WebAssembly libraries free what was dropped in a task of their own.
   */
  playNext(): boolean {
    const { ticks, matchTicks, longTicks } = this.#settings
    if (this.#found !== undefined) return false
    if (this.#ticks < ticks) {
      this.#found = this.#runMatch(Math.min(matchTicks, ticks - this.#ticks), this.#lanes)
      return true
    }
    if (longTicks === 0 || this.#longTicks > 0 || this.#longLanes.lanes?.size === 1) return false
    this.#found = this.#runMatch(longTicks, this.#longLanes)
    return true
  }

  /** The result; a finding is made small and explained now. */
  explain(): CheckResult {
    const found = this.#found
    if (found === undefined) return this.#result(undefined)
    const { shrink, onProgress, graphs } = this.#settings
    const { meter: _, ...lanes } = this.#lanes
    const failure = explainFinding(this.#game, found.script, found.finding, {
      lanes,
      graphs,
      shrink: shrink !== false,
      onRun: (stage, runs, items) => {
        onProgress?.({ ...this.#progress(stage), runs, items })
      },
    })
    return this.#result(failure)
  }

  #runMatch(ticks: number, lanes: LaneOptions): Found | undefined {
    const { seats, explore } = this.#settings
    const isLong = lanes === this.#longLanes
    this.#matches += 1
    const script = { seed: this.#prng.u32(), seats, options: this.#drawOptions() }
    const check = new MatchCheck(this.#game, script, lanes)
    const explorer = new Explorer(this.#game, seats, script.seed, explore)
    const items: ScriptItem[] = []
    const hashes = new Uint32Array(2 * ticks)
    let finding: Finding | undefined
    for (let tick = 1; tick <= ticks && finding === undefined; tick++) {
      const next = explorer.next(tick, check.original.copy.simulation)
      items.push(...next)
      finding = check.run(next, (now) => this.#note(now, hashes, isLong))
    }
    finding ??= check.finish()
    for (const use of check.world.base.uses) {
      // A package may time itself; what it draws by chance is another matter.
      if (use.within === undefined || use.factor === 'random') this.#warnings.set(use.name, use)
    }
    const whole = { ...script, ticks: check.tick, items }
    if (finding !== undefined) return { script: whole, finding }
    // A long match would take as long once more in every other process.
    if (!isLong) this.#settings.onMatch?.({ script: whole, hashes } satisfies PlayedMatch)
    return undefined
  }

  /** Options that the caller did not fix are drawn in every match but the first. */
  #drawOptions(): object {
    const { optionsCodec } = this.#game
    const fixed = this.#settings.options ?? {}
    if (this.#matches === 1) return { ...optionsCodec.makeDefault(), ...fixed }
    const drawn = optionsCodec.sample(this.#prng, () => 0)
    return this.#prng.chance(0.5)
      ? { ...drawn, ...fixed }
      : { ...optionsCodec.makeDefault(), ...fixed }
  }

  #note({ tick, bundle, original, outcomes }: RunTick, hashes: Uint32Array, isLong: boolean): void {
    if (isLong) this.#longTicks += 1
    else this.#ticks += 1
    const words = hashes.subarray(2 * tick - 2, 2 * tick)
    original.simulation.syncHashWordsAt(tick, words)
    this.#issued += bundle.orders.length
    for (const { type = 'nonsense', result } of outcomes) {
      const count = this.#orders.get(type) ?? { issued: 0, executed: 0 }
      this.#orders.set(type, count)
      count.issued += 1
      if (result === 'executed') count.executed += 1
    }
    if ((this.#ticks + this.#longTicks) % progressEvery !== 0) return
    this.#settings.onProgress?.(this.#progress(isLong ? 'long' : 'checking'))
  }

  #progress(stage: CheckProgress['stage']): CheckProgress {
    const { ticks, longTicks } = this.#settings
    return {
      stage,
      tick: stage === 'long' ? this.#longTicks : this.#ticks,
      ticks: stage === 'long' ? longTicks : ticks,
      match: this.#matches,
      orders: this.#issued,
      runs: 0,
      items: 0,
    }
  }

  #result(failure: CheckFailure | undefined): CheckResult {
    const { seed, seats, skipped, heapBytes, allocationBytesMax } = this.#settings
    const isMeasured = heapBytes !== undefined && allocationBytesMax !== undefined
    const isMade = (id: CheckId): boolean =>
      !skipped.has(id) && !otherWays.has(id) && (id !== 'allocation' || isMeasured)
    const idle = idleChecks(this.#game, this.#settings)
    return {
      ok: failure === undefined,
      game: this.#game.id,
      seed,
      seats,
      ticks: this.#ticks,
      matches: this.#matches,
      checks: checkIds.filter((id) => isMade(id) && !(id in idle)),
      idle: Object.fromEntries(Object.entries(idle).filter(([id]) => isMade(id as CheckId))),
      longTicks: this.#longTicks,
      orders: Object.fromEntries(this.#orders),
      failure,
      warnings: failure === undefined ? [...this.#warnings.values()] : [],
      allocationBytes: this.#meter?.bytesPerTick,
    }
  }
}

/** Checks that take another process, or time to pass. */
const otherWays: ReadonlySet<CheckId> = new Set(['async', 'elsewhere', 'engines'])

/** The checks that a lane makes: a lane none of whose checks is wanted need not run. */
const checksOfLane: { readonly [lane in LaneId]: readonly CheckId[] } = {
  original: ['throws', 'viewer', 'allocation'],
  twin: ['twin', 'machine', 'viewer'],
  reload: ['pure', 'reload', 'bytes', 'derived', 'order', 'nan'],
  rejoin: ['rejoin'],
  later: ['later'],
  bytes: ['canonical'],
  cells: ['cells'],
  full: ['full'],
}

function lanesFor(skipped: ReadonlySet<CheckId>): ReadonlySet<LaneId> {
  const lanes = Object.keys(checksOfLane) as LaneId[]
  return new Set(lanes.filter((lane) => checksOfLane[lane].some((check) => !skipped.has(check))))
}

/** What finds most for its time: another machine, and whoever joins late. */
function longLanes(skipped: ReadonlySet<CheckId>): ReadonlySet<LaneId> {
  const lanes = lanesFor(skipped)
  return new Set((['original', 'twin', 'rejoin'] as const).filter((lane) => lanes.has(lane)))
}
