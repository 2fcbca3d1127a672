import type { LobbyConfig } from '../wire/messages/match-config.ts'
import type { Member, Members } from './members.ts'

/** The progress of who has loaded. */
export const loaded = 100

/**
 * How far the players of a match are with loading it. Who shows no progress for too long is given up,
 * and so is whoever has not finished in the time for all of it.
 */
export class Loading {
  readonly #rules: Pick<LobbyConfig, 'loadIdleMs' | 'loadMs'>
  readonly #members: Members
  #endsAtMs = Number.POSITIVE_INFINITY

  constructor(rules: Pick<LobbyConfig, 'loadIdleMs' | 'loadMs'>, members: Members) {
    this.#rules = rules
    this.#members = members
  }

  get endsAtMs(): number {
    return this.#endsAtMs
  }

  /** Whether every player has loaded. */
  get isDone(): boolean {
    return this.#members.players().every(({ loadProgress }) => loadProgress === loaded)
  }

  start(nowMs: number): void {
    this.#endsAtMs = nowMs + this.#rules.loadMs
    for (const player of this.#members.players()) {
      player.loadProgress = 0
      player.progressAtMs = nowMs
    }
  }

  /** Goes on where another relay was: nobody was slow while there was none. */
  restore(endsAtMs: number, nowMs: number): void {
    this.#endsAtMs = endsAtMs
    for (const player of this.#members.players()) player.progressAtMs = nowMs
  }

  /** Notes how far a member is. False when that is no progress. */
  note(member: Member, progress: number, nowMs: number): boolean {
    if (progress <= member.loadProgress) return false
    member.loadProgress = progress
    member.progressAtMs = nowMs
    return true
  }

  /** Those who are too slow by now. */
  slow(nowMs: number): Member[] {
    const isOver = nowMs >= this.#endsAtMs
    // By the sum, as in wakeAtMs: a difference rounds otherwise, and never comes true.
    const isIdle = (sinceMs: number) => nowMs >= sinceMs + this.#rules.loadIdleMs
    return this.#unloaded().filter(({ progressAtMs }) => isOver || isIdle(progressAtMs))
  }

  /** When somebody is next too slow, unless he gets further. */
  wakeAtMs(): number {
    const sinceMs = Math.min(...this.#unloaded().map(({ progressAtMs }) => progressAtMs))
    return Math.min(this.#endsAtMs, sinceMs + this.#rules.loadIdleMs)
  }

  /** The relay stood still for so long: nobody was slow in that time (F-14). */
  excuse(lostMs: number): void {
    for (const player of this.#members.players()) player.progressAtMs += lostMs
    this.#endsAtMs += lostMs
  }

  #unloaded(): Member[] {
    return this.#members.players().filter(({ loadProgress }) => loadProgress < loaded)
  }
}
