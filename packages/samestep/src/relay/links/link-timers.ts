import { Deadlines } from '../../base/deadlines.ts'
import type { Link, LinkState } from './link-state.ts'

/** When which link has to be served: a handshake to finish, or timers of its channel. */
export class LinkTimers {
  readonly #deadlines = new Deadlines<Link>()
  readonly #due: Link[] = []

  /** The soonest of all; `Infinity` when there is none. */
  soonestMs(): number {
    return this.#deadlines.soonestMs()
  }

  /** Whose that is. */
  soonest(): Link | undefined {
    return this.#deadlines.soonest()
  }

  /** Notes when a link wants to be woken: whatever its channel was told or gave may have moved it. */
  schedule(link: Link): void {
    // Whom it carries stands beside what is looked at anyway; its state is a look at another place.
    const patience = link.session === undefined ? patienceOf(link.state) : Number.POSITIVE_INFINITY
    const atMs = Math.min(patience, link.channel.wakeAtMs())
    // Mostly nothing moved, and a search in a table of thousands costs more than the rest.
    if (!link.isOpen || atMs === link.wakeAtMs) return
    link.wakeAtMs = atMs
    this.#deadlines.set(link, atMs)
  }

  forget(link: Link): void {
    this.#deadlines.delete(link)
  }

  /**
   * The links whose time has come, in the sequence in which they were opened. They are without a
   * deadline then, and may end while others are served. Valid until the next call.
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
