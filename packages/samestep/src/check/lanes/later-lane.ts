import { diffStates } from '../../sim/game/copies/state-diff.ts'
import type { SystemHash } from '../../sim/game/run/report.ts'
import type { AnyBundle } from '../scripts/script.ts'
import type { Copy } from './copy.ts'
import type { Finding, Lane, RunTick } from './lane.ts'
import { makeFinding } from './lane.ts'
import type { LaneWorld } from './lane-world.ts'

/** Far enough behind that what the original left in some variable of a module is of another time. */
const lagTicks = 200
/** What is kept of the original, to say what differs: less lag in a game with a large state. */
const keptBytesMax = 64 * 2 ** 20

type Kept = {
  readonly bundle: AnyBundle
  readonly lo: number
  readonly hi: number
  readonly snapshot: Uint8Array
  readonly systemHashes: readonly SystemHash[]
}

/**
 * The same match again, later, in the same process: begun when the original is some hundred ticks
 * ahead, as the second evening of a page that was never closed. What the game keeps in variables of
 * its modules was not there the first time.
 */
export class LaterLane implements Lane {
  readonly #world: LaneWorld
  readonly #kept: Kept[] = []
  readonly #words = new Uint32Array(2)
  #keptBytes = 0
  #later: Copy | undefined

  constructor(world: LaneWorld) {
    this.#world = world
  }

  run(now: RunTick): Finding | undefined {
    const { tick, bundle, original, systemHashes } = now
    original.simulation.syncHashWordsAt(tick, this.#words)
    const [lo = 0, hi = 0] = this.#words
    const snapshot = now.snapshot()
    this.#kept.push({ bundle, lo, hi, snapshot, systemHashes })
    this.#keptBytes += snapshot.byteLength
    if (this.#kept.length <= lagTicks && this.#keptBytes < keptBytesMax) return undefined
    return this.#runOne()
  }

  finish(): Finding | undefined {
    while (this.#kept.length > 0) {
      const finding = this.#runOne()
      if (finding !== undefined) return finding
    }
    return undefined
  }

  #runOne(): Finding | undefined {
    const kept = this.#kept.shift()
    if (kept === undefined) return undefined
    this.#keptBytes -= kept.snapshot.byteLength
    this.#later ??= this.#world.make('later', this.#world.base)
    const later = this.#later
    const { tick } = kept.bundle
    const report = this.#world.base.run(tick, () => later.simulation.step(kept.bundle))
    later.simulation.syncHashWordsAt(tick, this.#words)
    if (this.#words[0] === kept.lo && this.#words[1] === kept.hi) return undefined
    const original = this.#world.restore('reference', kept.snapshot)
    return makeFinding({
      check: 'later',
      lane: 'later',
      tick,
      sides: [
        { name: 'the first time', copy: original, systemHashes: kept.systemHashes },
        { name: 'the second time', copy: later, systemHashes: report.systemHashes },
      ],
      differences: diffStates(original.simulation, later.simulation),
    })
  }
}
