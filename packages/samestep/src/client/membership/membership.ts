import { WireError } from '../../base/errors.ts'
import type { Channel, ChannelStats } from '../../link/channel.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { readOptions } from '../../sim/game/run/simulation-options.ts'
import type { ClientActivity } from '../../wire/codes.ts'
import type { MatchConfig } from '../../wire/messages/match-config.ts'
import type { Message, MessageBody } from '../../wire/messages/messages.ts'
import { makeReturnProof } from '../../wire/messages/return-proof.ts'
import type { RoomAction } from '../../wire/messages/room-actions.ts'
import type { ClientEvent, Cursors } from '../events.ts'
import { BotDesk } from '../outbox/bot-desk.ts'
import type { BotPlace } from '../outbox/bot-outbox.ts'
import { recoveryAnswer } from '../recovery/recovery-answer.ts'
import type { MakeRunning } from '../run/make-running.ts'
import { handleMatchMessage, isMatchMessage } from '../run/match-message.ts'
import type { KeptParts } from '../run/match-simulation.ts'
import type { RunningMatch } from '../run/running-match.ts'
import type { Blame } from '../status/blame.ts'
import type { PlayState, RoomView } from '../status/play-state.ts'
import { anyState } from '../status/play-state.ts'
import type { ClientStatistics, LineRates } from '../status/statistics.ts'
import { makeStatistics } from '../status/statistics.ts'
import type { ClientOptions } from './client-options.ts'
import type { JoinTexts } from './join-texts.ts'
import { introduction, joinTexts } from './join-texts.ts'
import type { MatchAction } from './match-action.ts'
import { toRoomAction } from './match-action.ts'
import type { OtherMessage, PassedOnMessage } from './passed-on.ts'
import { isPassedOn } from './passed-on.ts'
import { noSeat } from './require-seat.ts'
import { RoomMirror } from './room-mirror.ts'
import { checkSeats, isLaunchedAnew } from './seated-checks.ts'
import { SetupError } from './setup-error.ts'

/** Whom a membership tells. */
export interface MembershipHooks {
  emit(event: ClientEvent): void
  /** The relay is to hear how far the game is with loading, in percent. */
  report(progress: number): void
  readonly make: MakeRunning
}

/**
 * A client's place in a match, from being let in on. It outlives links: what was said when the relay
 * let us in, who else is there, and the match itself once its simulation is set up.
 */
export class Membership<G extends GameShape, R> {
  readonly #game: Game<G, R>
  readonly #options: ClientOptions<G>
  readonly #texts: JoinTexts
  readonly #config: MatchConfig
  readonly #hooks: MembershipHooks
  readonly #emit: (event: ClientEvent) => void
  readonly #mirror: RoomMirror<G, R>
  readonly bots: BotDesk
  #seated: MessageBody<'RelaySeated'> | undefined
  #running: RunningMatch<G, R> | undefined
  #isHidden = false
  /** How far the game is with loading, in percent. */
  #progress = 0
  /** Whether the game itself ever said how far it is. */
  #hasReported = false

  constructor(
    game: Game<G, R>,
    options: ClientOptions<G>,
    config: MatchConfig,
    hooks: MembershipHooks,
  ) {
    this.#game = game
    this.bots = new BotDesk(game.inputCodec.fields)
    this.#options = options
    this.#texts = joinTexts(options)
    this.#config = config
    this.#hooks = hooks
    this.#emit = (event) => hooks.emit(event)
    this.#mirror = new RoomMirror(game, this.#emit)
  }

  /** Whether the relay ever let us in. */
  get isSeated(): boolean {
    return this.#seated !== undefined
  }

  /** The match, once its simulation is set up. */
  get running(): RunningMatch<G, R> | undefined {
    return this.#running
  }

  /** @throws UsageError `SS_NOT_LAUNCHED` in a lobby, `SS_NOT_SEATED` when there is no seat. */
  requireSeat(what: string): RunningMatch<G, R> {
    const running = this.requireRunning(what)
    if (running.seated.seat !== undefined) return running
    throw noSeat(what, 'match')
  }

  /** @throws UsageError `SS_NOT_LAUNCHED` in a lobby, `SS_NOT_SEATED` before there is a place. */
  requireRunning(what: string): RunningMatch<G, R> {
    if (this.#running !== undefined) return this.#running
    throw noSeat(what, this.#seated === undefined ? 'connecting' : 'lobby')
  }

  get member(): number | undefined {
    return this.#seated?.member
  }

  get seat(): number | undefined {
    if (this.#running !== undefined) return this.#running.seated.seat
    return this.room === undefined ? this.#seated?.seat : this.#mirror.seatOf(this.member)
  }

  get room(): RoomView<G> | undefined {
    return this.#mirror.room
  }

  /**
   * An action as it is sent, and noted as asked for.
   *
   * @throws UsageError for options that are none of the game.
   */
  prepareAction(action: MatchAction<G>): RoomAction {
    const { room, wished } = this.#mirror
    const config = this.#seated?.config ?? this.#config
    const current = wished.options ?? room?.options ?? readOptions(this.#game, config.options)
    return toRoomAction(this.#game, action, current, room?.optionsRevision ?? 0)
  }

  /** An action went out. */
  noteAsked(action: RoomAction): void {
    if (action.type !== 'set-options') return
    this.#mirror.wished.note(readOptions(this.#game, action.options))
  }

  get cursors(): Cursors {
    return this.#running?.cursors ?? { inputTick: 0, sealedTick: 0, simulatedTick: 0 }
  }

  /** Whom the match waits for, or is slowed by. */
  get blame(): Blame {
    return this.#mirror.blame
  }

  /** What this client is busy with. */
  get activity(): ClientActivity {
    if (this.#isHidden) return 'hidden'
    return this.#running?.activity ?? 'active'
  }

  /** What to show, where `isIn` says whether there is a link to the relay that let us in. */
  playState(nowMs: number, isIn: boolean): PlayState<G> {
    return anyState(this.#running, this.#mirror.room, nowMs, isIn)
  }

  statistics(link: ChannelStats | undefined, rates: LineRates): ClientStatistics {
    const running = this.#running
    return makeStatistics({
      cursors: this.cursors,
      rttMs: running?.turns.rttMs,
      link,
      rates,
      turns: running?.turns,
      inputDelay: running?.turns.delay ?? (this.#seated?.config ?? this.#config).inputDelay,
      holdMs: running?.turns.holdMs ?? 0,
      marginMs: running?.turns.marginMs,
      missed: running?.missed,
      pacer: running?.pacer,
      readyTicks: running?.inbox.readyCount ?? 0,
      orderPercentile: (share) => running?.orderWaits.percentile(share) ?? 0,
      match: this.#mirror.stats,
      desync: this.#mirror.desync,
    })
  }

  /** What to ask the relay for: a place, or the one that we had. */
  joinBody(): MessageBody<'ClientJoin'> {
    const nextTick = (this.#running?.inbox.receivedTick ?? 0) + 1
    return { ...introduction(this.#options, this.#seated, this.#config), ...this.#texts, nextTick }
  }

  /** Proves to the relay that the session it asks about is ours. */
  proofBody(
    { nonce }: Pick<MessageBody<'RelayChallenge'>, 'nonce'>,
    isMove: boolean,
  ): MessageBody<'ClientProof'> {
    const { ticket = none, secret = none } = this.#options
    return { proof: makeReturnProof(secret, nonce, this.#seated?.ticket ?? ticket), isMove }
  }

  /** What we have of the match, for a relay that does not know it, and the proof that we may say so. */
  recover(body: MessageBody<'RelayRecover'>): Uint8Array[] {
    return recoveryAnswer(this.#running?.recovery, this.proofBody(body, false).proof, body)
  }

  /** The relay let us in, or in again. */
  sit(body: MessageBody<'RelaySeated'>, nowMs: number): void {
    if (this.#seated !== undefined && this.#seated.member !== body.member) this.#becomeAnother()
    this.#seated = body
    this.#mirror.wished.forget()
    this.#mirror.rules = body.config
    if (!body.isLaunched || this.#isOutdated(body)) this.#drop()
    this.#emit({ type: 'seated', seat: body.seat, matchId: body.matchId })
    const running = this.#running
    // Who was away for too long starts again from the state of the others. What it ordered, and nobody
    // has taken, is still ordered. A download that was interrupted goes on where it was, unless the relay
    // that was to give it is another one by now, and begins with the first tick.
    const isOld = running !== undefined && body.isStateComing !== running.isWaitingForState
    if (isOld) this.#running = undefined
    if (isOld || running === undefined || body.rebuiltTick === undefined) {
      if (body.isLaunched) this.#setUp(body, isOld ? { orders: running.orders } : {})
    } else {
      const kept = running.recovery.rewind(body.rebuiltTick)
      if (kept !== undefined) this.#running = undefined
      const next = this.#setUp(body, { orders: running.orders })
      if (kept !== undefined) next?.goBack(kept, nowMs)
    }
    if (body.rebuiltTick !== undefined) {
      this.#running?.recovery.rewindOrders(body.orderNumber, body.rebuiltTick)
    }
    this.#running?.restart(body.orderNumber)
    if (isOld) this.#running?.orders.loseAnswered()
  }

  /**
   * Takes in what a relay says to those who are in, beside ticks.
   *
   * @throws WireError for what a relay never says.
   */
  handle(message: Message, nowMs: number): void {
    if (isPassedOn(message)) {
      this.#handleRoom(message)
      return
    }
    if (isMatchMessage(message)) {
      handleMatchMessage(this.#running, message, nowMs)
      return
    }
    switch (message.name) {
      case 'RelayLaunch':
        this.#launch(message.body)
        return
      case 'RelayBots':
        for (const bot of message.body.bots) this.#assignBot(bot)
        return
      case 'RelayResync':
        this.#resync(message.body)
        return
      default:
        // A new message of the relay to members does not compile until it is passed on or has a case.
        message.name satisfies OtherMessage
        throw new WireError('SS_WIRE_UNKNOWN', 0, `Cannot accept a ${message.name} from a relay`)
    }
  }

  /** Our state is another than that of most: theirs comes, and is loaded in its place. */
  #resync({ orderNumber }: MessageBody<'RelayResync'>): void {
    const running = this.#running
    if (running === undefined || running.isWaitingForState) return
    const { orders, simulation, seated, inputs } = running
    this.#running = this.#makeRunning({ ...seated, isStateComing: true }, { orders, simulation })
    this.#listen(this.#running)
    this.#running.restart(orderNumber)
    this.#running.inputs.hold(inputs.held)
    orders.loseAnswered()
    this.#emit({ type: 'resync' })
  }

  /** The match begins to load: options and seats are final. */
  #launch(body: MessageBody<'RelayLaunch'>): void {
    const seated = this.#seated
    if (seated === undefined) return
    const { options, seat } = body
    this.#seated = { ...seated, seat, isLaunched: true, config: { ...seated.config, options } }
    // Called off and launched again before anybody was shown the lobby in between.
    this.#drop()
    this.#setUp(this.#seated)
    this.#running?.restart(0)
  }

  #handleRoom(message: PassedOnMessage): void {
    const isLobby = message.name === 'RelayRoom' && message.body.phase === 'lobby'
    if (isLobby && this.#seated?.config.lobby.start !== 'when-full') this.#drop()
    // Progress that this client told by itself may come when it no longer matters.
    const isUnasked = message.name === 'RelayDenied' && message.body.action === 'report-load'
    if (isUnasked && !this.#hasReported) return
    this.#mirror.handle(message)
    if (message.name === 'RelayRoom') this.#reportAgain(message.body)
    if (message.name === 'RelayStats') this.#running?.noteStats(message.body)
  }

  /** The relay says where a bot thinks. */
  #assignBot(body: BotPlace): void {
    const { member } = this
    if (member === undefined || !this.bots.assign(body, member)) return
    this.#emit({ type: 'bot', seat: body.seat, isHere: this.bots.orders.has(body.seat) })
  }

  /** Notes how far the game is with loading, and whether the game itself said so. */
  noteProgress(percent: number, isOwn: boolean): void {
    this.#progress = percent
    if (isOwn) this.#hasReported = true
  }

  /** What was reported over a link that died may never have come. */
  #reportAgain(room: RoomView): void {
    if (room.phase !== 'loading' || this.#running === undefined) return
    const own = room.members.find(({ id }) => id === this.member)
    if (own !== undefined && own.loadProgress < this.#progress) this.#hooks.report(this.#progress)
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
    const mayPlay = running.isRunning && !running.isWaitingForState
    const isSaid = mayPlay && this.bots.send(channel, nowMs)
    return running.send(channel, nowMs) || isSaid
  }

  /** Whether the match was launched anew, otherwise, while we were away. */
  #isOutdated(body: MessageBody<'RelaySeated'>): boolean {
    const known = this.#running?.seated
    if (known === undefined) return false
    const hasBegun = (this.#running?.simulation.matchTick ?? 0) > 0
    return isLaunchedAnew(known, body, hasBegun)
  }

  #setUp(
    body: MessageBody<'RelaySeated'>,
    kept: KeptParts<G, R> = {},
  ): RunningMatch<G, R> | undefined {
    if (this.#running !== undefined) return this.#running
    checkSeats(this.#game, body.config.seats)
    this.#progress = 0
    this.#running = this.#makeRunning(body, kept)
    this.#listen(this.#running)
    this.#emit({ type: 'launched', seat: body.seat })
    const { start } = body.config.lobby
    if (start !== 'when-full' && this.#options.loadsItself !== true) this.#hooks.report(100)
    return this.#running
  }

  #listen(running: RunningMatch<G, R>): void {
    running.handleLeave = (seat, reason) => this.#mirror.presences.handleLeave(seat, reason)
    if (this.#isHidden) running.setHidden(true)
  }

  /** @throws SetupError when the game's own code did not let it be set up. */
  #makeRunning(body: MessageBody<'RelaySeated'>, kept: KeptParts<G, R>): RunningMatch<G, R> {
    const { orders: bots } = this.bots
    try {
      return this.#hooks.make(this.#game, body, this.#options, this.#emit, { bots, ...kept })
    } catch (error) {
      if (error instanceof WireError) throw error
      const fault = { tick: 0, where: 'setup', name: 'setup', seat: undefined, error } as const
      this.#emit({ type: 'fault', fault })
      throw new SetupError(this.#game.id, error)
    }
  }

  /** Back in the lobby: what was set up belongs to options that may change. */
  #drop(): void {
    if (this.#running === undefined) return
    this.#lose()
    this.#emit({ type: 'aborted' })
  }

  /**
   * Our place was given up while we were away, and we come as somebody else: what the one of before
   * ordered is not ours to send again, nor do its numbers go on, and its bots think elsewhere.
   */
  #becomeAnother(): void {
    this.#lose()
    for (const seat of this.bots.orders.seats) {
      this.#assignBot({ seat, runner: undefined, turn: 0, nextOrder: 0 })
    }
  }

  /** What was set up is of no use any more, nor what was ordered in it. */
  #lose(): void {
    const orders = this.#running?.orders
    // First of all, so that an order that is issued again because it was lost is refused.
    this.#running = undefined
    orders?.loseAll()
    this.bots.forget()
  }
}

const none = new Uint8Array(0)
