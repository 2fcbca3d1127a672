import { Prng } from '../base/prng.ts'
import type { GameShape } from '../sim/game/context.ts'
import type { Game } from '../sim/game/define-game.ts'
import { AllocationMeter } from './allocation-meter.ts'
import type { CheckFailure } from './check-failure.ts'
import { explainFinding } from './check-failure.ts'
import type { CheckOptions, CheckSettings, PlayedMatch } from './check-options.ts'
import { settle } from './check-options.ts'
import { Explorer } from './explorer.ts'
import type { CheckId, Finding, LaneId, RunTick } from './lane.ts'
import { checkIds } from './lane.ts'
import type { LaneOptions } from './lane-world.ts'
import type { AmbientUse } from './machine.ts'
import { MatchCheck } from './match-check.ts'
import type { ScriptItem } from './script.ts'
import { randomValue } from './values.ts'

/** What a check found, or that it found nothing. */
export interface CheckResult {
  readonly ok: boolean
  readonly game: string
  readonly seed: number
  readonly seats: number
  /** Ticks that were played, over all matches. */
  readonly ticks: number
  readonly matches: number
  /** The checks that were made. */
  readonly checks: readonly CheckId[]
  /** What became of the orders that were issued, by their name. */
  readonly orders: { readonly [name: string]: OrderCount }
  readonly failure: CheckFailure | undefined
  /** What the simulation asked its machine for without having differed yet. */
  readonly warnings: readonly AmbientUse[]
  /** Bytes that a tick allocates, about; `undefined` when nobody measured. */
  readonly allocationBytes: number | undefined
}

/** How often one kind of order was issued and carried out. */
export interface OrderCount {
  readonly issued: number
  readonly executed: number
}

/** A match is this long: orders that end it would otherwise leave most of the ticks with nothing. */
const matchTicks = 1_000

/** How often progress is told, in ticks. */
const progressEvery = 50

/**
 * Plays a game by chance and checks in every tick that nothing matters which must not matter: a
 * second instance, another machine, a reload, a late joiner, a second match, a viewer.
 *
 * Stops at the first failure, which is then made small, and explained down to the line.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for impossible options.
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
  return new CheckRun(plain, settle(plain, options)).run()
}

class CheckRun {
  readonly #game: Game
  readonly #settings: CheckSettings
  readonly #lanes: LaneOptions
  readonly #prng: Prng
  readonly #orders = new Map<string, { issued: number; executed: number }>()
  readonly #warnings = new Map<string, AmbientUse>()
  readonly #meter: AllocationMeter | undefined
  #ticks = 0
  #matches = 0
  #issued = 0

  constructor(game: Game, settings: CheckSettings) {
    const { draw, fresh, skipped, heapBytes, allocationBytesMax, resolve } = settings
    this.#game = game
    this.#settings = settings
    this.#meter = heapBytes === undefined ? undefined : new AllocationMeter(heapBytes)
    const lanes = lanesFor(skipped)
    this.#lanes = {
      lanes,
      draw,
      fresh,
      skip: skipped,
      resolve,
      meter: this.#meter,
      allocationBytesMax,
    }
    this.#prng = new Prng(settings.seed, 'check/matches')
  }

  run(): CheckResult {
    const { ticks } = this.#settings
    let failure: CheckFailure | undefined
    while (failure === undefined && this.#ticks < ticks) {
      failure = this.#runMatch(Math.min(matchTicks, ticks - this.#ticks))
    }
    return this.#result(failure)
  }

  #runMatch(ticks: number): CheckFailure | undefined {
    const { seats, explore } = this.#settings
    this.#matches += 1
    const script = { seed: this.#prng.u32(), seats, options: this.#drawOptions() }
    const check = new MatchCheck(this.#game, script, this.#lanes)
    const explorer = new Explorer(this.#game, seats, script.seed, explore)
    const items: ScriptItem[] = []
    const hashes = new Uint32Array(2 * ticks)
    let finding: Finding | undefined
    for (let tick = 1; tick <= ticks && finding === undefined; tick++) {
      const next = explorer.next(tick, check.original.copy.simulation)
      items.push(...next)
      finding = check.run(next, (now) => this.#note(now, hashes))
    }
    finding ??= check.finish()
    for (const use of check.world.base.uses) this.#warnings.set(use.name, use)
    const whole = { ...script, ticks: check.tick, items }
    if (finding !== undefined) return this.#explain(whole, finding)
    this.#settings.onMatch?.({ script: whole, hashes } satisfies PlayedMatch)
    return undefined
  }

  #explain(script: Parameters<typeof explainFinding>[1], finding: Finding): CheckFailure {
    const { shrink, onProgress } = this.#settings
    const { meter: _, ...lanes } = this.#lanes
    return explainFinding(this.#game, script, finding, {
      lanes,
      shrink: shrink !== false,
      onRun: (stage, runs, items) => {
        onProgress?.({ ...this.#progress(), stage, runs, items })
      },
    })
  }

  /** Options that the caller did not fix are drawn in every match but the first. */
  #drawOptions(): object {
    const { optionsCodec } = this.#game
    const fixed = this.#settings.options ?? {}
    if (this.#matches === 1) return { ...optionsCodec.makeDefault(), ...fixed }
    const drawn = randomValue(optionsCodec.describe(), this.#prng, () => 0) as object
    return this.#prng.chance(0.5)
      ? { ...drawn, ...fixed }
      : { ...optionsCodec.makeDefault(), ...fixed }
  }

  #note({ tick, bundle, original, outcomes }: RunTick, hashes: Uint32Array): void {
    this.#ticks += 1
    const words = hashes.subarray(2 * tick - 2, 2 * tick)
    original.simulation.syncHashWordsAt(tick, words)
    this.#issued += bundle.orders.length
    for (const { type = 'nonsense', result } of outcomes) {
      const count = this.#orders.get(type) ?? { issued: 0, executed: 0 }
      this.#orders.set(type, count)
      count.issued += 1
      if (result === 'executed') count.executed += 1
    }
    if (this.#ticks % progressEvery === 0) this.#settings.onProgress?.(this.#progress())
  }

  #progress() {
    const { ticks } = this.#settings
    return {
      stage: 'checking' as const,
      tick: this.#ticks,
      ticks,
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
      !skipped.has(id) && id !== 'elsewhere' && (id !== 'allocation' || isMeasured)
    return {
      ok: failure === undefined,
      game: this.#game.id,
      seed,
      seats,
      ticks: this.#ticks,
      matches: this.#matches,
      checks: checkIds.filter(isMade),
      orders: Object.fromEntries(this.#orders),
      failure,
      warnings: failure === undefined ? [...this.#warnings.values()] : [],
      allocationBytes: this.#meter?.bytesPerTick,
    }
  }
}

/** The checks that a lane makes: a lane none of whose checks is wanted need not run. */
const checksOfLane: { readonly [lane in LaneId]: readonly CheckId[] } = {
  original: ['throws', 'viewer', 'allocation'],
  twin: ['twin', 'machine', 'viewer'],
  reload: ['pure', 'reload', 'bytes', 'derived', 'order', 'nan'],
  rejoin: ['rejoin'],
  later: ['later'],
  bytes: ['canonical'],
  full: ['full'],
}

function lanesFor(skipped: ReadonlySet<CheckId>): ReadonlySet<LaneId> {
  const lanes = Object.keys(checksOfLane) as LaneId[]
  return new Set(lanes.filter((lane) => checksOfLane[lane].some((check) => !skipped.has(check))))
}
