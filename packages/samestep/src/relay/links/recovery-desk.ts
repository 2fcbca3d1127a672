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

/** What a desk needs from its relay. */
export interface RecoveryDeskParts {
  readonly links: LinkTable
  readonly endings: LinkEndings
  readonly recoveries: Recoveries
  /** Continues a match that was rebuilt; `undefined` if that is not possible. */
  restore(history: MatchHistory, timeMs: number): Match | undefined
  /** A client returns to a match that was rebuilt. */
  enter(link: Link, match: Match, state: ReturnedState, timeMs: number): void
  randomBytes(count: number): Uint8Array
}

/**
 * Handles clients that return to a match this relay does not know:
 *
 *     ClientJoin, known to nobody ──► RelayRecover
 *     ClientRecover ──► a capsule of ours? its own secret? ──► waits with the others
 *     ClientHistory … ──► enough of them? ──► the match goes on, and everybody comes in
 */
export class RecoveryDesk {
  readonly #parts: RecoveryDeskParts
  /** Waiting links, by match. */
  readonly #waiting = new Map<string, Set<Link>>()
  /** When a client first asked for a match that is not here: about when this relay began. */
  #firstMs: number | undefined

  constructor(parts: RecoveryDeskParts) {
    this.#parts = parts
  }

  /**
   * Whether an unknown match may still be rebuilt here, so that nobody creates another one of its
   * name: it is being rebuilt, or this relay is new and a client returns to the match without any
   * ticks.
   */
  isExpected({ match, ticket, secret }: MessageBody<'ClientJoin'>, timeMs: number): boolean {
    this.#firstMs ??= timeMs
    // Only the first join contains the secret.
    const isBack = ticket !== undefined && secret === undefined
    return this.#parts.recoveries.has(match) || (isBack && timeMs < this.#firstMs + newMs)
  }

  /** Asks a client what it has of its match. */
  ask(link: Link, identity: GameIdentity, join: MessageBody<'ClientJoin'>, timeMs: number): void {
    const nonce = this.#parts.randomBytes(nonceBytes)
    const untilMs = timeMs + handshakeMsMax
    this.#parts.links.settle(link, { name: 'recovering', identity, join, nonce, untilMs })
    link.budget.grant(historyBytesMax + capsuleBytesMax)
    const body = { nonce, wantsHistory: true }
    link.channel.sendControl(encodeMessage('RelayRecover', body), timeMs)
  }

  /** Handles the answer. */
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
   * Handles a piece of a client's bundles. Returns false if it is more than there can be.
   *
   * @throws WireError if the bytes are not bundles.
   */
  handleHistory({ join, giver }: ReturnedState, bytes: Uint8Array, timeMs: number): boolean {
    if (!this.#parts.recoveries.add(giver, bytes)) return false
    this.#decide(join.match, timeMs)
    return true
  }

  /** Time has passed for a waiting client. */
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

/** How long a relay counts as new: by then other members have come back, if there are any. */
const newMs = 8_000
