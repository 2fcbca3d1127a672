import { unreachable } from '../base/assert.ts'
import type { OutputQueue } from '../base/output-queue.ts'
import { Loading, loaded } from './loading.ts'
import type { LobbyEvent, LobbyPhase, LobbyRefusal, LobbyRules } from './lobby-types.ts'
import { tellMs } from './lobby-types.ts'
import type { Member, Members } from './members.ts'

/**
 * Where a match stands, before, while and after it runs (JOIN-01):
 *
 *     lobby ──all ready, or start──► loading ──all loaded──► countdown ──0──► running ──► ended
 *       ▲                              │                        │
 *       └──── cancel, or a drop under `abort`, or too few ◄─────┘
 *
 *     when-full: lobby ──last seat taken──► running
 *
 * Two phases before the first tick, so that nobody plays while others load (JOIN-06).
 */
export class MatchPhases {
  readonly #rules: LobbyRules
  readonly #members: Members
  readonly #loading: Loading
  readonly #events: OutputQueue<LobbyEvent>
  #phase: LobbyPhase
  #revision = 0
  #wasLaunched = false

  /** Tells what happens by `events`, in sequence with what others tell there. */
  constructor(rules: LobbyRules, members: Members, events: OutputQueue<LobbyEvent>, nowMs: number) {
    this.#rules = rules
    this.#members = members
    this.#loading = new Loading(rules, members)
    this.#events = events
    // The creator joins at once. If it does not, this lobby closes like any empty one.
    this.#phase = { name: 'lobby', closesAtMs: nowMs + Math.max(rules.keptMs ?? 0, firstJoinMs) }
  }

  get name(): LobbyPhase['name'] {
    return this.#phase.name
  }

  /** Changes with every phase, and with every progress of loading. */
  get revision(): number {
    return this.#revision
  }

  /** Of the countdown, or of the time for loading; 0 in other phases. */
  remainingMs(nowMs: number): number {
    const phase = this.#phase
    if (phase.name === 'loading') return tellMs(this.#loading.endsAtMs - nowMs)
    return phase.name === 'countdown' ? tellMs(phase.endsAtMs - nowMs) : 0
  }

  /** Goes on where another relay was. Nobody is told: nothing changed. */
  restore(name: LobbyPhase['name'], remainingMs: number, nowMs: number): void {
    const endsAtMs = nowMs + remainingMs
    switch (name) {
      case 'lobby': {
        const isEmpty = this.#members.list.length === 0
        const closesAtMs = isEmpty ? nowMs + this.#rules.emptyMs : Number.POSITIVE_INFINITY
        this.#phase = { name, closesAtMs }
        return
      }
      case 'countdown':
        this.#phase = { name, endsAtMs }
        return
      case 'loading':
        this.#loading.restore(endsAtMs, nowMs)
        this.#phase = { name }
        return
      case 'running':
        this.#phase = {
          name,
          endsAtMs: this.#members.playerCount > 0 ? never : this.#endAtMs(nowMs),
        }
        return
      case 'ended':
        this.#phase = { name }
        return
      default:
        unreachable(name)
    }
  }

  handleJoin(nowMs: number): void {
    if (this.#phase.name === 'lobby') this.#phase.closesAtMs = never
    if (this.#phase.name === 'running' && this.#members.playerCount > 0)
      this.#phase.endsAtMs = never
    this.startIfDue(nowMs)
  }

  /** A member has left. */
  handleLeave(member: Member, nowMs: number): void {
    const { playerCount, list } = this.#members
    const { playersMin, onLoadDrop, start } = this.#rules
    const wasPlayer = member.role === 'player'
    switch (this.#phase.name) {
      case 'lobby': {
        // Where nobody is asked anything, who only watches does not wait for players who are gone.
        const isLeft = start === 'when-full' && wasPlayer ? playerCount === 0 : list.length === 0
        if (isLeft) this.#phase.closesAtMs = nowMs + this.#patienceMs
        this.startIfDue(nowMs)
        this.handleTime(nowMs)
        return
      }
      case 'loading':
      case 'countdown':
        if (!wasPlayer) return
        if (playerCount < playersMin) this.abort('too-few', nowMs)
        else if (onLoadDrop === 'abort') this.abort('dropped', nowMs)
        else if (this.#phase.name === 'loading') this.#countDownIfLoaded(nowMs)
        return
      case 'running':
        if (playerCount > 0) return
        if (wasPlayer || list.length === 0) this.#phase.endsAtMs = this.#endAtMs(nowMs)
        this.handleTime(nowMs)
        return
      case 'ended':
        return
      default:
        unreachable(this.#phase)
    }
  }

  /** A member says how far it is with loading: who comes late loads while the match runs. */
  handleProgress(member: Member, progress: number, nowMs: number): LobbyRefusal | undefined {
    if (!Number.isInteger(progress) || progress < 0 || progress > loaded) return 'bad-value'
    const { name } = this.#phase
    if (name !== 'loading' && name !== 'running') return 'wrong-phase'
    if (!this.#loading.note(member, progress, nowMs)) return undefined
    this.#revision += 1
    if (name === 'loading') this.#countDownIfLoaded(nowMs)
    return undefined
  }

  /** Starts where that is due without anybody's word. Seats, locks or readiness changed. */
  startIfDue(nowMs: number): void {
    if (this.#phase.name !== 'lobby') return
    const { start, playersMin } = this.#rules
    const isEnough = this.#members.playerCount >= playersMin
    if (start === 'when-full' && isEnough && this.#members.isFull) {
      this.#enter(running(), nowMs)
    }
    const isReady = (player: Member) => player.isReady
    if (start === 'when-ready' && isEnough && this.#members.players().every(isReady)) {
      this.#launch(nowMs)
    }
  }

  /** Starts at the word of the owner, who is ready by saying so. */
  startByOwner(owner: Member, nowMs: number): LobbyRefusal | undefined {
    if (this.#phase.name !== 'lobby') return 'wrong-phase'
    if (this.#members.playerCount < this.#rules.playersMin) return 'too-few-players'
    const { start } = this.#rules
    if (start === 'when-full') {
      this.#enter(running(), nowMs)
      return undefined
    }
    const isReady = (player: Member) => player.isReady || player === owner
    if (start === 'when-ready' && !this.#members.players().every(isReady)) return 'not-ready'
    this.#launch(nowMs)
    return undefined
  }

  /** Back to the lobby. Nobody is ready, or it would start again at once. */
  abort(why: 'dropped' | 'too-few' | 'cancelled', nowMs: number): void {
    for (const player of this.#members.players()) {
      player.isReady = false
      player.loadProgress = 0
    }
    this.#events.push({ type: 'aborted', why })
    const isEmpty = this.#members.list.length === 0
    const closesAtMs = isEmpty ? nowMs + this.#patienceMs : Number.POSITIVE_INFINITY
    this.#enter({ name: 'lobby', closesAtMs }, nowMs)
    this.handleTime(nowMs)
  }

  /** The match is over. */
  end(nowMs: number): void {
    if (this.#phase.name !== 'ended') this.#enter({ name: 'ended' }, nowMs)
  }

  handleTime(nowMs: number): void {
    const phase = this.#phase
    switch (phase.name) {
      case 'lobby':
        if (nowMs >= phase.closesAtMs) this.end(nowMs)
        return
      case 'loading':
        for (const member of this.#loading.slow(nowMs)) {
          this.#events.push({ type: 'load-timeout', member })
        }
        return
      case 'countdown':
        if (nowMs >= phase.endsAtMs) this.#enter(running(), nowMs)
        return
      case 'running':
        if (nowMs >= phase.endsAtMs) this.end(nowMs)
        return
      case 'ended':
        return
      default:
        unreachable(phase)
    }
  }

  wakeAtMs(): number {
    const phase = this.#phase
    if (phase.name === 'lobby') return phase.closesAtMs
    if (phase.name === 'countdown' || phase.name === 'running') return phase.endsAtMs
    return phase.name === 'loading' ? this.#loading.wakeAtMs() : Number.POSITIVE_INFINITY
  }

  /** The relay stood still for so long: nobody was slow in that time (F-14). */
  excuse(lostMs: number): void {
    this.#loading.excuse(lostMs)
  }

  /**
   * How long a lobby waits while nobody is in it. One that a stranger made and that was never launched
   * does not wait at all: otherwise visits that take a moment each would fill a relay.
   */
  get #patienceMs(): number {
    const { keptMs, emptyMs } = this.#rules
    return keptMs ?? (this.#wasLaunched ? emptyMs : 0)
  }

  /**
   * When a match without players ends: at once, or when spectators who see it later have seen what the
   * last player did.
   */
  #endAtMs(nowMs: number): number {
    const { spectatorDelayMs } = this.#rules
    if (spectatorDelayMs === 0 || this.#members.list.length === 0) return nowMs
    return nowMs + spectatorDelayMs + lastTicksMs
  }

  #launch(nowMs: number): void {
    this.#wasLaunched = true
    this.#loading.start(nowMs)
    this.#enter({ name: 'loading' }, nowMs)
  }

  #countDownIfLoaded(nowMs: number): void {
    if (!this.#loading.isDone) return
    const { countdownMs } = this.#rules
    if (countdownMs === 0) this.#enter(running(), nowMs)
    else this.#enter({ name: 'countdown', endsAtMs: nowMs + countdownMs }, nowMs)
  }

  #enter(phase: LobbyPhase, nowMs: number): void {
    this.#phase = phase
    this.#revision += 1
    this.#events.push({ type: 'phase', phase: phase.name, atMs: nowMs })
  }
}

/** A match that runs as long as somebody plays. */
function running(): LobbyPhase {
  return { name: 'running', endsAtMs: never }
}

const never = Number.POSITIVE_INFINITY

/** What it takes the last ticks to be sent and seen, at the end of a delay. */
const lastTicksMs = 1_000

/** How long a new lobby waits for whoever asked for it: that client joins with the same message. */
const firstJoinMs = 5_000
