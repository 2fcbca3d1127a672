import { WireError } from '../../base/errors.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { ClientActivity } from '../../wire/codes.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import type { ClientEvent } from '../events.ts'
import type { BotDesk } from '../outbox/bot-desk.ts'
import type { MakeRunning } from '../run/make-running.ts'
import type { KeptParts } from '../run/match-simulation.ts'
import type { RunningMatch } from '../run/running-match.ts'
import type { PresenceChanges } from '../status/presence-changes.ts'
import type { RoomView } from '../status/room-view.ts'
import type { ClientOptions } from './client-options.ts'
import { checkSeats, isLaunchedAnew } from './seated-checks.ts'
import { SetupError } from './setup-error.ts'

/** Whom a launch tells. */
export interface LaunchHooks {
  emit(event: ClientEvent): void
  /** The relay is to hear how far the game is with loading, in percent. */
  report(progress: number): void
  readonly make: MakeRunning
}

/**
 * The match that a launch sets up: none in a lobby, dropped when the launch is called off, and replaced
 * when what was run is of no use any more. Orders are kept over that as long as they are ours to send.
 */
export class Launch<G extends GameShape, R> {
  readonly #game: Game<G, R>
  readonly #options: ClientOptions<G>
  readonly #hooks: LaunchHooks
  readonly #bots: BotDesk
  readonly #presences: PresenceChanges
  readonly #emit = (event: ClientEvent) => this.#hooks.emit(event)
  #running: RunningMatch<G, R> | undefined
  #isHidden = false
  /** How far the game is with loading, in percent. */
  #progress = 0
  /** Whether the game itself ever said how far it is. */
  #hasReported = false

  constructor(
    game: Game<G, R>,
    options: ClientOptions<G>,
    hooks: LaunchHooks,
    bots: BotDesk,
    presences: PresenceChanges,
  ) {
    this.#game = game
    this.#options = options
    this.#hooks = hooks
    this.#bots = bots
    this.#presences = presences
  }

  /** The match, once its simulation is set up. */
  get running(): RunningMatch<G, R> | undefined {
    return this.#running
  }

  /** What this client is busy with. */
  get activity(): ClientActivity {
    if (this.#isHidden) return 'hidden'
    return this.#running?.activity ?? 'active'
  }

  /** Whether the game itself ever said how far it is with loading. */
  get hasReported(): boolean {
    return this.#hasReported
  }

  /** Nobody looks, or somebody does again. Gives whether that is news. */
  setHidden(isHidden: boolean): boolean {
    if (isHidden === this.#isHidden) return false
    this.#isHidden = isHidden
    this.#running?.setHidden(isHidden)
    return true
  }

  /** The game says how far it is with loading, in percent. */
  noteProgress(percent: number): void {
    this.#progress = percent
    this.#hasReported = true
  }

  /** What was reported over a link that died may never have come. */
  reportAgain(room: Pick<RoomView, 'phase' | 'members'>, member: number | undefined): void {
    if (room.phase !== 'loading' || this.#running === undefined) return
    const own = room.members.find(({ id }) => id === member)
    if (own !== undefined && own.loadProgress < this.#progress) this.#hooks.report(this.#progress)
  }

  /** Sets the match up from its beginning. */
  begin(body: MessageBody<'RelaySeated'>): void {
    // Called off and launched again before anybody was shown the lobby in between.
    this.drop()
    this.#setUp(body).restart(0)
  }

  /** The relay let us into a match that was launched: goes on with what there is of it. */
  resume(body: MessageBody<'RelaySeated'>, nowMs: number): void {
    const running = this.#running
    const { rebuiltTick, orderNumber } = body
    // Who was away for too long starts again from the state of the others. What it ordered, and nobody
    // has taken, is still ordered. A download that was interrupted goes on where it was, unless the relay
    // that was to give it is another one by now, and begins with the first tick.
    const isOld = running !== undefined && body.isStateComing !== running.isWaitingForState
    const isRewound = !isOld && rebuiltTick !== undefined
    const back = isRewound ? running?.recovery.rewind(rebuiltTick) : undefined
    if (isOld || back !== undefined) this.#running = undefined
    const next = this.#running ?? this.#setUp(body, { orders: running?.orders })
    if (back !== undefined) next.goBack(back, nowMs)
    if (rebuiltTick !== undefined) next.recovery.rewindOrders(orderNumber, rebuiltTick)
    next.restart(orderNumber)
    if (isOld) next.orders.loseAnswered()
    // Whoever still waits for a state hears here of a seat that changed hands meanwhile.
    if (next === running) next.hearSeat(body)
    else if (running !== undefined && running.seated.seat !== body.seat) {
      this.#emit({ type: 'seat', seat: body.seat })
    }
  }

  /** Our state is another than that of most: theirs comes, and is loaded in its place. */
  resync(body: MessageBody<'RelayResync'>): void {
    const running = this.#running
    if (running === undefined || running.isWaitingForState) return
    const { orders, simulation, seated, inputs } = running
    const next = this.#make({ ...seated, isStateComing: true }, { orders, simulation })
    next.restart(body.orderNumber)
    next.inputs.hold(inputs.held)
    orders.loseAnswered()
    this.#emit({ type: 'resync' })
    next.hearSeat(body)
  }

  /** Whether the match was launched anew, otherwise, while we were away. */
  isOutdated(body: MessageBody<'RelaySeated'>): boolean {
    const running = this.#running
    if (running === undefined) return false
    const hasBegun = running.isWaitingForState || running.simulation.matchTick > 0
    return isLaunchedAnew(running.seated, body, hasBegun)
  }

  /** Back in the lobby: what was set up belongs to options that may change. */
  drop(): void {
    if (this.#running === undefined) return
    this.lose()
    this.#emit({ type: 'aborted' })
  }

  /** What was set up is of no use any more, nor what was ordered in it. */
  lose(): void {
    const orders = this.#running?.orders
    // First of all, so that an order that is issued again because it was lost is refused.
    this.#running = undefined
    orders?.loseAll()
    this.#bots.forget()
  }

  #setUp(body: MessageBody<'RelaySeated'>, kept: KeptParts<G, R> = {}): RunningMatch<G, R> {
    checkSeats(this.#game, body.config.seats)
    this.#progress = 0
    const running = this.#make(body, kept)
    this.#emit({ type: 'launched', seat: body.seat })
    const { start } = body.config.lobby
    if (start !== 'when-full' && this.#options.loadsItself !== true) {
      this.#progress = 100
      this.#hooks.report(100)
    }
    return running
  }

  /** @throws SetupError when the game's own code did not let it be set up. */
  #make(body: MessageBody<'RelaySeated'>, kept: KeptParts<G, R>): RunningMatch<G, R> {
    const parts = { bots: this.#bots.orders, ...kept }
    let running: RunningMatch<G, R>
    try {
      running = this.#hooks.make(this.#game, body, this.#options, this.#emit, parts)
    } catch (error) {
      if (error instanceof WireError) throw error
      const fault = { tick: 0, where: 'setup', name: 'setup', seat: undefined, error } as const
      this.#emit({ type: 'fault', fault })
      throw new SetupError(this.#game.id, error)
    }
    this.#running = running
    running.handleLeave = (seat, reason) => this.#presences.handleLeave(seat, reason)
    if (this.#isHidden) running.setHidden(true)
    return running
  }
}
