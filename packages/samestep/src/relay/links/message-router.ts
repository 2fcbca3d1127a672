import { decodeMessage } from '../../wire/messages/messages.ts'
import { isClientTurn } from '../../wire/ticks/client-turn.ts'
import type { MatchTable } from '../match/match-table.ts'
import type { Fault } from '../match/match-types.ts'
import type { MemberMessage } from '../match/member-message.ts'
import { isMemberMessage } from '../match/member-message.ts'
import { carriedBy, hasReturnedSince } from './handover.ts'
import type { LinkEndings } from './link-endings.ts'
import type { CarryingState, Link } from './link-state.ts'
import type { LinkTable } from './link-table.ts'
import type { MatchFollowUp } from './match-follow-up.ts'
import type { Reception } from './reception.ts'

/** The parts of the relay that messages are passed to. */
export interface RouterParts {
  readonly links: LinkTable
  readonly matches: MatchTable
  readonly endings: LinkEndings
  readonly followUp: MatchFollowUp
  readonly reception: Reception
  /** A clock that is only used to measure what serving a match costs. */
  meterMs(): number
}

/** Passes each message to the part that handles it, depending on the state of its link. */
export class MessageRouter {
  readonly #parts: RouterParts

  constructor(parts: RouterParts) {
    this.#parts = parts
  }

  /** Handles a message that a newer one overtook. */
  handleLate({ state }: Link, bytes: Uint8Array, timeMs: number): void {
    const carried = carriedBy(state)
    if (carried === undefined || !isClientTurn(bytes) || hasReturnedSince(carried, timeMs)) return
    carried.match.handleLate(carried.session, bytes, timeMs)
  }

  /** @throws WireError if the bytes are not a message. */
  handleMessage(link: Link, bytes: Uint8Array, timeMs: number): void {
    const { state } = link
    const carried = carriedBy(state)
    if (state.name === 'ending' || carried?.session.member.isIn === false) return
    if (carried !== undefined && isClientTurn(bytes)) {
      if (hasReturnedSince(carried, timeMs)) return
      const fault = carried.match.handleTurn(carried.session, bytes, timeMs)
      if (fault !== undefined) this.closeFault(link, fault, timeMs)
      else if (carried.match.waitsForInputs) this.#parts.matches.schedule(carried.match)
      else link.mayWait = state.name === 'seated' && carried.match.defersTurns
      return
    }
    const message = decodeMessage(bytes)
    switch (message.name) {
      case 'ClientHello':
        if (state.name === 'stranger') this.#parts.reception.handleHello(link, message.body, timeMs)
        else this.closeBad(link, 'A second hello', timeMs)
        return
      case 'ClientJoin':
        if (state.name === 'known')
          this.#parts.reception.handleJoin(link, state.identity, message.body, timeMs)
        else this.closeBad(link, 'A join before hello, or a second one', timeMs)
        return
      case 'ClientProof':
        if (state.name === 'challenged')
          this.#parts.reception.handleProof(link, state, message.body, timeMs)
        else this.closeBad(link, 'A proof that nobody asked for', timeMs)
        return
      case 'ClientRecover':
      case 'ClientHistory':
        if (!this.#parts.reception.handleRecovery(link, message, timeMs))
          this.closeBad(link, `A ${message.name} that nobody asked for`, timeMs)
        return
      case 'ClientLeave':
        if (carried !== undefined) this.#handleLeave(link, carried, timeMs)
        else this.closeBad(link, 'A farewell before the join', timeMs)
        return
      default:
        if (!isMemberMessage(message)) {
          this.closeBad(link, `A ${message.name}, which only relays send`, timeMs)
        } else if (carried !== undefined) this.#handleSeated(link, carried, message, timeMs)
        else this.closeBad(link, `A ${message.name} before the join`, timeMs)
    }
  }

  #handleSeated(link: Link, state: CarryingState, message: MemberMessage, timeMs: number): void {
    const fromMs = this.#parts.meterMs()
    const fault = state.match.handleMessage(state.session, message, timeMs)
    if (fault !== undefined) this.closeFault(link, fault, timeMs)
    this.#parts.followUp.finish(state.match, timeMs)
    this.#parts.matches.noteServed(state.match, fromMs, timeMs)
  }

  #handleLeave(link: Link, state: CarryingState, timeMs: number): void {
    const main = this.#parts.links.get(state.session.link)
    state.match.remove(state.session, 'left', timeMs)
    this.#parts.endings.close(main ?? link, 'left', 'Goodbye', timeMs)
    this.#parts.followUp.finish(state.match, timeMs)
  }

  /** Closes a link for an invalid message, and ends its session. */
  closeBad(link: Link, message: string, timeMs: number): void {
    this.closeFault(link, { reason: 'bad-message', message }, timeMs)
  }

  /** Closes a link for breaking the rules, and ends its session for good. */
  closeFault(link: Link, { reason, message }: Fault, timeMs: number): void {
    const carried = carriedBy(link.state)
    const main = carried && this.#parts.links.get(carried.session.link)
    carried?.match.remove(carried.session, 'refused', timeMs, message)
    this.#parts.endings.close(link, reason, message, timeMs)
    if (main !== undefined && main !== link)
      this.#parts.endings.close(main, reason, message, timeMs)
    if (carried !== undefined) this.#parts.followUp.finish(carried.match, timeMs)
  }
}
