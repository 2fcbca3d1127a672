import { Deadlines } from '../../base/deadlines.ts'
import type { Link, LinkState } from './link-state.ts'

/** When each link must be served: for the deadline of its state, or for a timer of its channel. */
export class LinkTimers {
  readonly #deadlines = new Deadlines<Link>()
  readonly #due: Link[] = []

  /** The earliest time of all; `Infinity` if there is none. */
  soonestMs(): number {
    return this.#deadlines.soonestMs()
  }

  /** The link that is due first. */
  soonest(): Link | undefined {
    return this.#deadlines.soonest()
  }

  /** Notes when a link needs to be woken. Call it after anything that may have changed that. */
  schedule(link: Link): void {
    // `session` is adjacent to what is read anyway; `state` would be one more access to memory.
    const patience = link.session === undefined ? patienceOf(link.state) : Number.POSITIVE_INFINITY
    const atMs = Math.min(patience, link.channel.wakeAtMs())
    // Usually nothing changed, and a lookup in a table of thousands costs more than the rest.
    if (!link.isOpen || atMs === link.wakeAtMs) return
    link.wakeAtMs = atMs
    this.#deadlines.set(link, atMs)
  }

  forget(link: Link): void {
    this.#deadlines.delete(link)
  }

  /**
   * The links that are due, in the sequence in which they were opened. They have no deadline then,
   * and may end while others are served. Valid until the next call.
   */
  takeDue(nowMs: number): readonly Link[] {
    const due = this.#due
    due.length = 0
    for (let link = this.#deadlines.due(nowMs); link; link = this.#deadlines.due(nowMs)) {
      link.wakeAtMs = Number.POSITIVE_INFINITY
      due.push(link)
    }
    return due.length > 1 ? due.sort((a, b) => a.serial - b.serial) : due
  }
}

function patienceOf(state: LinkState): number {
  return state.name === 'seated' ? Number.POSITIVE_INFINITY : state.untilMs
}
