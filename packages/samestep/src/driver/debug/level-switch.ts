import type { Client } from '../../client/client.ts'
import type { DebugFile, DebugLevel, DebugOptions } from '../../client/debug/debug-level.ts'
import { requireDebugLevel } from '../../client/debug/debug-level.ts'
import type { LevelWatch } from '../../client/debug/level-watch.ts'
import type { WatchedMatch } from '../../client/debug/tick-watcher.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { TraceEntry } from '../../sim/trace/trace-entry.ts'
import type { TickMeasuring } from '../match/tick-measuring.ts'
import type { MatchDebug } from './match-debug.ts'

/** The module of the levels, which is loaded when one is asked for. */
type Levels = typeof import('../../client/debug/level-watch.ts')

/** The level of a match, and what its developer said about levels. */
export interface LevelOptions {
  /** How closely the match looks at itself from the beginning on; 0 when left out. See `docs/desync.md`. */
  readonly debugLevel?: DebugLevel
  /** The highest level that the relay may ask this client for. 0 when left out: it may not. */
  readonly relayDebugLevelMax?: DebugLevel
  /** What the levels keep, and where. */
  readonly debug?: DebugOptions
}

/**
 * The debug level of one match, over all its simulations. At level 0 it does nothing, and nothing of what
 * the levels do is loaded.
 */
export class LevelSwitch<G extends GameShape, R> implements MatchDebug {
  readonly #client: Client<G, R>
  readonly #measuring: TickMeasuring
  readonly #name: string
  readonly #options: LevelOptions
  /** What this side wants, and what the relay does. */
  #own: DebugLevel
  #wish: DebugLevel = 0
  #levels: Levels | undefined
  #isLoading = false
  #watch: LevelWatch | undefined
  #stopMeasuring: (() => void) | undefined

  /** `levels` are loaded when they are needed, unless they are given. */
  constructor(
    client: Client<G, R>,
    measuring: TickMeasuring,
    name: string,
    options: LevelOptions,
    levels?: Levels,
  ) {
    this.#client = client
    this.#measuring = measuring
    this.#name = name
    this.#options = options
    this.#levels = levels
    this.#own = requireDebugLevel(options.debugLevel ?? 0)
    requireDebugLevel(options.relayDebugLevelMax ?? 0)
  }

  get level(): DebugLevel {
    return Math.max(this.#own, this.#wish) as DebugLevel
  }

  setLevel(level: DebugLevel): void {
    this.#own = requireDebugLevel(level)
    this.#apply()
  }

  /** The relay asks for a level. It gets what this side's options allow, and never less than was set here. */
  handleWish(level: number): void {
    const { relayDebugLevelMax = 0 } = this.#options
    this.#wish = Math.min(level, relayDebugLevelMax) as DebugLevel
    this.#apply()
  }

  /** Another simulation runs from here on. */
  handleLaunched(): void {
    this.#watch = undefined
    this.#apply()
  }

  async files(): Promise<readonly DebugFile[]> {
    return this.#watch?.files() ?? []
  }

  async writes(): Promise<readonly TraceEntry[]> {
    return this.#watch?.writes() ?? []
  }

  #apply(): void {
    const { level } = this
    if (level > 0 && this.#levels === undefined) {
      void this.#load()
      return
    }
    this.#measure(level > 0)
    if (this.#watch === undefined && level > 0) this.#begin()
    this.#watch?.setLevel(level)
  }

  #begin(): void {
    const levels = this.#levels
    this.#client.running?.watch(
      levels &&
        ((match: WatchedMatch) => {
          this.#watch = new levels.LevelWatch(match, this.#name, this.#options.debug)
          return this.#watch
        }),
    )
  }

  #measure(isWanted: boolean): void {
    if (isWanted) this.#stopMeasuring ??= this.#measuring.begin(this.#client.simulation)
    else {
      this.#stopMeasuring?.()
      this.#stopMeasuring = undefined
    }
  }

  async #load(): Promise<void> {
    if (this.#isLoading) return
    this.#isLoading = true
    this.#levels = await import('../../client/debug/level-watch.ts')
    this.#apply()
  }
}
