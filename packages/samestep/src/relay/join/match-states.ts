import { unreachable } from '../../base/assert.ts'
import { chunkCount } from '../../link/transfer/manifest.ts'
import type { OfferedState } from '../../link/transfer/state-offer.ts'
import type { Members } from '../../room/members.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import type { Fault, MatchEvent } from '../match/match-types.ts'
import type { Session } from '../match/session.ts'
import type { BundleLog } from '../match/ticks/bundle-log.ts'
import type { DelayedView } from '../match/ticks/delayed-view.ts'
import { isStateCheaper } from './return-cost.ts'
import { StateBroker } from './state-broker.ts'
import type { StateMessage } from './state-message.ts'
import type { NoState } from './state-server.ts'
import { StateShelf } from './state-shelf.ts'

/** What the states of a match need of the match around them. */
export interface StateParts {
  readonly members: Members<Session>
  readonly log: BundleLog
  readonly tickRate: number
  /** How many of them there are in a second, at the speed of now. */
  ticksPerSecond(): number
  /** What spectators may see, in a match that they see later than it happens. */
  readonly view?: DelayedView | undefined
  /** Whether a state is kept for a player who is alone and may reload the page. */
  readonly isKeeping: boolean
  isRunning(): boolean
  /** Somebody who waited plays from the next tick on. */
  sit(seat: number): void
  /** Somebody who gets a state is a step further, which others are to see. */
  handleStage(nowMs: number): void
  /** Somebody who waited has the state, and may have a seat to go back to. */
  handleBack(session: Session, nowMs: number): void
  emit(event: MatchEvent): void
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
  /** Where states wait for those who see the match later. */
  readonly #shelf: StateShelf<Session> | undefined
  #settleAtMs = 0
  /** What the newest state took on the way. */
  #stateBytes: number | undefined

  constructor(parts: StateParts) {
    this.#parts = parts
    this.#broker = new StateBroker<Session>({
      peers: () => parts.members.sessions,
      sealedTick: () => parts.log.sealedTick,
      firstTick: () => parts.log.firstTick,
      tickRate: parts.tickRate,
      hasAbsent: () => this.#hasAbsent,
      begin: (...begun) => this.#begin(...begun),
      giveUp: (...givenUp) => this.#giveUp(...givenUp),
      noteState: (state, nowMs) => {
        this.#stateBytes = travelBytes(state)
        // By the time delayed spectators get it, the other players will have been back for long.
        if (this.#broker.isUnchecked(state, nowMs)) this.#shelf?.noteUnchecked(nowMs)
        else this.#shelf?.add(state, nowMs)
      },
      noteNone: (why, nowMs) => this.#shelf?.noteNone(why, nowMs),
    })
    this.#shelf = parts.view && this.#makeShelf(parts.view)
  }

  /** The oldest tick that somebody who waits will need; `Infinity` for none. */
  get neededTick(): number {
    return Math.min(this.#broker.neededTick, this.#shelf?.neededTick ?? Number.POSITIVE_INFINITY)
  }

  /** Whether a client that has so many ticks is not sent the rest of them, but a state. */
  isNeeded(session: Session, haveTick: number, nowMs: number): boolean {
    const { log } = this.#parts
    if (!this.#parts.isRunning()) return false
    const lastTick = Math.min(log.sealedTick, session.visibleTick)
    const isLong = haveTick === 0 && lastTick * 1_000 > replayMsMax * this.#parts.tickRate
    if (isLong || haveTick + 1 < log.firstTick) return true
    return haveTick > 0 && this.#isStateBetter(session, haveTick, nowMs)
  }

  /** Weighs the ticks that somebody missed against a state, which another player would have to give. */
  #isStateBetter(session: Session, haveTick: number, nowMs: number): boolean {
    const { log, members } = this.#parts
    const { isReady } = this.#broker
    const hasDonor = members.sessions.some((other) => other !== session && other.canVote(nowMs))
    // Whoever sees the match later has a state of its own to wait for.
    if (session.isDelayed || !(isReady || hasDonor)) return false
    return isStateCheaper({
      ticksPerSecond: this.#parts.ticksPerSecond(),
      missedTicks: log.sealedTick - haveTick,
      missedBytes: log.bytesAfter(haveTick),
      loadPercent: session.guard.loadPercent,
      lineBytesPerSecond: session.downloadBytesPerSecond,
      stateBytes: this.#stateBytes,
      isStateReady: isReady,
    })
  }

  /** A link carries a session; if it waits for a state, it is given one. */
  handleAttached(session: Session, nowMs: number): void {
    if (session.isWaitingForState) this.#sourceFor(session).want(session, nowMs)
    this.handleSeats(nowMs)
    this.settle(nowMs)
  }

  /**
   * Seats changed hands. Whoever lost one while it waited for the state of now sees the match later from
   * here on: it waits for one that is old enough instead.
   */
  handleSeats(nowMs: number): void {
    const shelf = this.#shelf
    if (shelf === undefined) return
    const { server } = this.#broker
    for (const session of [...server.waiting]) {
      if (!session.isDelayed) continue
      server.forget(session)
      shelf.want(session, nowMs)
    }
  }

  /** Somebody has another state than most: it gives it up, and gets theirs. */
  resync(session: Session, nowMs: number): void {
    session.awaitResync(this.#parts.log.sealedTick)
    // Whoever has no link hears of it when it is back: it is let in again without a state.
    if (!session.isConnected) return
    // The ticks in which its seat changed hands may never run there.
    const { nextOrder: orderNumber, seat, seatTick } = session
    session.send(encodeMessage('RelayResync', { orderNumber, seat, seatTick }), nowMs)
    this.#broker.renew(session, nowMs)
    this.settle(nowMs)
  }

  /** Another link carries a session from here on: what it was sent, or asked for, is sent again. */
  handleMoved(session: Session, nowMs: number): void {
    this.#broker.acquisition.handleMoved(session, nowMs)
    this.handleAttached(session, nowMs)
  }

  /** A link is lost, or somebody is gone. */
  handleDetached(session: Session, nowMs: number): void {
    this.#broker.forget(session, nowMs)
    this.#shelf?.server.forget(session)
    this.settle(nowMs)
  }

  /** @throws WireError when a donor sends what it did not announce. */
  handle(session: Session, message: StateMessage, nowMs: number): void {
    const { liveness } = session.guard
    const { acquisition } = this.#broker
    switch (message.name) {
      case 'ClientState':
        acquisition.handleHash(session, message.body.tick, message.body.hash, nowMs)
        break
      case 'ClientManifest':
        acquisition.handleManifest(session, message.body, nowMs)
        break
      case 'ClientChunk':
        acquisition.handleChunk(session, message.body, nowMs)
        break
      case 'ClientFetch':
        // Each wish for more shows that it gets further.
        if (this.#sourceFor(session).server.handleFetch(session, message.body, nowMs)) {
          liveness.noteProgress(nowMs)
          this.#noteFetching(session, nowMs)
        }
        break
      case 'ClientLoaded':
        this.#handleLoaded(session, message.body, nowMs)
        break
      default:
        unreachable(message)
    }
    liveness.handlePacket(nowMs)
  }

  /** From here on, others see that it downloads. */
  #noteFetching(session: Session, nowMs: number): void {
    const { stateWait } = session
    if (stateWait === undefined || stateWait.isFetching) return
    stateWait.noteFetching(nowMs)
    this.#parts.handleStage(nowMs)
  }

  handleTime(nowMs: number): void {
    if (nowMs >= this.#settleAtMs) this.settle(nowMs)
    this.#broker.handleTime(nowMs)
    this.#excuseWaiting(this.#broker.server.waiting, nowMs)
    if (this.#shelf === undefined) return
    this.#shelf.handleTime(nowMs)
    this.#excuseWaiting(this.#shelf.server.waiting, nowMs)
  }

  wakeAtMs(): number {
    const brokerAtMs = this.#broker.wakeAtMs()
    return this.#shelf === undefined ? brokerAtMs : Math.min(brokerAtMs, this.#shelf.wakeAtMs())
  }

  excuse(lostMs: number): void {
    this.#broker.acquisition.excuse(lostMs)
  }

  /** Looks whether a state has to be kept: while at most one player is there to give it. */
  settle(nowMs: number): void {
    const { members, isKeeping, log, isRunning, tickRate } = this.#parts
    this.#settleAtMs = nowMs + settleMs
    if (!isKeeping) return
    let able = 0
    for (const session of members.sessions) if (session.canVote(nowMs)) able += 1
    const isLong = log.sealedTick * 1_000 > replayMsMax * tickRate
    this.#broker.setKeeping(able <= 1 && isLong && isRunning(), nowMs)
  }

  #makeShelf(view: DelayedView): StateShelf<Session> {
    const { members, log, isRunning } = this.#parts
    return new StateShelf<Session>(view.delayMs, {
      dueAtMs: (tick) => view.dueAtMs(tick),
      firstTick: () => log.firstTick,
      hasAudience: () =>
        isRunning() && members.sessions.some((session) => session.isDelayed && session.isConnected),
      order: (nowMs) => this.#broker.order(nowMs),
      hasAbsent: () => this.#hasAbsent,
      begin: (...begun) => this.#begin(...begun),
      giveUp: (...givenUp) => this.#giveUp(...givenUp),
    })
  }

  /**
   * Who gives somebody a state: who sees the match later must not get one of now. What is already on its
   * way to somebody who played until a moment ago tells nothing that a player did not know by then.
   */
  #sourceFor(session: Session): StateBroker<Session> | StateShelf<Session> {
    const shelf = this.#broker.server.isServing(session) ? undefined : this.#shelf
    return session.isDelayed && shelf !== undefined ? shelf : this.#broker
  }

  #giveUp(session: Session, why: NoState, nowMs: number): void {
    this.#parts.expel(session, session.isResyncing ? noResync : faults[why], nowMs)
  }

  #handleLoaded(
    session: Session,
    { tick, isGood }: { readonly tick: number; readonly isGood: boolean },
    nowMs: number,
  ): void {
    this.#sourceFor(session).handleLoaded(session, tick, isGood, nowMs)
    this.handleSeats(nowMs)
  }

  /** Whoever waits for us is not slow. */
  #excuseWaiting(waiting: ReadonlySet<Session>, nowMs: number): void {
    // Asked first: an iterator makes garbage in every tick of every match.
    if (waiting.size === 0) return
    for (const { guard } of waiting) guard.liveness.noteProgress(nowMs)
  }

  get #hasAbsent(): boolean {
    return this.#parts.members.list.some(
      ({ seat, claim, session }) => (seat ?? claim) !== undefined && !session.isConnected,
    )
  }

  #begin(session: Session, tick: number, isAgreed: boolean, nowMs: number): void {
    const { member, seat, isResyncing } = session
    const isNewcomer = session.stateWait?.isNewcomer === true
    session.beginAt(tick, this.#stateBytes ?? 0, nowMs)
    session.givenTick = isAgreed ? undefined : tick
    if (isResyncing) this.#parts.emit({ type: 'resync', member: member.id, seat, isDone: true })
    const { log } = this.#parts
    const reachable = session.reachableTick(log.sealedTick)
    session.guard.liveness.handleLinkUp(reachable - tick, nowMs)
    this.#parts.handleStage(nowMs)
    if (isNewcomer && session.seat !== undefined) this.#parts.sit(session.seat)
    this.#parts.handleBack(session, nowMs)
  }
}

/** All chunks of a state, as they travel. */
function travelBytes({ manifest, chunk }: OfferedState): number {
  let bytes = 0
  for (let index = 0; index < chunkCount(manifest.bytes); index++) {
    bytes += chunk(index).content.byteLength
  }
  return bytes
}

const faults: Readonly<Record<NoState, Fault>> = {
  'no-donor': {
    reason: 'no-state',
    message: 'Nobody in the match could send you its state',
  },
  'no-majority': {
    reason: 'no-state',
    message: 'The players of the match do not agree on its state',
  },
}

const noResync: Fault = {
  reason: 'desync',
  message: 'The state of your machine differs from most, and nobody could send you theirs',
}

/** How often it is looked who is there to give a state; coming and going is noticed at once. */
const settleMs = 1_000

/** Matches younger than this are run from their beginning: that takes less than a download. */
const replayMsMax = 10_000
