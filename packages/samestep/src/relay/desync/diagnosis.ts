import { WireError } from '../../base/errors.ts'
import { decodeAnswer, encodeAsk, type Probe } from '../../desync/probe-codec.ts'
import type { Suspicion } from '../../desync/search/first-tick.ts'
import type { PairFinding } from '../../desync/search/pair-finding.ts'
import { searchPair } from '../../desync/search/pair-search.ts'
import type { Search } from '../../desync/search/step.ts'
import { BadAnswer } from '../../desync/search/step.ts'
import type { FindingSeats } from '../../desync/tell-finding.ts'
import type { Channel } from '../../link/channel.ts'
import type { ProbeKind } from '../../wire/messages/desync-probes.ts'
import { probeKinds } from '../../wire/messages/desync-probes.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import type { ProbeNumbers } from './probe-numbers.ts'

/** Whoever can be asked about its state. */
export interface ProbedPeer {
  readonly channel: Channel | undefined
  readonly rttMs: number | undefined
  /** So many bytes are asked of it: sending them is not held against it. */
  grant(bytes: number): void
}

/** What a diagnosis needs of the match around it. */
export interface DiagnosisParts<P extends ProbedPeer> {
  /** Who plays at these seats and can be asked now. */
  peersOf(seats: readonly number[], nowMs: number): readonly P[]
  /** Those of all questions of the match. */
  readonly numbers: ProbeNumbers
  /** Something is known of how two groups went apart. */
  found(finding: PairFinding, seats: FindingSeats, nowMs: number): void
}

/** One machine that is asked, and what it was asked last. */
interface Side<P extends ProbedPeer> {
  readonly seats: readonly number[]
  readonly peer: P
  asked: { readonly number: number; readonly kind: ProbeKind; untilMs: number } | undefined
  answer: unknown
}

/** Two machines that are compared. */
interface Pair<P extends ProbedPeer> {
  readonly search: Search<void>
  readonly sides: readonly [Side<P>, Side<P>]
}

/**
 * Finds out how the groups of a desync went apart: one machine of each is compared with one of the first
 * group, one group after the other. Whoever does not answer in time, says what cannot be, or says too
 * much is not asked any more; another one of its group is, and if there is none, its group stays
 * unexplained. Nothing else follows from it: a diagnosis never ends anybody's session.
 */
export class Diagnosis<P extends ProbedPeer> {
  readonly #parts: DiagnosisParts<P>
  readonly #suspicion: Suspicion
  readonly #reference: readonly number[]
  /** Groups that are still to be compared with the first one. */
  readonly #others: (readonly number[])[]
  /** Those who are not asked any more. */
  readonly #excluded = new Set<P>()
  /** Those who have answered, and so have loaded what it takes. */
  readonly #heard = new Set<P>()
  #untilMs: number
  #pair: Pair<P> | undefined

  /** `groups` begin with the one that the others are compared with. */
  constructor(
    parts: DiagnosisParts<P>,
    suspicion: Suspicion,
    groups: readonly (readonly number[])[],
    nowMs: number,
  ) {
    this.#parts = parts
    this.#suspicion = suspicion
    const [reference = [], ...others] = groups
    this.#reference = reference
    this.#others = others.slice(0, groupsMax)
    this.#untilMs = nowMs + diagnosisMs
    this.#next(nowMs)
  }

  get isOver(): boolean {
    return this.#pair === undefined
  }

  /** When somebody has had enough time to answer. */
  wakeAtMs(): number {
    const sides = this.#pair?.sides ?? []
    const soonest = sides.map(({ asked }) => asked?.untilMs ?? Number.POSITIVE_INFINITY)
    return Math.min(...soonest)
  }

  handleTime(nowMs: number): void {
    const late = this.#pair?.sides.find(
      ({ asked }) => asked !== undefined && nowMs >= asked.untilMs,
    )
    if (late !== undefined) this.#exclude(late, nowMs)
  }

  /** The relay stood still for so long: nobody was slow in that time (F-14). */
  excuse(lostMs: number): void {
    this.#untilMs += lostMs
    for (const { asked } of this.#pair?.sides ?? []) if (asked) asked.untilMs += lostMs
  }

  /** Takes in an answer. One that nobody waits for is ignored. */
  handleReply(peer: P, body: MessageBody<'ClientProbe'>, nowMs: number): void {
    const side = this.#pair?.sides.find((each) => each.peer === peer)
    const asked = side?.asked
    if (side === undefined || asked === undefined || asked.number !== body.number) return
    try {
      side.answer = body.outcome === 'answered' ? decodeAnswer(asked.kind, body.answer) : undefined
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      this.#exclude(side, nowMs)
      return
    }
    side.asked = undefined
    this.#heard.add(peer)
    this.#advance(nowMs)
  }

  /** Goes on with the search once everybody who was asked has answered. */
  #advance(nowMs: number): void {
    const pair = this.#pair
    if (pair === undefined || pair.sides.some(({ asked }) => asked !== undefined)) return
    const [a, b] = pair.sides
    try {
      let step = pair.search.next([a.answer, b.answer])
      while (step.done !== true && step.value.type === 'found') {
        this.#parts.found(step.value.finding, [a.seats, b.seats], nowMs)
        step = pair.search.next([undefined, undefined])
      }
      if (step.done === true) {
        this.#others.shift()
        this.#next(nowMs)
        return
      }
      const { probes } = step.value as Extract<typeof step.value, { type: 'ask' }>
      probes.forEach((probe, index) => {
        this.#ask(pair.sides[index as 0 | 1], probe, nowMs)
      })
      // Questions that concern nobody are answered at once.
      if (probes.every((probe) => probe === undefined)) this.#advance(nowMs)
    } catch (error) {
      if (!(error instanceof BadAnswer)) throw error
      this.#exclude(pair.sides[error.side], nowMs)
    }
  }

  #ask(side: Side<P>, probe: Probe | undefined, nowMs: number): void {
    side.answer = undefined
    if (probe === undefined) return
    const number = this.#parts.numbers.next()
    const { kind } = probe
    const isSlow = slowKinds.has(kind) || !this.#heard.has(side.peer)
    const patienceMs = isSlow ? slowMs : answerMs
    side.asked = { number, kind, untilMs: Math.min(nowMs + patienceMs, this.#untilMs) }
    side.peer.grant(Math.ceil(probeKinds[kind].answer.bitsMax / 8) + frameBytes)
    const bytes = encodeMessage('RelayProbe', { number, kind, ask: encodeAsk(probe) })
    side.peer.channel?.sendControl(bytes, nowMs)
  }

  /** Leaves one machine out of it, and begins anew with another one of its group. */
  #exclude(side: Side<P>, nowMs: number): void {
    this.#excluded.add(side.peer)
    if (this.#excluded.size > excludedMax || nowMs >= this.#untilMs) this.#others.length = 0
    this.#next(nowMs)
  }

  /** Compares the next group, if there is somebody to ask on both sides. */
  #next(nowMs: number): void {
    this.#pair = undefined
    const reference = this.#choose(this.#reference, nowMs)
    while (reference !== undefined) {
      const [seats] = this.#others
      if (seats === undefined) return
      const peer = this.#choose(seats, nowMs)
      if (peer !== undefined) {
        const sides = [makeSide(this.#reference, reference), makeSide(seats, peer)] as const
        this.#pair = { search: searchPair(this.#suspicion), sides }
        this.#advance(nowMs)
        return
      }
      this.#others.shift()
    }
  }

  /** Who is near answers soonest. */
  #choose(seats: readonly number[], nowMs: number): P | undefined {
    const peers = this.#parts.peersOf(seats, nowMs).filter((peer) => !this.#excluded.has(peer))
    return [...peers].sort((one, other) => distanceOf(one) - distanceOf(other))[0]
  }
}

function makeSide<P extends ProbedPeer>(seats: readonly number[], peer: P): Side<P> {
  return { seats, peer, asked: undefined, answer: undefined }
}

function distanceOf({ rttMs }: ProbedPeer): number {
  return rttMs ?? Number.MAX_SAFE_INTEGER
}

/** Questions for which ticks are run again, a few at a time, while the game goes on. */
const slowKinds: ReadonlySet<ProbeKind> = new Set<ProbeKind>([
  'rerun',
  'items',
  'trace',
  'block',
  'outside',
])

/** How long somebody may take to answer, on a machine that is busy with a game. */
const answerMs = 5_000

/** The same where ticks are run again, and for a first answer: a page loads code for that one. */
const slowMs = 10_000

/** How long a diagnosis may take in all. */
const diagnosisMs = 45_000

/** Groups that are compared with the first one: more than three states are no accident. */
const groupsMax = 3

/** Machines that are left out before the diagnosis is given up. */
const excludedMax = 4

/** Bytes around an answer in its packets. */
const frameBytes = 256
