import { closeCodes } from '../../wire/codes.ts'
import { encodeMessage, type Message, type MessageBody } from '../../wire/messages/messages.ts'
import {
  areSameBytes,
  makeReturnProof,
  nonceBytes,
  secretBytes,
  ticketBytes,
} from '../../wire/messages/return-proof.ts'
import { Match } from '../match/match.ts'
import type { GameIdentity } from '../match/match-types.ts'
import type { Session } from '../match/session.ts'
import type { Admittance, AuthorizationAnswer } from './authorization.ts'
import { authorizationsMax, authorizeMsMax } from './authorization.ts'
import { BadProofs } from './bad-proofs.ts'
import {
  agreeOn,
  checkJoin,
  checkKicked,
  checkNames,
  checkReturn,
  checkWitness,
  isReturning,
  noMatch,
  noRoom,
  notAuthorized,
  tooManyProofs,
  wrongProof,
} from './door.ts'
import { LinkCarriers } from './link-carriers.ts'
import type { ChallengedState, Link } from './link-state.ts'
import { handshakeMsMax } from './link-state.ts'
import type { ReceptionParts } from './reception-parts.ts'
import { RecoveryDesk } from './recovery-desk.ts'

/**
 * How a stranger becomes a member:
 *
 *     ClientHello ──► protocol? game id? ──► RelayWelcome
 *     ClientJoin  ──► names? kicked? ──► authorized, if somebody else decides and the ticket is new
 *                 ──► match? same game? ──┬─► a seat, or a place to watch from
 *                                         ├─► known identity: goes on with its session
 *                                         └─► known ticket: RelayChallenge
 *     ClientProof ──► right? ──► goes on with its session
 */
export class Reception {
  readonly #parts: ReceptionParts
  readonly #carriers: LinkCarriers
  readonly #badProofs = new BadProofs()
  /** Handles clients that return to an unknown match; `undefined` if matches are never rebuilt. */
  readonly desk: RecoveryDesk | undefined

  constructor(parts: ReceptionParts) {
    this.#parts = parts
    this.#carriers = new LinkCarriers(parts)
    const { links, endings, recoveries, matches } = parts
    this.desk =
      recoveries &&
      new RecoveryDesk({
        links,
        endings,
        recoveries,
        restore: (history, timeMs) => matches.restore(history, timeMs),
        enter: (link, match, { identity, join, giver }, timeMs) => {
          const session = match.handleJoin(join.ticket, timeMs)
          const fault =
            checkKicked(match, { ticket: join.ticket }) ??
            checkJoin(match, identity, session !== undefined, commonJoin(join, session))
          if (session === undefined || fault !== undefined) {
            endings.refuse(link, fault ?? noMatch(match.name), timeMs)
          } else this.#carriers.resume(link, match, session, join, timeMs, giver.backTick)
        },
        randomBytes: (count) => parts.randomBytes(count),
      })
  }

  handleHello(link: Link, hello: MessageBody<'ClientHello'>, timeMs: number): void {
    const { links, endings } = this.#parts
    const protocol = agreeOn(hello)
    if (typeof protocol !== 'string') {
      endings.refuse(link, protocol, timeMs)
      return
    }
    const { gameId, gameVersion, fingerprint } = hello
    const identity = { gameId, gameVersion, fingerprint }
    links.settle(link, { name: 'known', identity, untilMs: timeMs + handshakeMsMax })
    link.channel.sendControl(encodeMessage('RelayWelcome', { protocol }), timeMs)
  }

  handleJoin(
    link: Link,
    identity: GameIdentity,
    join: MessageBody<'ClientJoin'>,
    timeMs: number,
  ): void {
    const { matches, endings, isAuthorizing } = this.#parts
    const match = matches.byName.get(join.match)
    const session = match?.handleJoin(join.ticket, timeMs)
    const address = session === undefined ? link.address : undefined
    const isLost = match === undefined && isReturning(join)
    const { desk } = this
    const fault =
      checkNames(join) ??
      (isLost && desk === undefined ? noMatch(join.match) : undefined) ??
      checkKicked(match, { ticket: join.ticket, address })
    if (fault !== undefined) endings.refuse(link, fault, timeMs)
    else if (isLost) desk?.ask(link, identity, join, timeMs)
    else if (match === undefined && desk?.isExpected(join, timeMs) === true) {
      // The match may be back in a moment. Closed without a message: the client tries again.
      endings.end(link, closeCodes['too-slow'], timeMs)
    } else if (isAuthorizing && session === undefined) this.#ask(link, identity, join, timeMs)
    else this.#enter(link, identity, join, {}, timeMs)
  }

  /** Asks the operator's code to decide. */
  #ask(link: Link, identity: GameIdentity, join: MessageBody<'ClientJoin'>, timeMs: number): void {
    const { links, matches, endings, outputs } = this.#parts
    if (links.askingCount >= authorizationsMax) {
      // Closed without a message: the client tries again.
      endings.end(link, closeCodes['too-slow'], timeMs)
      return
    }
    links.settle(link, { name: 'asking', identity, join, untilMs: timeMs + authorizeMsMax })
    const { match, token, role, name, software } = join
    const isNew = !matches.byName.has(match)
    const request = { token, match, isNew, role, name, gameId: identity.gameId, software }
    outputs.push({ type: 'authorize', link: link.id, request })
  }

  /** Applies the decision about a link. A link that does not wait for one is left alone. */
  handleAuthorized(link: Link, answer: AuthorizationAnswer, timeMs: number): void {
    const { state } = link
    if (state.name !== 'asking') return
    if ('refused' in answer) {
      this.#parts.endings.refuse(link, notAuthorized(answer.refused), timeMs)
    } else this.#enter(link, state.identity, state.join, answer, timeMs)
  }

  #enter(
    link: Link,
    identity: GameIdentity,
    join: MessageBody<'ClientJoin'>,
    may: Admittance,
    timeMs: number,
  ): void {
    const { matches, endings, witnesses } = this.#parts
    const { address } = link
    const exists = matches.byName.has(join.match)
    const barred = checkWitness(witnesses, join.role, may.role, join.match, exists)
    if (barred !== undefined && !this.#isKnown(join, timeMs)) {
      endings.refuse(link, barred, timeMs)
      return
    }
    const driverMs = this.#parts.driverMs()
    const maker = { address, driverMs, permission: may.mayCreate, limits: may.limits }
    const found = matches.find(identity, join, maker, timeMs)
    if (!(found instanceof Match)) {
      endings.refuse(link, found, timeMs)
      return
    }
    const session = found.handleJoin(join.ticket, timeMs)
    const own = may.identity === undefined ? undefined : found.sessionOf(may.identity)
    const isKnown = session !== undefined || own !== undefined
    const fault =
      checkKicked(found, { identity: may.identity }) ??
      checkJoin(found, identity, isKnown, commonJoin(join, session ?? own))
    if (fault !== undefined) endings.refuse(link, fault, timeMs)
    else if (session !== undefined) this.#challenge(link, found, session, join, timeMs)
    else if (own !== undefined) this.#takeOver(link, found, own, join, timeMs)
    else this.#seat(link, found, join, may, timeMs)
  }

  /** Whether a join has a ticket of the match: its role was decided when it first joined. */
  #isKnown({ match, ticket }: MessageBody<'ClientJoin'>, timeMs: number): boolean {
    return this.#parts.matches.byName.get(match)?.handleJoin(ticket, timeMs) !== undefined
  }

  #seat(
    link: Link,
    match: Match,
    join: MessageBody<'ClientJoin'>,
    may: Admittance,
    timeMs: number,
  ): void {
    const { name = join.name, role = join.role, identity, ...place } = may
    const fault = match.joinFault(role, place)
    if (fault !== undefined) {
      this.#parts.endings.refuse(link, noRoom(role, fault), timeMs)
      return
    }
    const ticket = join.ticket ?? this.#parts.randomBytes(ticketBytes)
    const session = match.admit(name, role, ticket, timeMs, place)
    session.visitor.identity = identity
    session.visitor.address = link.address
    match.pastSpeech.recall(session, timeMs)
    if (join.secret?.byteLength === secretBytes) session.secret = join.secret
    this.#carriers.attach(link, match, session, 0, timeMs)
    const { software } = join
    session.visitor.software = software
    const event = {
      type: 'joined',
      member: session.member.id,
      seat: session.seat,
      software,
    } as const
    this.#parts.outputs.push({ type: 'match', match: match.name, event })
  }

  /** Authorization vouches for the player: no proof is needed, and later ones need the new secret. */
  #takeOver(
    link: Link,
    match: Match,
    session: Session,
    { secret, nextTick, software }: MessageBody<'ClientJoin'>,
    timeMs: number,
  ): void {
    session.secret = secret?.byteLength === secretBytes ? secret : undefined
    this.#carriers.resume(link, match, session, { nextTick, software }, timeMs)
  }

  /** A ticket only names a session; the client must prove that the session is its own (T-68). */
  #challenge(
    link: Link,
    match: Match,
    session: Session,
    { nextTick, software }: MessageBody<'ClientJoin'>,
    timeMs: number,
  ): void {
    const { links, endings, randomBytes } = this.#parts
    if (this.#badProofs.isBlocked(link.address, session, timeMs)) {
      endings.refuse(link, tooManyProofs, timeMs)
      return
    }
    const nonce = randomBytes(nonceBytes)
    const untilMs = timeMs + handshakeMsMax
    links.settle(link, {
      name: 'challenged',
      match,
      session,
      nonce,
      nextTick,
      software,
      untilMs,
    })
    // A client that was away while the match was rebuilt is asked how far it can go back.
    const question =
      session.rewindTick === undefined
        ? encodeMessage('RelayChallenge', { nonce })
        : encodeMessage('RelayRecover', { nonce, wantsHistory: false })
    link.channel.sendControl(question, timeMs)
  }

  /** Handles a proof. A link has one try. */
  handleProof(
    link: Link,
    { match, session, nonce, nextTick, software }: ChallengedState,
    { proof, isMove }: MessageBody<'ClientProof'>,
    timeMs: number,
    backTick = Number.POSITIVE_INFINITY,
  ): void {
    const { endings } = this.#parts
    const { secret, ticket } = session
    const isKnown = match.handleJoin(ticket, timeMs) === session
    if (secret === undefined || !areSameBytes(proof, makeReturnProof(secret, nonce, ticket))) {
      this.#badProofs.note(link.address, session, timeMs)
      endings.refuse(link, wrongProof, timeMs)
      return
    }
    // The session may have ended since the challenge.
    const fault = checkReturn(match.log, isKnown, commonJoin({ ticket, nextTick }, session))
    const old = isMove ? this.#parts.links.get(session.link) : undefined
    if (fault !== undefined || !isKnown) endings.refuse(link, fault ?? wrongProof, timeMs)
    else if (old !== undefined) this.#carriers.move(link, old, match, session, nextTick, timeMs)
    else this.#carriers.resume(link, match, session, { nextTick, software }, timeMs, backTick)
  }

  /**
   * Handles what a client has of its match, or how far it can go back. Returns false if it was not
   * asked for, or is more than there can be.
   *
   * @throws WireError if the bytes are not bundles.
   */
  handleRecovery(
    link: Link,
    message: Extract<Message, { name: 'ClientRecover' | 'ClientHistory' }>,
    timeMs: number,
  ): boolean {
    const { state } = link
    if (message.name === 'ClientHistory') {
      if (state.name === 'seated') return true
      if (state.name !== 'returned') return false
      return this.desk?.handleHistory(state, message.body.bytes, timeMs) === true
    }
    if (state.name === 'recovering') {
      this.desk?.handleRecover(link, state, message.body, timeMs)
      return true
    }
    if (state.name !== 'challenged' || state.session.rewindTick === undefined) return false
    const { proof, backTick } = message.body
    this.handleProof(link, state, { proof, isMove: false }, timeMs, backTick)
    return true
  }
}

/** The join, with its next tick limited to what the client has in common with the match. */
function commonJoin<J extends Pick<MessageBody<'ClientJoin'>, 'nextTick'>>(
  join: J,
  session: Session | undefined,
): J {
  const { rewindTick } = session ?? {}
  if (rewindTick === undefined) return join
  return { ...join, nextTick: Math.min(join.nextTick, rewindTick + 1) }
}
