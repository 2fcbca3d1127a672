import { MachineClock } from '../base/machine-clock.ts'
import { OutputQueue } from '../base/output-queue.ts'
import type { ChannelFactory } from '../link/channel.ts'
import type { GameInput, GameShape } from '../sim/game/definition/context.ts'
import type { Game } from '../sim/game/definition/define-game.ts'
import type { OrderData } from '../sim/game/orders/order.ts'
import type { Simulation } from '../sim/game/run/simulation.ts'
import { Conversation } from './conversation/conversation.ts'
import { Listener } from './conversation/listener.ts'
import { encodeHello } from './conversation/words.ts'
import type { MakeAnswerer } from './desync/probe-desk.ts'
import type { ClientEvent, Cursors } from './events.ts'
import { checkIssuer } from './membership/check-issuer.ts'
import type { ClientOptions } from './membership/client-options.ts'
import { encodeAction } from './membership/encode-action.ts'
import type { MatchAction } from './membership/match-action.ts'
import { makeConfig } from './membership/match-config.ts'
import { Membership } from './membership/membership.ts'
import type { MoveDoor } from './move/move-state.ts'
import type { OrderEnd, PendingOrder } from './outbox/order-outbox.ts'
import type { MakeRunning } from './run/make-running.ts'
import type { RunningMatch } from './run/running-match.ts'
import type { DigestJob } from './state/digests.ts'
import type { Blame } from './status/blame.ts'
import type { ClientStatus } from './status/client-status.ts'
import { statusOf } from './status/client-status.ts'
import type { PlayState } from './status/play-state.ts'
import type { RoomView } from './status/room-view.ts'
import type { ClientStatistics } from './status/statistics.ts'
import type { ClientWakeReason } from './status/wake-reason.ts'
import { wakeReasonOf, wakeTimeOf } from './status/wake-reason.ts'

/**
 * A player's or spectator's side of a match. Sans-IO: packets and time in; packets, events and the next
 * wake-up out. It owns the simulation, and runs ticks only when told to: see {@link runTicks}.
 */
export class Client<G extends GameShape = GameShape, R = unknown> {
  readonly game: Game<G, R>
  readonly #clock = new MachineClock()
  readonly #events = new OutputQueue<ClientEvent>()
  readonly #conversation: Conversation
  readonly #membership: Membership<G, R>
  readonly #listener: Listener<G, R>

  /** `make` is called when the match is launched, not before: see {@link MakeRunning}. */
  constructor(game: Game<G, R>, options: ClientOptions<G>, make: MakeRunning) {
    this.game = game
    const emit = (event: ClientEvent) => this.#events.push(event)
    this.#membership = new Membership(game, options, makeConfig(game, options), {
      emit,
      report: (progress) => this.#sayLoad(progress),
      make,
    })
    const { retrySeed: seed, retryMs = 500, doors = [] } = options
    this.#conversation = new Conversation(retryMs, seed)
    const heard = { doors, seed, hello: encodeHello(game) }
    this.#listener = new Listener(this.#conversation, this.#membership, heard, emit)
  }

  get status(): ClientStatus {
    return statusOf(this.#conversation.state, this.#membership)
  }

  /** The match, once it is launched. */
  get running(): RunningMatch<G, R> | undefined {
    return this.#membership.running
  }

  /** The simulation, once the match is launched. */
  get simulation(): Simulation<G, R> | undefined {
    return this.running?.simulation
  }

  get seat(): number | undefined {
    return this.#membership.seat
  }

  get member(): number | undefined {
    return this.#membership.member
  }

  get room(): RoomView<G> | undefined {
    return this.#membership.room
  }

  /** Whom the match is waiting for or slowed down by. */
  get blame(): Blame {
    return this.#membership.blame
  }

  /** What to tell the player about the match. */
  playState(nowMs: number): PlayState<G> {
    const { state } = this.#conversation
    if (state.name !== 'closed') {
      return this.#membership.playState(this.#clock.at(nowMs), state.name === 'seated')
    }
    return { name: 'closed', reason: state.reason, message: state.message }
  }

  /**
   * Advances the client's clock and returns its time, for the pacer. Jumps of the driver's clock are
   * shortened.
   */
  passTime(nowMs: number): number {
    return this.#clock.advance(nowMs)
  }

  get statistics(): ClientStatistics {
    const { channel, rates } = this.#conversation
    return this.#membership.statistics(channel?.stats, rates)
  }

  get botSeats(): readonly number[] {
    return this.#membership.bots.orders.seats
  }

  get cursors(): Cursors {
    return this.#membership.cursors
  }

  /** Orders that were issued and have not ended. */
  get pendingOrders(): number {
    return this.running?.orders.pendingCount ?? 0
  }

  /** Sealed ticks that have not run yet. */
  get readyTicks(): number {
    return this.running?.inbox.readyCount ?? 0
  }

  /** A link is up; `makeChannel` creates the channel for it. */
  handleLinkOpened(makeChannel: ChannelFactory, nowMs: number, link = this.link): void {
    this.#listener.handleLinkOpened(link, makeChannel, this.#clock.advance(nowMs))
  }

  handlePacket(bytes: Uint8Array, nowMs: number, link = this.link): void {
    this.#listener.handlePacket(link, bytes, this.#clock.advance(nowMs))
  }

  /** The transport lost the link, or could not open the one that was requested. */
  handleLinkClosed(nowMs: number, link = this.link): void {
    this.#listener.handleLinkClosed(link, this.#clock.advance(nowMs))
  }

  handleTime(nowMs: number): void {
    this.#listener.handleTime(this.#clock.advance(nowMs))
  }

  pollEvent(): ClientEvent | undefined {
    return this.#events.shift()
  }

  /** The next packet for the link. Turns are assembled here, so that they contain the newest values. */
  pollPacket(): Uint8Array | undefined {
    const { channel, seatedChannel, patience } = this.#conversation
    const { timeMs } = this.#clock
    if (seatedChannel !== undefined && this.#membership.send(seatedChannel, timeMs)) {
      patience.noteSaid(timeMs)
    }
    return channel?.pollPacket()
  }

  /** The next packet for the second link, if there is one. */
  pollOtherPacket(): Uint8Array | undefined {
    return this.#listener.mover.channel?.pollPacket()
  }

  /** The numbers of the link that carries the session, or was requested to, and of the second link. */
  get link(): number {
    return this.#conversation.link
  }

  get otherLink(): number | undefined {
    return this.#listener.mover.link
  }

  /** When {@link handleTime} next has work to do; `Infinity` for never. */
  wakeAtMs(): number {
    const { mover } = this.#listener
    return this.#clock.driverTime(wakeTimeOf(this.#conversation, this.running, mover))
  }

  /** The reason for {@link wakeAtMs}, for logs and debuggers; `undefined` for never. */
  wakeReason(): ClientWakeReason | undefined {
    return wakeReasonOf(this.#conversation, this.running, this.#listener.mover)
  }

  /**
   * Runs at most `max` of the sealed ticks received, and returns how many ran.
   *
   * A bundle that cannot be decoded ends the session.
   */
  runTicks(max: number): number {
    const running = this.running
    if (running === undefined || this.#conversation.isClosed) return 0
    return this.#listener.runTicks(running, max, this.#clock.timeMs)
  }

  /**
   * Issues an order for the next tick that is not sealed yet. `settle` is called exactly once: executed
   * at a tick, refused with a reason, or lost, for example with the session.
   *
   * @throws UsageError `SS_BAD_ORDER` or `SS_BAD_VALUE` for an unknown order or data that does not fit,
   * `SS_NOT_LAUNCHED` in a lobby, `SS_NOT_SEATED` without a seat, `SS_OUTBOX_FULL` if too many are pending.
   */
  issue<K extends keyof G['orders'] & string>(
    name: K,
    data: OrderData<G['orders'], K>,
    settle: (end: OrderEnd) => void = ignore,
  ): PendingOrder {
    return this.issueBytes(this.game.orderCodec.encode(name, data), settle)
  }

  /**
   * @throws UsageError `SS_CLOSED`, `SS_NOT_LAUNCHED`, `SS_NOT_SEATED` or `SS_BAD_ORDER` if the order
   * cannot be issued now.
   */
  requireIssuer(bytes: Uint8Array): RunningMatch<G, R> {
    this.#conversation.requireOpen('issue an order')
    const running = this.#membership.requireRunning('issue an order')
    checkIssuer(this.game, bytes, running.seated.seat)
    return running
  }

  /** Like {@link issue}, for an order that is already encoded. */
  issueBytes(bytes: Uint8Array, settle: (end: OrderEnd) => void = ignore): PendingOrder {
    const running = this.requireIssuer(bytes)
    const order: PendingOrder = running.orders.issue(bytes, this.#clock.timeMs, (end) => {
      settle(end)
      this.#events.push({ type: 'order-ended', order, end })
    })
    running.turns.hurry()
    return order
  }

  /**
   * Requests a room action: take a seat, start, pause, vote, chat and so on. A granted action shows in
   * the room; a denial causes a `denied` event.
   *
   * @throws UsageError `SS_CLOSED` if the session is over, `SS_NOT_SEATED` before there is one,
   * `SS_BAD_VALUE` for an invalid action.
   */
  act(action: MatchAction<G>): void {
    const asked = this.#membership.prepareAction(action)
    const bytes = encodeAction(asked)
    const channel = this.#conversation.requireSeated(asked.type)
    this.#conversation.say(channel, bytes, this.#clock.timeMs)
    this.#membership.noteAsked(asked)
  }

  /** Reports the game's loading progress in percent; at 100 it is ready to begin. */
  reportLoad(percent: number): void {
    const progress = Math.min(Math.max(Math.floor(percent), 0), 100)
    this.#membership.launch.noteProgress(progress)
    this.#sayLoad(progress)
  }

  /** Sets whether the game is hidden from its player. */
  setHidden(isHidden: boolean): void {
    if (this.#membership.launch.setHidden(isHidden)) this.#conversation.patience.hurry()
  }

  /**
   * Issues an order for a seat whose bot this client runs. Returns false if too many are queued, or if the
   * bot now runs elsewhere.
   *
   * @throws UsageError `SS_BAD_ORDER` or `SS_BAD_VALUE` for an unknown order or data that does not fit.
   */
  issueAs<K extends keyof G['orders'] & string>(
    seat: number,
    name: K,
    data: OrderData<G['orders'], K>,
  ): boolean {
    return this.running?.bots.issue(seat, this.game.orderCodec.encode(name, data)) ?? false
  }

  /** Changes the held controls from the next input on. Fields not named keep their values. */
  setInput(changes: Partial<GameInput<G>>): void {
    this.#conversation.requireOpen('set an input')
    const { inputs } = this.#membership.requireSeat('set an input')
    inputs.hold(changes as { [name: string]: unknown })
  }

  /** The requested hashes are ready: 32 bytes for each piece. Answers may come in any sequence. */
  handleDigest(job: DigestJob, hashes: Uint8Array, nowMs: number): void {
    this.#clock.advance(nowMs)
    this.running?.states.digests.handle(job, hashes)
  }

  /**
   * Sets how the relay's questions about a desync are answered. Call it after the event `investigate`.
   */
  investigateWith(make: MakeAnswerer): void {
    this.running?.probes.setMaker(make, this.#clock.timeMs)
  }

  /**
   * Changes the held controls of a bot that this client runs, from the next tick that the relay seals,
   * without any input delay. Returns false if this client does not run the bot.
   *
   * @throws UsageError `SS_BAD_VALUE` for values that do not fit the game's input.
   */
  setInputAs(seat: number, changes: Partial<GameInput<G>>): boolean {
    return this.#membership.bots.inputs.hold(seat, changes as { [name: string]: unknown })
  }

  /**
   * Tries to move the session now, to a better door of the relay or back `home`, instead of at the usual
   * time. Returns false if there is nothing to try.
   */
  tryMove(door: MoveDoor): boolean {
    return this.#listener.mover.want(door, this.#clock.timeMs)
  }

  /** Leaves the match for good. */
  leave(nowMs: number): void {
    const timeMs = this.#clock.advance(nowMs)
    if (this.#conversation.isClosed) return
    this.#conversation.leave(timeMs)
    this.#listener.end('left', 'You left the match')
  }

  #sayLoad(progress: number): void {
    if (this.#conversation.seatedChannel !== undefined) this.act({ type: 'report-load', progress })
  }
}

function ignore(): void {}
