import { OutputQueue } from '../../base/output-queue.ts'
import type { Blame, LivenessWord, PresenceEvent } from './presence.ts'

/** Makes events of how a client is seen: each change once, and with what it means (DIS-14). */
export class PresenceTeller {
  readonly #events = new OutputQueue<PresenceEvent>()
  #told: LivenessWord = 'active'
  /** Whether {@link poll} has something to tell. */
  hasEvents = false

  /** The client is seen so now, with that newest tick. */
  show(next: LivenessWord, tick: number, nowMs: number): void {
    const before = this.#told
    if (before === next) return
    this.#told = next
    if (before === 'silent') this.tell('back', tick, nowMs)
    if (before === 'hidden' && next !== 'silent') this.tell('visible', tick, nowMs)
    if (next === 'active') {
      if (before === 'lagging' || before === 'catching-up') this.tell('caught-up', tick, nowMs)
    } else if (next !== 'gone') {
      this.tell(next, tick, nowMs)
    }
  }

  tell(type: Exclude<PresenceEvent['type'], 'gone'>, tick: number, atMs: number): void {
    this.#push({ type, atMs, tick })
  }

  tellGone(blame: Blame, atMs: number): void {
    this.#push({ type: 'gone', atMs, blame })
  }

  poll(): PresenceEvent | undefined {
    const event = this.#events.shift()
    this.hasEvents = !this.#events.isEmpty
    return event
  }

  #push(event: PresenceEvent): void {
    this.hasEvents = true
    this.#events.push(event)
  }
}
