import { encodeMessage, type MessageBody } from '../../wire/messages/messages.ts'
import { leavingMsMax } from '../../wire/patience.ts'
import type { Match } from '../match/match.ts'
import type { Session } from '../match/session.ts'
import { tooManyMoves, tooManyReturns } from './door.ts'
import { takeOverFrom } from './handover.ts'
import type { Link } from './link-state.ts'
import { seatedBody } from './link-state.ts'
import type { ReceptionParts } from './reception-parts.ts'

/**
 * Which link carries a session:
 *
 *     attach   the first one
 *     resume   another one, because the old one died
 *     move     a better one, while the old one works
 */
export class LinkCarriers {
  readonly #parts: ReceptionParts

  constructor(parts: ReceptionParts) {
    this.#parts = parts
  }

  /** Attaches a session to a link. Its client has all ticks up to `haveTick`. */
  attach(link: Link, match: Match, session: Session, haveTick: number, timeMs: number): void {
    session.attach(link.id, link.channel, haveTick, link)
    this.#introduce(link, match, session, timeMs)
    match.handleAttached(session, haveTick, timeMs)
    this.#parts.matches.noteMoved(match, timeMs)
  }

  /** Continues a session whose link died, from the first tick that its client lacks. */
  resume(
    link: Link,
    match: Match,
    session: Session,
    { nextTick, software }: Pick<MessageBody<'ClientJoin'>, 'nextTick' | 'software'>,
    timeMs: number,
    /** The oldest tick that its client can go back to by itself. */
    backTick = Number.POSITIVE_INFINITY,
  ): void {
    const { links, endings } = this.#parts
    if (!session.visitor.takeReturn(timeMs)) {
      endings.refuse(link, tooManyReturns, timeMs)
      return
    }
    session.visitor.software = software
    session.twoLinksUntilMs = 0
    const old = links.get(session.link)
    if (old !== undefined) endings.close(old, 'replaced', cameBack, timeMs)
    const { rewindTick = Number.POSITIVE_INFINITY } = session
    const haveTick = Math.min(nextTick - 1, rewindTick)
    // What it ran after that tick is void. Without a state from before, it needs that of the others.
    if (nextTick - 1 > rewindTick && backTick > rewindTick) session.awaitState('returning')
    else match.handleReturn(session, haveTick, timeMs)
    this.attach(link, match, session, haveTick, timeMs)
  }

  /**
   * Moves a session from a working link to a better one. What the old one has in flight still counts.
   */
  move(
    link: Link,
    old: Link,
    match: Match,
    session: Session,
    nextTick: number,
    timeMs: number,
  ): void {
    const { links, endings } = this.#parts
    if (!session.visitor.takeMove(timeMs) || nextTick - 1 > session.sentableTick) {
      endings.refuse(link, tooManyMoves, timeMs)
      return
    }
    const untilMs = timeMs + leavingMsMax
    session.twoLinksUntilMs = untilMs
    links.settle(old, { name: 'leaving', match, session, untilMs })
    const moved = { reason: 'moved', message: 'Your session continues over another connection' }
    old.channel.sendControl(encodeMessage('RelayClose', moved), timeMs)
    endings.flush(old)
    takeOverFrom(link, old)
    session.attach(link.id, link.channel, Math.max(session.ackedTick, nextTick - 1), link)
    this.#introduce(link, match, session, timeMs)
    match.handleMoved(session, timeMs)
    this.#parts.matches.noteMoved(match, timeMs)
  }

  /** Marks a link as seated, and tells its client. */
  #introduce(link: Link, match: Match, session: Session, timeMs: number): void {
    const { links, outputs, doors } = this.#parts
    const { visitor } = session
    visitor.address = link.address
    visitor.isHost = link.address !== undefined && link.address === this.#parts.hostAddress
    link.budget.setPace(match.ticksPerSecond, timeMs)
    links.settle(link, { name: 'seated', match, session })
    link.channel.sendControl(encodeMessage('RelaySeated', seatedBody(match, session)), timeMs)
    const { debugLevel: level } = this.#parts
    if (level > 0) link.channel.sendControl(encodeMessage('RelayDebug', { level }), timeMs)
    const others = doors()
    if (others.udp !== undefined || others.webrtc) {
      link.channel.sendControl(encodeMessage('RelayDoors', others), timeMs)
    }
    outputs.push({ type: 'seated', link: link.id })
  }
}

/** Sent over a link whose player has come back over another one. */
const cameBack = 'You are connected from somewhere else, and play on there'
