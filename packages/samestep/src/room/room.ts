import { unreachable } from '../base/assert.ts'
import type { LeaveReason, SystemEvent } from '../sim/game/run/bundle.ts'
import type { MatchConfig } from '../wire/messages/match-config.ts'
import { encodeMessage } from '../wire/messages/messages.ts'
import type { RoomAction } from '../wire/messages/room-actions.ts'
import { BotKeeper } from './bot-keeper.ts'
import { BotSeats } from './bot-seats.ts'
import type { ChatHost } from './chat.ts'
import { Chat } from './chat.ts'
import { Lobby } from './lobby.ts'
import type { LobbyAction, LobbyEvent, LobbyPhase, LobbyRules, Role } from './lobby-types.ts'
import type { Member, Members, Place } from './members.ts'
import type { PaceSource } from './pause-budget.ts'
import { PauseBudget } from './pause-budget.ts'
import type { RoomAnswer } from './room-answer.ts'
import { deny, isPassing } from './room-answer.ts'
import { RoomShow } from './room-show.ts'
import type { RoomState } from './room-state.ts'
import { type SeatChange, SeatClaims } from './seat-claims.ts'
import { VoteKeeper } from './vote-keeper.ts'
import { Votes } from './votes.ts'

/** What a room needs of the match around it. */
export interface RoomHost extends ChatHost {
  /** Seals an event with the next tick. */
  seal(event: SystemEvent): void
  setSpeed(percent: number, nowMs: number): void
  /** From the next tick on another member plays a seat, or a bot. */
  switchSeat(change: SeatChange, nowMs: number): void
  /** Ends somebody's session, which ends in {@link Room.remove}. */
  expel(member: Member, reason: LeaveReason, message: string, nowMs: number): void
  enter(phase: LobbyPhase['name'], nowMs: number): void
}

/** What whoever runs the relay decides about a room, whatever its members want. */
export interface RoomLimits extends Pick<LobbyRules, 'keptMs' | 'optionsBytesMax'> {
  /** The highest speed, in percent. */
  readonly speedPercentMax?: number
}

/**
 * What people do around a match: the lobby, chat, pauses and speed, votes, bots. All of it are wishes,
 * granted or refused here; what concerns the game itself is sealed as an event of a tick.
 */
export class Room {
  readonly lobby: Lobby
  readonly pace: PauseBudget
  readonly bots: BotSeats
  readonly claims: SeatClaims
  readonly votes = new Votes()
  readonly #members: Members
  readonly #show: RoomShow
  readonly #chat: Chat
  readonly #host: RoomHost
  readonly #botKeeper: BotKeeper
  readonly #voteKeeper: VoteKeeper
  /** Counts what the lobby does not: whatever may have changed anything, also what only others see. */
  changes = 0
  /** Whether seats and options stay as they were when the match was asked for. */
  readonly isAsIs: boolean

  constructor(
    config: MatchConfig,
    members: Members,
    host: RoomHost,
    nowMs: number,
    limits: RoomLimits = {},
  ) {
    const { speedPercentMax, ...lobbyLimits } = limits
    this.#members = members
    this.#host = host
    this.isAsIs = config.lobby.start === 'when-full'
    this.lobby = new Lobby({ ...config.lobby, ...lobbyLimits }, members, nowMs, config.options)
    this.bots = new BotSeats(members)
    this.#botKeeper = new BotKeeper(this.bots, this.lobby, members, host)
    this.claims = this.#makeClaims()
    this.pace = new PauseBudget(config.pace, speedPercentMax)
    this.#show = new RoomShow(this.lobby, members, this.pace, nowMs)
    this.#voteKeeper = new VoteKeeper(this.votes, members, this.pace, host)
    this.#chat = new Chat(members, nowMs, config.lobby.spectatorsReach, host)
  }

  /** Whether clients can begin to load: the options will not change any more. */
  get isLaunched(): boolean {
    const { phase } = this.lobby
    return phase === 'lobby' ? this.isAsIs : phase !== 'ended'
  }

  /** Changes with everything that {@link restore} takes, and with members; now and then without. */
  get revision(): number {
    return this.lobby.revision + this.changes
  }

  /** Goes on where another relay was; its members are back in their places already. */
  restore(state: RoomState, nowMs: number): void {
    const { pause, pauses, requestedPercent, effectivePercent } = state
    this.lobby.restore(state, nowMs)
    this.pace.restore(pause, pauses, requestedPercent, effectivePercent, nowMs)
    this.bots.restore(state.bots, state.phase === 'running')
    this.votes.restore(state, nowMs)
    this.changes += 1
  }

  /** Somebody came in. */
  add(member: Member, role: Role, nowMs: number, place?: Place): void {
    this.bots.notePresence()
    this.lobby.handleJoin(member, role, nowMs, place)
    this.settle(nowMs)
  }

  /** Somebody is gone for good. */
  remove(member: Member, nowMs: number): void {
    this.bots.handleLeave(member)
    if (member.seat !== undefined) this.votes.handleLeave(member.seat)
    this.claims.handleLeft(member, nowMs)
    this.lobby.handleLeave(member, nowMs)
    this.settle(nowMs)
  }

  /** A link carries a member's session (again). */
  handleLinkUp(member: Member, nowMs: number): void {
    // What a bot's runner had sent over a lost link may not have come: it is told where to go on.
    const own = this.bots.runBy(member)
    if (own.length > 0) member.session.send(encodeMessage('RelayBots', { bots: own }), nowMs)
    // Who comes, or comes back, has not heard of a vote that is open.
    const vote = this.votes.openMessage(nowMs)
    if (vote !== undefined) member.session.send(vote, nowMs, true)
    this.handlePresence(nowMs)
  }

  /** The link of a member's session is lost. */
  handleLinkDown(member: Member, nowMs: number): void {
    this.lobby.handleLinkDown(member)
    this.handlePresence(nowMs)
  }

  /** Everybody is shown for whose inputs the match waits; for nobody's where there is none. */
  showWaiting(seats: readonly number[]): void {
    this.#show.setWaitingFor(seats)
  }

  /** Machines have different states: the match stands still until somebody who may resumes it. */
  halt(nowMs: number): void {
    if (this.lobby.phase !== 'running') return
    this.pace.halt()
    this.changes += 1
    this.settle(nowMs)
  }

  /** Does what whoever runs the relay wants. False when it cannot be done. */
  decide(decision: 'resume' | 'end', nowMs: number): boolean {
    const isDone =
      decision === 'end' ||
      this.pace.request({ type: 'resume' }, { type: 'relay' }, nowMs) === undefined
    if (decision === 'end') this.lobby.end(nowMs)
    this.settle(nowMs)
    return isDone
  }

  /** Somebody is seen otherwise than before: others are shown that, and bots may have to move. */
  handlePresence(nowMs: number): void {
    this.#show.touch()
    this.bots.notePresence()
    this.settle(nowMs)
  }

  /** Grants a wish, or says why not. */
  handle(member: Member, action: RoomAction, nowMs: number): RoomAnswer {
    if (!member.isIn) return deny('unknown-member')
    const answer = this.#handle(member, action, nowMs)
    if (answer.refusal === undefined && !isPassing(action)) this.changes += 1
    this.settle(nowMs)
    return answer
  }

  handleTime(nowMs: number): void {
    this.lobby.handleTime(nowMs)
    this.votes.handleTime(nowMs)
    this.pace.handleTime(nowMs)
    this.settle(nowMs)
  }

  wakeAtMs(): number {
    return Math.min(
      this.lobby.wakeAtMs(),
      this.votes.wakeAtMs(),
      this.pace.wakeAtMs(),
      this.bots.wakeAtMs(),
      this.#show.wakeAtMs(),
    )
  }

  /** What each of those times is for. */
  wakeReasons(): readonly (readonly ['lobby' | 'vote' | 'pause' | 'bots' | 'room', number])[] {
    return [
      ['lobby', this.lobby.wakeAtMs()],
      ['vote', this.votes.wakeAtMs()],
      ['pause', this.pace.wakeAtMs()],
      ['bots', this.bots.wakeAtMs()],
      ['room', this.#show.wakeAtMs()],
    ]
  }

  /** The relay stood still for so long: nobody could do anything meanwhile. */
  excuse(lostMs: number): void {
    this.lobby.excuse(lostMs)
    this.votes.excuse(lostMs)
  }

  /** Carries out what its parts decided. */
  settle(nowMs: number): void {
    for (let event = this.lobby.pollEvent(); event; event = this.lobby.pollEvent()) {
      this.#handleLobby(event, nowMs)
    }
    for (let event = this.votes.pollEvent(); event; event = this.votes.pollEvent()) {
      this.#voteKeeper.tell(event, nowMs)
      this.changes += 1
    }
    for (let event = this.pace.pollEvent(); event; event = this.pace.pollEvent()) {
      this.#host.seal(event)
      this.changes += 1
      if (event.type === 'speed') this.#host.setSpeed(event.percent, nowMs)
    }
    const moves = this.bots.takeMoves(nowMs)
    if (moves.length === 0) return
    this.changes += 1
    this.#botKeeper.tell(moves, nowMs)
  }

  /** Shows everybody who is there, when it is time. Last of all, so that it is what is. */
  show(nowMs: number): void {
    this.#show.handleTime(nowMs)
  }

  #handle(member: Member, action: RoomAction, nowMs: number): RoomAnswer {
    // A witness checks, and has no say in anything; only how far it has loaded is told.
    if (member.role === 'witness' && action.type !== 'report-load') return deny('not-player')
    switch (action.type) {
      case 'say':
      case 'mute':
        return this.#chat.handle(member, action, nowMs)
      case 'pause':
      case 'resume':
      case 'set-speed':
        return this.#changePace(member, action, nowMs)
      case 'propose':
        if (this.lobby.phase !== 'running') return deny('wrong-phase')
        return deny(this.#voteKeeper.handle(member, action, nowMs))
      case 'cast':
        return deny(this.#voteKeeper.handle(member, action, nowMs))
      case 'add-bot':
        return this.#botKeeper.add(member, action.seat, nowMs)
      case 'remove-bot':
        return this.#botKeeper.remove(member, action.seat, nowMs)
      case 'hand-over':
      case 'reclaim-seat':
        return deny(this.claims.handle(member, action, nowMs))
      case 'lock-seat':
        // Unlocked, the seat of a bot would be a person's too.
        if (this.bots.at(action.seat) !== undefined) return deny('seat-taken')
        return deny(this.lobby.handle(member, action, nowMs))
      case 'take-seat':
      case 'leave-seat':
      case 'set-options':
        // Where nobody is asked anything, everybody began to load when he came in.
        if (this.isAsIs) return deny('wrong-phase')
        return deny(this.lobby.handle(member, action, nowMs))
      default:
        return deny(this.lobby.handle(member, action satisfies LobbyAction, nowMs))
    }
  }

  #changePace(
    member: Member,
    action: Extract<RoomAction, { type: 'pause' | 'resume' | 'set-speed' }>,
    nowMs: number,
  ): RoomAnswer {
    if (this.lobby.phase !== 'running') return deny('wrong-phase')
    const isOwner = this.#members.owner === member
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

  #makeClaims(): SeatClaims {
    return new SeatClaims(this.#members, this.bots, {
      isRunning: () => this.lobby.phase === 'running',
      seal: (event) => this.#host.seal(event),
      switchSeat: (change, nowMs) => {
        this.votes.handleLeave(change.seat)
        this.#host.switchSeat(change, nowMs)
      },
      handleChange: (gone, nowMs) => {
        this.#show.touch()
        this.changes += 1
        if (gone !== undefined) this.#botKeeper.tellGone(gone, nowMs)
      },
    })
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
        this.#host.expel(event.member, 'timeout', 'Your game took too long to load', nowMs)
        return
      case 'owner':
      case 'aborted':
        // Both are in what everybody is shown next.
        return
      default:
        unreachable(event)
    }
  }
}
