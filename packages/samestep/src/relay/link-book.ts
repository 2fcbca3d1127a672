import type { ChannelFactory } from '../link/channel.ts'
import { isClientTurn } from '../wire/client-turn.ts'
import { strangersMax } from '../wire/limits.ts'
import type { Link, LinkState } from './link-state.ts'
import { makeLink } from './link-state.ts'
import { LinkTimers } from './link-timers.ts'
import { WaitingTurns } from './waiting-turns.ts'

/** The links of a relay: who they are, how many are strangers, and when each has to be served. */
export class LinkBook {
  readonly #links = new Map<number, Link>()
  readonly timers = new LinkTimers()
  /** What came over links and waits for a tick. */
  readonly turns = new WaitingTurns<Link>()
  #serial = 0
  #strangers = 0

  /** Links that are open. */
  get size(): number {
    return this.#links.size
  }

  get(id: number): Link | undefined {
    return this.#links.get(id)
  }

  all(): Link[] {
    return [...this.#links.values()]
  }

  /** Notes a new link, of a stranger; `undefined` when there are too many of them. */
  open(id: number, makeChannel: ChannelFactory, owner: unknown, nowMs: number): Link | undefined {
    if (this.#strangers >= strangersMax) return undefined
    const link = makeLink(id, this.#serial++, makeChannel(nowMs), nowMs, owner)
    this.#links.set(id, link)
    this.#strangers += 1
    this.timers.schedule(link)
    return link
  }

  /** Lets a turn wait for the next tick of its match. False when it is none, or must not wait. */
  letWait(link: Link, bytes: Uint8Array, nowMs: number): boolean {
    return link.mayWait && isClientTurn(bytes) && this.turns.push(link, bytes, nowMs)
  }

  /** A link has come further. */
  settle(link: Link, state: LinkState): void {
    if (isStranger(link.state) && !isStranger(state)) this.#strangers -= 1
    link.state = state
    this.#stopWaiting(link)
    this.timers.schedule(link)
  }

  /** Lets go of a link that is open. */
  forget(link: Link): void {
    if (isStranger(link.state)) this.#strangers -= 1
    link.isOpen = false
    this.#stopWaiting(link)
    this.#links.delete(link.id)
    this.timers.forget(link)
  }

  /** What still waits is of somebody who has no say any more. */
  #stopWaiting(link: Link): void {
    link.mayWait = false
    this.turns.drop(link)
  }
}

function isStranger({ name }: LinkState): boolean {
  return name === 'stranger' || name === 'known'
}
