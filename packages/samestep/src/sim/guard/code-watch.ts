/**
 * Where game code runs. The simulation tells a watch when the game's own functions begin and end; the
 * guard uses it to know when a call is forbidden, tracing to know who wrote.
 *
 *     begin(tick) ─► enter(place) … leave() ─► enter(place) … leave() ─► end()
 *
 * A simulation without a watch, which is every one in production, pays one comparison with
 * `undefined` per call of game code.
 */

/** A function of the game: which one, and for what. */
export interface CodePlace {
  readonly where: 'setup' | 'validate' | 'apply' | 'step' | 'derived' | 'hash'
  /** The system, order or derived value; for the others, the same word as `where`. */
  readonly name: string
}

/** Told when game code begins and ends. Calls nest only across simulations, never within one. */
export interface CodeWatch {
  /**
   * A tick (or setup, as tick 0, or what follows a load) begins.
   *
   * @throws UsageError when it is inside another one; then there is no {@link end} to it.
   */
  begin(tick: number): void
  enter(where: CodePlace['where'], name: string): void
  leave(): void
  /**
   * It is over, and state and hashes are complete.
   *
   * @throws UsageError for what game code did that it must not do.
   */
  end(): void
  /** The state was replaced from outside in the proper way, by loading a snapshot. */
  loaded(): void
}

/** How a person names a place: `step 'movement'`, or `setup`. */
export function placeText({ where, name }: CodePlace): string {
  return where === name ? where : `${where} '${name}'`
}

/** One watch of two. The second is told of ends first, so that they nest. */
export function joinWatches(outer: CodeWatch | undefined, inner: CodeWatch): CodeWatch {
  if (outer === undefined) return inner
  return {
    begin(tick) {
      outer.begin(tick)
      try {
        inner.begin(tick)
      } catch (error) {
        outer.end()
        throw error
      }
    },
    enter(where, name) {
      outer.enter(where, name)
      inner.enter(where, name)
    },
    leave() {
      try {
        inner.leave()
      } finally {
        outer.leave()
      }
    },
    end() {
      try {
        inner.end()
      } finally {
        outer.end()
      }
    },
    loaded() {
      inner.loaded()
      outer.loaded()
    },
  }
}
