import { saveSnapshot } from '../../sim/game/copies/snapshots.ts'
import { diffStates } from '../../sim/game/copies/state-diff.ts'
import type { SnapshotEncoding } from '../../sim/snapshot/format.ts'
import type { Copy } from './copy.ts'
import { isSameAfter } from './copy.ts'
import type { Finding, Lane, RunTick } from './lane.ts'
import { makeFinding } from './lane.ts'
import type { LaneWorld } from './lane-world.ts'

const encodings: readonly SnapshotEncoding[] = ['raw', 'packed', 'deflate']

/** One tick in so many, somebody joins: long enough for a cold cache to matter. */
const joinEveryTicks = 48

/** New modules are for the middle of a match: at its start, everybody's are new. */
const freshTickMin = 100
const freshTickSpan = 200
const freshTicks = 250

/**
 * Somebody who joins late: a new simulation, loaded once, that then goes on by itself. Caches that
 * are warm in the original are cold here, and stay what they are for a while.
 */
export class RejoinLane implements Lane {
  readonly #world: LaneWorld
  /** When somebody joins whose modules are new; they are so only once. */
  readonly #freshTick: number
  #joiner: Copy | undefined
  #joinedAt = 0
  #staysUntil = 0

  constructor(world: LaneWorld) {
    this.#world = world
    this.#freshTick =
      world.options.fresh === undefined
        ? Number.POSITIVE_INFINITY
        : freshTickMin + world.chance('fresh', 0).below(freshTickSpan)
  }

  run(now: RunTick): Finding | undefined {
    const { tick, bundle, original, systemHashes } = now
    const joiner = this.#joiner
    if (joiner !== undefined) {
      const report = this.#world.base.run(tick, () => joiner.simulation.step(bundle))
      if (!isSameAfter(tick, original.simulation, joiner.simulation)) {
        return makeFinding({
          check: 'rejoin',
          lane: 'rejoin',
          tick,
          sides: [
            { name: 'the original', copy: original, systemHashes },
            { name: 'the joiner', copy: joiner, systemHashes: report.systemHashes },
          ],
          differences: diffStates(original.simulation, joiner.simulation),
          detail: `it joined at tick ${this.#joinedAt}`,
        })
      }
    }
    const prng = this.#world.chance('rejoin', tick)
    const isFresh = tick === this.#freshTick
    if (isFresh) this.#staysUntil = tick + freshTicks
    const isDue = tick > this.#staysUntil && (tick === 1 || prng.below(joinEveryTicks) === 0)
    if (isFresh || isDue) this.#join(now, prng.pick(encodings), isFresh)
    return undefined
  }

  #join({ tick, original }: RunTick, encoding: SnapshotEncoding, isFresh: boolean): void {
    const bytes = saveSnapshot(original.simulation, { encoding })
    // In development there are more checks, which must not change anything either.
    this.#joiner = this.#world.restore('joiner', bytes, {
      development: true,
      modules: isFresh ? 'fresh' : undefined,
    })
    this.#joinedAt = tick
  }
}
