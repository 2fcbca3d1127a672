import { assert, unreachable } from '../base/assert.ts'
import { OutputQueue } from '../base/output-queue.ts'
import { optionsBytesMax } from '../wire/limits.ts'
import type {
  LateJoin,
  LobbyAction,
  LobbyEvent,
  LobbyPhase,
  LobbyRefusal,
  LobbyRules,
  LobbyView,
  Member,
  OwnAction,
  OwnerAction,
  Visibility,
} from './lobby-types.ts'
import { checkLobbyRules, isForOwner, loaded, tellMs } from './lobby-types.ts'
import { Roster } from './roster.ts'

/**
 * A match before, while and after it runs (JOIN-01):
 *
 *     lobby ──all ready, or start──► loading ──all loaded──► countdown ──0──► running ──► ended
 *       ▲                              │                        │
 *       └──── cancel, or a drop under `abort`, or too few ◄─────┘
 *
 *     when-full: lobby ──last seat taken──► running
 *
 * Two phases before the first tick, so that nobody plays while others load (JOIN-06). Whatever a
 * member asks for is granted or refused with a reason; nothing that a stranger sends throws.
 */
export class Lobby {
  readonly #rules: LobbyRules
  readonly #roster: Roster
  readonly #events = new OutputQueue<LobbyEvent>()
  #phase: LobbyPhase
  #visibility: Visibility
  #lateJoin: LateJoin
  #options: Uint8Array
  #optionsRevision = 0
  #revision = 0

  /** `options` are those that the match was asked for with. */
  constructor(rules: LobbyRules, nowMs: number, options: Uint8Array = new Uint8Array(0)) {
    this.#options = options
    assert(checkLobbyRules(rules) === undefined, 'A lobby was made with unchecked rules')
    this.#rules = rules
    this.#roster = new Roster(rules.seats)
    this.#visibility = rules.visibility
    this.#lateJoin = rules.lateJoin
    // Who asked for it comes in at once; should he not, it closes like any other that is empty.
    this.#phase = { name: 'lobby', closesAtMs: nowMs + Math.max(rules.emptyMs, firstJoinMs) }
  }

  get phase(): LobbyPhase['name'] {
    return this.#phase.name
  }

  /** Changes with everything that {@link view} shows, except the time that remains. */
  get revision(): number {
    return this.#revision
  }

  get owner(): number | undefined {
    return this.#roster.owner
  }

  get visibility(): Visibility {
    return this.#visibility
  }

  get options(): Uint8Array {
    return this.#options
  }

  member(id: number): Readonly<Member> | undefined {
    return this.#roster.get(id)
  }

  /** Why nobody of that role can come in now; `undefined` when somebody can. */
  joinFault(role: 'player' | 'spectator'): LobbyRefusal | undefined {
    const { name } = this.#phase
    if (name === 'ended') return 'wrong-phase'
    if (role === 'spectator') {
      if (name === 'running' && this.#lateJoin === 'nobody') return 'closed'
      return this.#roster.spectatorCount < this.#rules.spectatorsMax ? undefined : 'full'
    }
    // Before the match runs, everybody in it loads the same: who comes now would be left behind.
    if (name === 'loading' || name === 'countdown') return 'starting'
    if (name === 'running' && this.#lateJoin !== 'players') return 'closed'
    return this.#roster.isFull ? 'full' : undefined
  }

  /** Somebody comes in; the name was checked at the door. A player gets the first free seat. */
  join(
    id: number,
    name: string,
    role: 'player' | 'spectator',
    nowMs: number,
  ): LobbyRefusal | undefined {
    const fault = this.joinFault(role)
    if (fault !== undefined) return fault
    const owner = this.#roster.owner
    this.#roster.add(id, name, role, nowMs)
    if (this.#phase.name === 'lobby') this.#phase.closesAtMs = Number.POSITIVE_INFINITY
    this.#noteOwner(owner)
    this.#revision += 1
    this.#startIfDue(nowMs)
    return undefined
  }

  /** Somebody is gone for good. */
  leave(id: number, nowMs: number): void {
    const owner = this.#roster.owner
    const wasPlayer = this.#roster.get(id)?.role === 'player'
    if (this.#roster.remove(id) === undefined) return
    this.#noteOwner(owner)
    this.#revision += 1
    this.#afterLeave(wasPlayer, nowMs)
  }

  /** A link was lost or is back. Who is away is not ready. */
  setConnected(id: number, isConnected: boolean, nowMs: number): void {
    const member = this.#roster.get(id)
    if (member === undefined || member.isConnected === isConnected) return
    member.isConnected = isConnected
    if (!isConnected && this.#phase.name === 'lobby') member.isReady = false
    this.#revision += 1
    this.#startIfDue(nowMs)
  }

  /** The match is over, by its rules or by an operator. */
  end(nowMs: number): void {
    if (this.#phase.name !== 'ended') this.#enter({ name: 'ended' }, nowMs)
  }

  /** Grants a member's wish, or says why not. */
  handle(id: number, action: LobbyAction, nowMs: number): LobbyRefusal | undefined {
    const member = this.#roster.get(id)
    if (member === undefined) return 'unknown-member'
    if (this.#phase.name === 'ended') return 'wrong-phase'
    const refusal = isForOwner(action)
      ? this.#handleOwner(member, action, nowMs)
      : this.#handleOwn(member, action, nowMs)
    // Reports come often and mostly change nothing: they count for themselves.
    if (refusal === undefined && action.type !== 'report-load') this.#revision += 1
    return refusal
  }

  handleTime(nowMs: number): void {
    const phase = this.#phase
    switch (phase.name) {
      case 'lobby':
        if (nowMs >= phase.closesAtMs) this.#enter({ name: 'ended' }, nowMs)
        return
      case 'loading':
        this.#dropSlowLoaders(phase.endsAtMs, nowMs)
        return
      case 'countdown':
        if (nowMs >= phase.endsAtMs) this.#enter({ name: 'running' }, nowMs)
        return
      case 'running':
      case 'ended':
        return
      default:
        unreachable(phase)
    }
  }

  wakeAtMs(): number {
    const phase = this.#phase
    if (phase.name === 'lobby') return phase.closesAtMs
    if (phase.name === 'countdown') return phase.endsAtMs
    if (phase.name !== 'loading') return Number.POSITIVE_INFINITY
    return Math.min(phase.endsAtMs, this.#roster.idleSinceMs() + this.#rules.loadIdleMs)
  }

  /** The relay stood still for so long: nobody was slow in that time (F-14). */
  excuse(lostMs: number): void {
    for (const member of this.#roster.players()) member.progressAtMs += lostMs
    if (this.#phase.name === 'loading') this.#phase.endsAtMs += lostMs
  }

  pollEvent(): LobbyEvent | undefined {
    return this.#events.shift()
  }

  /** All of it, for a message. */
  view(nowMs: number): LobbyView {
    const phase = this.#phase
    const remainingMs = 'endsAtMs' in phase ? tellMs(phase.endsAtMs - nowMs) : 0
    return {
      revision: this.#revision,
      phase: phase.name,
      remainingMs,
      optionsRevision: this.#optionsRevision,
      options: this.#options,
      visibility: this.#visibility,
      lateJoin: this.#lateJoin,
      lockedSeats: this.#roster.lockedSeats(),
      members: this.#roster.view(),
    }
  }

  #handleOwn(member: Member, action: OwnAction, nowMs: number): LobbyRefusal | undefined {
    if (action.type === 'report-load') return this.#reportLoad(member, action.progress, nowMs)
    const { name } = this.#phase
    if (action.type === 'set-ready') {
      if (member.role !== 'player') return 'not-player'
      if (name === 'countdown' && !action.isReady) return this.#abort('cancelled', nowMs)
      if (name !== 'lobby') return 'wrong-phase'
      if (action.isReady && action.optionsRevision !== this.#optionsRevision) return 'stale-options'
      member.isReady = action.isReady
      this.#startIfDue(nowMs)
      return undefined
    }
    if (name !== 'lobby') return 'wrong-phase'
    const { owner } = this.#roster
    const refusal = this.#roster.move(member, action, this.#rules.spectatorsMax)
    if (refusal !== undefined) return refusal
    this.#noteOwner(owner)
    this.#startIfDue(nowMs)
    return undefined
  }

  #reportLoad(member: Member, progress: number, nowMs: number): LobbyRefusal | undefined {
    if (!Number.isInteger(progress) || progress < 0 || progress > loaded) return 'bad-value'
    // Who comes late loads while the match runs; the others see how far.
    const { name } = this.#phase
    if (name !== 'loading' && name !== 'running') return 'wrong-phase'
    if (progress <= member.loadProgress) return undefined
    member.loadProgress = progress
    member.progressAtMs = nowMs
    this.#revision += 1
    if (name === 'loading') this.#countDownIfLoaded(nowMs)
    return undefined
  }

  #handleOwner(member: Member, action: OwnerAction, nowMs: number): LobbyRefusal | undefined {
    if (this.#roster.owner !== member.id) return 'not-owner'
    const { name } = this.#phase
    switch (action.type) {
      case 'set-options':
        return name === 'lobby' ? this.#setOptions(action.options) : 'wrong-phase'
      case 'lock-seat': {
        if (name === 'loading' || name === 'countdown') return 'wrong-phase'
        const fault = this.#roster.lock(action.seat, action.isLocked)
        if (fault === undefined) this.#startIfDue(nowMs)
        return fault
      }
      case 'kick':
        return this.#kick(member, action.member, nowMs)
      case 'give-ownership':
        if (this.#roster.get(action.member) === undefined) return 'unknown-member'
        this.#roster.giveOwnership(action.member)
        this.#noteOwner(member.id)
        return undefined
      case 'set-visibility':
        this.#visibility = action.visibility
        return undefined
      case 'set-late-join':
        this.#lateJoin = action.lateJoin
        return undefined
      case 'start':
        return name === 'lobby' ? this.#startByOwner(member, nowMs) : 'wrong-phase'
      case 'cancel':
        if (name !== 'loading' && name !== 'countdown') return 'wrong-phase'
        return this.#abort('cancelled', nowMs)
      default:
        unreachable(action)
    }
  }

  /** What was agreed to was the old options: nobody is ready for the new ones. */
  #setOptions(options: Uint8Array): LobbyRefusal | undefined {
    if (options.byteLength > optionsBytesMax) return 'too-large'
    this.#options = options.slice()
    this.#optionsRevision += 1
    for (const player of this.#roster.players()) player.isReady = false
    return undefined
  }

  #kick(owner: Member, id: number, nowMs: number): LobbyRefusal | undefined {
    const target = this.#roster.get(id)
    if (target === undefined) return 'unknown-member'
    if (target === owner) return 'bad-value'
    const { seat } = target
    this.#roster.remove(id)
    this.#events.push({ type: 'kicked', member: id, seat })
    this.#afterLeave(seat !== undefined, nowMs)
    return undefined
  }

  #startByOwner(owner: Member, nowMs: number): LobbyRefusal | undefined {
    if (this.#roster.playerCount < this.#rules.playersMin) return 'too-few-players'
    const { start } = this.#rules
    if (start === 'when-full') {
      this.#enter({ name: 'running' }, nowMs)
      return undefined
    }
    const mustBeReady = start === 'when-ready'
    const isReady = (player: Member) => player.isReady || player === owner
    if (mustBeReady && !this.#roster.everyPlayer(isReady)) return 'not-ready'
    this.#launch(nowMs)
    return undefined
  }

  #startIfDue(nowMs: number): void {
    if (this.#phase.name !== 'lobby') return
    const { start, playersMin } = this.#rules
    const isEnough = this.#roster.playerCount >= playersMin
    if (start === 'when-full' && isEnough && this.#roster.isFull) {
      this.#enter({ name: 'running' }, nowMs)
    }
    const isReady = (player: Member) => player.isReady
    if (start === 'when-ready' && isEnough && this.#roster.everyPlayer(isReady)) {
      this.#launch(nowMs)
    }
  }

  #launch(nowMs: number): void {
    for (const player of this.#roster.players()) {
      player.loadProgress = 0
      player.progressAtMs = nowMs
    }
    this.#enter({ name: 'loading', endsAtMs: nowMs + this.#rules.loadMs }, nowMs)
  }

  #countDownIfLoaded(nowMs: number): void {
    if (!this.#roster.everyPlayer((player) => player.loadProgress === loaded)) return
    const { countdownMs } = this.#rules
    if (countdownMs === 0) this.#enter({ name: 'running' }, nowMs)
    else this.#enter({ name: 'countdown', endsAtMs: nowMs + countdownMs }, nowMs)
  }

  #dropSlowLoaders(endsAtMs: number, nowMs: number): void {
    const idleMs = nowMs >= endsAtMs ? Number.NEGATIVE_INFINITY : this.#rules.loadIdleMs
    for (const { id, seat } of this.#roster.idleFor(idleMs, nowMs)) {
      this.#events.push({ type: 'load-timeout', member: id, seat })
      this.leave(id, nowMs)
    }
  }

  #afterLeave(wasPlayer: boolean, nowMs: number): void {
    const { playerCount, size } = this.#roster
    const { playersMin, onLoadDrop, start, emptyMs } = this.#rules
    switch (this.#phase.name) {
      case 'lobby': {
        // Where nobody is asked anything, who only watches does not wait for players who are gone.
        const isLeft = start === 'when-full' && wasPlayer ? playerCount === 0 : size === 0
        if (isLeft) this.#phase.closesAtMs = nowMs + emptyMs
        this.#startIfDue(nowMs)
        this.handleTime(nowMs)
        return
      }
      case 'loading':
      case 'countdown':
        if (!wasPlayer) return
        if (playerCount < playersMin) this.#abort('too-few', nowMs)
        else if (onLoadDrop === 'abort') this.#abort('dropped', nowMs)
        else if (this.#phase.name === 'loading') this.#countDownIfLoaded(nowMs)
        return
      case 'running':
        if (playerCount === 0) this.#enter({ name: 'ended' }, nowMs)
        return
      case 'ended':
        return
      default:
        unreachable(this.#phase)
    }
  }

  /** Back to the lobby. Nobody is ready, or it would start again at once. */
  #abort(why: 'dropped' | 'too-few' | 'cancelled', nowMs: number): undefined {
    for (const player of this.#roster.players()) {
      player.isReady = false
      player.loadProgress = 0
    }
    this.#events.push({ type: 'aborted', why })
    const isEmpty = this.#roster.size === 0
    const closesAtMs = isEmpty ? nowMs + this.#rules.emptyMs : Number.POSITIVE_INFINITY
    this.#enter({ name: 'lobby', closesAtMs }, nowMs)
    this.handleTime(nowMs)
    return undefined
  }

  #enter(phase: LobbyPhase, nowMs: number): void {
    this.#phase = phase
    this.#revision += 1
    this.#events.push({ type: 'phase', phase: phase.name, atMs: nowMs })
  }

  #noteOwner(before: number | undefined): void {
    const { owner } = this.#roster
    if (owner !== before) this.#events.push({ type: 'owner', member: owner })
  }
}

/** How long a new lobby waits for whoever asked for it: he comes with the same message. */
const firstJoinMs = 5_000
