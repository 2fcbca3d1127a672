import { WireError } from '../../base/errors.ts'
import type { Probe } from '../../desync/probe-codec.ts'
import { decodeAnswer, encodeAsk } from '../../desync/probe-codec.ts'
import type { RecordExcerpt } from '../../desync/record-excerpt.ts'
import { excerptBytesMax, readExcerpt, wantedTicks } from '../../desync/record-excerpt.ts'
import type { DesyncSide, StateOutcome } from '../../desync/report-file.ts'
import type { StatePiece } from '../../desync/state-pieces.ts'
import { pieceCount } from '../../desync/state-pieces.ts'
import type { ProbeAnswer } from '../../wire/messages/desync-probes.ts'
import {
  probeChainsMax,
  probeKinds,
  probePiecesMax,
  probeStateBytesMax,
} from '../../wire/messages/desync-probes.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import type { ProbedPeer } from './diagnosis.ts'
import type { ProbeNumbers } from './probe-numbers.ts'

/** A group whose machines are asked, and the one of them that is. */
export interface Informant<P extends ProbedPeer> {
  readonly seats: readonly number[]
  readonly machine: string
  /** `undefined` when nobody of them is here any more. */
  readonly peer: P | undefined
  /** Whether its state from before the bad tick is needed. */
  readonly gives: boolean
}

/** What evidence is collected for. */
export interface CollectionSpec {
  /** The bad tick. */
  readonly tick: number
  readonly tickRate: number
  readonly numbers: ProbeNumbers
}

/** What one machine is asked, in sequence: it gives out questions, and gets answers or `undefined`. */
type Interview = Generator<Probe, Told, unknown>

interface Told {
  readonly side: DesyncSide
  readonly record: RecordExcerpt | undefined
}

/**
 * Collects what the report of a desync needs so that anybody can run the bad tick again: the chains of
 * every group up to it, and a state from before, in pieces. It begins when everything was found out and
 * told. What it gets is for the report of whoever runs the relay, and nobody else is told (T-51).
 *
 *     chains ──► state ──► piece, piece, …        one group after the other, one question at a time
 *
 * Between two pieces as much time passes as leaves three quarters of the player's line to the match.
 */
export class EvidenceCollection<P extends ProbedPeer> {
  readonly sides: DesyncSide[] = []
  /** The bundles that lead from a state to the bad tick, as one of them told. */
  record: RecordExcerpt | undefined
  readonly #tick: number
  readonly #tickRate: number
  readonly #waiting: Informant<P>[]
  #interview: { readonly peer: P; readonly steps: Interview } | undefined
  #probe: Probe | undefined
  /** When the question goes out, or when its answer is no longer waited for. */
  #atMs = 0
  #isAsked = false
  #askedAtMs = 0
  #untilMs: number
  readonly #numbers: ProbeNumbers
  #number = 0

  constructor(
    { tick, tickRate, numbers }: CollectionSpec,
    informants: readonly Informant<P>[],
    nowMs: number,
  ) {
    this.#tick = tick
    this.#tickRate = tickRate
    this.#numbers = numbers
    this.#waiting = [...informants]
    this.#untilMs = nowMs + collectionMs
    this.#next(nowMs)
  }

  get isOver(): boolean {
    return this.#interview === undefined
  }

  wakeAtMs(): number {
    return this.isOver ? Number.POSITIVE_INFINITY : this.#atMs
  }

  handleTime(nowMs: number): void {
    if (this.isOver || nowMs < this.#atMs) return
    if (this.#isAsked) this.#go(undefined, nowMs)
    else this.#ask(nowMs)
  }

  /** The relay stood still for so long: nobody was slow in that time (F-14). */
  excuse(lostMs: number): void {
    this.#untilMs += lostMs
    this.#atMs += lostMs
    this.#askedAtMs += lostMs
  }

  /** Takes in an answer. One that nobody waits for is ignored. */
  handleReply(peer: P, body: MessageBody<'ClientProbe'>, nowMs: number): void {
    const probe = this.#probe
    if (probe === undefined || !this.#isAsked) return
    if (peer !== this.#interview?.peer || body.number !== this.#number) return
    if (body.outcome !== 'answered') {
      this.#go('forgotten', nowMs)
      return
    }
    try {
      this.#go(decodeAnswer(probe.kind, body.answer), nowMs)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      this.#go(undefined, nowMs)
    }
  }

  #next(nowMs: number): void {
    this.#interview = undefined
    this.#probe = undefined
    for (;;) {
      const informant = this.#waiting.shift()
      if (informant === undefined) return
      const { peer } = informant
      const steps = interview(this.#tick, this.#tickRate, informant)
      if (peer === undefined) {
        // Nobody answers; what is known without answers is said all the same.
        let step = steps.next()
        while (step.done !== true) step = steps.next(undefined)
        this.sides.push(step.value.side)
        continue
      }
      this.#interview = { peer, steps }
      this.#take(steps.next(), nowMs, 0)
      return
    }
  }

  #go(answer: unknown, nowMs: number): void {
    const current = this.#interview
    if (current === undefined) return
    const busyMs = Math.max(nowMs - this.#askedAtMs - (current.peer.rttMs ?? 0), 0)
    const kind = this.#probe?.kind
    const isPiece = kind === 'piece' || kind === 'bundles'
    this.#take(current.steps.next(answer), nowMs, isPiece ? 3 * busyMs : 0)
  }

  #take(step: IteratorResult<Probe, Told>, nowMs: number, pauseMs: number): void {
    this.#isAsked = false
    if (step.done === true) {
      this.sides.push(step.value.side)
      this.record ??= step.value.record
      this.#next(nowMs)
      return
    }
    this.#probe = step.value
    this.#atMs = nowMs + pauseMs
    if (pauseMs === 0) this.#ask(nowMs)
  }

  #ask(nowMs: number): void {
    const probe = this.#probe
    const peer = this.#interview?.peer
    if (probe === undefined || peer === undefined) return
    if (nowMs >= this.#untilMs) {
      this.#go(undefined, nowMs)
      return
    }
    this.#number = this.#numbers.next()
    this.#isAsked = true
    this.#askedAtMs = nowMs
    this.#atMs = Math.min(nowMs + answerMs, this.#untilMs)
    const { kind } = probe
    peer.grant(Math.ceil(probeKinds[kind].answer.bitsMax / 8) + frameBytes)
    const question = { number: this.#number, kind, ask: encodeAsk(probe) }
    peer.channel?.sendControl(encodeMessage('RelayProbe', question), nowMs)
  }
}

/** Asks one machine for its chains and, if they are needed, for its state and its bundles. */
function* interview(
  tick: number,
  tickRate: number,
  { seats, machine, gives }: Informant<ProbedPeer>,
): Interview {
  const firstTick = Math.max(tick - probeChainsMax + 1, 0)
  const ask = { first: firstTick, step: 1, count: tick - firstTick + 1 }
  const said = yield { kind: 'chains', ask }
  const chains = isAnswer(said) ? (said as ProbeAnswer<'chains'>).chains : []
  const { outcome, state } = gives
    ? yield* fetchState(tick)
    : { outcome: 'not-needed' as const, state: undefined }
  const side = { seats: [...seats], machine, firstTick, chains, stateOutcome: outcome, state }
  const wanted = wantedTicks((state?.tick ?? tick - 1) + 1, tick, tickRate)
  // A match may be younger than what is wanted of it, and a machine may have let go of some.
  const starts = [wanted.first, (state?.tick ?? tick - 1) + 1]
  for (const first of gives ? new Set(starts) : []) {
    const record = yield* fetchBundles(first, wanted.last)
    if (record !== undefined) return { side, record }
  }
  return { side, record: undefined }
}

function* fetchBundles(
  first: number,
  last: number,
): Generator<Probe, RecordExcerpt | undefined, unknown> {
  const answers: Uint8Array[] = []
  let [next, bytes] = [first, 0]
  while (next <= last) {
    const answer = yield { kind: 'bundles', ask: { first: next, last } }
    if (!isAnswer(answer)) break
    const { bundles } = answer as ProbeAnswer<'bundles'>
    bytes += bundles.byteLength
    const count = countBundles(bundles)
    if (count === 0 || bytes > excerptBytesMax) break
    answers.push(bundles)
    next += count
  }
  if (next === first) return undefined
  const whole = new Uint8Array(answers.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const answer of answers) {
    whole.set(answer, at)
    at += answer.byteLength
  }
  return { firstTick: first, bundles: whole }
}

/** How many bundles there are; none where they are not whole. */
function countBundles(bundles: Uint8Array): number {
  try {
    return readExcerpt({ bundles }).length
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return 0
  }
}

interface FetchedState {
  readonly outcome: StateOutcome
  readonly state: DesyncSide['state']
}

function* fetchState(tick: number): Generator<Probe, FetchedState, unknown> {
  const none = (outcome: StateOutcome): FetchedState => ({ outcome, state: undefined })
  const found = yield { kind: 'state', ask: { tick } }
  if (!isAnswer(found)) return none(found === 'forgotten' ? 'forgotten' : 'no-answer')
  const { tick: stateTick, bytes } = found as ProbeAnswer<'state'>
  const count = pieceCount(bytes)
  if (count > probePiecesMax) return none('too-large')
  const pieces: StatePiece[] = []
  let bytesHere = 0
  while (pieces.length < count) {
    const piece = yield { kind: 'piece', ask: { index: pieces.length } }
    if (!isAnswer(piece)) return none('no-answer')
    pieces.push(piece as StatePiece)
    bytesHere += (piece as StatePiece).content.byteLength
    if (bytesHere > probeStateBytesMax) return none('too-large')
  }
  return { outcome: 'kept', state: { tick: stateTick, bytes, pieces } }
}

function isAnswer(answer: unknown): boolean {
  return answer !== undefined && answer !== 'forgotten'
}

/** How long somebody may take to answer. */
const answerMs = 5_000

/** How long the collection may take in all. The report waits for it, and nothing else does. */
const collectionMs = 30_000

/** Bytes around an answer in its packets. */
const frameBytes = 256
