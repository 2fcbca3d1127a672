import { WireError } from '../../base/errors.ts'
import type { Channel, ChannelStats } from '../../link/channel.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { readOptions } from '../../sim/game/run/simulation-options.ts'
import type { MatchConfig } from '../../wire/messages/match-config.ts'
import type { Message, MessageBody } from '../../wire/messages/messages.ts'
import { makeReturnProof } from '../../wire/messages/return-proof.ts'
import type { RoomAction } from '../../wire/messages/room-actions.ts'
import type { ClientEvent, Cursors } from '../events.ts'
import { noCursors } from '../events.ts'
import { BotDesk } from '../outbox/bot-desk.ts'
import type { BotPlace } from '../outbox/bot-outbox.ts'
import { recoveryAnswer } from '../recovery/recovery-answer.ts'
import { handleMatchMessage, isMatchMessage } from '../run/match-message.ts'
import type { RunningMatch } from '../run/running-match.ts'
import type { Blame } from '../status/blame.ts'
import type { PlayState } from '../status/play-state.ts'
import { anyState } from '../status/play-state.ts'
import type { RoomView } from '../status/room-view.ts'
import type { ClientStatistics, LineRates } from '../status/statistics.ts'
import { makeStatistics } from '../status/statistics.ts'
import type { ClientOptions } from './client-options.ts'
import type { JoinTexts } from './join-texts.ts'
import { introduction, joinTexts } from './join-texts.ts'
import type { LaunchHooks } from './launch.ts'
import { Launch } from './launch.ts'
import type { MatchAction } from './match-action.ts'
import { toRoomAction } from './match-action.ts'
import type { OtherMessage, PassedOnMessage } from './passed-on.ts'
import { isPassedOn } from './passed-on.ts'
import { noSeat } from './require-seat.ts'
import { RoomMirror } from './room-mirror.ts'

/**
 * A client's membership of a match, from when the relay first lets it in. It outlives links, and holds
 * what the relay said then, the room, and the match itself once its simulation is set up.
 */
export class Membership<G extends GameShape, R> {
  readonly #game: Game<G, R>
  readonly #options: ClientOptions<G>
  readonly #texts: JoinTexts
  readonly #config: MatchConfig
  readonly #emit: (event: ClientEvent) => void
  readonly #mirror: RoomMirror<G, R>
  readonly bots: BotDesk
  /** Sets up and drops the launched match. */
  readonly launch: Launch<G, R>
  #seated: MessageBody<'RelaySeated'> | undefined

  constructor(
    game: Game<G, R>,
    options: ClientOptions<G>,
    config: MatchConfig,
    hooks: LaunchHooks,
  ) {
    this.#game = game
    this.bots = new BotDesk(game.inputCodec.fields)
    this.#options = options
    this.#texts = joinTexts(options)
    this.#config = config
    this.#emit = (event) => hooks.emit(event)
    this.#mirror = new RoomMirror(game, this.#emit)
    this.launch = new Launch(game, options, hooks, this.bots, this.#mirror.presences)
  }

  /** Whether the relay ever let us in. */
  get isSeated(): boolean {
    return this.#seated !== undefined
  }

  /** The match, once its simulation is set up. */
  get running(): RunningMatch<G, R> | undefined {
    return this.launch.running
  }

  /** @throws UsageError `SS_NOT_LAUNCHED` in a lobby, `SS_NOT_SEATED` without a seat. */
  requireSeat(what: string): RunningMatch<G, R> {
    const running = this.requireRunning(what)
    if (running.seated.seat !== undefined) return running
    throw noSeat(what, 'match')
  }

  /** @throws UsageError `SS_NOT_LAUNCHED` in a lobby, `SS_NOT_SEATED` before the relay let us in. */
  requireRunning(what: string): RunningMatch<G, R> {
    if (this.running !== undefined) return this.running
    throw noSeat(what, this.#seated === undefined ? 'connecting' : 'lobby')
  }

  get member(): number | undefined {
    return this.#seated?.member
  }

  get seat(): number | undefined {
    if (this.running !== undefined) return this.running.seated.seat
    return this.room === undefined ? this.#seated?.seat : this.#mirror.seatOf(this.member)
  }

  get room(): RoomView<G> | undefined {
    return this.#mirror.room
  }

  /**
   * Converts an action to the form in which it is sent.
   *
   * @throws UsageError for invalid options.
   */
  prepareAction(action: MatchAction<G>): RoomAction {
    const { room, wished } = this.#mirror
    const config = this.#seated?.config ?? this.#config
    const current = wished.options ?? room?.options ?? readOptions(this.#game, config.options)
    return toRoomAction(this.#game, action, current, room?.optionsRevision ?? 0)
  }

  /** An action was sent. */
  noteAsked(action: RoomAction): void {
    if (action.type !== 'set-options') return
    this.#mirror.wished.note(readOptions(this.#game, action.options))
  }

  get cursors(): Cursors {
    return this.running?.cursors ?? noCursors
  }

  /** Whom the match is waiting for or slowed down by. */
  get blame(): Blame {
    return this.#mirror.blame
  }

  /** What to show the player. `isIn` is whether there is a link over which the relay let us in. */
  playState(nowMs: number, isIn: boolean): PlayState<G> {
    return anyState(this.running, this.#mirror.room, nowMs, isIn)
  }

  statistics(link: ChannelStats | undefined, rates: LineRates): ClientStatistics {
    const { inputDelay } = this.#seated?.config ?? this.#config
    const { stats: match, desync } = this.#mirror
    return makeStatistics({ running: this.running, link, rates, inputDelay, match, desync })
  }

  /** The request to join, or to return to the place that we had. */
  joinBody(): MessageBody<'ClientJoin'> {
    const nextTick = (this.running?.inbox.receivedTick ?? 0) + 1
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

  /** Answers a relay that does not know the match: what we have of it, and a proof of who we are. */
  recover(body: MessageBody<'RelayRecover'>): Uint8Array[] {
    return recoveryAnswer(this.running?.recovery, this.proofBody(body, false).proof, body)
  }

  /** The relay let us in, for the first time or again. */
  sit(body: MessageBody<'RelaySeated'>, nowMs: number): void {
    if (this.#seated !== undefined && this.#seated.member !== body.member) this.#becomeAnother()
    this.#seated = body
    this.#mirror.wished.forget()
    this.#mirror.rules = body.config
    if (!body.isLaunched || this.launch.isOutdated(body)) this.launch.drop()
    this.#emit({ type: 'seated', seat: body.seat, matchId: body.matchId })
    if (body.isLaunched) this.launch.resume(body, nowMs)
  }

  /**
   * Handles a relay's messages to members, other than ticks.
   *
   * @throws WireError for a message that a relay never sends to members.
   */
  handle(message: Message, nowMs: number): void {
    if (isPassedOn(message)) {
      this.#handleRoom(message)
      return
    }
    if (isMatchMessage(message)) {
      handleMatchMessage(this.running, message, nowMs)
      return
    }
    switch (message.name) {
      case 'RelayLaunch':
        this.#begin(message.body)
        return
      case 'RelayBots':
        for (const bot of message.body.bots) this.#assignBot(bot)
        return
      case 'RelayResync':
        this.launch.resync(message.body)
        return
      default:
        // A new relay message to members does not compile until it is passed on or has a case here.
        message.name satisfies OtherMessage
        throw new WireError('SS_WIRE_UNKNOWN', 0, `Cannot accept a ${message.name} from a relay`)
    }
  }

  /** The match begins to load: options and seats are final. */
  #begin(body: MessageBody<'RelayLaunch'>): void {
    const seated = this.#seated
    if (seated === undefined) return
    const { options, seat } = body
    this.#seated = { ...seated, seat, isLaunched: true, config: { ...seated.config, options } }
    this.launch.begin(this.#seated)
  }

  #handleRoom(message: PassedOnMessage): void {
    const isLobby = message.name === 'RelayRoom' && message.body.phase === 'lobby'
    if (isLobby && this.#seated?.config.lobby.start !== 'when-full') this.launch.drop()
    // If the game reports no progress, the client does. Its report may come too late, so a denial of it
    // is not passed on.
    const isUnasked = message.name === 'RelayDenied' && message.body.action === 'report-load'
    if (isUnasked && !this.launch.hasReported) return
    this.#mirror.handle(message)
    if (message.name === 'RelayRoom') this.launch.reportAgain(message.body, this.member)
    if (message.name === 'RelayStats') this.running?.noteStats(message.body)
  }

  /** The relay assigns a bot to a client. */
  #assignBot(body: BotPlace): void {
    const { member } = this
    if (member === undefined || !this.bots.assign(body, member)) return
    this.#emit({ type: 'bot', seat: body.seat, isHere: this.bots.orders.has(body.seat) })
  }

  /** Sends everything due, including bots' orders and the turn. Returns whether there was anything. */
  send(channel: Channel, nowMs: number): boolean {
    const running = this.running
    if (running === undefined) return false
    const mayPlay = running.isRunning && !running.isWaitingForState
    const isSaid = mayPlay && this.bots.send(channel, nowMs)
    return running.send(channel, nowMs) || isSaid
  }

  /**
   * Our place was given up while we were away, and we are now another member. The orders of the
   * previous one must not be sent again, its order numbers end, and its bots run elsewhere.
   */
  #becomeAnother(): void {
    this.launch.lose()
    for (const seat of this.bots.orders.seats) {
      this.#assignBot({ seat, runner: undefined, turn: 0, nextOrder: 0 })
    }
  }
}

const none = new Uint8Array(0)
