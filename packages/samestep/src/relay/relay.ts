import { WireError } from '../base/errors.ts'
import { MachineClock } from '../base/machine-clock.ts'
import type { ChannelFactory, ChannelMessage } from '../link/channel.ts'
import { isClientTurn } from '../wire/client-turn.ts'
import type { CloseReason } from '../wire/codes.ts'
import { closeCodes } from '../wire/codes.ts'
import type { MessageBody } from '../wire/messages.ts'
import { decodeMessage, encodeMessage } from '../wire/messages.ts'
import type { Refusal } from './door.ts'
import {
  agreeOn,
  checkPlayerName,
  checkReturn,
  checkSame,
  clip,
  noRoom,
  ticketBytes,
} from './door.ts'
import { LinkBook } from './link-book.ts'
import type { Link, SeatedMessage, SeatedState } from './link-state.ts'
import {
  farewellMsMax,
  handleLate,
  handleSeated,
  handshakeMsMax,
  isWaitedFor,
  seatedBody,
} from './link-state.ts'
import { Match } from './match.ts'
import { MatchTable } from './match-table.ts'
import type { Fault, GameIdentity } from './match-types.ts'
import type { RelayOptions, RelayOutput, SendNow } from './relay-output.ts'
import { optionDefaults } from './relay-output.ts'
import { RelayOutputs } from './relay-outputs.ts'
import type { Session } from './session.ts'
import { Standstill } from './standstill.ts'

/**
 * The relay: links to sessions, sessions to matches. Sans-IO: packets and time in; packets, closings
 * and notices out. It seals ticks and passes them on; it never runs a game.
 */
export class Relay {
  readonly #options: Required<RelayOptions>
  readonly #clock = new MachineClock()
  readonly #outputs = new RelayOutputs()
  readonly #links = new LinkBook()
  readonly #matches: MatchTable
  readonly #standstill = new Standstill()

  constructor(options: RelayOptions) {
    this.#options = { ...optionDefaults, ...options }
    this.#matches = new MatchTable(this.#options, this.#links.turns, (match, event) => {
      this.#outputs.push({ type: 'match', match, event })
    })
  }

  get matches(): ReadonlyMap<string, Match> {
    return this.#matches.byName
  }

  /** Links that are open, for limits and leak checks. */
  get linkCount(): number {
    return this.#links.size
  }

  /**
   * Somebody connected. `makeChannel` gives what speaks over the new link; `owner` comes back with all
   * that is to be sent over it. `undefined` when there are too many strangers.
   */
  handleLinkOpened(
    id: number,
    makeChannel: ChannelFactory,
    nowMs: number,
    owner?: unknown,
  ): Link | undefined {
    const timeMs = this.#clock.advance(nowMs)
    const link = this.#links.open(id, makeChannel, owner, timeMs)
    if (link === undefined) this.#outputs.push({ type: 'close', link: id, code: closeCodes.rate })
    return link
  }

  /** False when nothing came of it: neither outputs nor another wake-up. */
  handlePacket(id: number, bytes: Uint8Array, nowMs: number): boolean {
    const link = this.#links.get(id)
    return link !== undefined && this.handleLinkPacket(link, bytes, nowMs)
  }

  /** The same without a search. */
  handleLinkPacket(link: Link, bytes: Uint8Array, nowMs: number): boolean {
    const timeMs = this.#clock.advance(nowMs)
    if (!link.isOpen) return false
    if (!link.channel.takeTick(bytes)) {
      link.channel.handlePacket(bytes, timeMs)
      this.#takeMessages(link, timeMs)
      return true
    }
    if (this.#links.letWait(link, bytes, timeMs)) return false
    if (this.#take(link, 'tick', bytes, timeMs)) this.#flushOrEnd(link, timeMs)
    return !this.#outputs.isEmpty || isWaitedFor(link)
  }

  /** The transport lost the link. The session waits for another one. */
  handleLinkClosed(id: number, nowMs: number): void {
    const timeMs = this.#clock.advance(nowMs)
    const link = this.#links.get(id)
    if (link !== undefined) this.#forget(link, timeMs)
  }

  /** `send` is given packets at once where it can, so that those of a match need not wait for others. */
  handleTime(nowMs: number, send?: SendNow): void {
    this.#outputs.sendTo(send)
    const timeMs = this.#clock.advance(nowMs)
    this.#matches.excuse(this.#standstill.note(timeMs), timeMs)
    for (const match of this.#matches.takeDue(timeMs)) {
      match.handleTime(timeMs)
      this.#closeExpelled(match, timeMs)
      this.#matches.schedule(match)
    }
    for (const link of this.#links.timers.takeDue(timeMs)) {
      // Serving another one may have ended it.
      if (!link.isOpen) continue
      this.#handleLinkTime(link, timeMs)
      this.#links.timers.schedule(link)
    }
  }

  /** What is to be done next. Borrowed: valid until the next call. */
  pollOutput(): RelayOutput | undefined {
    return this.#outputs.shift()
  }

  wakeAtMs(): number {
    const soonest = Math.min(this.#matches.soonestMs(), this.#links.timers.soonestMs())
    this.#standstill.promise(soonest)
    return this.#clock.driverTime(soonest)
  }

  /** Ends a session by name of its match and seat, as an operator may. */
  kick(matchName: string, seat: number, nowMs: number): boolean {
    const match = this.#matches.byName.get(matchName)
    const isKicked = match?.kick(seat, this.#clock.advance(nowMs)) === true
    if (isKicked) this.#closeExpelled(match, this.#clock.timeMs)
    return isKicked
  }

  /** Says goodbye to everybody: this process is about to end. */
  shutDown(nowMs: number): void {
    const timeMs = this.#clock.advance(nowMs)
    const message = 'The relay is going down'
    for (const link of this.#links.all()) this.#close(link, 'shutdown', message, timeMs)
  }

  #takeMessages(link: Link, timeMs: number): void {
    const { channel } = link
    for (let next = channel.pollMessage(); next; next = channel.pollMessage()) {
      if (!link.isOpen || !this.#take(link, next.lane, next.bytes, timeMs)) return
    }
    this.#flushOrEnd(link, timeMs)
  }

  /** False when the message was a bad one, and the link is closed for it. */
  #take(link: Link, lane: ChannelMessage['lane'], bytes: Uint8Array, timeMs: number): boolean {
    try {
      if (lane === 'late') handleLate(link, bytes, timeMs)
      else this.#handleMessage(link, bytes, timeMs)
      return true
    } catch (error) {
      // The one place where a stranger's bytes end: the link is closed, and nobody else notices.
      if (!(error instanceof WireError)) throw error
      this.#closeBad(link, error.message, timeMs)
      return false
    }
  }

  #flushOrEnd(link: Link, timeMs: number): void {
    this.#flush(link)
    if (link.channel.state.name !== 'closed') return
    this.#finish(link, link.state.name === 'ending' ? link.state.code : closeCodes.left, timeMs)
  }

  #handleMessage(link: Link, bytes: Uint8Array, timeMs: number): void {
    const { state } = link
    if (state.name === 'ending' || this.#links.letWait(link, bytes, timeMs)) return
    if (state.name === 'seated' && isClientTurn(bytes)) {
      const fault = state.match.handleTurn(state.session, bytes, timeMs)
      if (fault !== undefined) this.#closeFault(link, fault, timeMs)
      else if (state.match.waitsForInputs) this.#matches.schedule(state.match)
      else link.mayWait = state.match.defersTurns
      return
    }
    const message = decodeMessage(bytes)
    switch (message.name) {
      case 'ClientHello':
        if (state.name === 'stranger') this.#handleHello(link, message.body, timeMs)
        else this.#closeBad(link, 'A second hello', timeMs)
        return
      case 'ClientJoin':
        if (state.name === 'known') this.#handleJoin(link, state.identity, message.body, timeMs)
        else this.#closeBad(link, 'A join before hello, or a second one', timeMs)
        return
      case 'ClientLeave':
        if (state.name === 'seated') this.#handleLeave(link, state, timeMs)
        else this.#closeBad(link, 'A farewell before the join', timeMs)
        return
      case 'ClientAct':
      case 'ClientBotOrders':
      case 'ClientHere':
        if (state.name === 'seated') this.#handleSeated(link, state, message, timeMs)
        else this.#closeBad(link, `A ${message.name} before the join`, timeMs)
        return
      default:
        this.#closeBad(link, `A ${message.name}, which only relays send`, timeMs)
    }
  }

  #handleSeated(link: Link, state: SeatedState, message: SeatedMessage, timeMs: number): void {
    state.match.takeTurns(timeMs)
    const fault = handleSeated(state, message, timeMs)
    if (fault !== undefined) this.#closeFault(link, fault, timeMs)
    this.#closeExpelled(state.match, timeMs)
    this.#matches.schedule(state.match)
  }

  #handleHello(link: Link, hello: MessageBody<'ClientHello'>, timeMs: number): void {
    const protocol = agreeOn(hello)
    if (typeof protocol !== 'string') {
      this.#refuse(link, protocol, timeMs)
      return
    }
    const { gameId, gameVersion, fingerprint } = hello
    const identity = { gameId, gameVersion, fingerprint }
    this.#links.settle(link, { name: 'known', identity, untilMs: timeMs + handshakeMsMax })
    link.channel.sendControl(encodeMessage('RelayWelcome', { protocol }), timeMs)
  }

  #handleJoin(
    link: Link,
    identity: GameIdentity,
    join: MessageBody<'ClientJoin'>,
    timeMs: number,
  ): void {
    const found = this.#matches.find(identity, join, timeMs)
    if (!(found instanceof Match)) {
      this.#refuse(link, found, timeMs)
      return
    }
    const session = join.ticket && found.sessionWith(join.ticket)
    const fault =
      checkPlayerName(join.name) ??
      checkSame(found, identity, join.config) ??
      checkReturn(found.log, session !== undefined, join)
    if (fault !== undefined) this.#refuse(link, fault, timeMs)
    else if (session !== undefined) this.#resume(link, found, session, join.nextTick, timeMs)
    else this.#seat(link, found, join, timeMs)
  }

  #seat(link: Link, match: Match, join: MessageBody<'ClientJoin'>, timeMs: number): void {
    const fault = match.joinFault(join.role)
    if (fault !== undefined) {
      this.#refuse(link, noRoom(join.role, fault), timeMs)
      return
    }
    const ticket = join.ticket ?? this.#options.randomBytes(ticketBytes)
    const session = match.admit(join.name, join.role, ticket, timeMs)
    this.#attach(link, match, session, 0, timeMs)
  }

  /** A client whose link died goes on with its session, from the first tick that it lacks. */
  #resume(link: Link, match: Match, session: Session, nextTick: number, timeMs: number): void {
    const old = this.#links.get(session.link)
    if (old !== undefined) this.#close(old, 'replaced', 'Another link took over', timeMs)
    this.#attach(link, match, session, nextTick - 1, timeMs)
  }

  #attach(link: Link, match: Match, session: Session, haveTick: number, timeMs: number): void {
    session.attach(link.id, link.channel, haveTick, link)
    this.#links.settle(link, { name: 'seated', match, session })
    link.channel.sendControl(encodeMessage('RelaySeated', seatedBody(match, session)), timeMs)
    this.#outputs.push({ type: 'seated', link: link.id })
    match.handleAttached(session, haveTick, timeMs)
    this.#matches.schedule(match)
  }

  #handleLeave(link: Link, state: SeatedState, timeMs: number): void {
    state.match.takeTurns(timeMs)
    state.match.remove(state.session, 'left', timeMs)
    this.#close(link, 'left', 'Goodbye', timeMs)
    this.#closeExpelled(state.match, timeMs)
  }

  #handleLinkTime(link: Link, timeMs: number): void {
    const { channel } = link
    if (channel.wakeAtMs() <= timeMs) {
      channel.handleTime(timeMs)
      this.#takeMessages(link, timeMs)
      // The channel may have ended, and the link with it.
      if (!link.isOpen) return
    }
    const { state } = link
    if (state.name === 'seated' || timeMs < state.untilMs) return
    if (state.name === 'ending') this.#finish(link, state.code, timeMs)
    // No word of blame: on a bad line a handshake takes long, and its other end tries again.
    else this.#end(link, closeCodes['too-slow'], timeMs)
  }

  #finish(link: Link, code: number, timeMs: number): void {
    if (!link.isOpen) return
    this.#outputs.push({ type: 'close', link: link.id, code })
    this.#forget(link, timeMs)
  }

  /** Lets go of a link. A session that it carried waits for its player to come back. */
  #forget(link: Link, timeMs: number): void {
    if (!link.isOpen) return
    // What came over it still counts, as long as it is there.
    this.#letGo(link, timeMs)
    this.#links.forget(link)
  }

  #letGo({ state, id }: Link, timeMs: number): void {
    if (state.name !== 'seated' || state.session.link !== id) return
    state.match.takeTurns(timeMs)
    state.match.handleDetached(state.session, timeMs)
    state.session.detach(timeMs)
    this.#matches.schedule(state.match)
  }

  #refuse(link: Link, because: Refusal, timeMs: number): void {
    link.channel.sendControl(encodeMessage('RelayRefuse', because), timeMs)
    this.#end(link, closeCodes[because.reason as CloseReason], timeMs)
  }

  #closeBad(link: Link, message: string, timeMs: number): void {
    this.#closeFault(link, { reason: 'bad-message', message }, timeMs)
  }

  /** Ends whoever broke the rules: the link, and its session for good. */
  #closeFault(link: Link, { reason, message }: Fault, timeMs: number): void {
    const { state } = link
    if (state.name === 'seated') {
      state.match.takeTurns(timeMs)
      state.match.remove(state.session, 'refused', timeMs)
    }
    this.#close(link, reason, message, timeMs)
    if (state.name === 'seated') this.#closeExpelled(state.match, timeMs)
  }

  #close(link: Link, reason: CloseReason, message: string, timeMs: number): void {
    const body = { reason, message: clip(message, 200) }
    link.channel.sendControl(encodeMessage('RelayClose', body), timeMs)
    this.#end(link, closeCodes[reason], timeMs)
  }

  #end(link: Link, code: number, timeMs: number): void {
    if (link.state.name === 'ending') return
    link.channel.close(code, timeMs)
    this.#flush(link)
    this.#letGo(link, timeMs)
    this.#links.settle(link, { name: 'ending', code, untilMs: timeMs + farewellMsMax })
    if (link.channel.kind === 'stream') this.#finish(link, code, timeMs)
  }

  /** Sends what a match has to say, closes the links of those who are out, and the match at its end. */
  #closeExpelled(match: Match, timeMs: number): void {
    for (const { session, reason, message, isLinkOnly } of match.takeExpelled()) {
      const link = this.#links.get(session.link)
      if (link === undefined) continue
      if (isLinkOnly) this.#end(link, closeCodes[reason], timeMs)
      else this.#close(link, reason, message, timeMs)
    }
    this.#drain(match)
    if (match.phase !== 'ended') return
    for (const session of match.sessions) {
      const link = this.#links.get(session.link)
      if (link) this.#close(link, 'match-over', 'The match is over', timeMs)
    }
    this.#matches.delete(match)
  }

  /** Sends what a match has queued. */
  #drain(match: Match): void {
    // By number: an iterator makes garbage in every tick of every match.
    for (let index = 0; index < match.sessionList.length; index++) {
      const carrier = match.sessionList[index]?.carrier
      if (carrier?.isOpen === true) this.#flush(carrier)
    }
  }

  #flush(link: Link): void {
    const { channel } = link
    for (let bytes = channel.pollPacket(); bytes; bytes = channel.pollPacket()) {
      this.#outputs.pushSend(link, bytes)
    }
    this.#links.timers.schedule(link)
  }
}
