import type { SyncTree } from '../../sim/hash/sync-tree.ts'
import { BundleHistory } from './bundle-history.ts'
import { ChainHistory } from './chain-history.ts'
import { LeafHistory } from './leaf-history.ts'
import type { StateSaver } from './snapshot-ring.ts'
import { SnapshotRing } from './snapshot-ring.ts'

/** What is kept of a match while it runs. */
export interface RecentSource extends StateSaver {
  /** The tick that ran last. */
  readonly tick: number
  /** How fast the match is played, after that tick. */
  readonly speedPercent: number
  /** The chain over the sync hashes of all ticks up to it. */
  readonly chain: Uint32Array
  /** The hash tree of its state. */
  readonly tree: SyncTree
}

/**
 * What a client keeps of its last seconds, so that a desync that is found later can be explained: enough
 * to say what its state was hashed to after each tick, and to run each of them again.
 *
 *     every tick     chain, hashes of the leaves, the bundle       60 s; 20 s of a fast match
 *     every second   the state                                     up to 16 s
 *
 * It is bounded in bytes, whatever the game, and makes no garbage in ticks.
 */
export class RecentTicks {
  readonly chains: ChainHistory
  readonly leaves: LeafHistory
  readonly bundles: BundleHistory
  readonly states: SnapshotRing
  readonly #source: RecentSource
  readonly #tickRate: number
  readonly #isKept: boolean
  /** The fastest so far. */
  #speedPercent = 100

  constructor(source: RecentSource, tickRate: number, bytesMax: number) {
    const ticks = ticksKept(tickRate, this.#speedPercent)
    this.#source = source
    this.#tickRate = tickRate
    this.#isKept = bytesMax > 0
    this.chains = new ChainHistory(bytesMax === 0 ? 1 : ticks)
    this.leaves = new LeafHistory(ticks, Math.floor(bytesMax / 8))
    this.bundles = new BundleHistory(ticks, Math.floor(bytesMax / 8))
    this.states = new SnapshotRing(Math.floor((bytesMax * 3) / 4))
  }

  /** Bytes that are kept in all. */
  get bytes(): number {
    return this.leaves.bytes + this.bundles.bytes + this.states.bytes
  }

  /** A tick has run, with this bundle. */
  noteRan(bundle: Uint8Array): void {
    const { tick, speedPercent } = this.#source
    if (speedPercent > this.#speedPercent) this.#makeRoom(speedPercent)
    this.bundles.note(tick, bundle)
    this.#noteState(tick)
  }

  /** The match begins at the tick at which it is: after setup, or with a state from elsewhere. */
  start(): void {
    const { tick, speedPercent } = this.#source
    if (speedPercent > this.#speedPercent) this.#makeRoom(speedPercent)
    this.chains.clear()
    this.leaves.clear()
    this.states.clear()
    this.bundles.clear(tick + 1)
    this.#noteState(tick)
    // The next one may be a second away, and joining is when states go wrong.
    if (tick % this.#tickRate !== 0) this.states.keep(tick, this.#source, 0)
  }

  /** Everybody agreed on the state after this tick. */
  noteCompared(tick: number): void {
    this.states.noteCompared(tick)
  }

  /**
   * The match is played faster than ever before. Room for the fastest of all from the start would be several
   * times the memory, which each tick writes to at another place: it would never be in a cache.
   */
  #makeRoom(speedPercent: number): void {
    this.#speedPercent = speedPercent
    if (!this.#isKept) return
    const ticks = ticksKept(this.#tickRate, speedPercent)
    this.chains.makeRoom(ticks)
    this.leaves.makeRoom(ticks)
    this.bundles.makeRoom(ticks)
  }

  #noteState(tick: number): void {
    const source = this.#source
    this.chains.note(tick, source.chain)
    this.leaves.note(tick, source.tree)
    // At the same ticks on every machine, so that two of them have states to compare.
    if (tick % this.#tickRate !== 0) return
    this.states.keep(tick, source, this.bundles.oldestTick - 1)
  }
}

/** Ticks that are kept when a match was never faster than this. */
function ticksKept(tickRate: number, speedPercent: number): number {
  const wanted = (tickRate * speedPercent) / 100
  const perSecond = Math.max(tickRate, Math.min(wanted, usualTicksPerSecond))
  const usual = Math.min((tickRate * usualMs) / 1_000, (usualTicksPerSecond * keptMs) / 1_000)
  return Math.ceil(Math.max((perSecond * keptMs) / 1_000, usual))
}

const usualTicksPerSecond = 240

/** How long ticks are remembered at any speed: as long as a relay keeps what it was told of them. */
const keptMs = 20_000

/**
 * At the usual speed, for as long as somebody may be away and keep the seat: what a hidden page runs when it is
 * shown again may have gone wrong as long ago.
 */
const usualMs = 60_000

/** Bytes that a client keeps by default: some states of a large game, many of a small one. */
export const recentBytesDefault = 8 * 1_024 * 1_024
