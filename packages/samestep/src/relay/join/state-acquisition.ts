import type { Chunk, Manifest } from '../../link/transfer/manifest.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import { DonorFetch, type FetchedState } from './donor-fetch.ts'
import type { StatePeer } from './state-peer.ts'
import type { NoState } from './state-server.ts'
import { StateVote } from './state-vote.ts'

/** What getting a state needs of the match around it, and who is told what came of it. */
export interface AcquisitionParts<P extends StatePeer> {
  /** Everybody in the match, in the sequence in which they came. */
  readonly peers: () => readonly P[]
  readonly sealedTick: () => number
  readonly tickRate: number
  /** Whether somebody needs a state itself, so that it has none to give. */
  isWaiting(peer: P): boolean
  handleState(fetched: FetchedState<P>, nowMs: number): void
  handleNone(why: NoState, nowMs: number): void
}

/** What is being done to get a state. */
type Work<P extends StatePeer> =
  | { readonly name: 'idle' }
  | { readonly name: 'voting'; readonly vote: StateVote<P> }
  | { readonly name: 'fetching'; readonly fetch: DonorFetch<P> }

/**
 * Gets the state of a match from its players, one at a time. All active players are asked what the
 * state after one tick hashes to, and only when a strict majority says the same is one of them asked
 * for the state itself (T-60).
 *
 *     start ──► voting ──majority──► fetching from a donor ──► handleState
 *                  │                   │  └ donor stalls or lies: the next donor
 *                  └── no majority ────┴── none left ────────► handleNone
 */
export class StateAcquisition<P extends StatePeer> {
  readonly #parts: AcquisitionParts<P>
  #work: Work<P> = idle
  /** Donors whose state was not what they promised: they are not asked first. */
  readonly #liars = new Set<P>()

  constructor(parts: AcquisitionParts<P>) {
    this.#parts = parts
  }

  get isIdle(): boolean {
    return this.#work.name === 'idle'
  }

  /** The tick whose state is on its way; `Infinity` when none is. */
  get tick(): number {
    const work = this.#work
    if (work.name === 'voting') return work.vote.tick
    return work.name === 'fetching' ? work.fetch.tick : Number.POSITIVE_INFINITY
  }

  /** Whether somebody is there whose word counts. */
  hasVoter(nowMs: number): boolean {
    return this.#voters(nowMs).length > 0
  }

  /**
   * Whether a state that came from a single player can be checked now or soon: other players are here,
   * or have just lost their links. After a crash, the first to return must not decide for everyone.
   */
  canCheck(nowMs: number): boolean {
    return this.#voters(nowMs).length > 1 || this.#expectedCount(nowMs) > 0
  }

  /** Whether enough players are here for a strict majority of all, including those expected back. */
  isQuorate(nowMs: number): boolean {
    const expected = this.#expectedCount(nowMs)
    return expected === 0 || this.#voters(nowMs).length > expected
  }

  /** Asks what the state is. False when nobody is there who could say. */
  start(nowMs: number): boolean {
    const { sealedTick, tickRate } = this.#parts
    const helpers = this.#helpers(nowMs)
    const players = this.#voters(nowMs)
    // Where nobody else is there, a witness is all there is: it cannot be checked, as any who is alone.
    const voters = players.length > 0 ? players : helpers
    if (voters.length === 0) return false
    const tick = sealedTick() + Math.ceil((aheadMs * tickRate) / 1_000)
    const away = this.#expectedCount(nowMs)
    const vote = new StateVote(tick, voters, nowMs + aheadMs + voteMs, helpers, away)
    this.#work = { name: 'voting', vote }
    const bytes = encodeMessage('RelayAskState', { tick })
    for (const { channel } of new Set([...voters, ...helpers])) channel?.sendControl(bytes, nowMs)
    return true
  }

  /**
   * Somebody says that a donor's state is not what was promised. The donor is suspected, not condemned:
   * whoever says so may be the one who lies. So it is not asked first the next time, and that is all.
   */
  suspect(donor: P): void {
    this.#liars.add(donor)
  }

  /** Somebody goes on over another link. */
  handleMoved(peer: P, nowMs: number): void {
    if (this.#work.name === 'fetching') this.#work.fetch.handleMoved(peer, nowMs)
  }

  /** Somebody is gone, or lost its link: nothing is expected of it (T-62). */
  forget(peer: P, nowMs: number): void {
    this.#liars.delete(peer)
    const work = this.#work
    if (work.name === 'voting') {
      work.vote.forget(peer)
      this.#settleVote(work.vote, nowMs)
    }
    if (work.name === 'fetching' && work.fetch.forget(peer, nowMs)) this.#settleFetch(nowMs)
  }

  /** A player says what the state after a tick hashes to. */
  handleHash(peer: P, tick: number, hash: Uint8Array, nowMs: number): void {
    const work = this.#work
    if (work.name !== 'voting' || work.vote.tick !== tick) return
    work.vote.add(peer, hash)
    this.#settleVote(work.vote, nowMs)
  }

  /** @throws WireError when the donor sends what contradicts itself. */
  handleManifest(peer: P, manifest: Manifest, nowMs: number): void {
    if (this.#work.name !== 'fetching') return
    this.#work.fetch.handleManifest(peer, manifest, nowMs)
    this.#settleFetch(nowMs)
  }

  /** @throws WireError when the donor sends what it did not announce. */
  handleChunk(peer: P, chunk: Chunk, nowMs: number): void {
    if (this.#work.name !== 'fetching') return
    this.#work.fetch.handleChunk(peer, chunk, nowMs)
    this.#settleFetch(nowMs)
  }

  handleTime(nowMs: number): void {
    const work = this.#work
    if (work.name === 'voting' && nowMs >= work.vote.untilMs) {
      // Ticks that wait for inputs come later than their rate says: nobody can have that state yet.
      if (this.#parts.sealedTick() < work.vote.tick) work.vote.untilMs = nowMs + voteMs
      else this.#endVote(work.vote, nowMs)
    }
    if (work.name === 'fetching') {
      work.fetch.handleTime(nowMs)
      this.#settleFetch(nowMs)
    }
  }

  wakeAtMs(): number {
    const work = this.#work
    if (work.name === 'voting') return work.vote.untilMs
    return work.name === 'fetching' ? work.fetch.wakeAtMs() : Number.POSITIVE_INFINITY
  }

  /** The relay stood still for so long: nobody was slow in that time (F-14). */
  excuse(lostMs: number): void {
    const work = this.#work
    if (work.name === 'voting') work.vote.untilMs += lostMs
    if (work.name === 'fetching') work.fetch.excuse(lostMs)
  }

  #voters(nowMs: number): P[] {
    const { peers, isWaiting } = this.#parts
    return peers().filter((peer) => peer.canVote(nowMs) && !isWaiting(peer))
  }

  #expectedCount(nowMs: number): number {
    let count = 0
    for (const peer of this.#parts.peers()) if (peer.isExpected?.(nowMs) === true) count += 1
    return count
  }

  /** Those who have the state and whose word does not count. */
  #helpers(nowMs: number): P[] {
    const { peers, isWaiting } = this.#parts
    return peers().filter((peer) => peer.canHelp?.(nowMs) === true && !isWaiting(peer))
  }

  #settleVote(vote: StateVote<P>, nowMs: number): void {
    if (vote.isDecided) this.#endVote(vote, nowMs)
  }

  #endVote(vote: StateVote<P>, nowMs: number): void {
    const result = vote.result()
    this.#work = idle
    if (result === undefined) {
      this.#parts.handleNone('no-majority', nowMs)
      return
    }
    const donors = result.peers.filter((peer) => !this.#liars.has(peer))
    const candidates = donors.length > 0 ? donors : result.peers
    const fetch = new DonorFetch(vote.tick, result, candidates, nowMs)
    this.#work = { name: 'fetching', fetch }
    this.#settleFetch(nowMs)
  }

  #settleFetch(nowMs: number): void {
    if (this.#work.name !== 'fetching') return
    const { fetch } = this.#work
    const fetched = fetch.result()
    if (fetched === undefined && !fetch.isOver) return
    this.#work = idle
    if (fetched === undefined) this.#parts.handleNone('no-donor', nowMs)
    else this.#parts.handleState(fetched, nowMs)
  }
}

const idle = { name: 'idle' } as const

/**
 * How far ahead the tick lies whose state is asked for: everybody hears of it before running it, also
 * over a slow line.
 */
const aheadMs = 500

/** How long after that tick players may take to say what they have. */
const voteMs = 3_000
