import type { Member } from '../../room/members.ts'
import { HeldMessages } from './held-messages.ts'
import type { DelayedView } from './ticks/delayed-view.ts'

/** What one member may see now, in a match that spectators see with a delay. */
export class DelayedViewer {
  readonly #member: Pick<Member, 'role' | 'claim'>
  readonly #view: DelayedView
  readonly #held = new HeldMessages()

  constructor(member: Pick<Member, 'role' | 'claim'>, view: DelayedView) {
    this.#member = member
    this.#view = view
  }

  /** Whether it sees the match with a delay. That depends on its role, which may change. */
  get isDelayed(): boolean {
    if (this.#member.role !== 'spectator') return false
    // A member that may take a seat back at any time must know what happens there.
    return this.#member.claim === undefined
  }

  /** The newest tick that it may have now; `Infinity` for everything that is sealed. */
  get visibleTick(): number {
    return this.isDelayed ? this.#view.visibleTick : Number.POSITIVE_INFINITY
  }

  /** Holds a message about the game back until the member may know it. Returns false if that is now. */
  hold(bytes: Uint8Array, nowMs: number): boolean {
    if (!this.#view.isOn || !this.isDelayed) return false
    this.#held.add(bytes, nowMs + this.#view.delayMs)
    return true
  }

  /** The next held message that is old enough now. */
  takeHeld(nowMs: number): Uint8Array | undefined {
    return this.#held.take(nowMs)
  }
}
