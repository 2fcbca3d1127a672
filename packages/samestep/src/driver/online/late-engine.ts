import { assert } from '../../base/assert.ts'
import type { Dial } from '../../transport/connection.ts'
import type { MatchEngine } from '../match/match-engine.ts'

/** The engine, once it was loaded or given: it is the same for every match of this page. */
let engine: MatchEngine | undefined

/** Gives the engine to all matches that are joined from now on: nothing is loaded then. */
export function provideEngine(given: MatchEngine): void {
  engine = given
}

/** The engine as it will be when the first link opens. Nothing asks for it before. */
export const lateEngine: MatchEngine = {
  makeRunning: (...args) => loadedEngine().makeRunning(...args),
  makeEmptyPicture: (game) => loadedEngine().makeEmptyPicture(game),
}

/**
 * Loads the engine while a line is dialled: neither waits for the other, and no link opens before both
 * are there. A file that cannot be had is weather, as a line that cannot be had is: both are tried again.
 */
export function dialWithEngine(dial: Dial): Dial {
  return async (signal) => {
    if (engine !== undefined) return dial(signal)
    const loading = import('../match/match-engine.ts')
    // Waited for below; until then it must not count as unhandled.
    loading.catch(() => {})
    const connection = await dial(signal)
    try {
      engine ??= (await loading).matchEngine
    } catch (error) {
      connection.close(1000, 'no engine')
      throw error
    }
    return connection
  }
}

function loadedEngine(): MatchEngine {
  assert(engine !== undefined, 'A match was launched before its engine was there')
  return engine
}
