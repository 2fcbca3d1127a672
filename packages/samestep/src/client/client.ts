import { WireError } from '../base/errors.ts'
import { MachineClock } from '../base/machine-clock.ts'
import { OutputQueue } from '../base/output-queue.ts'
import type { Channel, ChannelFactory, ChannelMessage } from '../link/channel.ts'
import type { GameInput, GameShape } from '../sim/game/context.ts'
import type { Game } from '../sim/game/define-game.ts'
import type { OrderData } from '../sim/game/order.ts'
import type { Simulation } from '../sim/game/simulation.ts'
import { closeCodes } from '../wire/codes.ts'
import type { MessageBody } from '../wire/messages.ts'
import { decodeMessage, encodeMessage } from '../wire/messages.ts'
import { isRelayBundles } from '../wire/relay-bundles.ts'
import type { RoomAction } from '../wire/room-actions.ts'
import type { ClientOptions } from './client-options.ts'
import type { ClientStatus, ConversationState } from './conversation.ts'
import {
  checkRelayMessage,
  encodeAction,
  helloBody,
  requireOpen,
  requireSeated,
  statusOf,
} from './conversation.ts'
import type { ClientEvent, Cursors } from './events.ts'
import { LinkPatience } from './link-patience.ts'
import { makeConfig } from './match-config.ts'
import { Membership } from './membership.ts'
import type { OrderEnd, PendingOrder } from './order-outbox.ts'
import type { TickPacer } from './pacing/tick-pacer.ts'
import type { PlayState, RoomView } from './play-state.ts'
import type { RunningMatch } from './running-match.ts'
import type { ClientStatistics } from './statistics.ts'

/**
 * A player's or spectator's side of a match. Sans-IO: packets and time in; packets, events and the next
 * wake-up out. It owns the simulation, and runs ticks only when told to: see {@link runTicks}.
 */
export class Client<G extends GameShape = GameShape, R = unknown> {
  readonly game: Game<G, R>
  readonly #clock = new MachineClock()
  readonly #events = new OutputQueue<ClientEvent>()
  #state: ConversationState = { name: 'linkless', retryAtMs: 0, isAsked: false }
  readonly #membership: Membership<G, R>
  readonly #patience: LinkPatience

  constructor(game: Game<G, R>, options: ClientOptions<G>) {
    this.game = game
    const config = makeConfig(game, options)
    this.#membership = new Membership(game, options, config, (event) => this.#events.push(event))
    this.#patience = new LinkPatience(options.retryMs ?? 500)
  }

  get status(): ClientStatus {
    return statusOf(this.#state, this.#membership)
  }

  /** The simulation, once there is a seat. */
  get simulation(): Simulation<G, R> | undefined {
    return this.#running?.simulation
  }

  get seat(): number | undefined {
    return this.#membership.seat
  }

  get member(): number | undefined {
    return this.#membership.member
  }

  get room(): RoomView | undefined {
    return this.#membership.room
  }

  /** What to show about the flow of the game. */
  playState(nowMs: number): PlayState {
    return this.#membership.playState(this.#clock.advance(nowMs))
  }

  /** The time as this client counts it, which its pacer wants: leaps of the driver's clock are less. */
  timeOf(nowMs: number): number {
    return this.#clock.advance(nowMs)
  }

  /** When ticks are run, and what they cost; `undefined` before the match is launched. */
  get pacer(): TickPacer | undefined {
    return this.#running?.pacer
  }

  get statistics(): ClientStatistics {
    return this.#membership.statistics(this.#channel?.stats)
  }

  get botSeats(): readonly number[] {
    return this.#membership.bots.seats
  }

  get cursors(): Cursors {
    return this.#membership.cursors
  }

  get rttMs(): number | undefined {
    return this.#running?.rttMs
  }

  /** Orders that were issued and are not settled. */
  get pendingOrders(): number {
    return this.#running?.orders.pendingCount ?? 0
  }

  /** Sealed ticks that wait to be run. */
  get readyTicks(): number {
    return this.#running?.inbox.readyCount ?? 0
  }

  /** Bytes of bundles that wait, for limits. */
  get inboxBytes(): number {
    return this.#running?.inbox.bytes ?? 0
  }

  /** A link is up; `makeChannel` gives what speaks over it. */
  handleLinkOpened(makeChannel: ChannelFactory, nowMs: number): void {
    const timeMs = this.#clock.advance(nowMs)
    if (this.#state.name === 'closed') return
    const channel = makeChannel(timeMs)
    this.#patience.noteOpened(timeMs)
    this.#state = { name: 'greeting', channel }
    channel.sendControl(encodeMessage('ClientHello', helloBody(this.game)), timeMs)
  }

  handlePacket(bytes: Uint8Array, nowMs: number): void {
    const timeMs = this.#clock.advance(nowMs)
    const channel = this.#channel
    if (channel === undefined) return
    const { packetsDropped } = channel.stats
    channel.handlePacket(bytes, timeMs)
    // What is none of this conversation is no sign of life of the relay that we talk to.
    if (channel.stats.packetsDropped === packetsDropped) this.#patience.noteHeard(timeMs)
    this.#takeMessages(channel, timeMs)
  }

  /** The transport lost the link, or could not make the one that was wanted. */
  handleLinkClosed(nowMs: number): void {
    this.#loseLink(this.#clock.advance(nowMs))
  }

  handleTime(nowMs: number): void {
    const timeMs = this.#clock.advance(nowMs)
    const state = this.#state
    if (state.name === 'linkless') {
      if (state.isAsked || timeMs < state.retryAtMs) return
      this.#state = { ...state, isAsked: true }
      this.#events.push({ type: 'want-link' })
      return
    }
    const channel = this.#channel
    if (channel === undefined) return
    if (this.#isListening && timeMs >= this.#patience.silentAtMs) {
      channel.close(closeCodes.left, timeMs)
      this.#loseLink(timeMs)
      return
    }
    if (channel.wakeAtMs() <= timeMs) channel.handleTime(timeMs)
    if (state.name === 'seated') {
      this.#running?.handleTime(timeMs)
      this.#sayHere(channel, timeMs)
    }
    this.#takeMessages(channel, timeMs)
  }

  pollEvent(): ClientEvent | undefined {
    return this.#events.shift()
  }

  /** The next packet for the link. Turns are put together here, so that they say the newest. */
  pollPacket(): Uint8Array | undefined {
    const state = this.#state
    const { timeMs } = this.#clock
    if (state.name === 'seated' && this.#membership.send(state.channel, timeMs)) {
      this.#patience.noteSaid(timeMs)
    }
    return this.#channel?.pollPacket()
  }

  wakeAtMs(): number {
    const state = this.#state
    if (state.name === 'linkless') {
      return state.isAsked ? Number.POSITIVE_INFINITY : this.#clock.driverTime(state.retryAtMs)
    }
    const { channel } = state
    let soonest = channel?.wakeAtMs() ?? Number.POSITIVE_INFINITY
    if (this.#isListening) soonest = Math.min(soonest, this.#patience.silentAtMs)
    if (state.name === 'seated') {
      const turnAtMs = this.#running?.wakeAtMs(state.channel.kind) ?? soonest
      soonest = Math.min(soonest, this.#patience.hereAtMs, turnAtMs)
    }
    return this.#clock.driverTime(soonest)
  }

  /**
   * Runs sealed ticks that are here, at most `max`, and gives how many ran.
   *
   * A relay whose bundles cannot be decoded ends the session.
   */
  runTicks(max: number): number {
    const running = this.#running
    if (running === undefined || this.#state.name === 'closed') return 0
    try {
      return running.runTicks(max)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      this.#fail('bad-message', error.message)
      return 0
    }
  }

  /**
   * Asks for an order to happen at the next open tick. `settle` is called exactly once: executed at a
   * tick, refused with a reason, or lost with the session.
   *
   * @throws UsageError `SS_BAD_ORDER` or `SS_BAD_VALUE` for what is no order of the game,
   * `SS_NOT_SEATED` without a seat, `SS_OUTBOX_FULL` when too many are on their way.
   */
  issue<K extends keyof G['orders'] & string>(
    name: K,
    data: OrderData<G['orders'], K>,
    settle: (end: OrderEnd) => void = ignore,
  ): PendingOrder {
    return this.issueBytes(this.game.orderCodec.encode(name, data), settle)
  }

  /** As {@link issue}, for an order that is bytes already. */
  issueBytes(bytes: Uint8Array, settle: (end: OrderEnd) => void = ignore): PendingOrder {
    const running = this.#requireSeat('issue an order')
    const order = running.orders.issue(bytes, this.#clock.timeMs, settle)
    running.noteOrderIssued()
    return order
  }

  /**
   * Asks for something about the match: a seat, a start, a pause, a vote, a line of chat. Whether it
   * is granted shows in what comes back; what is not is told by a `denied` event.
   *
   * @throws UsageError `SS_CLOSED` when the session is over, `SS_NOT_SEATED` before there is one,
   * `SS_BAD_VALUE` for what cannot be said.
   */
  act(action: RoomAction): void {
    const { timeMs } = this.#clock
    requireSeated(this.#state, action.type).sendControl(encodeAction(action), timeMs)
    this.#patience.noteSaid(timeMs)
  }

  /** Says how far the game is with loading, in percent; at 100 it is ready to begin. */
  reportLoad(percent: number): void {
    const progress = Math.min(Math.max(Math.floor(percent), 0), 100)
    this.#membership.noteProgress(progress)
    if (this.#state.name === 'seated') this.act({ type: 'report-load', progress })
  }

  /** Nobody looks, or somebody does again. */
  setHidden(isHidden: boolean): void {
    if (this.#membership.setHidden(isHidden)) this.#patience.hurry()
  }

  /**
   * Issues an order for a seat whose bot thinks here. False when too many wait, or the bot has moved.
   *
   * @throws UsageError `SS_BAD_ORDER` or `SS_BAD_VALUE` for what is no order of the game.
   */
  issueAs<K extends keyof G['orders'] & string>(
    seat: number,
    name: K,
    data: OrderData<G['orders'], K>,
  ): boolean {
    return this.#running?.bots.issue(seat, this.game.orderCodec.encode(name, data)) ?? false
  }

  /** Changes what is held, from the next input on. Fields that are not named stay as they are. */
  setInput(changes: Partial<GameInput<G>>): void {
    this.#requireSeat('set an input').inputs.hold(changes as { [name: string]: unknown })
  }

  /** Leaves the match for good; behind a join without an answer too, or its seat would be kept. */
  leave(nowMs: number): void {
    const timeMs = this.#clock.advance(nowMs)
    const state = this.#state
    if (state.name === 'closed') return
    if (state.name === 'seated' || state.name === 'joining') {
      state.channel.sendControl(encodeMessage('ClientLeave', { reason: '' }), timeMs)
    }
    this.#channel?.close(closeCodes.left, timeMs)
    this.#end('left', 'You left the match')
  }

  get #running(): RunningMatch<G, R> | undefined {
    return this.#membership.running
  }

  get #isListening(): boolean {
    return this.#state.name !== 'linkless' && this.#state.name !== 'closed'
  }

  get #channel(): Channel | undefined {
    return this.#state.name === 'linkless' ? undefined : this.#state.channel
  }

  #requireSeat(what: string): RunningMatch<G, R> {
    requireOpen(this.#state, what)
    return this.#membership.requireSeat(what)
  }

  #takeMessages(channel: Channel, timeMs: number): void {
    for (let next = channel.pollMessage(); next; next = channel.pollMessage()) {
      if (this.#state.name === 'closed') return
      try {
        this.#handleMessage(channel, next, timeMs)
      } catch (error) {
        // The one place where a stranger's bytes end.
        if (!(error instanceof WireError)) throw error
        this.#fail('bad-message', error.message)
        return
      }
    }
    if (channel.state.name === 'closed' && this.#state.name !== 'closed') this.#loseLink(timeMs)
  }

  #handleMessage(channel: Channel, { bytes, lane }: ChannelMessage, timeMs: number): void {
    const state = this.#state
    if (isRelayBundles(bytes)) {
      // Ticks may overtake the answer to our join on datagrams; they are repeated until confirmed.
      if (state.name === 'seated') this.#running?.handleBundles(bytes, lane === 'late', timeMs)
      return
    }
    const message = decodeMessage(bytes)
    switch (message.name) {
      case 'RelayWelcome':
        if (state.name === 'greeting') this.#join(channel, timeMs)
        return
      case 'RelaySeated':
        if (state.name === 'joining') this.#sit(channel, message.body)
        return
      case 'RelayRefuse':
        this.#end(message.body.reason, message.body.message, message.body)
        return
      case 'RelayClose':
        this.#end(message.body.reason, message.body.message)
        return
      default:
        // What is for those who are in may overtake the word that we are.
        if (state.name === 'seated') this.#membership.handle(message, this.#report)
        else checkRelayMessage(message.name)
    }
  }

  #join(channel: Channel, timeMs: number): void {
    this.#state = { name: 'joining', channel }
    channel.sendControl(encodeMessage('ClientJoin', this.#membership.joinBody()), timeMs)
  }

  #sit(channel: Channel, body: MessageBody<'RelaySeated'>): void {
    this.#state = { name: 'seated', channel }
    this.#patience.noteSeated()
    this.#membership.sit(body, this.#report)
  }

  readonly #report = (progress: number): void => this.reportLoad(progress)

  /** While there is nothing to say, the relay still hears that somebody is here. */
  #sayHere(channel: Channel, timeMs: number): void {
    if (timeMs < this.#patience.hereAtMs) return
    this.#patience.noteSaid(timeMs)
    const { activity } = this.#membership
    channel.sendControl(encodeMessage('ClientHere', { activity }), timeMs)
  }

  /** A lost link is weather: another one is asked for, later each time. */
  #loseLink(timeMs: number): void {
    const state = this.#state
    if (state.name === 'closed') return
    // Linkless and not asking: this is old news of a link that was given up before.
    if (state.name === 'linkless' && !state.isAsked) return
    const retryAtMs = this.#patience.retryAtMs(timeMs)
    this.#state = { name: 'linkless', retryAtMs, isAsked: false }
    if (state.name !== 'linkless') this.#events.push({ type: 'link-lost' })
  }

  #fail(reason: string, message: string): void {
    this.#channel?.close(closeCodes.left, this.#clock.timeMs)
    this.#end(reason, message)
  }

  #end(reason: string, message: string, refusal?: MessageBody<'RelayRefuse'>): void {
    // First of all, so that an order that is issued again because it was lost is refused.
    this.#state = { name: 'closed', channel: this.#channel }
    this.#running?.orders.loseAll()
    const why = refusal === undefined ? {} : { refusal }
    this.#events.push({ type: 'closed', reason, message, ...why })
  }
}

function ignore(): void {}
