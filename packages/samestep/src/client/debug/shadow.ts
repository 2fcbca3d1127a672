import type { MatchCopy } from '../../desync/investigate/match-copy.ts'
import type { KeptState } from '../../desync/recent/snapshot-ring.ts'
import { diffStates } from '../../sim/game/copies/state-diff.ts'
import { makeFault } from './finding.ts'
import type { Retrace } from './retrace.ts'
import type { WatchedMatch } from './tick-watcher.ts'

/**
 * Level 4: a simulation that is loaded from a snapshot before every tick, as a player who joins then
 * would be.
 *
 *     match    state n ── tick n + 1 ──► state n + 1
 *                 │ save                     ║ equal?
 *     shadow      └ load ── tick n + 1 ──► state n + 1
 *
 * Where the two differ, the tick depends on something that the snapshot does not have: a variable beside
 * the state, the sequence of a Map, derived data that was not computed anew.
 */
export class Shadow {
  readonly #match: WatchedMatch
  readonly #retrace: Retrace
  #copy: MatchCopy

  constructor(match: WatchedMatch, retrace: Retrace) {
    this.#match = match
    this.#retrace = retrace
    this.#copy = match.inner.makeCopy()
  }

  /** `before` is the state before the tick that has run, with this bundle. */
  handleRan(before: KeptState, bundle: Uint8Array): void {
    const { simulation } = this.#match
    // What a copy keeps beside its state grows along with the match; a newcomer has none of it.
    if (before.tick % simulation.game.tickRate === 0) this.#copy = this.#match.inner.makeCopy()
    this.#copy.load(before)
    const shadow = this.#copy.simulation
    const then = simulation.syncHashAt(before.tick)
    if (then !== undefined && shadow.syncHash() !== then) {
      this.#tell('save-differs', 'Cannot save and load this state: the loaded state differs', [])
      return
    }
    this.#copy.run(bundle)
    if (shadow.syncHash() === simulation.syncHashAt(simulation.matchTick)) return
    const differences = diffStates(simulation, shadow)
    const [first] = differences
    this.#tell(
      'shadow-differs',
      'Cannot repeat this tick from a snapshot: something that it reads is not in the state',
      differences,
      first && this.#retrace.lastWriteTo(before, bundle, first),
    )
  }

  #tell(
    check: 'save-differs' | 'shadow-differs',
    what: string,
    differences: ReturnType<typeof diffStates>,
    write?: ReturnType<Retrace['lastWriteTo']>,
  ): void {
    const advice = 'put what the tick reads into the state, or make it derived data'
    const found = { check, level: 4, what, advice, differences, write } as const
    this.#match.tell(makeFault(this.#match.simulation, found))
  }
}
