import { unreachable } from '../base/assert.ts'
import { OutputQueue } from '../base/output-queue.ts'
import { optionsBytesMax, witnessesMax } from '../wire/limits.ts'
import type {
  LateJoin,
  LobbyAction,
  LobbyEvent,
  LobbyPhase,
  LobbyRefusal,
  LobbyRules,
  LobbyView,
  OwnAction,
  OwnerAction,
  Role,
  Visibility,
} from './lobby-types.ts'
import { isForOwner } from './lobby-types.ts'
import { MatchPhases } from './match-phases.ts'
import type { Member, Members, Place } from './members.ts'
import type { RoomState } from './room-state.ts'

/**
 * Who may come into a match, sit where, and decide what about it. Whatever a member asks for is granted
 * or refused with a reason; nothing that a stranger sends throws. When the match starts, and what ends
 * it, is for {@link MatchPhases}.
 */
export class Lobby {
  readonly #rules: LobbyRules
  readonly #members: Members
  readonly #events = new OutputQueue<LobbyEvent>()
  readonly #phases: MatchPhases
  #visibility: Visibility
  #lateJoin: LateJoin
  #options: Uint8Array
  #optionsRevision = 0
  /** As last told. */
  #owner: Member | undefined
  /** Members whose place was decided when they were let in. */
  readonly #assigned = new WeakSet<Member>()
  #revision = 0

  /** `options` are those that the match was asked for with. */
  constructor(
    rules: LobbyRules,
    members: Members,
    nowMs: number,
    options: Uint8Array = new Uint8Array(0),
  ) {
    this.#options = options
    this.#rules = rules
    this.#members = members
    this.#phases = new MatchPhases(rules, members, this.#events, nowMs)
    this.#visibility = rules.visibility
    this.#lateJoin = rules.lateJoin
  }

  get phase(): LobbyPhase['name'] {
    return this.#phases.name
  }

  /** Changes with everything that {@link view} shows, except presence and the time that remains. */
  get revision(): number {
    return this.#revision + this.#phases.revision
  }

  get visibility(): Visibility {
    return this.#visibility
  }

  get options(): Uint8Array {
    return this.#options
  }

  /** Why nobody of that role can come in now; `undefined` when somebody can. */
  joinFault(role: Role, place: Place = {}): LobbyRefusal | undefined {
    const { phase } = this
    if (phase === 'ended') return 'wrong-phase'
    if (role === 'witness') return this.#members.witnessCount < witnessesMax ? undefined : 'full'
    if (role === 'spectator') {
      if (phase === 'running' && this.#lateJoin === 'nobody') return 'closed'
      return this.#members.spectatorCount < this.#rules.spectatorsMax ? undefined : 'full'
    }
    // Before the match runs, everybody in it loads the same: who comes now would be left behind.
    if (phase === 'loading' || phase === 'countdown') return 'starting'
    if (phase === 'running' && this.#lateJoin !== 'players') return 'closed'
    return this.#members.isFull ? 'full' : this.#members.placeFault(place)
  }

  /**
   * Somebody came in against whom {@link joinFault} said nothing. A player gets the first free seat, or
   * the one that was decided.
   */
  handleJoin(member: Member, role: Role, nowMs: number, { seat, team }: Place = {}): void {
    if (role === 'player') this.#members.sit(member, seat)
    if (role === 'witness') this.#members.makeWitness(member)
    if (role === 'player' && team !== undefined) this.#members.joinTeam(member, team)
    if (seat !== undefined || team !== undefined) this.#assigned.add(member)
    this.#noteOwner()
    this.#revision += 1
    this.#phases.handleJoin(nowMs)
  }

  /** Somebody is gone for good, and no member any more. */
  handleLeave(member: Member, nowMs: number): void {
    this.#noteOwner()
    this.#revision += 1
    this.#phases.handleLeave(member, nowMs)
  }

  /** A link was lost. Who is away is not ready. */
  handleLinkDown(member: Member): void {
    if (this.phase === 'lobby') member.isReady = false
    this.#revision += 1
  }

  /** Goes on where another relay was. */
  restore(room: RoomState, nowMs: number): void {
    this.#visibility = room.visibility
    this.#lateJoin = room.lateJoin
    this.#options = room.options
    this.#optionsRevision = room.optionsRevision
    this.#members.restoreRoom(room.owner, room.lockedSeats)
    this.#owner = this.#members.owner
    this.#phases.restore(room.phase, room.remainingMs, nowMs)
  }

  /** The match is over, by its rules or by an operator. */
  end(nowMs: number): void {
    this.#phases.end(nowMs)
  }

  /** Grants a member's wish, or says why not. */
  handle(member: Member, action: LobbyAction, nowMs: number): LobbyRefusal | undefined {
    if (this.phase === 'ended') return 'wrong-phase'
    const refusal = isForOwner(action)
      ? this.#handleOwner(member, action, nowMs)
      : this.#handleOwn(member, action, nowMs)
    // Reports mostly change nothing, and who is kicked has yet to leave: both count for themselves.
    const isCounted = action.type !== 'report-load' && action.type !== 'kick'
    if (refusal === undefined && isCounted) this.#revision += 1
    return refusal
  }

  handleTime(nowMs: number): void {
    this.#phases.handleTime(nowMs)
  }

  wakeAtMs(): number {
    return this.#phases.wakeAtMs()
  }

  /** The relay stood still for so long: nobody was slow in that time (F-14). */
  excuse(lostMs: number): void {
    this.#phases.excuse(lostMs)
  }

  pollEvent(): LobbyEvent | undefined {
    return this.#events.shift()
  }

  /** All of it, for a message. */
  view(nowMs: number): LobbyView {
    const { owner, list } = this.#members
    return {
      revision: this.revision,
      phase: this.phase,
      remainingMs: this.#phases.remainingMs(nowMs),
      optionsRevision: this.#optionsRevision,
      options: this.#options,
      visibility: this.#visibility,
      lateJoin: this.#lateJoin,
      lockedSeats: this.#members.lockedSeats(),
      members: list.map((member) => {
        const { id, name, role, seat, team, isReady, loadProgress, isAfk, claim } = member
        const { presence } = member.session
        return {
          id,
          name,
          role,
          seat,
          team,
          isReady,
          isOwner: id === owner?.id,
          loadProgress,
          presence,
          isAfk,
          claim,
        }
      }),
    }
  }

  #handleOwn(member: Member, action: OwnAction, nowMs: number): LobbyRefusal | undefined {
    if (action.type === 'report-load') {
      return this.#phases.handleProgress(member, action.progress, nowMs)
    }
    if (action.type === 'set-ready') return this.#setReady(member, action, nowMs)
    if (this.phase !== 'lobby') return 'wrong-phase'
    const refusal = this.#move(member, action)
    if (refusal !== undefined) return refusal
    this.#noteOwner()
    this.#phases.startIfDue(nowMs)
    return undefined
  }

  #setReady(
    member: Member,
    { isReady, optionsRevision }: Extract<OwnAction, { type: 'set-ready' }>,
    nowMs: number,
  ): LobbyRefusal | undefined {
    if (member.role !== 'player') return 'not-player'
    if (this.phase === 'countdown' && !isReady) {
      this.#phases.abort('cancelled', nowMs)
      return undefined
    }
    if (this.phase !== 'lobby') return 'wrong-phase'
    if (isReady && optionsRevision !== this.#optionsRevision) return 'stale-options'
    member.isReady = isReady
    this.#phases.startIfDue(nowMs)
    return undefined
  }

  #move(member: Member, action: Move): LobbyRefusal | undefined {
    if (this.#assigned.has(member)) return 'assigned'
    if (action.type === 'take-seat') {
      const fault = this.#members.seatFault(member, action.seat)
      if (fault === undefined) this.#members.sit(member, action.seat)
      return fault
    }
    if (member.role !== 'player') return 'not-player'
    if (action.type === 'choose-team') {
      return this.#members.joinTeam(member, action.team) ? undefined : 'bad-value'
    }
    if (this.#members.spectatorCount >= this.#rules.spectatorsMax) return 'full'
    this.#members.stand(member)
    return undefined
  }

  #handleOwner(owner: Member, action: OwnerAction, nowMs: number): LobbyRefusal | undefined {
    if (this.#members.owner !== owner) return 'not-owner'
    const { phase } = this
    switch (action.type) {
      case 'set-options':
        return phase === 'lobby' ? this.#setOptions(action.options) : 'wrong-phase'
      case 'lock-seat': {
        if (phase === 'loading' || phase === 'countdown') return 'wrong-phase'
        const fault = this.#members.lock(action.seat, action.isLocked)
        if (fault === undefined) this.#phases.startIfDue(nowMs)
        return fault
      }
      case 'kick':
        return this.#kick(owner, action.member)
      case 'give-ownership': {
        const heir = this.#members.get(action.member)
        if (heir === undefined) return 'unknown-member'
        this.#members.giveOwnership(heir)
        this.#noteOwner()
        return undefined
      }
      case 'set-visibility':
        this.#visibility = action.visibility
        return undefined
      case 'set-late-join':
        this.#lateJoin = action.lateJoin
        return undefined
      case 'start':
        return this.#phases.startByOwner(owner, nowMs)
      case 'cancel':
        if (phase !== 'loading' && phase !== 'countdown') return 'wrong-phase'
        this.#phases.abort('cancelled', nowMs)
        return undefined
      default:
        unreachable(action)
    }
  }

  /** What was agreed to was the old options: nobody is ready for the new ones. */
  #setOptions(options: Uint8Array): LobbyRefusal | undefined {
    if (options.byteLength > (this.#rules.optionsBytesMax ?? optionsBytesMax)) return 'too-large'
    this.#options = options.slice()
    this.#optionsRevision += 1
    for (const player of this.#members.players()) player.isReady = false
    return undefined
  }

  #kick(owner: Member, id: number): LobbyRefusal | undefined {
    const member = this.#members.get(id)
    if (member === undefined) return 'unknown-member'
    if (member === owner) return 'bad-value'
    this.#events.push({ type: 'kicked', member })
    return undefined
  }

  #noteOwner(): void {
    const { owner } = this.#members
    if (owner !== this.#owner) this.#events.push({ type: 'owner', member: owner })
    this.#owner = owner
  }
}

/** What changes where a member sits or with whom. */
type Move = Extract<OwnAction, { type: 'take-seat' | 'leave-seat' | 'choose-team' }>
