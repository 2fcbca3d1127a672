import { unreachable } from '../../base/assert.ts'
import type { Members } from '../../room/members.ts'
import type { BundleLog } from '../match/bundle-log.ts'
import type { Fault } from '../match/match-types.ts'
import type { Session } from '../match/session.ts'
import type { NoState } from './state-broker.ts'
import { StateBroker } from './state-broker.ts'
import type { StateMessage } from './state-message.ts'

/** What the states of a match need of the match around them. */
export interface StateParts {
  readonly members: Members<Session>
  readonly log: BundleLog
  readonly tickRate: number
  /** Whether a state is kept for a player who is alone and may reload the page. */
  readonly isKeeping: boolean
  isRunning(): boolean
  /** Somebody who waited plays from the next tick on. */
  sit(seat: number): void
  /** Somebody cannot be let in. */
  expel(session: Session, fault: Fault, nowMs: number): void
}

/**
 * Who in a match has no state to go on from, and how each of them gets one: newcomers to a match that
 * runs, reloaded pages, and those who were away for longer than the log reaches back.
 */
export class MatchStates {
  readonly #parts: StateParts
  readonly #broker: StateBroker<Session>
  #settleAtMs = 0

  constructor(parts: StateParts) {
    this.#parts = parts
    this.#broker = new StateBroker<Session>({
      peers: () => parts.members.sessions,
      sealedTick: () => parts.log.sealedTick,
      firstTick: () => parts.log.firstTick,
      tickRate: parts.tickRate,
      hasAbsent: () =>
        parts.members.list.some(({ seat, session }) => seat !== undefined && !session.isConnected),
      begin: (session, tick, nowMs) => this.#begin(session, tick, nowMs),
      giveUp: (session, why, nowMs) => parts.expel(session, faults[why], nowMs),
    })
  }

  /** The oldest tick that somebody who waits will need; `Infinity` for none. */
  get neededTick(): number {
    return this.#broker.neededTick
  }

  /** Whether a client that has so many ticks cannot be sent the rest of them. */
  isNeeded(haveTick: number): boolean {
    const { log } = this.#parts
    if (!this.#parts.isRunning()) return false
    const isLong = haveTick === 0 && log.sealedTick * 1_000 > replayMsMax * this.#parts.tickRate
    return isLong || haveTick + 1 < log.firstTick
  }

  /** A link carries a session; if it waits for a state, it is given one. */
  handleAttached(session: Session, nowMs: number): void {
    if (session.isWaitingForState) {
      this.#broker.want(session, nowMs)
    }
    this.settle(nowMs)
  }

  /** A link is lost, or somebody is gone. */
  handleDetached(session: Session, nowMs: number): void {
    this.#broker.forget(session, nowMs)
    this.settle(nowMs)
  }

  /** @throws WireError when a donor sends what it did not announce. */
  handle(session: Session, message: StateMessage, nowMs: number): void {
    const { liveness } = session.guard
    const broker = this.#broker
    switch (message.name) {
      case 'ClientState':
        broker.handleState(session, message.body.tick, message.body.hash, nowMs)
        break
      case 'ClientManifest':
        broker.handleManifest(session, message.body, nowMs)
        break
      case 'ClientChunk':
        broker.handleChunk(session, message.body, nowMs)
        break
      case 'ClientFetch':
        // Each wish for more shows that it gets further.
        if (broker.handleFetch(session, message.body, nowMs)) liveness.noteProgress(nowMs)
        break
      case 'ClientLoaded':
        broker.handleLoaded(session, message.body.tick, message.body.isGood, nowMs)
        break
      default:
        unreachable(message)
    }
    liveness.handlePacket(nowMs)
  }

  handleTime(nowMs: number): void {
    if (nowMs >= this.#settleAtMs) this.settle(nowMs)
    this.#broker.handleTime(nowMs)
    // Asked first: an iterator makes garbage in every tick of every match.
    if (this.#broker.waiting.size === 0) return
    // Whoever waits for us is not slow.
    for (const { guard } of this.#broker.waiting) guard.liveness.noteProgress(nowMs)
  }

  wakeAtMs(): number {
    return this.#broker.wakeAtMs()
  }

  excuse(lostMs: number): void {
    this.#broker.excuse(lostMs)
  }

  /** Looks whether a state has to be kept: while at most one player is there to give it. */
  settle(nowMs: number): void {
    const { members, isKeeping, log, isRunning, tickRate } = this.#parts
    this.#settleAtMs = nowMs + settleMs
    if (!isKeeping) return
    let able = 0
    for (const session of members.sessions) if (session.canVote) able += 1
    const isLong = log.sealedTick * 1_000 > replayMsMax * tickRate
    this.#broker.setKeeping(able <= 1 && isLong && isRunning(), nowMs)
  }

  #begin(session: Session, tick: number, nowMs: number): void {
    const isNewcomer = session.beginAt(tick)
    const { log } = this.#parts
    session.guard.liveness.handleLinkUp(log.sealedTick - tick, nowMs)
    if (isNewcomer && session.seat !== undefined) this.#parts.sit(session.seat)
  }
}

const faults: Readonly<Record<NoState, Fault>> = {
  'no-donor': {
    reason: 'no-state',
    message: 'Nobody in the match could give you its state',
  },
  'no-majority': {
    reason: 'no-state',
    message: 'The players of the match do not agree on its state',
  },
}

/** How often it is looked who is there to give a state; coming and going is noticed at once. */
const settleMs = 1_000

/** Matches younger than this are run from their beginning: that takes less than a download. */
const replayMsMax = 10_000
