import type { CodeWatch } from '../../guard/code-watch.ts'
import type { LiveOf, PartDeclarations } from '../../state/part.ts'

/**
 * Data that follows from the state: a spatial grid, counts, lists by owner. It is neither hashed nor saved,
 * so it must not contain more than the state does: a late joiner recomputes it.
 */
export interface DerivedDeclaration<T> {
  readonly isDerived: true
  /** Returns the value for a state. May reuse `previous`, which it returned before. */
  // biome-ignore lint/suspicious/noExplicitAny: typed by `derived`; a game's own state type is not known here.
  recompute(state: any, previous: T | undefined): T
  readonly refresh: 'tick' | 'load'
  equals?(a: T, b: T): boolean
  /** Called before a tick: returns false if something that was started for the tick is not ready yet. */
  prepare?(value: T, tick: number): boolean
}

// biome-ignore lint/suspicious/noExplicitAny: the type of each value is recovered by DerivedOf.
type Whatever = any

/** The derived data of a game, by name. */
export type DerivedDeclarations = { readonly [name: string]: DerivedDeclaration<Whatever> }

/** What `step` reads as `derived`. */
export type DerivedOf<D extends DerivedDeclarations> = {
  readonly [K in keyof D]: D[K] extends DerivedDeclaration<infer T> ? T : never
}

/** When derived data is recomputed, and how two of it are compared. */
export interface DerivedOptions<T> {
  /**
   * `tick` (the default): before every tick. `load`: only after setup and after a load; the game then
   * keeps it up to date itself, and checks compare what it kept with a fresh computation.
   */
  readonly refresh?: 'tick' | 'load'
  /** For checks. By default values are compared by structure. */
  equals?(a: T, b: T): boolean
  /**
   * Called before a tick by who runs a match. False holds the tick back: for what is computed elsewhere,
   * such as jobs. It must not change what the tick does, only when.
   */
  prepare?(value: T, tick: number): boolean
}

/**
 * Declares derived data with the function that computes it from the state alone.
 *
 * @example
 * ```ts
 * derived: {
 *   grid: derived((state: GameState<typeof shape>, grid = new SpatialGrid({ cellSize: 8, columns: 64, lines: 64 })) => {
 *     grid.rebuild(state.units, state.units.x, state.units.y)
 *     return grid
 *   }),
 * }
 * ```
 */
export function derived<S, T>(
  recompute: (state: S, previous: T | undefined) => T,
  options: DerivedOptions<T> = {},
): DerivedDeclaration<T> {
  return { isDerived: true, recompute, refresh: 'tick', ...options }
}

/** The derived data of one running simulation. */
export class DerivedValues<D extends DerivedDeclarations> {
  readonly values: DerivedOf<D>
  readonly #declarations: [string, DerivedDeclaration<unknown>][]
  /** Those that may hold a tick back: most games have none. */
  readonly #gates: [string, DerivedDeclaration<unknown>][]
  readonly #state: LiveOf<PartDeclarations>
  readonly #watch: CodeWatch | undefined

  constructor(declarations: D, state: LiveOf<PartDeclarations>, watch?: CodeWatch) {
    this.values = {} as DerivedOf<D>
    this.#declarations = Object.entries(declarations)
    this.#gates = this.#declarations.filter(([, { prepare }]) => prepare !== undefined)
    this.#state = state
    this.#watch = watch
  }

  /** Whether a tick can run now. All are asked: each may have something to begin. */
  prepare(tick: number): boolean {
    const values = this.values as { readonly [name: string]: unknown }
    let isReady = true
    for (const [name, { prepare }] of this.#gates) {
      if (prepare?.(values[name], tick) === false) isReady = false
    }
    return isReady
  }

  /** Recomputes what is due before a tick. What game code throws there is told, and the tick goes on. */
  refreshForTick(tell: (error: unknown) => void): void {
    try {
      this.refresh('tick')
    } catch (error) {
      tell(error)
    }
  }

  /** Recomputes everything (`load`), or only what is due before every tick. */
  refresh(when: 'tick' | 'load'): void {
    const values = this.values as { [name: string]: unknown }
    for (const [name, declaration] of this.#declarations) {
      if (when === 'tick' && declaration.refresh === 'load') continue
      // After a load nothing that is left over from the state before may shine through.
      const previous = when === 'load' ? undefined : values[name]
      this.#watch?.enter('derived', name)
      try {
        values[name] = declaration.recompute(this.#state, previous)
      } finally {
        this.#watch?.leave()
      }
    }
  }
}
