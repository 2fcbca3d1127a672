import { unreachable } from '../base/assert.ts'
import type { LeaveReason, SystemEvent } from '../sim/game/bundle.ts'
import type { MatchConfig } from '../wire/match-config.ts'
import { encodeMessage } from '../wire/messages.ts'
import type { RoomAction } from '../wire/room-actions.ts'
import { BotSeats } from './bot-seats.ts'
import { Chat, hears, voteMuteMs } from './chat.ts'
import { Lobby } from './lobby.ts'
import type { LobbyAction, LobbyEvent, LobbyPhase, Member } from './lobby-types.ts'
import { tellMs } from './lobby-types.ts'
import type { PaceSource } from './pause-budget.ts'
import { PauseBudget } from './pause-budget.ts'
import type { StrikeReason } from './strikes.ts'
import type { VoteEvent, VoteProposal, VoteView } from './votes.ts'
import { Votes } from './votes.ts'

/** What a room needs of the match around it. */
export interface RoomHost {
  /** Seals an event with the next tick. */
  seal(event: SystemEvent): void
  setSpeed(percent: number, nowMs: number): void
  /** Ends somebody's session. */
  expel(member: number, reason: LeaveReason, message: string, nowMs: number): void
  /** Sends a message to those of whom `isFor` says so. */
  send(bytes: Uint8Array, isFor: (member: Readonly<Member>) => boolean, nowMs: number): void
  enter(phase: LobbyPhase['name'], nowMs: number): void
  /** Seats whose players are there and keep up. */
  activeSeats(): number[]
  /** A bot has another runner, or came or went. */
  moveBot(seat: number, runner: number | undefined, turn: number, nowMs: number): void
}

/** What became of a wish. */
export interface RoomAnswer {
  /** Why it is not granted. */
  readonly refusal: string | undefined
  /** What it is to be struck for, as no client of ours asks that. */
  readonly strike: StrikeReason | undefined
}

const granted: RoomAnswer = { refusal: undefined, strike: undefined }

/**
 * What people do around a match: the lobby, chat, pauses and speed, votes, bots. All of it are wishes,
 * granted or refused here; what concerns the game itself is sealed as an event of a tick.
 */
export class Room {
  readonly lobby: Lobby
  readonly pace: PauseBudget
  readonly bots = new BotSeats()
  readonly #chat = new Chat()
  readonly #votes = new Votes()
  readonly #host: RoomHost
  /** Whether seats and options stay as they were when the match was asked for. */
  readonly isAsIs: boolean

  constructor(config: MatchConfig, host: RoomHost, nowMs: number) {
    this.#host = host
    this.isAsIs = config.lobby.start === 'when-full'
    this.lobby = new Lobby({ ...config.lobby, seats: config.seats }, nowMs, config.options)
    this.pace = new PauseBudget(config.pace)
  }

  /** Whether clients can begin to load: the options will not change any more. */
  get isLaunched(): boolean {
    const { phase } = this.lobby
    return phase === 'lobby' ? this.isAsIs : phase !== 'ended'
  }

  /** How many members each of its books knows, for leak checks: all the same. */
  get memberEntries(): readonly number[] {
    return [this.lobby.view(0).members.length, this.#chat.size, this.bots.clientCount]
  }

  /** Somebody came in. */
  add(id: number, name: string, role: 'player' | 'spectator', nowMs: number): void {
    this.#chat.add(id, nowMs)
    this.bots.setClient(id, true)
    this.lobby.join(id, name, role, nowMs)
    this.settle(nowMs)
  }

  /** Somebody is gone for good. */
  remove(id: number, seat: number | undefined, nowMs: number): void {
    this.#chat.remove(id)
    this.bots.handleLeave(id)
    if (seat !== undefined) this.#votes.handleLeave(seat)
    this.lobby.leave(id, nowMs)
    this.settle(nowMs)
  }

  /** A link was lost or is back. */
  setConnected(id: number, isConnected: boolean, nowMs: number): void {
    this.bots.setClient(id, isConnected)
    this.lobby.setConnected(id, isConnected, nowMs)
    this.settle(nowMs)
  }

  /** Grants a wish, or says why not. */
  handle(id: number, action: RoomAction, nowMs: number): RoomAnswer {
    const member = this.lobby.member(id)
    if (member === undefined) return deny('unknown-member')
    const answer = this.#handle(member, action, nowMs)
    this.settle(nowMs)
    return answer
  }

  handleTime(nowMs: number): void {
    this.lobby.handleTime(nowMs)
    this.#votes.handleTime(nowMs)
    this.pace.handleTime(nowMs)
    this.settle(nowMs)
  }

  wakeAtMs(): number {
    return Math.min(this.lobby.wakeAtMs(), this.#votes.wakeAtMs(), this.pace.wakeAtMs())
  }

  /** The relay stood still for so long: nobody could do anything meanwhile. */
  excuse(lostMs: number): void {
    this.lobby.excuse(lostMs)
    this.#votes.excuse(lostMs)
  }

  /** Carries out what its parts decided. */
  settle(nowMs: number): void {
    for (let event = this.lobby.pollEvent(); event; event = this.lobby.pollEvent()) {
      this.#handleLobby(event, nowMs)
    }
    for (let event = this.#votes.pollEvent(); event; event = this.#votes.pollEvent()) {
      this.#handleVote(event, nowMs)
    }
    for (let event = this.pace.pollEvent(); event; event = this.pace.pollEvent()) {
      this.#host.seal(event)
      if (event.type === 'speed') this.#host.setSpeed(event.percent, nowMs)
    }
    for (let event = this.bots.pollEvent(); event; event = this.bots.pollEvent()) {
      this.#host.moveBot(event.seat, event.runner, event.turn, nowMs)
    }
  }

  #handle(member: Readonly<Member>, action: RoomAction, nowMs: number): RoomAnswer {
    switch (action.type) {
      case 'say':
        return this.#say(member, action.scope, action.text, nowMs)
      case 'mute':
        return this.#mute(member, action.member, action.isMuted)
      case 'pause':
      case 'resume':
      case 'set-speed':
        return this.#changePace(member, action, nowMs)
      case 'propose':
        return this.#propose(member, action, nowMs)
      case 'cast':
        if (member.seat === undefined) return deny('not-elector')
        return deny(this.#votes.cast(member.seat, action.id, action.isYes))
      case 'add-bot':
        return this.#addBot(member, action.seat, nowMs)
      case 'remove-bot':
        return this.#removeBot(member, action.seat, nowMs)
      case 'lock-seat':
        // Unlocked, the seat of a bot would be a person's too.
        if (this.bots.isBot(action.seat)) return deny('seat-taken')
        return deny(this.lobby.handle(member.id, action, nowMs))
      case 'take-seat':
      case 'leave-seat':
      case 'set-options':
        // Where nobody is asked anything, everybody began to load when he came in.
        if (this.isAsIs) return deny('wrong-phase')
        return deny(this.lobby.handle(member.id, action, nowMs))
      default:
        return deny(this.lobby.handle(member.id, action satisfies LobbyAction, nowMs))
    }
  }

  #say(
    member: Readonly<Member>,
    scope: 'all' | 'team' | 'spectators',
    text: string,
    nowMs: number,
  ): RoomAnswer {
    const refusal = this.#chat.refusalOf(member.id, member, scope, text, nowMs)
    if (refusal !== undefined) {
      const isMischief = !['rate', 'muted', 'wrong-scope', 'not-normal'].includes(refusal)
      return { refusal, strike: isMischief ? 'wrong-text' : undefined }
    }
    const said = encodeMessage('RelaySaid', { member: member.id, scope, text })
    this.#host.send(said, (listener) => hears(member, scope, listener), nowMs)
    return granted
  }

  #mute(member: Readonly<Member>, target: number, isMuted: boolean): RoomAnswer {
    if (this.lobby.owner !== member.id) return deny('not-owner')
    if (this.lobby.member(target) === undefined) return deny('unknown-member')
    if (isMuted) this.#chat.mute(target, 'owner', Number.POSITIVE_INFINITY)
    else this.#chat.unmute(target, 'owner')
    return granted
  }

  #changePace(
    member: Readonly<Member>,
    action: Extract<RoomAction, { type: 'pause' | 'resume' | 'set-speed' }>,
    nowMs: number,
  ): RoomAnswer {
    if (this.lobby.phase !== 'running') return deny('wrong-phase')
    const isOwner = this.lobby.owner === member.id
    // Who only watches has no clock to stop.
    if (member.seat === undefined && !isOwner) return deny('not-player')
    const source: PaceSource = isOwner
      ? { type: 'owner', seat: member.seat }
      : { type: 'player', seat: member.seat as number }
    const request =
      action.type === 'set-speed'
        ? ({ type: 'speed', percent: action.percent } as const)
        : { type: action.type }
    return deny(this.pace.request(request, source, nowMs))
  }

  #propose(
    member: Readonly<Member>,
    action: Extract<RoomAction, { type: 'propose' }>,
    nowMs: number,
  ): RoomAnswer {
    if (this.lobby.phase !== 'running') return deny('wrong-phase')
    if (member.seat === undefined) return deny('not-elector')
    const proposal = proposalOf(action)
    return deny(this.#votes.propose(member.seat, proposal, this.#host.activeSeats(), nowMs))
  }

  /** A bot's seat is locked for people, and so it counts as taken where all seats must be. */
  #addBot(member: Readonly<Member>, seat: number, nowMs: number): RoomAnswer {
    if (this.bots.isBot(seat)) return deny('seat-taken')
    const action: LobbyAction = { type: 'lock-seat', seat, isLocked: true }
    const refusal = this.lobby.handle(member.id, action, nowMs)
    if (refusal !== undefined) return deny(refusal)
    this.bots.addBot(seat, member.id)
    return granted
  }

  #removeBot(member: Readonly<Member>, seat: number, nowMs: number): RoomAnswer {
    if (!this.bots.isBot(seat)) return deny('no-such-seat')
    const action: LobbyAction = { type: 'lock-seat', seat, isLocked: false }
    const refusal = this.lobby.handle(member.id, action, nowMs)
    if (refusal !== undefined) return deny(refusal)
    this.bots.removeBot(seat)
    this.#host.moveBot(seat, undefined, 0, nowMs)
    return granted
  }

  #handleLobby(event: LobbyEvent, nowMs: number): void {
    switch (event.type) {
      case 'phase':
        this.#host.enter(event.phase, nowMs)
        return
      case 'kicked':
        this.#host.expel(event.member, 'kicked', 'The owner removed you from the match', nowMs)
        return
      case 'load-timeout':
        this.#host.expel(event.member, 'timeout', 'Loading took too long', nowMs)
        return
      case 'owner':
      case 'aborted':
        // Both are in what everybody is shown next.
        return
      default:
        unreachable(event)
    }
  }

  #handleVote(event: VoteEvent, nowMs: number): void {
    const { vote } = event
    const state = event.type === 'failed' ? event.why : event.type === 'passed' ? 'passed' : 'open'
    const bytes = encodeMessage('RelayVote', { ...voteBody(vote, nowMs), state })
    this.#host.send(bytes, () => true, nowMs)
    if (event.type === 'passed') this.#carryOut(vote.proposal, nowMs)
  }

  #carryOut(proposal: VoteProposal, nowMs: number): void {
    const source: PaceSource = { type: 'vote' }
    switch (proposal.kind) {
      case 'kick': {
        const member = this.#memberAt(proposal.target)
        if (member !== undefined) {
          this.#host.expel(member.id, 'voted-out', 'The players voted you out', nowMs)
        }
        return
      }
      case 'mute': {
        const member = this.#memberAt(proposal.target)
        if (member !== undefined) this.#chat.mute(member.id, 'vote', nowMs + voteMuteMs)
        return
      }
      case 'pause':
      case 'resume':
        this.pace.request({ type: proposal.kind }, source, nowMs)
        return
      case 'speed':
        this.pace.request({ type: 'speed', percent: proposal.percent }, source, nowMs)
        return
      default:
        unreachable(proposal)
    }
  }

  #memberAt(seat: number): { readonly id: number } | undefined {
    return this.lobby.view(0).members.find((member) => member.seat === seat)
  }
}

function deny(refusal: string | undefined): RoomAnswer {
  return refusal === undefined ? granted : { refusal, strike: undefined }
}

function proposalOf(action: Extract<RoomAction, { type: 'propose' }>): VoteProposal {
  const { vote, target, percent } = action
  if (vote === 'kick' || vote === 'mute') return { kind: vote, target }
  return vote === 'speed' ? { kind: vote, percent } : { kind: vote }
}

function voteBody(
  { id, proposal, proposer, yes, no, electors, needed, endsAtMs }: VoteView,
  nowMs: number,
) {
  return {
    id,
    kind: proposal.kind,
    target: 'target' in proposal ? proposal.target : undefined,
    percent: 'percent' in proposal ? proposal.percent : 0,
    proposer,
    yes,
    no,
    electors,
    needed,
    remainingMs: tellMs(endsAtMs - nowMs),
  }
}
