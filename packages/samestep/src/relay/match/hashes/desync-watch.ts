import { culpritsOf, decideVerdict } from '../../../desync/verdict.ts'
import type { Members } from '../../../room/members.ts'
import type { MatchConfig } from '../../../wire/messages/match-config.ts'
import type { MessageBody } from '../../../wire/messages/messages.ts'
import { encodeMessage } from '../../../wire/messages/messages.ts'
import type { TurnHash } from '../../../wire/ticks/turn-hash.ts'
import type { DiagnosedMatch } from '../../desync/match-diagnosis.ts'
import { MatchDiagnosis } from '../../desync/match-diagnosis.ts'
import type { ReactionParts } from '../../desync/reaction.ts'
import { DesyncReaction } from '../../desync/reaction.ts'
import type { MatchEvent } from '../match-types.ts'
import type { Session } from '../session.ts'
import { ApartSeats } from './apart-seats.ts'
import { DesyncPatience, settleMs, tellBurst, tellEveryMs } from './desync-patience.ts'
import { HashComparer, type HashGroup, hasSeat, seatsOf } from './hash-comparer.ts'
import { SpectatorHashes } from './spectator-hashes.ts'
import { StateHashes } from './state-hashes.ts'
import { sideOfAll, WitnessHashes } from './witness-hashes.ts'

/**
 * Detects when machines that ran the same ticks have different states, and tells all members.
 *
 *     tick          40   41   42   43   44
 *     seat 0         a    b    c    d    e
 *     seat 1         a    b    x    y    z     differs from 42 on
 *     seat 2         a              d          reports every fourth tick
 *                                   └── the first tick from 42 on that all present reported
 *
 * What is told is an interval that contains the first tick on which they differ, here 42 after 41,
 * and the seats by what they report, here 0 and 2 against 1. It is told as soon as every present seat
 * has reported such a tick. Whoever says nothing is waited for as {@link DesyncPatience} says; then it
 * is told by the tick that most have reported.
 */
export class DesyncWatch {
  readonly hashes: HashComparer
  /** Finds out how machines diverged. */
  readonly diagnosis: MatchDiagnosis
  readonly #members: Members<Session>
  readonly #emit: (event: MatchEvent) => void
  readonly #spectators: SpectatorHashes
  readonly #reaction: DesyncReaction
  readonly #witnesses = new WitnessHashes()
  readonly #states = new StateHashes()
  /** When the current difference of whole states showed; `Infinity` for none. */
  #stateSuspectedAtMs = Number.POSITIVE_INFINITY
  /** Who decides if no group of players has a majority. */
  readonly #referee: MatchConfig['referee']
  /** Since a difference showed: the first tick that is not yet examined. */
  #suspectTick = Number.POSITIVE_INFINITY
  readonly #patience: DesyncPatience
  readonly #apart = new ApartSeats()
  /** What was told last. */
  #told: MessageBody<'RelayDesync'> | undefined
  /** Up to when what was told is paid for, by one difference every {@link tellEveryMs}. */
  #paidUntilMs = Number.NEGATIVE_INFINITY

  /** `extraMs` is how much later than players delayed spectators may report. */
  constructor(members: Members<Session>, spec: DiagnosedMatch, parts: ReactionParts, extraMs = 0) {
    const { emit, config } = spec
    this.diagnosis = new MatchDiagnosis(members, spec)
    this.#reaction = new DesyncReaction(members, spec, parts, () => this.diagnosis.isRunning)
    this.#referee = config.referee
    this.hashes = new HashComparer(config.tickRate, extraMs)
    this.#patience = new DesyncPatience(spec.log)
    this.#members = members
    this.#emit = emit
    this.#spectators = new SpectatorHashes(this.hashes, (groups) => this.#isComplete(groups), emit)
  }

  /** Handles a report. Returns false if it contradicts the seat's earlier one for the same tick. */
  handleHash(session: Session, { tick, lo, hi }: TurnHash, nowMs: number): boolean {
    const { seat } = session
    if (session.member.role === 'witness') this.#witnesses.handleHash(session, tick, lo, hi)
    if (seat === undefined) {
      this.#spectators.handleHash(session, tick, lo, hi)
      return true
    }
    const verdict = this.hashes.report(seat, tick, lo, hi)
    if (verdict === 'differs') {
      if (tick < this.#suspectTick) this.#suspectTick = tick
      this.#patience.begin(nowMs)
    }
    return verdict !== 'contradicts'
  }

  /** Handles the hash of a whole state. Returns false if it contradicts the seat's earlier report. */
  handleStateHash(session: Session, tick: number, hash: Uint8Array, nowMs: number): boolean {
    // A client cannot know the state after a tick that it was not sent.
    if (session.seat === undefined || tick > session.sentTick) return true
    // Reports about a state that the client has discarded do not matter any more.
    if (tick <= session.voidUpToTick) return true
    const isNoted = this.#states.report(session.seat, tick, hash)
    const isSuspect = this.#states.suspectTick !== Number.POSITIVE_INFINITY
    if (isSuspect && this.#stateSuspectedAtMs === Number.POSITIVE_INFINITY) {
      this.#stateSuspectedAtMs = nowMs
    }
    return isNoted
  }

  /**
   * A link carries a session: its client, which has ticks up to `haveTick`, may have missed
   * something.
   */
  handleAttached(session: Session, haveTick: number, nowMs: number): void {
    // A client that needs ticks again that it had executed starts over, perhaps with another state.
    if (haveTick < session.executedTick) this.forgetState(session)
    if (this.#told === undefined) return
    session.send(encodeMessage('RelayDesync', this.#told), nowMs, true)
    this.diagnosis.handleAttached(session, nowMs)
  }

  /** A client has another state now, or will get one: its reports and its blame are void. */
  forgetState(session: Session): void {
    this.#reaction.forget(session)
    this.#spectators.forget(session)
    if (session.seat !== undefined) this.forget(session.seat)
  }

  /**
   * The reports of a seat are void: another player has it now, or its player has another state. A
   * client that is to be resynced has lost only its seat by that, and is resynced all the same.
   */
  forget(seat: number): void {
    this.hashes.forgetSeat(seat)
    this.#spectators.startOver()
    this.#states.forgetSeat(seat)
    this.#apart.forget(seat)
    if (this.#told === undefined) return
    const others = this.#told.groups.map((seats) => seats.filter((other) => other !== seat))
    const groups = others.filter((seats) => seats.length > 0)
    const culprits = this.#told.culprits.filter((other) => other !== seat)
    this.#told = groups.length > 1 ? { ...this.#told, groups, culprits } : undefined
    if (this.#told === undefined) this.diagnosis.forget()
  }

  handleTime(nowMs: number): void {
    this.#spectators.handleTime(nowMs)
    this.diagnosis.handleTime(nowMs)
    this.#reaction.handleTime(nowMs)
    if (nowMs < this.#mayTellAtMs) return
    if (this.#suspectTick === Number.POSITIVE_INFINITY) {
      this.#judgeStates(nowMs)
      return
    }
    const tick = this.#firstNews()
    if (tick === undefined) {
      this.#suspectTick = Number.POSITIVE_INFINITY
      this.#patience.end()
      return
    }
    this.#suspectTick = tick
    const settled = this.#settledGroups(tick, nowMs >= this.#patience.endsAtMs)
    if (settled !== undefined) this.#tell(tick, settled, nowMs)
  }

  /** When {@link handleTime} next has work to do; `Infinity` for never. */
  wakeAtMs(): number {
    if (this.#spectators.hasNews) return 0
    // Whole states are judged when no difference of ticks is left: before, their time does not count.
    const isTickSuspect = this.#suspectTick !== Number.POSITIVE_INFINITY
    const statesAtMs = isTickSuspect
      ? Number.POSITIVE_INFINITY
      : this.#stateSuspectedAtMs + settleMs
    const tellAtMs = Math.max(Math.min(this.#patience.endsAtMs, statesAtMs), this.#mayTellAtMs)
    return Math.min(tellAtMs, this.diagnosis.wakeAtMs(), this.#reaction.wakeAtMs())
  }

  /** When the next difference may be told. */
  get #mayTellAtMs(): number {
    return this.#paidUntilMs - (tellBurst - 1) * tellEveryMs
  }

  /** The first tick with a difference that was not told yet. */
  #firstNews(): number | undefined {
    const { hashes } = this
    const start = Math.max(this.#suspectTick, hashes.oldestTick)
    for (let tick = start; tick <= hashes.newestTick; tick++) {
      if (hashes.isSplit(tick) && this.#apart.isNews(hashes.groupsAt(tick))) return tick
    }
    return undefined
  }

  /**
   * Tells of states that differ although the hashes of their ticks agree. Tick hashes come with
   * turns, may arrive later and lead further, so they are waited for. If they differ too, this is no
   * news by then.
   */
  #judgeStates(nowMs: number): void {
    const states = this.#states
    for (let tick = states.suspectTick; Number.isFinite(tick); tick = states.suspectTick) {
      const groups = states.groupsAt(tick)
      if (this.#apart.isNews(groups)) {
        if (nowMs < this.#stateSuspectedAtMs + settleMs) return
        states.passSuspect()
        this.#tellStates(tick, groups, nowMs)
        break
      }
      states.passSuspect()
    }
    const isMore = states.suspectTick !== Number.POSITIVE_INFINITY
    this.#stateSuspectedAtMs = isMore ? nowMs : Number.POSITIVE_INFINITY
  }

  #tellStates(tick: number, groups: readonly HashGroup[], nowMs: number): void {
    const seats = groups.flatMap(seatsOf)
    const agreedTick = this.#states
      .ticksBefore(tick)
      .find((before) => this.#isAgreed(this.#states.groupsAt(before), seats))
    // The hashes of ticks agree, so a descent of their tree would find nothing.
    const told = this.#announce({ tick, agreedTick, groups, witnesses: [] }, nowMs)
    this.#reaction.react(told.culprits, tick, nowMs)
  }

  /** The groups at the first tick that all present seats reported; once overdue, that most did. */
  #settledGroups(first: number, isOverdue: boolean): Settled | undefined {
    const { hashes } = this
    let most: Settled | undefined
    let mostCount = 0
    for (let tick = first; tick <= hashes.newestTick; tick++) {
      if (!hashes.isSplit(tick)) continue
      const groups = hashes.groupsAt(tick)
      if (!this.#apart.isNews(groups)) continue
      if (this.#isComplete(groups) && this.#witnesses.hasAll(tick)) return { tick, groups }
      const seats = groups.reduce((sum, group) => sum + seatsOf(group).length, 0)
      const count = seats + this.#witnesses.countAt(tick)
      if (count <= mostCount) continue
      mostCount = count
      most = { tick, groups }
    }
    return isOverdue ? most : undefined
  }

  #isComplete(groups: readonly HashGroup[]): boolean {
    return this.#members.seats.every((member, seat) => {
      const isAway = member === undefined || member.session.link < 0
      return isAway || groups.some((group) => hasSeat(group, seat))
    })
  }

  /** Seats whose machines run the match now: players who are away or have no state do not count. */
  #activeCount(): number {
    let count = 0
    for (const member of this.#members.seats) {
      if (member === undefined) continue
      const { session } = member
      if (session.link >= 0 && !session.isWaitingForState) count += 1
    }
    return count
  }

  /** The newest tick before `tick` that all of these seats reported without a new difference. */
  #agreedTick(tick: number, seats: readonly number[]): number | undefined {
    const { hashes } = this
    for (let before = tick - 1; before >= hashes.oldestTick; before--) {
      if (this.#isAgreed(hashes.groupsAt(before), seats)) return before
    }
    return undefined
  }

  #isAgreed(groups: readonly HashGroup[], seats: readonly number[]): boolean {
    const isCovered = seats.every((seat) => groups.some((group) => hasSeat(group, seat)))
    return isCovered && !this.#apart.isNews(groups)
  }

  /**
   * The first tick on which seats of different groups differ. An earlier difference may be that of a
   * player who is gone by now.
   */
  #firstApart(from: number, { tick: settledTick, groups }: Settled): number {
    const { hashes } = this
    for (let tick = from; tick < settledTick; tick++) {
      if (!hashes.isSplit(tick)) continue
      const there = hashes.groupsAt(tick)
      const sides = groups.map((group) => there.filter((each) => isOverlapping(each, group)))
      const all = new Set(sides.flat())
      const isApart = all.size > 1 && sides.filter((side) => side.length > 0).length > 1
      if (isApart) return tick
    }
    return settledTick
  }

  #tell(from: number, settled: Settled, nowMs: number): void {
    const { tick: settledTick, groups } = settled
    const tick = this.#firstApart(from, settled)
    const sorted = sortGroups(groups)
    const agreedTick = this.#agreedTick(tick, sorted.flatMap(seatsOf))
    const witnesses = this.#witnesses.sidesAt(settledTick, sorted)
    this.#suspectTick = tick + 1
    this.#patience.restart(nowMs)
    const told = this.#announce({ tick, agreedTick, groups: sorted, witnesses }, nowMs)
    this.diagnosis.start({ ...told, oldestTick: this.hashes.oldestTick }, nowMs)
    this.#reaction.react(told.culprits, tick, nowMs)
  }

  /** Tells all members who differs from whom, and whom that blames. */
  #announce(
    { tick, agreedTick, groups: apart, witnesses }: Difference,
    nowMs: number,
  ): MessageBody<'RelayDesync'> {
    this.#apart.note(apart)
    const groups = sortGroups(apart).map(seatsOf)
    const right = this.#referee === 'witness' ? sideOfAll(witnesses) : undefined
    // Since they agreed, everybody has run the ticks itself.
    const isEcho = (seat: number) => {
      const givenTick = this.#members.seats[seat]?.session.givenTick
      return givenTick !== undefined && (agreedTick ?? -1) < givenTick
    }
    const verdict = decideVerdict(groups, this.#activeCount(), right, isEcho)
    const culprits = [...culpritsOf(verdict)]
    const told = { tick, agreedTick, groups, culprits, isSpectator: false }
    this.#told = told
    this.#paidUntilMs = Math.max(this.#paidUntilMs, nowMs) + tellEveryMs
    const about = { tick, agreedTick, groups, verdict, spectator: undefined, witnesses }
    this.#emit({ type: 'hash-mismatch', ...about })
    const bytes = encodeMessage('RelayDesync', told)
    for (const session of this.#members.sessions) session.send(bytes, nowMs, true)
    return told
  }
}

/** Machines that differ at a tick. */
interface Difference {
  readonly tick: number
  readonly agreedTick: number | undefined
  readonly groups: readonly HashGroup[]
  /** The group that each witness agrees with. */
  readonly witnesses: ReturnType<WitnessHashes['sidesAt']>
}

/** Who agrees with whom at one tick. */
interface Settled {
  readonly tick: number
  readonly groups: readonly HashGroup[]
}

/** By first seat: the sequence of the reports says nothing about who is right. */
function sortGroups(groups: readonly HashGroup[]): HashGroup[] {
  return [...groups].sort((left, right) => firstSeat(left) - firstSeat(right))
}

function firstSeat(group: HashGroup): number {
  return seatsOf(group)[0] ?? Number.POSITIVE_INFINITY
}

function isOverlapping(one: HashGroup, other: HashGroup): boolean {
  return (one.seatsLo & other.seatsLo) !== 0 || (one.seatsHi & other.seatsHi) !== 0
}
