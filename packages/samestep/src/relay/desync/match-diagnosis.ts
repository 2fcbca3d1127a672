import type { ComparedPair } from '../../desync/report-file.ts'
import type { PairFinding } from '../../desync/search/pair-finding.ts'
import type { FindingSeats } from '../../desync/tell-finding.ts'
import { tellFinding } from '../../desync/tell-finding.ts'
import type { Members } from '../../room/members.ts'
import { engineVersion } from '../../sim/game/version.ts'
import type { MessageBody } from '../../wire/messages.ts'
import { encodeMessage } from '../../wire/messages.ts'
import type { MatchSpec } from '../match/match-types.ts'
import type { Session } from '../match/session.ts'
import { Diagnosis } from './diagnosis.ts'

/** A desync that is to be explained. */
export interface ToldDesync {
  readonly tick: number
  readonly agreedTick: number | undefined
  /** The oldest tick of which reports are kept. */
  readonly oldestTick: number
  readonly groups: readonly (readonly number[])[]
  readonly culprits: readonly number[]
}

/** What has to be known of a match to explain its desyncs. */
export type DiagnosedMatch = Pick<
  MatchSpec,
  'id' | 'name' | 'seed' | 'identity' | 'config' | 'emit' | 'showsDesyncValues' | 'resyncsMax'
>

/** Explains the desyncs of a match, one at a time, and tells members and operator what is found. */
export class MatchDiagnosis {
  readonly #members: Members<Session>
  readonly #spec: DiagnosedMatch
  #diagnosis: Diagnosis<Session> | undefined
  /** What the one that runs is about, and what it has found, by the group that differs. */
  #desync: ToldDesync | undefined
  readonly #pairs = new Map<string, ComparedPair>()
  /** What was told last of the desync that was told last. */
  #told: Uint8Array | undefined

  constructor(members: Members<Session>, spec: DiagnosedMatch) {
    this.#members = members
    this.#spec = spec
  }

  /** Begins to find out about a desync, unless another one is being looked into. */
  start(told: ToldDesync, nowMs: number): void {
    if (this.#diagnosis?.isOver === false) return
    this.#told = undefined
    this.#desync = told
    this.#pairs.clear()
    const { groups, culprits } = told
    const isRight = (seats: readonly number[]) => !seats.some((seat) => culprits.includes(seat))
    // Others are compared with the majority, or else with the largest group.
    const sorted = [...groups].sort(
      (one, other) => Number(isRight(other)) - Number(isRight(one)) || other.length - one.length,
    )
    this.#diagnosis = new Diagnosis<Session>(
      {
        peersOf: (seats, atMs) => this.#peersOf(seats, atMs),
        found: (finding, seats, atMs) => this.#tell(finding, seats, atMs),
      },
      told,
      sorted,
      nowMs,
    )
    this.#settle()
  }

  /** Whether somebody is still asked about a desync. */
  get isRunning(): boolean {
    return this.#diagnosis?.isOver === false
  }

  handleReply(session: Session, body: MessageBody<'ClientProbe'>, nowMs: number): void {
    session.guard.liveness.handlePacket(nowMs)
    this.#diagnosis?.handleReply(session, body, nowMs)
    this.#settle()
  }

  handleTime(nowMs: number): void {
    this.#diagnosis?.handleTime(nowMs)
    this.#settle()
  }

  wakeAtMs(): number {
    return this.#diagnosis?.wakeAtMs() ?? Number.POSITIVE_INFINITY
  }

  /** The relay stood still for so long: nobody was slow in that time. */
  excuse(lostMs: number): void {
    this.#diagnosis?.excuse(lostMs)
  }

  /** A link carries a session, which was told of the desync: it may have missed what was found out. */
  handleAttached(session: Session, nowMs: number): void {
    if (this.#told !== undefined) session.send(this.#told, nowMs, true)
  }

  /** What was told is no longer so. */
  forget(): void {
    this.#told = undefined
  }

  /** Reports what is known once there is nobody left to ask. */
  #settle(): void {
    const desync = this.#desync
    if (desync === undefined || this.#diagnosis?.isOver === false) return
    this.#desync = undefined
    this.#diagnosis = undefined
    const { id, name, seed, identity, config, emit } = this.#spec
    const { tick, agreedTick, groups, culprits } = desync
    const pairs = [...this.#pairs.values()]
    this.#pairs.clear()
    const file = {
      engine: engineVersion,
      matchId: id,
      matchName: name,
      ...identity,
      seed,
      config,
      tick: pairs[0]?.finding.tick ?? tick,
      agreedTick,
      groups: groups.map((seats) => [...seats]),
      culprits: [...culprits],
      pairs,
    }
    emit({ type: 'desync-report', file })
  }

  #peersOf(seats: readonly number[], nowMs: number): Session[] {
    return seats.flatMap((seat) => {
      const session = this.#members.seats[seat]?.session
      return session === undefined || !session.canVote(nowMs) ? [] : [session]
    })
  }

  #tell(finding: PairFinding, seats: FindingSeats, nowMs: number): void {
    const { emit, showsDesyncValues = false } = this.#spec
    this.#pairs.set(seats[1].join(), { seats, finding })
    emit({ type: 'desync-found', finding, seats })
    this.#told = encodeMessage('RelayFinding', tellFinding(finding, seats, showsDesyncValues))
    for (const session of this.#members.sessions) session.send(this.#told, nowMs, true)
  }
}
