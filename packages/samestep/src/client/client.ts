import { UsageError, WireError } from '../base/errors.ts'
import { MachineClock } from '../base/machine-clock.ts'
import { OutputQueue } from '../base/output-queue.ts'
import type { Channel, ChannelFactory, ChannelMessage } from '../link/channel.ts'
import type { GameInput, GameOptions, GameShape } from '../sim/game/context.ts'
import type { Game } from '../sim/game/define-game.ts'
import type { OrderData } from '../sim/game/order.ts'
import type { Simulation } from '../sim/game/simulation.ts'
import { fromHex } from '../sim/hash/hex.ts'
import type { MatchConfig, MessageBody, MissingPolicy } from '../wire/messages.ts'
import { decodeMessage, encodeMessage, helloMagic, protocols } from '../wire/messages.ts'
import { isRelayBundles } from '../wire/relay-bundles.ts'
import type { ClientEvent, Cursors } from './events.ts'
import { makeConfig } from './match-config.ts'
import type { OrderEnd, PendingOrder } from './order-outbox.ts'
import type { RunningOptions } from './running-match.ts'
import { RunningMatch } from './running-match.ts'

/** What a client wants of a relay. */
export interface ClientOptions<G extends GameShape> extends RunningOptions {
  readonly match: string
  readonly name: string
  readonly role?: 'player' | 'spectator'
  /** Seats of the match, if this client is the first to ask for it. The game's minimum by default. */
  readonly seats?: number
  readonly options?: Partial<GameOptions<G>>
  /** Ticks between making an input and executing it. */
  readonly inputDelay?: number
  readonly missing?: MissingPolicy
  /**
   * 16 random bytes that nobody can guess. By them the client finds its seat again even when the
   * answer to its first join was lost; without them it would ask for a second seat.
   */
  readonly ticket?: Uint8Array
  /** How long to wait before asking for a new link, doubled up to thirty times that. */
  readonly retryMs?: number
}

/** Where the conversation stands. */
type State =
  /** No link; one is wanted from `retryAtMs` on. */
  | { readonly name: 'linkless'; readonly retryAtMs: number; readonly isAsked: boolean }
  | { readonly name: 'greeting'; readonly channel: Channel }
  | { readonly name: 'joining'; readonly channel: Channel }
  | { readonly name: 'seated'; readonly channel: Channel }
  | { readonly name: 'closed'; readonly channel: Channel | undefined }

/** What a UI can show of it. */
export type ClientStatus = 'connecting' | 'joining' | 'active' | 'reconnecting' | 'closed'

/**
 * A player's or spectator's side of a match. Sans-IO: packets and time in; packets, events and the next
 * wake-up out. It owns the simulation, and runs ticks only when told to: see {@link runTicks}.
 */
export class Client<G extends GameShape = GameShape, R = unknown> {
  readonly game: Game<G, R>
  readonly #options: ClientOptions<G>
  readonly #config: MatchConfig
  readonly #clock = new MachineClock()
  readonly #events = new OutputQueue<ClientEvent>()
  #state: State = { name: 'linkless', retryAtMs: 0, isAsked: false }
  #running: RunningMatch<G, R> | undefined
  #attempts = 0
  /** When the link last gave a sign of life. */
  #heardAtMs = 0

  constructor(game: Game<G, R>, options: ClientOptions<G>) {
    this.game = game
    this.#options = options
    this.#config = makeConfig(game, options)
  }

  get status(): ClientStatus {
    const { name } = this.#state
    if (name === 'closed') return 'closed'
    if (name === 'seated') return 'active'
    if (this.#running !== undefined) return 'reconnecting'
    return name === 'linkless' ? 'connecting' : 'joining'
  }

  /** The simulation, once there is a seat. */
  get simulation(): Simulation<G, R> | undefined {
    return this.#running?.simulation
  }

  get seat(): number | undefined {
    return this.#running?.seated.seat
  }

  get cursors(): Cursors {
    return this.#running?.cursors ?? { inputTick: 0, sealedTick: 0, simulatedTick: 0 }
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
    this.#heardAtMs = timeMs
    this.#state = { name: 'greeting', channel }
    const { id, version, fingerprint } = this.game
    const body: MessageBody<'ClientHello'> = {
      magic: helloMagic,
      protocols: [...protocols],
      gameId: id,
      gameVersion: version,
      fingerprint: fromHex(fingerprint),
    }
    channel.sendControl(encodeMessage('ClientHello', body), timeMs)
  }

  handlePacket(bytes: Uint8Array, nowMs: number): void {
    const timeMs = this.#clock.advance(nowMs)
    const channel = this.#channel
    if (channel === undefined) return
    this.#heardAtMs = timeMs
    channel.handlePacket(bytes, timeMs)
    this.#takeMessages(channel, timeMs)
  }

  /** The transport lost the link, or could not make the one that was wanted. */
  handleLinkClosed(nowMs: number): void {
    const timeMs = this.#clock.advance(nowMs)
    this.#loseLink(timeMs)
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
    if (timeMs >= this.#silentAtMs()) {
      channel.close(closedByUs, timeMs)
      this.#loseLink(timeMs)
      return
    }
    if (channel.wakeAtMs() <= timeMs) channel.handleTime(timeMs)
    if (state.name === 'seated') this.#running?.handleTime(timeMs)
    this.#takeMessages(channel, timeMs)
  }

  pollEvent(): ClientEvent | undefined {
    return this.#events.shift()
  }

  /** The next packet for the link. Turns are put together here, so that they say the newest. */
  pollPacket(): Uint8Array | undefined {
    const state = this.#state
    if (state.name === 'seated') this.#running?.sendTurn(state.channel, this.#clock.timeMs)
    return this.#channel?.pollPacket()
  }

  wakeAtMs(): number {
    const state = this.#state
    if (state.name === 'linkless') {
      return state.isAsked ? Number.POSITIVE_INFINITY : this.#clock.driverTime(state.retryAtMs)
    }
    if (state.channel === undefined) return Number.POSITIVE_INFINITY
    const turn = state.name === 'seated' ? this.#running?.wakeAtMs(state.channel.kind) : undefined
    const soonest = Math.min(
      state.channel.wakeAtMs(),
      turn ?? Number.POSITIVE_INFINITY,
      this.#silentAtMs(),
    )
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
    const bytes = this.game.orderCodec.encode(name, data)
    return this.issueBytes(bytes, settle)
  }

  /** As {@link issue}, for an order that is bytes already. */
  issueBytes(bytes: Uint8Array, settle: (end: OrderEnd) => void = ignore): PendingOrder {
    const running = this.#requireSeat('issue an order')
    const order = running.orders.issue(bytes, this.#clock.timeMs, settle)
    running.noteOrderIssued()
    return order
  }

  /** Changes what is held, from the next input on. Fields that are not named stay as they are. */
  setInput(changes: Partial<GameInput<G>>): void {
    this.#requireSeat('set an input').inputs.hold(changes as { [name: string]: unknown })
  }

  /** Leaves the match for good. */
  leave(nowMs: number): void {
    const timeMs = this.#clock.advance(nowMs)
    const state = this.#state
    if (state.name === 'closed') return
    const channel = this.#channel
    if (state.name === 'seated') {
      state.channel.sendControl(encodeMessage('ClientLeave', { reason: '' }), timeMs)
    }
    channel?.close(closedByUs, timeMs)
    this.#end('left', 'You left the match')
  }

  /**
   * When silence means that the link is dead, whatever the transport says. A relay answers a greeting
   * at once, sends every tick of a running match, and a notice now and then while players gather.
   */
  #silentAtMs(): number {
    const { name } = this.#state
    if (name === 'linkless' || name === 'closed') return Number.POSITIVE_INFINITY
    return this.#heardAtMs + silenceMsMax
  }

  get #channel(): Channel | undefined {
    return this.#state.name === 'linkless' ? undefined : this.#state.channel
  }

  #requireSeat(what: string): RunningMatch<G, R> {
    if (this.#state.name === 'closed') {
      throw new UsageError('SS_CLOSED', `Cannot ${what}: the session is over`)
    }
    if (this.#running?.seated.seat === undefined) {
      throw new UsageError('SS_NOT_SEATED', `Cannot ${what}: this client has no seat`)
    }
    return this.#running
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
      case 'RelayGathering':
        if (state.name === 'seated') this.#events.push({ type: 'gathering', ...message.body })
        return
      case 'RelayRefuse':
        this.#refused(message.body)
        return
      case 'RelayClose':
        this.#end(message.body.reason, message.body.message)
        return
      default:
        throw new WireError('SS_WIRE_UNKNOWN', 0, `Cannot accept a ${message.name} from a relay`)
    }
  }

  #join(channel: Channel, timeMs: number): void {
    this.#state = { name: 'joining', channel }
    const { match, name, role = 'player' } = this.#options
    const running = this.#running
    const body: MessageBody<'ClientJoin'> = {
      match,
      name,
      role,
      config: running?.seated.config ?? this.#config,
      ticket: running?.seated.ticket ?? this.#options.ticket,
      nextTick: (running?.inbox.receivedTick ?? 0) + 1,
    }
    channel.sendControl(encodeMessage('ClientJoin', body), timeMs)
  }

  #sit(channel: Channel, body: MessageBody<'RelaySeated'>): void {
    this.#state = { name: 'seated', channel }
    this.#attempts = 0
    if (this.#running === undefined) {
      this.#running = new RunningMatch(this.game, body, this.#options, (event) => {
        this.#events.push(event)
      })
    }
    this.#running.restart(body.orderNumber)
    this.#events.push({ type: 'seated', seat: body.seat, matchId: body.matchId })
  }

  #refused(body: MessageBody<'RelayRefuse'>): void {
    this.#state = { name: 'closed', channel: this.#channel }
    this.#running?.orders.loseAll()
    this.#events.push({
      type: 'closed',
      reason: body.reason,
      message: body.message,
      refusal: body,
    })
  }

  /** A lost link is weather: another one is asked for, later each time. */
  #loseLink(timeMs: number): void {
    const state = this.#state
    if (state.name === 'closed') return
    // Linkless and not asking: this is old news of a link that was given up before.
    if (state.name === 'linkless' && !state.isAsked) return
    const wait = (this.#options.retryMs ?? 500) * Math.min(2 ** this.#attempts, 30)
    this.#attempts += 1
    this.#state = { name: 'linkless', retryAtMs: timeMs + wait, isAsked: false }
    if (state.name !== 'linkless') this.#events.push({ type: 'link-lost' })
  }

  #fail(reason: string, message: string): void {
    this.#channel?.close(closedByUs, this.#clock.timeMs)
    this.#end(reason, message)
  }

  #end(reason: string, message: string): void {
    // First of all, so that an order that is issued again because it was lost is refused.
    this.#state = { name: 'closed', channel: this.#channel }
    this.#running?.orders.loseAll()
    this.#events.push({ type: 'closed', reason, message })
  }
}

/** Silence after which a link counts as lost: far above jitter, well below a player's patience. */
const silenceMsMax = 5_000

/** The close code of a client that leaves of its own will. */
const closedByUs = 4016

function ignore(): void {}
