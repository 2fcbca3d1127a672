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
 * The relay: maps links to sessions and sessions to matches. Sans-IO: packets and time go in;
 * packets, closings and notices come out. It seals ticks and passes them on; it never runs a game.
 */
export class Relay {
  readonly #options: Required<RelayOptions>
  readonly #meterMs: () => number
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
    this.#meterMs = this.#options.meterMs.bind(this.#options)
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
      links,
      matches,
      outputs,
      endings,
      recoveries,
      witnesses,
      isAuthorizing,
      hostAddress,
      debugLevel,
      doors: () => this.#options.doors(),
      driverMs: () => this.#clock.driverMs,
      randomBytes: (count) => this.#options.randomBytes(count),
    })
    const meterMs = () => this.#meterMs()
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

  /** Open links, for limits and leak checks. */
  get linkCount(): number {
    return this.#links.size
  }

  /** Traffic of all links so far, by lane. */
  get lanes(): LinkTable['lanes'] {
    return this.#links.lanes
  }

  /** A client connected. `makeChannel` creates the channel for the new link. */
  handleLinkOpened(
    id: number,
    makeChannel: ChannelFactory,
    nowMs: number,
    /** The address that per-address limits count it under; without one it is not counted. */
    address?: string,
  ): void {
    const timeMs = this.#advance(nowMs)
    const link = this.#links.open(id, makeChannel, address, timeMs)
    if (link === undefined) this.#outputs.push({ type: 'close', link: id, code: closeCodes.rate })
  }

  /** A packet arrived over a link. The bytes are untrusted, and only borrowed for this call. */
  handlePacket(id: number, bytes: Uint8Array, nowMs: number): void {
    const timeMs = this.#advance(nowMs)
    const link = this.#links.get(id)
    if (link === undefined) return
    if (!link.budget.take(bytes.length, timeMs)) {
      this.#router.closeFault(link, floodFault, timeMs)
      return
    }
    const { channel } = link
    channel.handlePacket(bytes, timeMs)
    // A stream loses and corrupts nothing: a packet that its channel cannot read was never valid.
    if (channel.kind === 'stream' && channel.stats.packetsDropped > 0) {
      this.#router.closeBad(link, 'A packet that says nothing', timeMs)
    } else this.#takeMessages(link, timeMs)
  }

  /**
   * The answer to an `authorize` output: whether the client may join. It comes from our own side and
   * is checked all the same: see `admittanceFault`. A late answer is ignored.
   */
  handleAuthorized(id: number, answer: AuthorizationAnswer, nowMs: number): void {
    const timeMs = this.#advance(nowMs)
    const link = this.#links.get(id)
    if (link === undefined) return
    assert('refused' in answer || admittanceFault(answer) === undefined, 'An answer that cannot be')
    this.#reception.handleAuthorized(link, answer, timeMs)
    this.#flushOrEnd(link, timeMs)
  }

  /** The transport lost the link. The session waits for another one. */
  handleLinkClosed(id: number, nowMs: number): void {
    const timeMs = this.#advance(nowMs)
    const link = this.#links.get(id)
    if (link === undefined) return
    const heir = this.#heirOf(link)
    this.#endings.forget(link, timeMs)
    if (heir !== undefined) this.#takeMessages(heir, timeMs)
  }

  /**
   * Serves what is due first: one match, or all links that are due. If more is due, {@link wakeAtMs}
   * is not in the future. So the output of the first goes out before the next is served, and a bug in
   * one match cannot hold up the others.
   */
  handleTime(nowMs: number): void {
    const timeMs = this.#advance(nowMs)
    this.#excuse(this.#standstill.noteWakeUp(timeMs), timeMs)
    const [matchAtMs, linkAtMs] = [this.#matches.soonestMs(), this.#links.timers.soonestMs()]
    const match = matchAtMs <= linkAtMs ? this.#matches.takeDue(timeMs) : undefined
    if (match === undefined) this.#handleLinkTimes(timeMs)
    else this.#handleMatchTime(match, timeMs)
  }

  /** The next thing to do. Borrowed: valid until the next call. */
  pollOutput(): RelayOutput | undefined {
    const bytes = this.#recorder?.take()
    if (bytes !== undefined) return { type: 'record', bytes }
    return this.#outputs.shift()
  }

  /** When {@link handleTime} next has work; `Infinity` for never, now or earlier for at once. */
  wakeAtMs(): number {
    return this.#clock.driverTime(this.#soonestMs)
  }

  /** The reason for {@link wakeAtMs}, for logs and debugging; `undefined` for never. */
  wakeReason(): RelayWakeReason | undefined {
    if (this.#matches.soonestMs() <= this.#links.timers.soonestMs()) {
      return this.#matches.soonest()?.wakeReason()
    }
    const link = this.#links.timers.soonest()
    return link && linkWakeReason(link)
  }

  /**
   * Creates a match for the operator, whatever clients are allowed to create. It waits `keptMs` for
   * its first member, and as long again each time it is empty before it runs. Returns the reason if
   * it cannot be created.
   */
  createMatch(
    name: string,
    identity: GameIdentity,
    config: MatchConfig,
    keptMs: number,
    nowMs: number,
  ): Refusal | undefined {
    const timeMs = this.#advance(nowMs)
    const made = checkMatch(name) ?? this.#matches.create(name, identity, config, keptMs, timeMs)
    return 'reason' in made ? made : undefined
  }

  /** Operator call: ends the session at a seat of a match. Returns false if nobody sits there. */
  kick(matchName: string, seat: number, nowMs: number): boolean {
    const timeMs = this.#advance(nowMs)
    const match = this.#matches.byName.get(matchName)
    const isKicked = match?.kick(seat, timeMs) === true
    if (isKicked) this.#followUp.finish(match, timeMs)
    return isKicked
  }

  /** Operator call: resumes a paused or halted match, or ends a match. Returns false if it cannot. */
  decide(matchName: string, decision: 'resume' | 'end', nowMs: number): boolean {
    const timeMs = this.#advance(nowMs)
    const match = this.#matches.byName.get(matchName)
    const isDone = match?.decide(decision, timeMs) === true
    if (isDone) this.#followUp.finish(match, timeMs)
    return isDone
  }

  /** Operator call: queues an order of the relay itself. Returns false if it is not taken. */
  order(matchName: string, bytes: Uint8Array, nowMs: number): boolean {
    const timeMs = this.#advance(nowMs)
    return this.#matches.byName.get(matchName)?.ownOrders.order(bytes, timeMs) === true
  }

  /**
   * Starts a new record, if `isRecorded`. Its bytes are output before everything that relies on them.
   * `id` is eight bytes that no other record has.
   */
  startRecord(id: Uint8Array): void {
    this.#recorder?.start(id)
  }

  /** Writes up to `countMax` matches that the record lacks. Returns how many are left. */
  carryRecord(countMax: number, nowMs: number): number {
    const timeMs = this.#advance(nowMs)
    return this.#recorder?.carry(this.#matches.byName.values(), countMax, timeMs) ?? 0
  }

  /** Stops recording. */
  stopRecord(): void {
    this.#recorder?.stop()
  }

  /**
   * Continues a match where its record ends. Returns false if it cannot, for example because the
   * match is over or its name is taken.
   */
  restoreMatch(history: MatchHistory, nowMs: number): boolean {
    const timeMs = this.#advance(nowMs)
    const match = this.#matches.restore(history, timeMs)
    if (match !== undefined) this.#recorder?.touch(match, timeMs)
    return match !== undefined
  }

  /** Closes all links: this process is about to end. */
  shutDown(nowMs: number): void {
    const timeMs = this.#advance(nowMs)
    for (const link of this.#links.all()) {
      this.#endings.close(link, 'shutdown', 'The relay is shutting down', timeMs)
    }
  }

  /** When something is due first, in the relay's own time. */
  get #soonestMs(): number {
    return Math.min(this.#matches.soonestMs(), this.#links.timers.soonestMs())
  }

  /** The relay's own time. Every call begins with it: any of them may move a deadline. */
  #advance(nowMs: number): number {
    const timeMs = this.#clock.advance(nowMs)
    this.#standstill.noteCall(timeMs, this.#soonestMs)
    return timeMs
  }

  /** The link that carries the session of one that it has left, and may hold messages until that one ends. */
  #heirOf({ state }: Link): Link | undefined {
    return state.name === 'leaving' ? this.#links.get(state.session.link) : undefined
  }

  #handleMatchTime(match: Match, timeMs: number): void {
    const fromMs = this.#meterMs()
    match.handleTime(timeMs)
    this.#followUp.finish(match, timeMs)
    this.#matches.noteServed(match, fromMs, timeMs)
  }

  #handleLinkTimes(timeMs: number): void {
    for (const link of this.#links.timers.takeDue(timeMs)) {
      // Serving another link may have ended this one.
      if (!link.isOpen) continue
      this.#handleLinkTime(link, timeMs)
      this.#links.timers.schedule(link)
    }
  }

  /** Time in which this process was stalled counts against no client. */
  #excuse(lostMs: number, timeMs: number): void {
    if (lostMs === 0) return
    for (const match of this.#matches.byName.values()) match.excuse(lostMs, timeMs)
  }

  #takeMessages(link: Link, timeMs: number): void {
    const { channel } = link
    if (link.behind !== undefined) {
      for (const bytes of takeHeld(link)) {
        if (link.isOpen) this.#take(link, 'control', bytes, timeMs)
      }
    }
    for (let next = channel.pollMessage(); next; next = channel.pollMessage()) {
      if (next.lane === 'tick' && this.#links.letWait(link, next.bytes, timeMs)) {
        // A stream packet is one message, so there is nothing else to poll.
        if (channel.kind === 'stream') return
        continue
      }
      if (link.behind !== undefined && holdBack(link, next)) continue
      if (!link.isOpen || !this.#take(link, next.lane, next.bytes, timeMs)) return
    }
    this.#flushOrEnd(link, timeMs)
  }

  /** Returns false if the message was invalid; its link is closed then. */
  #take(link: Link, lane: ChannelMessage['lane'], bytes: Uint8Array, timeMs: number): boolean {
    try {
      if (lane === 'late') this.#router.handleLate(link, bytes, timeMs)
      else this.#router.handleMessage(link, bytes, timeMs)
      return true
    } catch (error) {
      // The one place where invalid bytes are caught: the link is closed, and nobody else notices.
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
    else if (state.name === 'leaving') {
      const heir = this.#heirOf(link)
      this.#endings.end(link, closeCodes.moved, timeMs)
      if (heir !== undefined) this.#takeMessages(heir, timeMs)
    } else if (state.name === 'returned') this.#reception.desk?.handleTime(link, state, timeMs)
    // Closed without a message: on a bad line a handshake takes long, and the client tries again.
    else this.#endings.end(link, closeCodes['too-slow'], timeMs)
  }
}
