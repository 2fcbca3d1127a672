import { toHex } from '../../sim/hash/hex.ts'

/** What most players agree on. */
export interface VoteResult<P> {
  readonly hash: Uint8Array
  /** Those who said so, in the sequence in which they said it: the first ones are quick. */
  readonly peers: readonly P[]
  /** Whether a strict majority of all players reported it, and at least two: one alone proves nothing (T-63). */
  readonly isAgreed: boolean
}

/**
 * What the state after one tick hashes to, by strict majority of all players who were asked. Silence
 * counts as a vote for nothing: half of the players never decide.
 */
export class StateVote<P> {
  readonly tick: number
  /** When those who said nothing are not waited for any more. */
  untilMs: number
  readonly #voters: Set<P>
  readonly #helpers: Set<P>
  /** The number of players who were asked or expected back. */
  readonly #electors: number
  /** What each helper says. */
  readonly #offered = new Map<P, string>()
  readonly #said = new Map<P, string>()
  readonly #hashes = new Map<string, { readonly hash: Uint8Array; readonly peers: P[] }>()

  /**
   * `helpers` say what they have and may give it, and count for nothing. `away` is the
   * number of further players who are expected back.
   */
  constructor(
    tick: number,
    voters: readonly P[],
    untilMs: number,
    helpers: readonly P[] = [],
    away = 0,
  ) {
    this.tick = tick
    this.#electors = voters.length + away
    this.#voters = new Set(voters)
    this.#helpers = new Set(helpers)
    this.untilMs = untilMs
  }

  /** Counts what somebody says: once, and only of those who were asked. */
  add(peer: P, hash: Uint8Array): void {
    const key = toHex(hash)
    if (this.#helpers.has(peer)) this.#offered.set(peer, key)
    if (!this.#voters.has(peer) || this.#said.has(peer)) return
    this.#said.set(peer, key)
    const entry = this.#hashes.get(key)
    if (entry === undefined) this.#hashes.set(key, { hash, peers: [peer] })
    else entry.peers.push(peer)
  }

  /** Somebody is gone: neither a vote nor a donor. */
  forget(peer: P): void {
    this.#helpers.delete(peer)
    this.#offered.delete(peer)
    if (!this.#voters.delete(peer)) return
    const key = this.#said.get(peer)
    const peers = key === undefined ? undefined : this.#hashes.get(key)?.peers
    peers?.splice(peers.indexOf(peer), 1)
    this.#said.delete(peer)
  }

  /** Whether there is a majority, or can be none any more. */
  get isDecided(): boolean {
    if (this.#said.size === this.#voters.size) return true
    return this.result() !== undefined
  }

  /** What a strict majority said; `undefined` when there is none. */
  result(): VoteResult<P> | undefined {
    for (const { hash, peers } of this.#hashes.values()) {
      if (peers.length > 0 && peers.length * 2 > this.#voters.size) {
        const helpers = [...this.#offered].filter(([, said]) => said === toHex(hash))
        const donors = [...peers, ...helpers.map(([peer]) => peer)]
        const isAgreed = peers.length > 1 && peers.length * 2 > this.#electors
        return { hash, peers: donors, isAgreed }
      }
    }
    return undefined
  }
}
