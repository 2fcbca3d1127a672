import type { MatchSeed, SeedPurpose } from './seed.ts'
import {
  absorb,
  closeLanes,
  forFreeEffects,
  forSyncedEffects,
  openLanes,
  seedText,
} from './seed.ts'
import type { MutableArrayLike } from './xoshiro.ts'
import { RandomStream, wordsPerStream } from './xoshiro.ts'

/**
 * Randomness for effects that are only seen or heard. There are three kinds, kept apart by their types:
 *
 * - whatever affects the game draws from the simulation's `Random`;
 * - effects that may look different on every machine draw from a {@link CosmeticRandom};
 * - effects that should look the same for everybody without touching the simulation (the way a tree falls)
 *   use a {@link SyncedCosmetic}, which is computed from seed, tick and entity.
 *
 * Neither of the last two is a `RandomStream`: simulation code cannot be passed an effect's generator by
 * mistake, and effects never advance the simulation's random numbers.
 */
export class CosmeticRandom {
  /** The words under the generator. */
  readonly #words: Uint32Array
  readonly #stream: RandomStream

  /** Any number is a valid seed; equal seeds give equal effects. */
  constructor(seed: number) {
    this.#words = new Uint32Array(wordsPerStream)
    this.#stream = new RandomStream(this.#words)
    this.restart(forFreeEffects, String(seed), '')
    closeLanes(this.#words)
  }

  /** Opens the lanes of a derived generator; it then absorbs what it wants and closes them. */
  protected restart(purpose: SeedPurpose, seed: string, name: string): Uint32Array {
    openLanes(this.#words, purpose, seed, name)
    return this.#words
  }

  /** The next 32 bits: an integer from 0 to 2^32 - 1. */
  next(): number {
    return this.#stream.next()
  }

  /** A number from 0 to just below 1, in steps of 2^-32. Effects may have floats; ticks may not. */
  unit(): number {
    return this.#stream.next() / 0x1_0000_0000
  }

  /** A number from `lowest` to `highest`. */
  range(lowest: number, highest: number): number {
    return lowest + (highest - lowest) * this.unit()
  }

  /** See {@link RandomStream.below}. */
  below(n: number): number {
    return this.#stream.below(n)
  }

  /** See {@link RandomStream.between}. */
  between(lowest: number, highest: number): number {
    return this.#stream.between(lowest, highest)
  }

  /** See {@link RandomStream.chance}. */
  chance(n: number, d: number): boolean {
    return this.#stream.chance(n, d)
  }

  /** See {@link RandomStream.bool}. */
  bool(): boolean {
    return this.#stream.bool()
  }

  /** See {@link RandomStream.shuffle}. */
  shuffle<A extends MutableArrayLike<unknown>>(items: A): A {
    return this.#stream.shuffle(items)
  }

  /** See {@link RandomStream.pick}. */
  pick<T>(items: ArrayLike<T>): T {
    return this.#stream.pick(items)
  }

  /** See {@link RandomStream.weighted}. */
  weighted(weights: ArrayLike<number>): number {
    return this.#stream.weighted(weights)
  }
}

/**
 * Randomness for effects that are the same for everybody, computed from the match seed, a salt, a tick and
 * an entity. Keep one and move it with {@link at}, which allocates nothing:
 *
 * ```ts
 * const angle = sparks.at(tick, unit).below(360)
 * ```
 */
export class SyncedCosmetic extends CosmeticRandom {
  /** The lanes after seed and salt, from which every position continues. */
  readonly #base: Uint32Array
  readonly #lanes: Uint32Array

  /**
   * Effects with different salts are independent of each other. Starts at tick 0, entity 0.
   *
   * @throws UsageError `SS_BAD_ARGUMENT` for an invalid seed.
   */
  constructor(matchSeed: MatchSeed, salt = '') {
    super(0)
    this.#lanes = this.restart(forSyncedEffects, seedText(matchSeed), salt)
    this.#base = this.#lanes.slice()
    this.at(0, 0)
  }

  /** Moves to the start of the sequence of this tick and entity. Both are integers. */
  at(tick: number, entity: number): this {
    const lanes = this.#lanes
    lanes.set(this.#base)
    absorb(lanes, tick >>> 0)
    absorb(lanes, Math.floor(tick / 0x1_0000_0000) >>> 0)
    absorb(lanes, entity >>> 0)
    absorb(lanes, Math.floor(entity / 0x1_0000_0000) >>> 0)
    closeLanes(lanes)
    return this
  }
}

/** Creates a {@link SyncedCosmetic} at a tick and an entity, for a single effect. */
export function syncedCosmetic(
  matchSeed: MatchSeed,
  tick: number,
  entity: number,
  salt = '',
): SyncedCosmetic {
  return new SyncedCosmetic(matchSeed, salt).at(tick, entity)
}
