import { IdTable } from '../../base/id-table.ts'
import type { ChannelFactory } from '../../link/channel.ts'
import type { LanesStats } from '../../link/lane-stats.ts'
import { addLanes, noLanes } from '../../link/lane-stats.ts'
import { strangersMax } from '../../wire/limits.ts'
import { isClientTurn } from '../../wire/ticks/client-turn.ts'
import type { Carrier } from '../match/session.ts'
import type { Link, LinkState } from './link-state.ts'
import { makeLink } from './link-state.ts'
import { LinkTimers } from './link-timers.ts'
import { WaitingTurns } from './waiting-turns.ts'

/** The links of a relay: their states, how many are strangers, and when each must be served. */
export class LinkTable {
  readonly #links = new IdTable<Link>()
  readonly timers = new LinkTimers()
  /** Turns that arrived over links and wait for a tick. */
  readonly turns = new WaitingTurns<Carrier>()
  #serial = 0
  #strangers = 0
  #asking = 0
  /** Traffic of links that are gone. */
  #goneLanes: LanesStats = noLanes

  /** Open links. */
  get size(): number {
    return this.#links.size
  }

  /** Links that wait for the operator's decision. */
  get askingCount(): number {
    return this.#asking
  }

  /** Traffic of all links so far, by lane. */
  get lanes(): LanesStats {
    let sum = this.#goneLanes
    for (const { channel } of this.#links.values()) sum = addLanes(sum, channel.stats.lanes)
    return sum
  }

  get(id: number): Link | undefined {
    return this.#links.get(id)
  }

  all(): Link[] {
    return [...this.#links.values()]
  }

  /** Adds a new link, as a stranger; `undefined` if there are too many of them. */
  open(
    id: number,
    makeChannel: ChannelFactory,
    address: string | undefined,
    nowMs: number,
  ): Link | undefined {
    if (this.#strangers >= strangersMax) return undefined
    const link = makeLink(id, this.#serial++, makeChannel(nowMs), nowMs, address)
    this.#links.set(link)
    this.#strangers += 1
    this.timers.schedule(link)
    return link
  }

  /** Queues a turn until the match's next tick. Returns false if it is not a turn, or must not wait. */
  letWait(link: Link, bytes: Uint8Array, nowMs: number): boolean {
    return link.mayWait && isClientTurn(bytes) && this.turns.push(link, bytes, nowMs)
  }

  /** Moves a link to another state. */
  settle(link: Link, state: LinkState): void {
    this.#count(link.state, -1)
    this.#count(state, 1)
    link.state = state
    link.session = state.name === 'seated' ? state.session : undefined
    this.#stopWaiting(link)
    this.timers.schedule(link)
  }

  /** Forgets an open link. */
  forget(link: Link): void {
    this.#count(link.state, -1)
    link.isOpen = false
    this.#goneLanes = addLanes(this.#goneLanes, link.channel.stats.lanes)
    this.#stopWaiting(link)
    this.#links.delete(link.id)
    this.timers.forget(link)
  }

  #count(state: LinkState, by: 1 | -1): void {
    if (isStranger(state)) this.#strangers += by
    if (state.name === 'asking') this.#asking += by
  }

  /** Drops turns that are still queued: the link no longer speaks for its session. */
  #stopWaiting(link: Link): void {
    link.mayWait = false
    this.turns.drop(link)
  }
}

function isStranger({ name }: LinkState): boolean {
  return ['stranger', 'known', 'asking', 'challenged', 'recovering'].includes(name)
}
