import { unreachable } from '../base/assert.ts'
import type { LeaveReason } from '../sim/game/run/bundle.ts'
import { voteMuteMs } from './chat.ts'
import type { Member, Members } from './members.ts'
import type { PaceSource, PauseBudget } from './pause-budget.ts'
import type { VoteProposal } from './votes.ts'

/** Does what the players voted for. */
export function carryOutVote(
  proposal: VoteProposal,
  members: Members,
  pace: PauseBudget,
  host: { expel(member: Member, reason: LeaveReason, message: string, nowMs: number): void },
  nowMs: number,
): void {
  const source: PaceSource = { type: 'vote' }
  switch (proposal.kind) {
    case 'kick': {
      const member = members.seats[proposal.target]
      if (member !== undefined) host.expel(member, 'voted-out', 'The players voted you out', nowMs)
      return
    }
    case 'mute':
      members.seats[proposal.target]?.speech.mute('vote', nowMs + voteMuteMs)
      return
    case 'pause':
    case 'resume':
      pace.request({ type: proposal.kind }, source, nowMs)
      return
    case 'speed':
      pace.request({ type: 'speed', percent: proposal.percent }, source, nowMs)
      return
    default:
      unreachable(proposal)
  }
}
