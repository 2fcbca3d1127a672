import type { Chunk, Fetch, Manifest } from '../../link/transfer/manifest.ts'
import type { OfferedState } from '../../link/transfer/state-offer.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import { DonorFetch } from './donor-fetch.ts'
import type { ReadyState } from './ready-state.ts'
import type { StatePeer } from './state-peer.ts'
import { StateServer } from './state-server.ts'
import { StateVote } from './state-vote.ts'

/** Why there is no state for somebody: nobody has one, or no two of them have the same. */
export type NoState = 'no-donor' | 'no-majority'

/** What a broker needs of the match around it. */
export interface BrokerParts<P extends StatePeer> {
  /** Everybody in the match, in the sequence in which they came. */
  readonly peers: () => readonly P[]
  readonly sealedTick: () => number
  /** The oldest tick that is still kept: a state from before it leads nowhere. */
  readonly firstTick: () => number
  readonly tickRate: number
  /** Whether players are away who may come back, and bring the state with them. */
  readonly hasAbsent: () => boolean
  /** Somebody who waited has a good state: ticks follow from the one after it. */
  begin(peer: P, tick: number, nowMs: number): void
  /** Nobody could give a state, or none was good: whoever waited cannot come in. */
  giveUp(peer: P, why: NoState, nowMs: number): void
  /** A state came, for whoever waited or {@link StateBroker.order}ed it. */
  noteState?(state: OfferedState, nowMs: number): void
  /** What was asked for came to nothing. */
  noteNone?(why: NoState, nowMs: number): void
}

/** What is being done to get a state. */
type Work<P extends StatePeer> =
  | { readonly name: 'idle' }
  | { readonly name: 'voting'; readonly vote: StateVote<P> }
  | { readonly name: 'fetching'; readonly fetch: DonorFetch<P> }

/**
 * Gets the state of a match from a player for somebody who has none. The relay never runs the game, so
 * it believes nobody: all active players are asked what the state after one tick hashes to, and only
 * when a strict majority says the same is one of them asked for the state itself (T-60).
 *
 *     somebody waits ──► voting ──majority──► fetching from a donor ──► ready: everybody who waits
 *                          ▲                       │                    gets the same copy
 *                          │       donor stalls or lies: the next donor
 *                          └── none left, or it was not what was promised: again, at most three times
 *
 * While at most one player is left, a state is kept all the time: when that one reloads the page,
 * nobody else could give it back.
 */
export class StateBroker<P extends StatePeer> {
  readonly #parts: BrokerParts<P>
  readonly #server = new StateServer<P>()
  /** Those who need a state, in the sequence in which they came. */
  readonly #waiting = new Set<P>()
  /** Of those who wait or are being served: how often it came to nothing. */
  readonly #failures = new Map<P, number>()
  #work: Work<P> = idle
  #ready: ReadyState<P> | undefined
  /** Donors whose state was not what they promised: they are not asked again. */
  readonly #liars = new Set<P>()
  #isKeeping = false
  #nextKeepAtMs = Number.POSITIVE_INFINITY
  /** When somebody is asked again after nobody could say anything. */
  #retryAtMs = Number.POSITIVE_INFINITY

  constructor(parts: BrokerParts<P>) {
    this.#parts = parts
  }

  /** The oldest tick that somebody who waits will need; `Infinity` for none. */
  get neededTick(): number {
    const work = this.#work
    const workTick =
      work.name === 'voting' ? work.vote.tick : work.name === 'fetching' ? work.fetch.tick : never
    return Math.min(this.#ready?.tick ?? never, workTick, this.#server.oldestTick) + 1
  }

  /** Whether there is a state at hand from which somebody could go on. */
  get isReady(): boolean {
    return this.#ready !== undefined && this.#ready.tick + 1 >= this.#parts.firstTick()
  }

  /** Those for whom there is no state yet. */
  get waiting(): ReadonlySet<P> {
    return this.#waiting
  }

  /** Whether somebody waits for a state, or is getting one. */
  isWaiting(peer: P): boolean {
    return this.#waiting.has(peer) || this.#server.isServing(peer)
  }

  /** Somebody has no state, and wants one. */
  want(peer: P, nowMs: number): void {
    this.#server.forget(peer)
    this.#waiting.add(peer)
    if (!this.#failures.has(peer)) this.#failures.set(peer, 0)
    this.#serve(nowMs)
  }

  /**
   * Somebody has another state than most, and wants theirs. It has no part in what is going on, neither
   * as a voter nor as a donor, and gets none that was agreed on before.
   */
  renew(peer: P, nowMs: number): void {
    this.#ready = undefined
    this.forget(peer, nowMs)
    this.want(peer, nowMs)
  }

  /** Asks for a state for others than those who wait here. False when nobody could give one. */
  order(nowMs: number): boolean {
    if (this.#work.name !== 'idle') return true
    if (this.#voters(nowMs).length + this.#helpers(nowMs).length === 0) return false
    this.#startVote(nowMs)
    return true
  }

  /** Somebody goes on over another link. */
  handleMoved(peer: P, nowMs: number): void {
    if (this.#work.name === 'fetching') this.#work.fetch.handleMoved(peer, nowMs)
  }

  /** Somebody is gone, or lost its link: nothing is kept for it, and nothing is expected of it (T-62). */
  forget(peer: P, nowMs: number): void {
    this.#dismiss(peer)
    this.#liars.delete(peer)
    const work = this.#work
    if (work.name === 'voting') {
      work.vote.forget(peer)
      this.#settleVote(work.vote, nowMs)
    }
    if (work.name === 'fetching' && work.fetch.forget(peer, nowMs)) this.#settleFetch(nowMs)
  }

  /** Keeps a state at hand while few are left who could give one. */
  setKeeping(isKeeping: boolean, nowMs: number): void {
    const isGoing = isKeeping && this.#nextKeepAtMs !== never
    this.#isKeeping = isKeeping
    if (!isGoing) this.#nextKeepAtMs = isKeeping && this.#voters(nowMs).length > 0 ? nowMs : never
  }

  /** A player says what the state after a tick hashes to. */
  handleState(peer: P, tick: number, hash: Uint8Array, nowMs: number): void {
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

  /** Somebody asks for a part of the state that it was told of. Gives whether that counts as progress. */
  handleFetch(peer: P, fetch: Fetch, nowMs: number): boolean {
    return this.#server.handleFetch(peer, fetch, nowMs)
  }

  /** Somebody loaded the state, or says that it is not what was promised. */
  handleLoaded(peer: P, tick: number, isGood: boolean, nowMs: number): void {
    if (!this.#server.isServing(peer)) return
    if (isGood && tick + 1 >= this.#parts.firstTick()) {
      this.#dismiss(peer)
      this.#parts.begin(peer, tick, nowMs)
      return
    }
    // The donor is suspected, not condemned: whoever says so may be the one who lies. So it is not
    // asked first the next time, and that is all.
    const ready = this.#ready
    if (!isGood && ready !== undefined && ready.tick === tick) {
      this.#liars.add(ready.donor)
      this.#ready = undefined
    }
    this.#server.forget(peer)
    this.#waiting.add(peer)
    if (this.#noteFailure(peer, 'no-donor', nowMs)) this.#serve(nowMs)
  }

  handleTime(nowMs: number): void {
    this.#server.handleTime(nowMs)
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
    if (nowMs >= this.#nextKeepAtMs) this.#keep(nowMs)
    if (nowMs >= this.#retryAtMs) this.#serve(nowMs)
    this.#dropOld(nowMs)
  }

  wakeAtMs(): number {
    const work = this.#work
    const workAtMs =
      work.name === 'voting'
        ? work.vote.untilMs
        : work.name === 'fetching'
          ? work.fetch.wakeAtMs()
          : Number.POSITIVE_INFINITY
    const oldAtMs = this.#isKeeping ? never : (this.#ready?.dropAtMs ?? never)
    const ownAtMs = Math.min(this.#nextKeepAtMs, this.#retryAtMs)
    return Math.min(workAtMs, oldAtMs, ownAtMs, this.#server.wakeAtMs())
  }

  /** The relay stood still for so long: nobody was slow in that time (F-14). */
  excuse(lostMs: number): void {
    const work = this.#work
    if (work.name === 'voting') work.vote.untilMs += lostMs
    if (work.name === 'fetching') work.fetch.excuse(lostMs)
  }

  /** While nobody is there who could give one, what is there stays, and nothing is asked. */
  #keep(nowMs: number): void {
    const hasVoter = this.#voters(nowMs).length > 0
    this.#nextKeepAtMs = hasVoter ? nowMs + keepEveryMs : never
    if (hasVoter && this.#work.name === 'idle') this.#startVote(nowMs)
  }

  #voters(nowMs: number): P[] {
    return this.#parts.peers().filter((peer) => peer.canVote(nowMs) && !this.isWaiting(peer))
  }

  /** Those who have the state and whose word does not count. */
  #helpers(nowMs: number): P[] {
    return this.#parts
      .peers()
      .filter((peer) => peer.canHelp?.(nowMs) === true && !this.isWaiting(peer))
  }

  /** Gives what is ready to all who wait, or sees to it that something will be. */
  #serve(nowMs: number): void {
    this.#retryAtMs = never
    if (this.#waiting.size === 0) return
    const ready = this.#ready
    if (ready === undefined || ready.tick + 1 < this.#parts.firstTick()) {
      this.#ready = undefined
      if (this.#work.name === 'idle') this.#startVote(nowMs)
      return
    }
    ready.dropAtMs = nowMs + readyMs
    for (const peer of [...this.#waiting]) {
      // One player alone could give it any state at all: others may be back for the next vote.
      if (peer.isResyncing === true && !ready.state.manifest.isAgreed) {
        this.#ready = undefined
        if (this.#noteFailure(peer, 'no-majority', nowMs)) this.#retryAtMs = nowMs + retryMs
        continue
      }
      this.#waiting.delete(peer)
      this.#server.serve(peer, ready.state, nowMs)
    }
  }

  #startVote(nowMs: number): void {
    const { sealedTick, tickRate } = this.#parts
    const helpers = this.#helpers(nowMs)
    const players = this.#voters(nowMs)
    // Where nobody else is there, a witness is all there is: it cannot be checked, as any who is alone.
    const voters = players.length > 0 ? players : helpers
    if (voters.length === 0) {
      // Whoever is expected back is waited for: until then, nothing has come to nothing.
      if (this.#parts.hasAbsent()) this.#retryAtMs = nowMs + retryMs
      else this.#retry('no-donor', nowMs)
      return
    }
    const tick = sealedTick() + Math.ceil((aheadMs * tickRate) / 1_000)
    const vote = new StateVote(tick, voters, nowMs + aheadMs + voteMs, helpers)
    this.#work = { name: 'voting', vote }
    const bytes = encodeMessage('RelayAskState', { tick })
    for (const { channel } of new Set([...voters, ...helpers])) channel?.sendControl(bytes, nowMs)
  }

  #settleVote(vote: StateVote<P>, nowMs: number): void {
    if (vote.isDecided) this.#endVote(vote, nowMs)
  }

  #endVote(vote: StateVote<P>, nowMs: number): void {
    const result = vote.result()
    this.#work = idle
    if (result === undefined) {
      this.#retry('no-majority', nowMs)
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
    if (fetch.isOver) {
      this.#work = idle
      this.#retry('no-donor', nowMs)
      return
    }
    const state = fetch.result()
    if (state === undefined) return
    this.#work = idle
    this.#ready = { ...state, dropAtMs: nowMs + readyMs }
    this.#parts.noteState?.(state.state, nowMs)
    this.#serve(nowMs)
  }

  /** It came to nothing: once more in a while, for those for whom it did not too often. */
  #retry(why: NoState, nowMs: number): void {
    this.#parts.noteNone?.(why, nowMs)
    for (const peer of [...this.#waiting]) this.#noteFailure(peer, why, nowMs)
    if (this.#waiting.size > 0) this.#retryAtMs = nowMs + retryMs
  }

  /** Gives whether somebody may try again. */
  #noteFailure(peer: P, why: NoState, nowMs: number): boolean {
    const failures = (this.#failures.get(peer) ?? 0) + 1
    this.#failures.set(peer, failures)
    if (failures < failuresMax) return true
    this.#dismiss(peer)
    this.#parts.giveUp(peer, why, nowMs)
    return false
  }

  #dismiss(peer: P): void {
    this.#waiting.delete(peer)
    this.#server.forget(peer)
    this.#failures.delete(peer)
  }

  /** What nobody asked for in a while is not worth its memory, nor the log behind it. */
  #dropOld(nowMs: number): void {
    const ready = this.#ready
    if (ready === undefined || this.#isKeeping || nowMs < ready.dropAtMs) return
    if (this.#server.isServingAny) ready.dropAtMs = nowMs + readyMs
    else this.#ready = undefined
  }
}

const idle = { name: 'idle' } as const

const never = Number.POSITIVE_INFINITY

/**
 * How far ahead the tick lies whose state is asked for: everybody hears of it before running it, also
 * over a slow line.
 */
const aheadMs = 500

/** How long after that tick players may take to say what they have. */
const voteMs = 3_000

/** How long a state is kept for the next one who comes: a party arrives within a few seconds. */
const readyMs = 20_000

/** How often a state is fetched again where only one player could give it. */
const keepEveryMs = 20_000

/** Votes, donors and downloads that come to nothing before somebody is told that it cannot be done. */
const failuresMax = 3

/** How soon players are asked again when they could not say what the state is. */
const retryMs = 2_000
