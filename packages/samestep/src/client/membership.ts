import { UsageError, WireError } from '../base/errors.ts'
import type { Channel, ChannelStats } from '../link/channel.ts'
import type { GameShape } from '../sim/game/context.ts'
import type { Game } from '../sim/game/define-game.ts'
import type { ClientActivity } from '../wire/codes.ts'
import type { MatchConfig } from '../wire/match-config.ts'
import type { Message, MessageBody } from '../wire/messages.ts'
import { encodeMessage } from '../wire/messages.ts'
import { BotOutbox } from './bot-outbox.ts'
import type { ClientOptions } from './client-options.ts'
import type { ClientEvent, Cursors } from './events.ts'
import type { PlayState, RoomView } from './play-state.ts'
import { playState } from './play-state.ts'
import type { RoomMessage } from './room-desk.ts'
import { RoomDesk } from './room-desk.ts'
import { RunningMatch } from './running-match.ts'
import type { ClientStatistics } from './statistics.ts'
import { makeStatistics } from './statistics.ts'

/**
 * A client's place in a match, from being let in on. It outlives links: what was said when the relay
 * let us in, who else is there, and the match itself once its simulation is set up.
 */
export class Membership<G extends GameShape, R> {
  readonly #game: Game<G, R>
  readonly #options: ClientOptions<G>
  readonly #config: MatchConfig
  readonly #emit: (event: ClientEvent) => void
  readonly #desk: RoomDesk
  /** Bots are given to clients in the lobby already. */
  readonly bots = new BotOutbox()
  #seated: MessageBody<'RelaySeated'> | undefined
  #running: RunningMatch<G, R> | undefined
  #isHidden = false
  /** How far the game is with loading, in percent. */
  #progress = 0

  constructor(
    game: Game<G, R>,
    options: ClientOptions<G>,
    config: MatchConfig,
    emit: (event: ClientEvent) => void,
  ) {
    this.#game = game
    this.#options = options
    this.#config = config
    this.#emit = emit
    this.#desk = new RoomDesk(emit)
  }

  /** Whether the relay ever let us in. */
  get isSeated(): boolean {
    return this.#seated !== undefined
  }

  /** The match, once its simulation is set up. */
  get running(): RunningMatch<G, R> | undefined {
    return this.#running
  }

  /** @throws UsageError `SS_NOT_SEATED` when there is no match, or no seat in it. */
  requireSeat(what: string): RunningMatch<G, R> {
    if (this.#running?.seated.seat !== undefined) return this.#running
    throw new UsageError('SS_NOT_SEATED', `Cannot ${what}: this client has no seat`)
  }

  get member(): number | undefined {
    return this.#seated?.member
  }

  get seat(): number | undefined {
    if (this.#running !== undefined) return this.#running.seated.seat
    return this.room === undefined ? this.#seated?.seat : this.#desk.seatOf(this.member)
  }

  get room(): RoomView | undefined {
    return this.#desk.room
  }

  get cursors(): Cursors {
    return this.#running?.cursors ?? { inputTick: 0, sealedTick: 0, simulatedTick: 0 }
  }

  /** What this client is busy with. */
  get activity(): ClientActivity {
    if (this.#isHidden) return 'hidden'
    return this.#running?.activity ?? 'active'
  }

  playState(nowMs: number): PlayState {
    const running = this.#running
    const { room } = this.#desk
    const isRunning = room?.phase === 'running' || (running?.simulation.tick ?? 0) > 0
    if (running === undefined || !isRunning) return { name: 'waiting', room }
    return playState(running.pacer, running.activity, room, nowMs)
  }

  statistics(link: ChannelStats | undefined): ClientStatistics {
    const running = this.#running
    return makeStatistics({
      cursors: this.cursors,
      rttMs: running?.rttMs,
      link,
      inputDelay: running?.inputDelay ?? (this.#seated?.config ?? this.#config).inputDelay,
      holdMs: running?.holdMs ?? 0,
      marginMs: running?.marginMs,
      pacer: running?.pacer,
      readyTicks: running?.inbox.readyCount ?? 0,
      orderPercentile: (share) => running?.orderWaits.percentile(share) ?? 0,
      match: this.#desk.stats,
    })
  }

  /** What to ask the relay for: a place, or the one that we had. */
  joinBody(): MessageBody<'ClientJoin'> {
    const { match, name, role = 'player', ticket } = this.#options
    return {
      match,
      name,
      role,
      config: this.#seated?.config ?? this.#config,
      ticket: this.#seated?.ticket ?? ticket,
      nextTick: (this.#running?.inbox.receivedTick ?? 0) + 1,
    }
  }

  /** The relay let us in, or in again. */
  sit(body: MessageBody<'RelaySeated'>, report: (progress: number) => void): void {
    this.#seated = body
    if (!body.isLaunched || this.#isOutdated(body)) this.#drop()
    this.#emit({ type: 'seated', seat: body.seat, matchId: body.matchId })
    if (body.isLaunched) this.#setUp(body, report)
    this.#running?.restart(body.orderNumber)
  }

  /**
   * Takes in what a relay says to those who are in, beside ticks.
   *
   * @throws WireError for what a relay never says.
   */
  handle(message: Message, report: (progress: number) => void): void {
    switch (message.name) {
      case 'RelayLaunch':
        this.#launch(message.body, report)
        return
      case 'RelayBot':
        this.#assignBot(message.body)
        return
      case 'RelayRoom':
      case 'RelaySaid':
      case 'RelayVote':
      case 'RelayDenied':
      case 'RelayStats':
        this.#handleRoom(message, report)
        return
      default:
        throw new WireError('SS_WIRE_UNKNOWN', 0, `Cannot accept a ${message.name} from a relay`)
    }
  }

  /** The match begins to load: options and seats are final. */
  #launch(body: MessageBody<'RelayLaunch'>, report: (progress: number) => void): void {
    const seated = this.#seated
    if (seated === undefined) return
    const { options, seat } = body
    this.#seated = { ...seated, seat, isLaunched: true, config: { ...seated.config, options } }
    // Called off and launched again before anybody was shown the lobby in between.
    this.#drop()
    this.#setUp(this.#seated, report)
    this.#running?.restart(0)
  }

  #handleRoom(message: RoomMessage, report: (progress: number) => void): void {
    const isLobby = message.name === 'RelayRoom' && message.body.phase === 'lobby'
    if (isLobby && this.#seated?.config.lobby.start !== 'when-full') this.#drop()
    this.#desk.handle(message)
    if (message.name === 'RelayRoom') this.#reportAgain(message.body, report)
    if (message.name === 'RelayStats') this.#running?.noteStats(message.body)
  }

  /** The relay says where a bot thinks. */
  #assignBot(body: MessageBody<'RelayBot'>): void {
    const { member } = this
    if (member === undefined || !this.bots.assign(body, member)) return
    this.#emit({ type: 'bot', seat: body.seat, isHere: this.bots.has(body.seat) })
  }

  /** Notes how far the game is with loading. */
  noteProgress(percent: number): void {
    this.#progress = percent
  }

  /** What was reported over a link that died may never have come. */
  #reportAgain(room: RoomView, report: (progress: number) => void): void {
    if (room.phase !== 'loading' || this.#running === undefined) return
    const own = room.members.find(({ id }) => id === this.member)
    if (own !== undefined && own.loadProgress < this.#progress) report(this.#progress)
  }

  /** Nobody looks, or somebody does again. Gives whether that is news. */
  setHidden(isHidden: boolean): boolean {
    if (isHidden === this.#isHidden) return false
    this.#isHidden = isHidden
    this.#running?.setHidden(isHidden)
    return true
  }

  /** Sends what there is to say, bots' orders and the turn. Gives whether there was anything. */
  send(channel: Channel, nowMs: number): boolean {
    const running = this.#running
    if (running === undefined) return false
    let isSaid = false
    while (running.isRunning) {
      const body = this.bots.take()
      if (body === undefined) break
      channel.sendControl(encodeMessage('ClientBotOrders', body), nowMs)
      isSaid = true
    }
    return running.sendTurn(channel, nowMs) || isSaid
  }

  /** Whether the match was launched anew, otherwise, while we were away. */
  #isOutdated(body: MessageBody<'RelaySeated'>): boolean {
    const known = this.#running?.seated
    if (known === undefined) return false
    const { options } = body.config
    const isSame =
      known.config.options.length === options.length &&
      known.config.options.every((byte, index) => byte === options[index])
    return !isSame || known.seat !== body.seat
  }

  #setUp(body: MessageBody<'RelaySeated'>, report: (progress: number) => void): void {
    if (this.#running !== undefined) return
    checkSeats(this.#game, body.config.seats)
    this.#progress = 0
    this.#running = new RunningMatch(this.#game, body, this.#options, this.#emit, this.bots)
    if (this.#isHidden) this.#running.setHidden(true)
    this.#emit({ type: 'launched', seat: body.seat })
    const isAsked = body.config.lobby.start !== 'when-full'
    if (isAsked && this.#options.loadsItself !== true) report(100)
  }

  /** Back in the lobby: what was set up belongs to options that may change. */
  #drop(): void {
    if (this.#running === undefined) return
    const { orders } = this.#running
    // First of all, so that an order that is issued again because it was lost is refused.
    this.#running = undefined
    orders.loseAll()
    this.bots.forgetWaiting()
    this.#emit({ type: 'aborted' })
  }
}

/** @throws WireError for a number of seats that the game is not for. */
function checkSeats(game: { readonly seats: { min: number; max: number } }, seats: number): void {
  if (seats >= game.seats.min && seats <= game.seats.max) return
  throw new WireError('SS_WIRE_OUT_OF_RANGE', 0, `Cannot accept a match of ${seats} seats`)
}
