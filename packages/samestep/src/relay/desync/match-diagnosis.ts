import type { BundleSource, RecordExcerpt } from '../../desync/record-excerpt.ts'
import { cutExcerpt, excerptBytes } from '../../desync/record-excerpt.ts'
import type { ComparedPair, DesyncSide } from '../../desync/report-file.ts'
import type { PairFinding } from '../../desync/search/pair-finding.ts'
import type { FindingSeats } from '../../desync/tell-finding.ts'
import { tellFinding } from '../../desync/tell-finding.ts'
import type { Members } from '../../room/members.ts'
import { engineVersion } from '../../sim/game/copies/version.ts'
import { probeSidesMax } from '../../wire/messages/desync-probes.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import type { MatchSpec } from '../match/match-types.ts'
import type { Session } from '../match/session.ts'
import type { BundleLog } from '../match/ticks/bundle-log.ts'
import { Diagnosis } from './diagnosis.ts'
import type { Informant } from './evidence-collection.ts'
import { EvidenceCollection } from './evidence-collection.ts'
import { ProbeNumbers } from './probe-numbers.ts'

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
export interface DiagnosedMatch
  extends Pick<
    MatchSpec,
    | 'id'
    | 'name'
    | 'seed'
    | 'identity'
    | 'config'
    | 'emit'
    | 'showsDesyncValues'
    | 'collectsDesyncStates'
    | 'resyncsMax'
  > {
  readonly log: Pick<BundleLog, 'firstTick' | 'sealedTick' | 'at'>
  /** The config with the options that the match was launched with. */
  finalConfig(): MatchSpec['config']
}

/**
 * Explains the desyncs of a match, one at a time, and tells members and operator what is found. The
 * newest one that is told in the meantime waits until that is done, or has taken too long:
 *
 *     first      asked about ──────────── report
 *     second          waits ──────────────┤ asked about ─────── report
 *
 *     a liar     asked about, answers slowly ─┬ report of what is known
 *     second          waits for waitMsMax ────┘ asked about ─── report
 */
export class MatchDiagnosis {
  readonly #members: Members<Session>
  readonly #spec: DiagnosedMatch
  readonly #numbers = new ProbeNumbers()
  #diagnosis: Diagnosis<Session> | undefined
  /** What follows it, where reports are kept. */
  #collection: EvidenceCollection<Session> | undefined
  /** What the one that runs is about, and what it has found, by the group that differs. */
  #desync: ToldDesync | undefined
  /** The next one, and when it is not put off any longer. */
  #waiting: { readonly desync: ToldDesync; untilMs: number } | undefined
  readonly #pairs = new Map<string, ComparedPair>()
  /** What was told last of the desync that was told last. */
  #told: Uint8Array | undefined

  constructor(members: Members<Session>, spec: DiagnosedMatch) {
    this.#members = members
    this.#spec = spec
  }

  /** Begins to find out about a desync, or will when the last one is explained. */
  start(told: ToldDesync, nowMs: number): void {
    const { untilMs = nowMs + waitMsMax } = this.#waiting ?? {}
    this.#waiting = { desync: told, untilMs }
    this.#settle(nowMs)
  }

  /** Whether somebody is still asked how machines diverged, or will be. */
  get isRunning(): boolean {
    return this.#diagnosis !== undefined || this.#waiting !== undefined
  }

  #begin(told: ToldDesync, nowMs: number): void {
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
        numbers: this.#numbers,
        peersOf: (seats, atMs) => this.#peersOf(seats, atMs),
        found: (finding, seats, atMs) => this.#tell(finding, seats, atMs),
      },
      told,
      sorted,
      nowMs,
    )
  }

  handleReply(session: Session, body: MessageBody<'ClientProbe'>, nowMs: number): void {
    session.guard.liveness.handlePacket(nowMs)
    this.#diagnosis?.handleReply(session, body, nowMs)
    this.#collection?.handleReply(session, body, nowMs)
    this.#settle(nowMs)
  }

  handleTime(nowMs: number): void {
    this.#diagnosis?.handleTime(nowMs)
    this.#collection?.handleTime(nowMs)
    this.#settle(nowMs)
  }

  wakeAtMs(): number {
    const machine = this.#diagnosis ?? this.#collection
    const never = Number.POSITIVE_INFINITY
    return Math.min(machine?.wakeAtMs() ?? never, this.#waiting?.untilMs ?? never)
  }

  /** The relay stood still for so long: nobody was slow in that time. */
  excuse(lostMs: number): void {
    this.#diagnosis?.excuse(lostMs)
    this.#collection?.excuse(lostMs)
    if (this.#waiting !== undefined) this.#waiting.untilMs += lostMs
  }

  /** A link carries a session, which was told of the desync: it may have missed what was found out. */
  handleAttached(session: Session, nowMs: number): void {
    if (this.#told !== undefined) session.send(this.#told, nowMs, true)
  }

  /** What was told is no longer so. */
  forget(): void {
    this.#told = undefined
  }

  /** Goes on to the next stage when there is nobody left to ask in this one, and to the next desync. */
  #settle(nowMs: number): void {
    while (this.#isDone(nowMs)) {
      this.#finish()
      const next = this.#waiting?.desync
      this.#waiting = undefined
      if (next === undefined) return
      this.#begin(next, nowMs)
    }
  }

  /** Whether there is nothing more to find out about the desync that is looked into. */
  #isDone(nowMs: number): boolean {
    if (this.#waiting !== undefined && nowMs >= this.#waiting.untilMs) return true
    if (this.#diagnosis?.isOver === false) return false
    if (this.#diagnosis !== undefined && this.#spec.collectsDesyncStates === true) {
      this.#collection = this.#collect(this.#desync as ToldDesync, nowMs)
    }
    this.#diagnosis = undefined
    return this.#collection?.isOver !== false
  }

  /** Reports what is known. */
  #finish(): void {
    const desync = this.#desync
    if (desync === undefined) return
    const { sides = [], record } = this.#collection ?? {}
    this.#diagnosis = undefined
    this.#collection = undefined
    this.#desync = undefined
    this.#report(desync, sides, record)
    this.#pairs.clear()
  }

  #report(
    { tick, agreedTick, groups, culprits }: ToldDesync,
    sides: readonly DesyncSide[],
    record: RecordExcerpt | undefined,
  ): void {
    const { id, name, seed, identity, emit, collectsDesyncStates } = this.#spec
    const pairs = [...this.#pairs.values()]
    const badTick = pairs[0]?.finding.tick ?? tick
    const file = {
      engine: engineVersion,
      savedBy: undefined,
      matchId: id,
      matchName: name,
      ...identity,
      seed,
      config: this.#spec.finalConfig(),
      tick: badTick,
      agreedTick,
      groups: groups.map((seats) => [...seats]),
      culprits: [...culprits],
      pairs,
      told: undefined,
      sides: [...sides],
      record: collectsDesyncStates === true ? (record ?? this.#excerpt(badTick, sides)) : undefined,
    }
    emit({ type: 'desync-report', file })
  }

  /** Asks for what it takes to run the bad tick again elsewhere. */
  #collect({ tick, groups }: ToldDesync, nowMs: number): EvidenceCollection<Session> {
    const pairs = [...this.#pairs.values()]
    const badTick = pairs[0]?.finding.tick ?? tick
    const isExact = pairs.length > 0 && pairs.every(({ finding }) => finding.isExact)
    // A record that is short enough is smaller than most states, and needs nobody's word.
    const isWhole =
      this.#bundles.firstTick === 1 && excerptBytes(this.#bundles, 1, badTick) <= wholeBytesMax
    const order =
      pairs.length > 0 ? [pairs[0]!.seats[0], ...pairs.map(({ seats }) => seats[1])] : groups
    const informants = order.slice(0, probeSidesMax).map((seats, index): Informant<Session> => {
      const pair = pairs.find((each) => each.seats[index === 0 ? 0 : 1] === seats)
      return {
        seats,
        machine: pair?.finding.reruns[index === 0 ? 0 : 1]?.machine ?? '',
        peer: this.#peersOf(seats, nowMs)[0],
        // Machines that agreed right before the bad tick have the same state from before.
        gives: !isWhole && (index === 0 || !isExact),
      }
    })
    const { tickRate } = this.#spec.config
    const spec = { tick: badTick, tickRate, numbers: this.#numbers }
    return new EvidenceCollection(spec, informants, nowMs)
  }

  /** The bundles around a bad tick that the relay still has: all, where the match is young. */
  #excerpt(badTick: number, sides: readonly DesyncSide[]): RecordExcerpt | undefined {
    const isWhole = sides.every(({ stateOutcome }) => stateOutcome === 'not-needed')
    const { tickRate } = this.#spec.config
    return cutExcerpt(this.#bundles, isWhole ? 1 : badTick, badTick, tickRate)
  }

  get #bundles(): BundleSource {
    const { log } = this.#spec
    const { firstTick, sealedTick } = log
    const at = (tick: number) =>
      tick >= firstTick && tick <= sealedTick ? log.at(tick) : undefined
    return { firstTick, lastTick: sealedTick, at }
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
    const toldTick = (this.#desync as ToldDesync).tick
    const body = { toldTick, ...tellFinding(finding, seats, showsDesyncValues) }
    this.#told = encodeMessage('RelayFinding', body)
    for (const session of this.#members.sessions) session.send(this.#told, nowMs, true)
  }
}

/** How long a desync waits for the one before it: machines keep what they are asked about for 20 s. */
const waitMsMax = 10_000

/** Bytes of bundles from the first tick on that are preferred to a state: a small state has as many. */
const wholeBytesMax = 32_768
