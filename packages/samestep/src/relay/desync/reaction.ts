import type { Members } from '../../room/members.ts'
import type { Fault, MatchSpec } from '../match/match-types.ts'
import type { Session } from '../match/session.ts'

/** What a reaction needs of the match around it. */
export interface ReactionParts {
  /** Stops the match at the next tick, for everybody. */
  halt(nowMs: number): void
  /** Somebody gives up its state, and gets that of the others. */
  resync(session: Session, nowMs: number): void
  /** Ends somebody's session. */
  expel(session: Session, fault: Fault, nowMs: number): void
}

/** Somebody who is to be given the state of the others. */
interface Patient {
  readonly session: Session
  /** When it is done although its desync is not explained yet. */
  readonly untilMs: number
}

/**
 * What follows from a desync, by the policy of the match.
 *
 *     warn      nothing
 *     halt      the match stands still from the next tick on, whoever is to blame
 *     resync    who differs from the majority is given its state, once the desync is explained: its own
 *               machine has half of the evidence, and gives it up with its state
 *
 * Only whom the verdict blames is given a state. Where there is no majority and no referee, nobody is:
 * one of two liars would otherwise choose the state of the match (T-46).
 *
 * A verdict names seats, but what it blames is the state of the client that sat there. That client keeps
 * the state when it gives up the seat, and may take the seat back: it is given a state wherever it is.
 * The exception is who sees the match later from then on, with no claim to a seat: the state of now would
 * show what it must not see yet, and an older one would take it back behind ticks that it has run.
 */
export class DesyncReaction {
  readonly #members: Members<Session>
  readonly #parts: ReactionParts
  readonly #spec: Pick<MatchSpec, 'config' | 'resyncsMax' | 'emit'>
  readonly #isExplaining: () => boolean
  readonly #patients: Patient[] = []
  /** When each session was given a state, the newest last. */
  readonly #resyncs = new WeakMap<Session, number[]>()

  /** `isExplaining` says whether somebody is still asked about a desync. */
  constructor(
    members: Members<Session>,
    spec: Pick<MatchSpec, 'config' | 'resyncsMax' | 'emit'>,
    parts: ReactionParts,
    isExplaining: () => boolean,
  ) {
    this.#members = members
    this.#spec = spec
    this.#parts = parts
    this.#isExplaining = isExplaining
  }

  /** Machines differ, and these seats are to blame, if any. */
  react(culprits: readonly number[], tick: number, nowMs: number): void {
    const { config, emit } = this.#spec
    if (config.desync === 'halt') {
      emit({ type: 'halted', tick })
      this.#parts.halt(nowMs)
    }
    if (config.desync !== 'resync') return
    for (const seat of culprits) {
      const session = this.#members.seats[seat]?.session
      const isKnown = this.#patients.some((patient) => patient.session === session)
      if (session === undefined || isKnown) continue
      this.#patients.push({ session, untilMs: nowMs + explainMs })
    }
  }

  /** The client has another state now than the one that was blamed. */
  forget(session: Session): void {
    const index = this.#patients.findIndex((patient) => patient.session === session)
    if (index >= 0) this.#patients.splice(index, 1)
  }

  handleTime(nowMs: number): void {
    if (this.#patients.length === 0) return
    const isExplaining = this.#isExplaining()
    for (const patient of [...this.#patients]) {
      if (isExplaining && nowMs < patient.untilMs) continue
      this.#patients.splice(this.#patients.indexOf(patient), 1)
      this.#treat(patient, nowMs)
    }
  }

  wakeAtMs(): number {
    if (this.#patients.length === 0) return Number.POSITIVE_INFINITY
    if (!this.#isExplaining()) return 0
    return Math.min(...this.#patients.map(({ untilMs }) => untilMs))
  }

  #treat({ session }: Patient, nowMs: number): void {
    const { member, seat } = session
    if (!member.isIn || session.isWaitingForState || session.isDelayed) return
    const { resyncsMax = resyncsMaxDefault, emit } = this.#spec
    const sinceMs = nowMs - resyncWindowMs
    const times = (this.#resyncs.get(session) ?? []).filter((atMs) => atMs > sinceMs)
    if (times.length >= resyncsMax) {
      this.#parts.expel(session, tooOften, nowMs)
      return
    }
    times.push(nowMs)
    this.#resyncs.set(session, times)
    emit({ type: 'resync', member: member.id, seat, isDone: false })
    this.#parts.resync(session, nowMs)
  }
}

const tooOften: Fault = {
  reason: 'desync',
  message: 'Your machine differs from most again, after too many resyncs',
}

/** How often one player is given the state of the others, unless whoever runs the relay says otherwise. */
export const resyncsMaxDefault = 3

/** The time in which these count. */
export const resyncWindowMs = 600_000

/**
 * How long a resync waits for the explanation of its desync: longer than an honest machine takes to
 * answer, and not as long as one that says nothing might hold it up.
 */
export const explainMs = 12_000
