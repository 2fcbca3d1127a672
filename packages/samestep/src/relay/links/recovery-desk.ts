import type { MatchHistory } from '../../record/match-history.ts'
import { encodeMessage, type MessageBody } from '../../wire/messages/messages.ts'
import { capsuleBytesMax, historyBytesMax } from '../../wire/messages/recovery.ts'
import { nonceBytes } from '../../wire/messages/return-proof.ts'
import type { Match } from '../match/match.ts'
import type { GameIdentity } from '../match/match-types.ts'
import type { Recoveries } from '../recovery/recoveries.ts'
import { noMatch } from './door.ts'
import type { LinkEndings } from './link-endings.ts'
import type { Link, RecoveringState, ReturnedState } from './link-state.ts'
import { handshakeMsMax } from './link-state.ts'
import type { LinkTable } from './link-table.ts'

/** What a desk needs of the relay around it. */
export interface RecoveryDeskParts {
  readonly links: LinkTable
  readonly endings: LinkEndings
  readonly recoveries: Recoveries
  /** Takes up a match that was put together; `undefined` where that cannot be. */
  restore(history: MatchHistory, timeMs: number): Match | undefined
  /** Somebody comes back to a match that is there again. */
  enter(link: Link, match: Match, state: ReturnedState, timeMs: number): void
  randomBytes(count: number): Uint8Array
}

/**
 * Where those are asked who come back to a match that this relay does not know:
 *
 *     ClientJoin, known to nobody ──► RelayRecover
 *     ClientRecover ──► a capsule of ours? its own secret? ──► waits with the others
 *     ClientHistory … ──► enough of them? ──► the match goes on, and everybody comes in
 */
export class RecoveryDesk {
  readonly #parts: RecoveryDeskParts
  /** Who waits, by match. */
  readonly #waiting = new Map<string, Set<Link>>()
  /** When somebody first came to this relay. */
  #firstMs: number | undefined

  constructor(parts: RecoveryDeskParts) {
    this.#parts = parts
  }

  /**
   * Whether a match that nobody knows may be on its way here, so that nobody makes another one of its
   * name: it is being put together, or somebody comes back to it without any ticks of its own to a relay
   * that is new.
   */
  isExpected({ match, ticket, secret }: MessageBody<'ClientJoin'>, timeMs: number): boolean {
    this.#firstMs ??= timeMs
    // The secret is told with the first join only.
    const isBack = ticket !== undefined && secret === undefined
    return this.#parts.recoveries.has(match) || (isBack && timeMs < this.#firstMs + newMs)
  }

  /** Asks somebody what it has. */
  ask(link: Link, identity: GameIdentity, join: MessageBody<'ClientJoin'>, timeMs: number): void {
    const nonce = this.#parts.randomBytes(nonceBytes)
    const untilMs = timeMs + handshakeMsMax
    this.#parts.links.settle(link, { name: 'recovering', identity, join, nonce, untilMs })
    link.budget.grant(historyBytesMax + capsuleBytesMax)
    const body = { nonce, wantsHistory: true }
    link.channel.sendControl(encodeMessage('RelayRecover', body), timeMs)
  }

  /** Takes in the answer. */
  handleRecover(
    link: Link,
    { identity, join, nonce }: RecoveringState,
    body: MessageBody<'ClientRecover'>,
    timeMs: number,
  ): void {
    const { links, endings, recoveries } = this.#parts
    const giver = recoveries.begin(join, nonce, body, timeMs)
    if (giver === undefined) {
      endings.refuse(link, noMatch(join.match), timeMs)
      return
    }
    const untilMs = recoveries.nextMs(join.match, timeMs)
    links.settle(link, { name: 'returned', identity, join, giver, untilMs })
    const waiting = this.#waiting.get(join.match) ?? new Set()
    this.#waiting.set(join.match, waiting.add(link))
    this.#decide(join.match, timeMs)
  }

  /**
   * Takes in a piece of somebody's bundles. False when it is more than there can be.
   *
   * @throws WireError for bytes that are no bundles.
   */
  handleHistory({ join, giver }: ReturnedState, bytes: Uint8Array, timeMs: number): boolean {
    if (!this.#parts.recoveries.add(giver, bytes)) return false
    this.#decide(join.match, timeMs)
    return true
  }

  /** Time has passed for somebody who waits. */
  handleTime(link: Link, state: ReturnedState, timeMs: number): void {
    this.#decide(state.join.match, timeMs)
    if (!link.isOpen || link.state !== state) return
    const untilMs = Math.max(this.#parts.recoveries.nextMs(state.join.match, timeMs), timeMs + 1)
    this.#parts.links.settle(link, { ...state, untilMs })
  }

  #decide(name: string, timeMs: number): void {
    const { recoveries, endings, restore, enter } = this.#parts
    const history = recoveries.decide(name, timeMs)
    if (history === 'waiting') return
    const match = history === 'lost' ? undefined : restore(history, timeMs)
    const waiting = this.#waiting.get(name) ?? []
    this.#waiting.delete(name)
    for (const link of waiting) {
      if (!link.isOpen || link.state.name !== 'returned') continue
      if (match === undefined) endings.refuse(link, noMatch(name), timeMs)
      else enter(link, match, link.state, timeMs)
    }
  }
}

/** How long a relay is new: by then others have come back, if there are any. */
const newMs = 8_000
