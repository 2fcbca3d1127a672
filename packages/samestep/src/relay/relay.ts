import { assert } from '../base/assert.ts'
import { WireError } from '../base/errors.ts'
import { MachineClock } from '../base/machine-clock.ts'
import type { ChannelFactory, ChannelMessage } from '../link/channel.ts'
import type { MatchHistory } from '../record/match-history.ts'
import { closeCodes } from '../wire/codes.ts'
import type { MatchConfig } from '../wire/messages/match-config.ts'
import type { AuthorizationAnswer } from './links/authorization.ts'
import { admittanceFault } from './links/authorization.ts'
import type { Refusal } from './links/door.ts'
import { checkMatch } from './links/door.ts'
import { holdBack, takeHeld } from './links/handover.ts'
import { LinkEndings } from './links/link-endings.ts'
import type { Link } from './links/link-state.ts'
import { linkWakeReason } from './links/link-state.ts'
import { LinkTable } from './links/link-table.ts'
import { MatchFollowUp } from './links/match-follow-up.ts'
import { MessageRouter } from './links/message-router.ts'
import { floodFault } from './links/packet-budget.ts'
import { Reception } from './links/reception.ts'
import { Standstill } from './links/standstill.ts'
import type { Match } from './match/match.ts'
import { MatchTable } from './match/match-table.ts'
import type { GameIdentity, MatchEvent } from './match/match-types.ts'
import { Recorder } from './record/recorder.ts'
import { CapsuleCipher } from './recovery/capsule-cipher.ts'
import { Recoveries } from './recovery/recoveries.ts'
import type { RelayOptions } from './relay-options.ts'
import { optionDefaults } from './relay-options.ts'
import type { RelayOutput } from './relay-outputs.ts'
import { RelayOutputs } from './relay-outputs.ts'
import type { RelayWakeReason } from './wake-reason.ts'

/**
 * The relay: links to sessions, sessions to matches. Sans-IO: packets and time in; packets, closings
 * and notices out. It seals ticks and passes them on; it never runs a game.
 */
export class Relay {
  readonly #options: Required<RelayOptions>
  readonly #clock = new MachineClock()
  readonly #outputs = new RelayOutputs()
  readonly #links = new LinkTable()
  readonly #matches: MatchTable
  readonly #endings: LinkEndings
  readonly #reception: Reception
  readonly #followUp: MatchFollowUp
  readonly #router: MessageRouter
  readonly #standstill = new Standstill()
  readonly #recorder: Recorder | undefined

  constructor(options: RelayOptions) {
    this.#options = { ...optionDefaults, ...options }
    const { recoveryKey, witnesses, isAuthorizing, hostAddress, debugLevel } = this.#options
    const links = this.#links
    const outputs = this.#outputs
    const emit = (match: string, event: MatchEvent) => outputs.push({ type: 'match', match, event })
    const recorder = this.#options.isRecorded ? new Recorder() : undefined
    const cipher = recoveryKey && new CapsuleCipher(recoveryKey)
    const recoveries = cipher && new Recoveries(cipher)
    const matches = new MatchTable(this.#options, links.turns, emit, recorder, cipher, recoveries)
    const endings = new LinkEndings(links, matches, outputs)
    const followUp = new MatchFollowUp(links, endings, matches, recorder)
    const reception = new Reception({
      ...{ links, matches, outputs, endings, recoveries },
      ...{ witnesses, isAuthorizing, hostAddress, debugLevel },
      doors: () => this.#options.doors(),
      driverMs: () => this.#clock.driverMs,
      randomBytes: (count) => this.#options.randomBytes(count),
    })
    const meterMs = () => this.#options.meterMs()
    this.#router = new MessageRouter({ links, matches, endings, followUp, reception, meterMs })
    this.#recorder = recorder
    this.#matches = matches
    this.#endings = endings
    this.#followUp = followUp
    this.#reception = reception
  }

  get matches(): ReadonlyMap<string, Match> {
    return this.#matches.byName
  }

  /** Links that are open, for limits and leak checks. */
  get linkCount(): number {
    return this.#links.size
  }

  /** What went over all links so far. */
  get lanes(): LinkTable['lanes'] {
    return this.#links.lanes
  }

  /** Somebody connected. `makeChannel` gives what speaks over the new link. */
  handleLinkOpened(
    id: number,
    makeChannel: ChannelFactory,
    nowMs: number,
    /** What limits per address count it under; nothing counts it when left out. */
    address?: string,
  ): void {
    const timeMs = this.#clock.advance(nowMs)
    const link = this.#links.open(id, makeChannel, address, timeMs)
    if (link === undefined) this.#outputs.push({ type: 'close', link: id, code: closeCodes.rate })
  }

  /** Something came over a link. The bytes are a stranger's, and lent for the call. */
  handlePacket(id: number, bytes: Uint8Array, nowMs: number): void {
    const timeMs = this.#clock.advance(nowMs)
    const link = this.#links.get(id)
    if (link === undefined) return
    if (!link.budget.take(bytes.length, timeMs)) {
      this.#router.closeFault(link, floodFault, timeMs)
      return
    }
    const { channel } = link
    channel.handlePacket(bytes, timeMs)
    // Streams lose and damage nothing: what its channel cannot read was never a packet of ours.
    if (channel.kind === 'stream' && channel.stats.packetsDropped > 0) {
      this.#router.closeBad(link, 'A packet that says nothing', timeMs)
    } else this.#takeMessages(link, timeMs)
  }

  /**
   * Whether somebody may come in, about whom an output `authorize` asked. Our own value, and checked:
   * see `admittanceFault`. An answer that comes too late is ignored.
   */
  handleAuthorized(id: number, answer: AuthorizationAnswer, nowMs: number): void {
    const timeMs = this.#clock.advance(nowMs)
    const link = this.#links.get(id)
    if (link === undefined) return
    assert('refused' in answer || admittanceFault(answer) === undefined, 'An answer that cannot be')
    this.#reception.handleAuthorized(link, answer, timeMs)
    this.#flushOrEnd(link, timeMs)
  }

  /** The transport lost the link. The session waits for another one. */
  handleLinkClosed(id: number, nowMs: number): void {
    const timeMs = this.#clock.advance(nowMs)
    const link = this.#links.get(id)
    if (link === undefined) return
    const heir =
      link.state.name === 'leaving' ? this.#links.get(link.state.session.link) : undefined
    this.#endings.forget(link, timeMs)
    if (heir !== undefined) this.#takeMessages(heir, timeMs)
  }

  /**
   * Serves who is due first: one match, or all links that are. Where more are due, {@link wakeAtMs} says
   * so: then what the first has to say is on its way before the next is served, and no mistake in one
   * match can keep the others waiting.
   */
  handleTime(nowMs: number): void {
    const timeMs = this.#clock.advance(nowMs)
    const [matchAtMs, linkAtMs] = [this.#matches.soonestMs(), this.#links.timers.soonestMs()]
    this.#excuse(this.#standstill.note(timeMs, Math.min(matchAtMs, linkAtMs)), timeMs)
    const match = matchAtMs <= linkAtMs ? this.#matches.takeDue(timeMs) : undefined
    if (match === undefined) this.#handleLinkTimes(timeMs)
    else this.#handleMatchTime(match, timeMs)
  }

  /** What is to be done next. Borrowed: valid until the next call. */
  pollOutput(): RelayOutput | undefined {
    const bytes = this.#recorder?.take()
    if (bytes !== undefined) return { type: 'record', bytes }
    return this.#outputs.shift()
  }

  /** When {@link handleTime} next has work to do; `Infinity` for never, now or before for at once. */
  wakeAtMs(): number {
    const soonest = Math.min(this.#matches.soonestMs(), this.#links.timers.soonestMs())
    return this.#clock.driverTime(soonest)
  }

  /** What {@link wakeAtMs} is for, so that a log or a debugger can tell; `undefined` for never. */
  wakeReason(): RelayWakeReason | undefined {
    if (this.#matches.soonestMs() <= this.#links.timers.soonestMs()) {
      return this.#matches.soonest()?.wakeReason()
    }
    const link = this.#links.timers.soonest()
    return link && linkWakeReason(link)
  }

  /**
   * Makes a match as an operator may, whatever strangers are allowed. It waits `keptMs` for somebody to
   * come, and as long each time that it is empty before it runs. Gives why it cannot be made.
   */
  createMatch(
    name: string,
    identity: GameIdentity,
    config: MatchConfig,
    keptMs: number,
    nowMs: number,
  ): Refusal | undefined {
    const timeMs = this.#clock.advance(nowMs)
    const made = checkMatch(name) ?? this.#matches.create(name, identity, config, keptMs, timeMs)
    return 'reason' in made ? made : undefined
  }

  /** Ends a session by name of its match and seat, as an operator may. */
  kick(matchName: string, seat: number, nowMs: number): boolean {
    const timeMs = this.#clock.advance(nowMs)
    const match = this.#matches.byName.get(matchName)
    const isKicked = match?.kick(seat, timeMs) === true
    if (isKicked) this.#followUp.finish(match, timeMs)
    return isKicked
  }

  /** Lets a paused or halted match go on, or ends a match, as an operator may. False when it cannot. */
  decide(matchName: string, decision: 'resume' | 'end', nowMs: number): boolean {
    const timeMs = this.#clock.advance(nowMs)
    const match = this.#matches.byName.get(matchName)
    const isDone = match?.decide(decision, timeMs) === true
    if (isDone) this.#followUp.finish(match, timeMs)
    return isDone
  }

  /** Seals an order as the relay's own, as an operator may. False when it is not taken. */
  order(matchName: string, bytes: Uint8Array, nowMs: number): boolean {
    const timeMs = this.#clock.advance(nowMs)
    return this.#matches.byName.get(matchName)?.ownOrders.order(bytes, timeMs) === true
  }

  /**
   * Writes into a new record from now on, where `isRecorded`: its bytes are outputs, before everything
   * that relies on them. `id` is eight bytes that no other record has.
   */
  startRecord(id: Uint8Array): void {
    this.#recorder?.start(id)
  }

  /** Writes up to so many matches that the record does not have yet. Gives how many are left. */
  carryRecord(countMax: number, nowMs: number): number {
    const timeMs = this.#clock.advance(nowMs)
    return this.#recorder?.carry(this.#matches.byName.values(), countMax, timeMs) ?? 0
  }

  /** Writes nothing any more. */
  stopRecord(): void {
    this.#recorder?.stop()
  }

  /** Takes up a match where its record ends. False where it is over, or there is one of that name. */
  restoreMatch(history: MatchHistory, nowMs: number): boolean {
    const timeMs = this.#clock.advance(nowMs)
    const match = this.#matches.restore(history, timeMs)
    if (match !== undefined) this.#recorder?.touch(match, timeMs)
    return match !== undefined
  }

  /** Says goodbye to everybody: this process is about to end. */
  shutDown(nowMs: number): void {
    const timeMs = this.#clock.advance(nowMs)
    for (const link of this.#links.all()) {
      this.#endings.close(link, 'shutdown', 'The relay is shutting down', timeMs)
    }
  }

  #handleMatchTime(match: Match, timeMs: number): void {
    const fromMs = this.#options.meterMs()
    match.handleTime(timeMs)
    this.#followUp.finish(match, timeMs)
    this.#matches.noteServed(match, fromMs, timeMs)
  }

  #handleLinkTimes(timeMs: number): void {
    for (const link of this.#links.timers.takeDue(timeMs)) {
      // Serving another one may have ended it.
      if (!link.isOpen) continue
      this.#handleLinkTime(link, timeMs)
      this.#links.timers.schedule(link)
    }
  }

  /** Time in which this process stood still counts against nobody. */
  #excuse(lostMs: number, timeMs: number): void {
    if (lostMs === 0) return
    for (const match of this.#matches.byName.values()) match.excuse(lostMs, timeMs)
  }

  #takeMessages(link: Link, timeMs: number): void {
    const { channel } = link
    for (const bytes of takeHeld(link)) {
      if (link.isOpen) this.#take(link, 'control', bytes, timeMs)
    }
    for (let next = channel.pollMessage(); next; next = channel.pollMessage()) {
      if (next.lane === 'tick' && this.#links.letWait(link, next.bytes, timeMs)) {
        // A packet of a stream is one message: nothing else came of it.
        if (channel.kind === 'stream') return
        continue
      }
      if (link.behind !== undefined && holdBack(link, next)) continue
      if (!link.isOpen || !this.#take(link, next.lane, next.bytes, timeMs)) return
    }
    this.#flushOrEnd(link, timeMs)
  }

  /** False when the message was a bad one, and the link is closed for it. */
  #take(link: Link, lane: ChannelMessage['lane'], bytes: Uint8Array, timeMs: number): boolean {
    try {
      if (lane === 'late') this.#router.handleLate(link, bytes, timeMs)
      else this.#router.handleMessage(link, bytes, timeMs)
      return true
    } catch (error) {
      // The one place where a stranger's bytes end: the link is closed, and nobody else notices.
      if (!(error instanceof WireError)) throw error
      this.#router.closeBad(link, error.message, timeMs)
      return false
    }
  }

  #flushOrEnd(link: Link, timeMs: number): void {
    this.#endings.flush(link)
    if (link.channel.state.name !== 'closed') return
    this.#endings.finish(
      link,
      link.state.name === 'ending' ? link.state.code : closeCodes.left,
      timeMs,
    )
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
    if (state.name === 'ending') this.#endings.finish(link, state.code, timeMs)
    else if (state.name === 'leaving') this.#endings.end(link, closeCodes.moved, timeMs)
    else if (state.name === 'returned') this.#reception.desk?.handleTime(link, state, timeMs)
    // No word of blame: on a bad line a handshake takes long, and its other end tries again.
    else this.#endings.end(link, closeCodes['too-slow'], timeMs)
  }
}
