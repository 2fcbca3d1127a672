import type { Member } from '../../room/members.ts'
import { HeldMessages } from './held-messages.ts'
import type { DelayedView } from './ticks/delayed-view.ts'

/** A member of a match that spectators see later than it happens: what of it this one may have now. */
export class DelayedViewer {
  readonly #member: Pick<Member, 'role' | 'claim'>
  readonly #view: DelayedView
  readonly #held = new HeldMessages()

  constructor(member: Pick<Member, 'role' | 'claim'>, view: DelayedView) {
    this.#member = member
    this.#view = view
  }

  /** Whether it sees the match later: by its role, which may change. */
  get isDelayed(): boolean {
    if (this.#member.role !== 'spectator') return false
    // Who may take a seat back at any time has to know what happens there.
    return this.#member.claim === undefined
  }

  /** The newest tick that it may have now; `Infinity` for whatever is sealed. */
  get visibleTick(): number {
    return this.isDelayed ? this.#view.visibleTick : Number.POSITIVE_INFINITY
  }

  /** Keeps a message about what is played until it may be known. False when that is now. */
  hold(bytes: Uint8Array, nowMs: number): boolean {
    if (!this.#view.isOn || !this.isDelayed) return false
    this.#held.add(bytes, nowMs + this.#view.delayMs)
    return true
  }

  /** The next message that was kept and is old enough now. */
  takeHeld(nowMs: number): Uint8Array | undefined {
    return this.#held.take(nowMs)
  }
}
