import type { PlantedBug } from './planted-bug.ts'

/** Bugs in rooms: lobby, votes, pauses, chat, bots. */
export const roomBugs: readonly PlantedBug[] = [
  {
    id: 'handed-seat-without-event',
    file: 'room/seat-claims.ts',
    find: "this.#host.seal({ type: 'hand-over', seat, member: holder.id })",
    replace: '',
    breaks: 'A seat changes hands at the relay, but no machine is told.',
  },
  {
    id: 'handed-orders-kept',
    file: 'relay/match/ticks/tick-core.ts',
    find: 'this.sealer.forgetInputs(seat)\n    this.sealer.forgetOrders(seat)\n    if (holder',
    replace: 'if (holder',
    breaks: "A player's orders run as those of the seat's next player.",
  },
  {
    id: 'pause-too-long',
    file: 'room/pause-budget.ts',
    find: ': this.#rules.pauseMsMax',
    replace: ': 10 * this.#rules.pauseMsMax',
    profiles: ['flood'],
    breaks: 'A pause lasts longer than the match allows.',
  },
  {
    id: 'pauses-without-limit',
    file: 'room/pause-budget.ts',
    find: "if (this.pausesLeft(account) <= 0) return 'no-pause-left'",
    replace: '',
    breaks: 'One player can stop a match for ever, a minute at a time.',
  },
  {
    id: 'vote-tie-passes',
    file: 'room/votes.ts',
    find: 'Math.floor(electors / 2) + 1',
    replace: 'Math.ceil(electors / 2)',
    profiles: ['churn'],
    breaks: 'Half of the players decide for all of them.',
  },
  {
    id: 'proposals-without-pause',
    file: 'room/votes.ts',
    find: "if (nowMs < before.againAtMs) return 'too-soon'",
    replace: '',
    profiles: ['flood'],
    breaks: 'One player keeps everybody voting.',
  },
  {
    id: 'countdown-skipped',
    file: 'room/match-phases.ts',
    find: 'if (countdownMs === 0) this.#enter(running(), nowMs)',
    replace: 'if (countdownMs >= 0) this.#enter(running(), nowMs)',
    breaks: 'A match begins before anybody is ready for it.',
  },
  {
    id: 'member-not-forgotten',
    file: 'room/members.ts',
    find: 'this.#byId.delete(member.id)',
    replace: '',
    breaks: 'Data of every former member is kept.',
  },
  {
    id: 'owner-not-inherited',
    file: 'room/members.ts',
    find: 'if (this.#owner === member) this.#owner = this.players()[0]',
    replace: '',
    breaks: 'A match whose owner has left belongs to nobody any more.',
  },
  {
    id: 'lobby-numbers-kept',
    file: 'relay/match/session.ts',
    find: 'this.nextOrder = 0\n    this.startCount += 1',
    replace: 'this.startCount += 1',
    profiles: ['churn'],
    breaks: 'After a cancelled launch, the relay expects orders that nobody will send.',
  },
  {
    id: 'former-runner-obeyed',
    file: 'relay/match/orders/bot-orders.ts',
    find: "if (claim === 'moved' || bot === undefined || bot.turn !== turn) return undefined",
    replace:
      'if (bot === undefined) return undefined\n    if (bot.turn !== turn) bot.nextOrder = firstNumber',
    breaks: 'A bot obeys its former runner.',
  },
]
