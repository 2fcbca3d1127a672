import { OutputQueue } from '../base/output-queue.ts'
import { speedPercentMax, speedPercentMin } from '../wire/limits.ts'
import { encodeMessage, type MessageBody } from '../wire/messages/messages.ts'
import type { RoomAction } from '../wire/messages/room-actions.ts'
import { tellMs } from './lobby-types.ts'

/**
 * What players decide together. Who may vote is fixed when a vote is proposed; silence is a no; more
 * than half of the electors, and at least two of them, must say yes (T-55).
 *
 * Who leaves takes his ballot along: the rest is counted again without him. Who comes meanwhile has no
 * ballot. The target of a vote is an elector too, and has said no: were he left out, half of the
 * players could throw out one of the other half, as two against two do when one team feels like it.
 */

/** What can be voted on. Targets are seats. */
export type VoteProposal =
  | { readonly kind: 'kick'; readonly target: number }
  | { readonly kind: 'mute'; readonly target: number }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'speed'; readonly percent: number }

/** Why a proposal or a ballot is not taken. */
export type VoteRefusal =
  /** One vote at a time. */
  | 'vote-running'
  /** There is none, or not this one. */
  | 'no-vote'
  /** This proposer asked a short while ago. */
  | 'too-soon'
  /** This proposer has asked often enough for one match. */
  | 'too-many'
  /** Was not here when the vote was proposed, or left since. */
  | 'not-elector'
  | 'already-voted'
  /** Not here, or the proposer himself. */
  | 'wrong-target'
  /** So few players that it could never pass. */
  | 'too-few'
  | 'bad-value'

/** Where a vote stands, for all to see. */
export interface VoteView {
  readonly id: number
  readonly proposal: VoteProposal
  readonly proposer: number
  readonly yes: number
  readonly no: number
  readonly electors: number
  /** How many must say yes. */
  readonly needed: number
  readonly endsAtMs: number
}

/** Votes as a record keeps them. Times are what is left. */
export interface VotesState {
  readonly vote:
    | {
        readonly id: number
        readonly kind: VoteProposal['kind']
        readonly target: number | undefined
        readonly percent: number
        readonly proposer: number
        readonly ballots: { readonly seat: number; readonly said: Ballot }[]
        readonly remainingMs: number
      }
    | undefined
  readonly lastVote: number
  readonly proposals: { readonly seat: number; readonly count: number; readonly waitMs: number }[]
}

/** What happens with votes. A passed one is for the match to carry out, at a tick. */
export type VoteEvent =
  | { readonly type: 'proposed'; readonly vote: VoteView }
  | { readonly type: 'counted'; readonly vote: VoteView }
  | { readonly type: 'passed'; readonly vote: VoteView }
  | {
      readonly type: 'failed'
      readonly vote: VoteView
      readonly why: 'denied' | 'timeout' | 'target-left'
    }

/** What an elector said, or that it has yet to. */
type Ballot = 'yes' | 'no' | 'open'

type Vote = {
  readonly id: number
  readonly proposal: VoteProposal
  readonly proposer: number
  readonly ballots: Map<number, Ballot>
  endsAtMs: number
}

/** The votes of one match. */
export class Votes {
  readonly #events = new OutputQueue<VoteEvent>()
  /** By seat, and kept when its player changes: leaving and coming back buys no further votes. */
  readonly #proposals = new Map<number, { count: number; againAtMs: number }>()
  #vote: Vote | undefined
  #lastId = 0

  /** The vote that is running. */
  view(): VoteView | undefined {
    return this.#vote === undefined ? undefined : viewOf(this.#vote)
  }

  /** What is told about a vote that is open; nothing where none is. */
  openMessage(nowMs: number): Uint8Array | undefined {
    if (this.#vote === undefined) return undefined
    const body = { ...voteBody(viewOf(this.#vote), nowMs), state: 'open' } as const
    return encodeMessage('RelayVote', body)
  }

  /** All of it, for the record. */
  state(nowMs: number): VotesState {
    const vote = this.#vote
    const proposals = [...this.#proposals].map(([seat, { count, againAtMs }]) => {
      return { seat, count, waitMs: tellMs(againAtMs - nowMs) }
    })
    if (vote === undefined) return { vote, lastVote: this.#lastId, proposals }
    const { kind, target, percent, id, proposer, remainingMs } = voteBody(viewOf(vote), nowMs)
    const ballots = [...vote.ballots].map(([seat, said]) => ({ seat, said }))
    return {
      vote: { id, kind, target, percent, proposer, ballots, remainingMs },
      lastVote: this.#lastId,
      proposals,
    }
  }

  /** Goes on where another relay was: a vote that was open is, for as long as it had left. */
  restore({ vote, lastVote, proposals }: VotesState, nowMs: number): void {
    this.#lastId = lastVote
    for (const { seat, count, waitMs } of proposals) {
      this.#proposals.set(seat, { count, againAtMs: nowMs + waitMs })
    }
    if (vote === undefined) return
    const { id, kind, target = 0, percent, proposer, remainingMs } = vote
    this.#vote = {
      id,
      proposal: proposalOf({ type: 'propose', vote: kind, target, percent }),
      proposer,
      ballots: new Map(vote.ballots.map(({ seat, said }) => [seat, said])),
      endsAtMs: nowMs + remainingMs,
    }
  }

  /** Proposes a vote among the seats that have an active player now, the proposer's included. */
  propose(
    seat: number,
    proposal: VoteProposal,
    electors: readonly number[],
    nowMs: number,
  ): VoteRefusal | undefined {
    if (!electors.includes(seat)) return 'not-elector'
    if (this.#vote !== undefined) return 'vote-running'
    const fault = proposalFault(seat, proposal, electors)
    if (fault !== undefined) return fault
    const before = this.#proposals.get(seat) ?? { count: 0, againAtMs: Number.NEGATIVE_INFINITY }
    if (before.count >= proposalsMax) return 'too-many'
    if (nowMs < before.againAtMs) return 'too-soon'
    this.#proposals.set(seat, { count: before.count + 1, againAtMs: nowMs + proposalEveryMs })
    const ballots = new Map<number, Ballot>(electors.map((elector) => [elector, 'open']))
    ballots.set(seat, 'yes')
    if ('target' in proposal) ballots.set(proposal.target, 'no')
    this.#lastId += 1
    const endsAtMs = nowMs + voteMs
    this.#vote = { id: this.#lastId, proposal, proposer: seat, ballots, endsAtMs }
    this.#events.push({ type: 'proposed', vote: viewOf(this.#vote) })
    return undefined
  }

  /** Casts a ballot in the vote of that number. What was said is said. */
  cast(seat: number, id: number, isYes: boolean): VoteRefusal | undefined {
    const vote = this.#vote
    if (vote === undefined || vote.id !== id) return 'no-vote'
    const ballot = vote.ballots.get(seat)
    if (ballot === undefined) return 'not-elector'
    if (ballot !== 'open') return 'already-voted'
    vote.ballots.set(seat, isYes ? 'yes' : 'no')
    this.#tally(vote)
    return undefined
  }

  /** A seat lost its player for good. */
  handleLeave(seat: number): void {
    const vote = this.#vote
    if (vote === undefined || !vote.ballots.delete(seat)) return
    const { proposal } = vote
    if ('target' in proposal && proposal.target === seat) {
      this.#vote = undefined
      this.#events.push({ type: 'failed', vote: viewOf(vote), why: 'target-left' })
    } else {
      this.#tally(vote)
    }
  }

  handleTime(nowMs: number): void {
    const vote = this.#vote
    if (vote === undefined || nowMs < vote.endsAtMs) return
    this.#vote = undefined
    this.#events.push({ type: 'failed', vote: viewOf(vote), why: 'timeout' })
  }

  /** The relay stood still for so long; nobody could vote meanwhile (F-14). */
  excuse(lostMs: number): void {
    if (this.#vote !== undefined) this.#vote.endsAtMs += lostMs
  }

  wakeAtMs(): number {
    return this.#vote?.endsAtMs ?? Number.POSITIVE_INFINITY
  }

  pollEvent(): VoteEvent | undefined {
    return this.#events.shift()
  }

  /** Ends the vote as soon as nothing can change its outcome. */
  #tally(vote: Vote): void {
    const view = viewOf(vote)
    const isPassed = view.yes >= view.needed
    const isLost = view.electors - view.no < view.needed
    if (isPassed || isLost) this.#vote = undefined
    if (isPassed) this.#events.push({ type: 'passed', vote: view })
    else if (isLost) this.#events.push({ type: 'failed', vote: view, why: 'denied' })
    else this.#events.push({ type: 'counted', vote: view })
  }
}

function proposalFault(
  seat: number,
  proposal: VoteProposal,
  electors: readonly number[],
): VoteRefusal | undefined {
  // Two must say yes, and a target never does.
  const hasTarget = 'target' in proposal
  if (electors.length < (hasTarget ? 3 : 2)) return 'too-few'
  if (hasTarget) {
    const isHere = electors.includes(proposal.target) && proposal.target !== seat
    return isHere ? undefined : 'wrong-target'
  }
  if (proposal.kind !== 'speed') return undefined
  const { percent } = proposal
  const isSpeed = Number.isInteger(percent) && percent >= speedPercentMin
  return isSpeed && percent <= speedPercentMax ? undefined : 'bad-value'
}

function viewOf({ id, proposal, proposer, ballots, endsAtMs }: Vote): VoteView {
  let [yes, no] = [0, 0]
  for (const ballot of ballots.values()) {
    if (ballot === 'yes') yes += 1
    else if (ballot === 'no') no += 1
  }
  const electors = ballots.size
  const needed = Math.max(Math.floor(electors / 2) + 1, yesMin)
  return { id, proposal, proposer, yes, no, electors, needed, endsAtMs }
}

/** What an action proposes. */
export function proposalOf(action: Extract<RoomAction, { type: 'propose' }>): VoteProposal {
  const { vote, target, percent } = action
  if (vote === 'kick' || vote === 'mute') return { kind: vote, target }
  return vote === 'speed' ? { kind: vote, percent } : { kind: vote }
}

/** Where a vote stands, for a message. */
export function voteBody(
  { proposal, endsAtMs, ...view }: VoteView,
  nowMs: number,
): Omit<MessageBody<'RelayVote'>, 'state'> {
  return {
    ...view,
    kind: proposal.kind,
    target: 'target' in proposal ? proposal.target : undefined,
    percent: 'percent' in proposal ? proposal.percent : 0,
    remainingMs: tellMs(endsAtMs - nowMs),
  }
}

/** Nobody decides alone, even when everybody else has left. */
const yesMin = 2

/** How long a vote is open: time to finish what one is doing, not to forget what it is about. */
const voteMs = 30_000

/** How long a proposer waits for his next proposal, and how many he has in a match (T-56). */
const proposalEveryMs = 180_000
const proposalsMax = 3
