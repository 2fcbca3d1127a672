import { unreachable } from '../base/assert.ts'
import type { LeaveReason } from '../sim/game/run/bundle.ts'
import { encodeMessage } from '../wire/messages/messages.ts'
import type { RoomAction } from '../wire/messages/room-actions.ts'
import { voteMuteMs } from './chat.ts'
import type { Member, Members } from './members.ts'
import type { PaceRefusal, PaceSource, PauseBudget } from './pause-budget.ts'
import type { VoteEvent, VoteProposal, VoteRefusal, Votes } from './votes.ts'
import { proposalOf, voteBody } from './votes.ts'

/** What votes need of the match around them. */
export interface VoteHost {
  /** Ends somebody's session. */
  expel(member: Member, reason: LeaveReason, message: string, nowMs: number): void
}

/** Takes members' wishes to vote, tells everybody how votes stand, and does what was voted for. */
export class VoteKeeper {
  readonly #votes: Votes
  readonly #members: Members
  readonly #pace: PauseBudget
  readonly #host: VoteHost

  constructor(votes: Votes, members: Members, pace: PauseBudget, host: VoteHost) {
    this.#votes = votes
    this.#members = members
    this.#pace = pace
    this.#host = host
  }

  /** Opens a vote or counts a ballot, or says why not. */
  handle(
    { seat }: Member,
    action: Extract<RoomAction, { type: 'propose' | 'cast' }>,
    nowMs: number,
  ): VoteRefusal | PaceRefusal | undefined {
    if (seat === undefined) return 'not-elector'
    if (action.type === 'cast') return this.#votes.cast(seat, action.id, action.isYes)
    const proposal = proposalOf(action)
    // What the relay would not do is not worth a vote.
    const fault = proposal.kind === 'speed' ? this.#pace.speedFault(proposal.percent) : undefined
    return fault ?? this.#votes.propose(seat, proposal, this.#members.activeSeats(), nowMs)
  }

  /** Tells everybody what became of a vote, and carries out one that passed. */
  tell(event: VoteEvent, nowMs: number): void {
    const { vote } = event
    const state = event.type === 'failed' ? event.why : event.type === 'passed' ? 'passed' : 'open'
    this.#members.tell(encodeMessage('RelayVote', { ...voteBody(vote, nowMs), state }), nowMs)
    if (event.type === 'passed') this.#carryOut(vote.proposal, nowMs)
  }

  #carryOut(proposal: VoteProposal, nowMs: number): void {
    const source: PaceSource = { type: 'vote' }
    switch (proposal.kind) {
      case 'kick': {
        const member = this.#members.seats[proposal.target]
        if (member === undefined) return
        this.#host.expel(member, 'voted-out', 'The players voted you out', nowMs)
        return
      }
      case 'mute':
        this.#members.seats[proposal.target]?.speech.mute('vote', nowMs + voteMuteMs)
        return
      case 'pause':
      case 'resume':
        this.#pace.request({ type: proposal.kind }, source, nowMs)
        return
      case 'speed':
        this.#pace.request({ type: 'speed', percent: proposal.percent }, source, nowMs)
        return
      default:
        unreachable(proposal)
    }
  }
}
