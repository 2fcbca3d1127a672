/**
 * A stranger is one of a crowd at the doors of a relay: it picks one thing to do after the other, as its
 * seed says, and each is wrong in some way, or right but too often. What it opens, it lets go of before
 * it goes on, or leaves to the relay on purpose.
 */
import type { Prng } from '../../packages/samestep/src/base/prng.ts'

/** The relay, as strangers know it. */
export interface Place {
  readonly port: number
  /** Where UDP clients go, if there is UDP. */
  readonly udp: string | undefined
  readonly hasSignalling: boolean
  /** Matches of honest players, which anybody may watch. */
  readonly honestMatches: readonly string[]
  /**
   * Whether strangers may go without a word where the relay has to wait a minute for them. A run
   * without a long quiet time at its end could not tell them from a leak.
   */
  readonly mayVanish: boolean
}

/** What a stranger has for one act. */
export interface Scene extends Place {
  readonly random: Prng
  /** Where this stranger comes from. */
  readonly address: string
}

/** One thing to do. It takes some seconds at most, and never rejects because of what the relay does. */
export type Act = (scene: Scene) => Promise<void>

/** What a kind of stranger does, by name; all are equally likely. */
export type Repertoire = Readonly<Record<string, Act>>

/** Random bytes of a seed. */
export function bytesOf(random: Prng, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, () => random.u32() & 255)
}
