import type { InvestigatedMatch } from '../../desync/investigate/match-copy.ts'
import type { RecentTicks } from '../../desync/recent/recent-ticks.ts'
import type { KeptState } from '../../desync/recent/snapshot-ring.ts'
import type { Channel } from '../../link/channel.ts'
import { saveSnapshot } from '../../sim/game/copies/snapshots.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { LeaveReason } from '../../sim/game/run/bundle.ts'
import type { Fault } from '../../sim/game/run/report.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import type { ClientActivity } from '../../wire/codes.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { expand16 } from '../../wire/ticks/client-turn.ts'
import { InputMapping } from '../../wire/ticks/input-layout.ts'
import type { RelayControl } from '../../wire/ticks/relay-bundles.ts'
import { isExactBundles, readRelayBundles } from '../../wire/ticks/relay-bundles.ts'
import type { SlotDelta } from '../../wire/ticks/slot-delta.ts'
import type { MakeWatcher, TickWatcher } from '../debug/tick-watcher.ts'
import { ProbeDesk } from '../desync/probe-desk.ts'
import { investigated } from '../desync/running-copy.ts'
import type { ClientEvent, Cursors } from '../events.ts'
import { BotOutbox } from '../outbox/bot-outbox.ts'
import { InputOutbox } from '../outbox/input-outbox.ts'
import { OrderOutbox } from '../outbox/order-outbox.ts'
import { TurnSender } from '../outbox/turn-sender.ts'
import { SampleWindow } from '../pacing/sample-window.ts'
import { TickPacer } from '../pacing/tick-pacer.ts'
import { type BackState, MatchRecovery } from '../recovery/match-recovery.ts'
import type { DigestJob } from '../state/digests.ts'
import { StateExchange } from '../state/state-exchange.ts'
import { MissedInputs } from '../status/missed-inputs.ts'
import type { Pause } from '../status/play-state.ts'
import { BundleInbox } from './bundle-inbox.ts'
import type { KeptParts, RunningOptions } from './match-simulation.ts'
import { makeSimulation } from './match-simulation.ts'
import { makeRecent } from './recent-source.ts'
import { TickRunner } from './tick-runner.ts'
import { TickSettler, type ToldSeat } from './tick-settler.ts'

/**
 * The launched part of a client: bundles come in, ticks run, turns go out. It outlives links, and
 * contains everything needed to continue after a link was lost.
 */
export class RunningMatch<G extends GameShape, R> {
  readonly simulation: Simulation<G, R>
  readonly orders: OrderOutbox
  readonly inputs: InputOutbox
  readonly inbox = new BundleInbox(0)
  /** Decides when ticks run and what is drawn between them. */
  readonly pacer: TickPacer
  readonly bots: BotOutbox
  /** Decides when turns are sent and what they contain. */
  readonly turns: TurnSender
  /** Counts this client's late inputs. */
  readonly missed: MissedInputs
  /** Times from issuing an order to executing it, in ms. */
  readonly orderWaits = new SampleWindow(orderWaitsKept)
  /** Sends the state of the match to others, or receives it from them. */
  readonly states: StateExchange<G, R>
  /** Whether this replaces a match whose state differed from the majority's. */
  readonly isResync: boolean
  /** Continues the match after its relay was lost. */
  readonly recovery: MatchRecovery
  /** The last seconds of the match, from which a desync is explained. */
  readonly recent: RecentTicks
  /** Called with the reason when a player leaves, but not for ticks from before we joined. */
  handleLeave: ((seat: number, reason: LeaveReason) => void) | undefined
  /** Answers the relay's questions about a desync. */
  readonly probes: ProbeDesk
  /** Access to the match for diagnosis and debugging, including copies. */
  readonly inner: InvestigatedMatch
  /** Called with this client's input for every tick, for checks. */
  readonly onInput: RunningOptions['onInput']
  readonly #runner: TickRunner<G, R>
  readonly #settler: TickSettler
  readonly #emit: (event: ClientEvent) => void
  readonly #onBundle: RunningOptions['onBundle']
  #watcher: TickWatcher | undefined
  #nowMs = 0
  #isHidden = false

  constructor(
    game: Game<G, R>,
    seated: MessageBody<'RelaySeated'>,
    options: RunningOptions,
    emit: (event: ClientEvent) => void,
    kept: KeptParts<G, R> = {},
  ) {
    const { config } = seated
    this.bots = kept.bots ?? new BotOutbox()
    this.orders = kept.orders ?? new OrderOutbox()
    this.#onBundle = options.onBundle
    this.onInput = options.onInput
    this.isResync = kept.simulation !== undefined
    this.simulation = kept.simulation ?? makeSimulation(game, seated, options)
    const mapping = new InputMapping(game.inputCodec.fields)
    this.#runner = new TickRunner(this.simulation, mapping)
    this.inputs = new InputOutbox(game.inputCodec.fields, mapping, this.#runner.codec.delta)
    this.#emit = emit
    this.pacer = new TickPacer(config.tickRate)
    this.missed = new MissedInputs(config.tickRate)
    this.#settler = new TickSettler(this, seated, emit)
    this.turns = new TurnSender(this, 1_000 / config.tickRate, config.inputDelay)
    this.recent = makeRecent(this.#runner, this.turns.hashes, seated, options)
    this.recovery = new MatchRecovery(this, config.tickRate)
    this.states = this.#makeStates(seated.isStateComing, options.isStateReported ?? true)
    this.inner = investigated(game, seated, options, this.recent, () => this.#saveNow())
    const need = () => emit({ type: 'investigate' })
    this.probes = new ProbeDesk(this.inner, options.investigate, need)
  }

  /** What the relay said when it let us in, with the current seat. */
  get seated(): MessageBody<'RelaySeated'> {
    return this.#settler.seated
  }

  /** The relay says which seat this client has. Where that happened in a tick to come, the tick says it. */
  hearSeat(told: ToldSeat): void {
    this.#settler.hearSeat(told, this.isWaitingForState)
  }

  /** Whether the state of the match has not been received yet: no tick runs before that. */
  get isWaitingForState(): boolean {
    return this.states.isWaiting
  }

  /** The current pause: since when, and who asked for it. */
  get pause(): Pause | undefined {
    return this.#settler.pauseAt(this.#nowMs)
  }

  /** What this client is doing, as reported to the relay. */
  get activity(): ClientActivity {
    if (this.#isHidden) return 'hidden'
    if (this.isWaitingForState) return 'catching-up'
    const { name } = this.pacer.state
    return name === 'stalled' ? 'active' : name
  }

  /** The game was hidden, or is shown again. */
  setHidden(isHidden: boolean): void {
    this.#isHidden = isHidden
    this.turns.noteHidden()
    this.pacer.setHidden(isHidden)
  }

  /** Sets a watcher that sees every tick, for debugging; without `make`, removes it. */
  watch(make: MakeWatcher | undefined): void {
    const { seated, inner } = this
    const simulation = this.simulation as unknown as Simulation
    const tell = (fault: Fault) => this.#emit({ type: 'fault', fault })
    this.#watcher = make?.({ simulation, seated, inner, tell })
  }

  /** Handles the relay's statistics of the match. */
  noteStats({ requestedPercent, comparedTick, seats }: MessageBody<'RelayStats'>): void {
    this.recent.noteCompared(comparedTick)
    this.pacer.requestedPercent = requestedPercent
    const own = seats.find(({ seat }) => seat === this.seated.seat)
    this.turns.ticksPerPacket = own?.ticksPerPacket ?? 1
  }

  get cursors(): Cursors {
    return {
      inputTick: this.inputs.inputTick,
      sealedTick: this.inbox.receivedTick,
      simulatedTick: this.simulation.matchTick,
    }
  }

  /** Goes back to an earlier state and runs `bundles` again. What ran after them is void. */
  goBack({ tick, state, bundles }: BackState, nowMs: number): void {
    this.states.goBack(state)
    this.inbox.refill(tick + 1, bundles)
    this.#nowMs = nowMs
    if (bundles.length > 0) this.#noteArrival(nowMs)
  }

  /** A new link: what was sent over the old one may be lost. */
  restart(nextOrder: number): void {
    this.orders.restart(nextOrder)
    this.turns.restart()
    this.states.restart(this.#nowMs)
    this.probes.restart()
  }

  /**
   * Handles sealed ticks near `nearTick`, by default the next expected one, and returns the tick after
   * them. Late messages count only if they name their tick exactly, and what they say besides the ticks
   * is outdated, as on a link that the session has left (`isOutdated`).
   *
   * @throws WireError if the bytes are not what a relay sends.
   */
  handleBundles(
    bytes: Uint8Array,
    isLate: boolean,
    nowMs: number,
    nearTick?: number,
    isOutdated = isLate,
  ): number {
    const { receivedTick } = this.inbox
    if (this.isWaitingForState || (isLate && !isExactBundles(bytes))) return 0
    const message = readRelayBundles(bytes, nearTick ?? receivedTick + 1, receivedTick)
    if (message.control !== undefined && !isOutdated) this.#takeControl(message.control, nowMs)
    this.#nowMs = nowMs
    if (this.inbox.add(message) > 0) this.#noteArrival(nowMs)
    this.turns.noteBundles()
    return message.firstTick + message.bundles.length
  }

  /**
   * Runs at most `max` ready ticks, and returns how many ran. Stops while a job that is due in the next
   * tick is still being computed.
   *
   * @throws WireError if a bundle is not one of this match. With a guard, also the guard's error, once
   * the tick is complete and its orders are settled.
   */
  runTicks(max: number): number {
    let count = 0
    // `prepare` is also called after the last tick, so that the work it requested starts at once.
    for (; this.simulation.prepare() && count < max; count++) {
      const bytes = this.inbox.take()
      if (bytes === undefined) break
      if (this.simulation.matchTick === 0) this.states.noteBegin()
      this.#onBundle?.(this.simulation.matchTick + 1, bytes)
      this.#watcher?.handleDue()
      const ran = this.#runner.run(bytes)
      this.turns.noteRan()
      this.recent.noteRan(bytes)
      this.states.noteRan()
      this.#settler.settle(ran, this.#nowMs)
      this.#watcher?.handleRan(bytes)
      this.recovery.noteRan(bytes)
      if (ran.problem !== undefined) throw ran.problem
    }
    return count
  }

  handleTime(nowMs: number): void {
    this.#nowMs = nowMs
    this.probes.handleTime(nowMs)
    this.turns.handleTime(nowMs)
  }

  wakeAtMs(kind: Channel['kind']): number {
    const statesAtMs = this.states.wakeAtMs()
    if (this.isWaitingForState) return statesAtMs
    return Math.min(this.turns.wakeAtMs(kind), this.probes.wakeAtMs(), statesAtMs)
  }

  /** Sends everything that is due, except for bots. Returns whether there was anything. */
  send(channel: Channel, nowMs: number): boolean {
    const isSaid = this.states.send(channel, nowMs)
    if (this.isWaitingForState) return isSaid
    const isAnswered = this.probes.send(channel, nowMs)
    return this.turns.send(channel, nowMs) || isSaid || isAnswered
  }

  /** Whether a tick was received. Before that, the launch may be cancelled, and all orders with it. */
  get isRunning(): boolean {
    return this.inbox.receivedTick > 0
  }

  /**
   * Whether orders may be sent. After a launch, only from the first tick on: if the launch is
   * cancelled, the next one numbers orders from 0 again.
   */
  get mayOrder(): boolean {
    return this.isRunning || this.seated.config.lobby.start === 'when-full'
  }

  /** Whether this client has a seat, and the game has inputs. */
  get hasInputs(): boolean {
    return this.delta.slotCount > 0 && this.seated.seat !== undefined
  }

  /** Encodes the difference between two inputs. */
  get delta(): SlotDelta {
    return this.#runner.codec.delta
  }

  #saveNow(): KeptState {
    const snapshot = saveSnapshot(this.simulation, { encoding: 'raw' })
    return { tick: this.simulation.matchTick, snapshot, words: this.states.words() }
  }

  #makeStates(isComing: boolean, isReported: boolean): StateExchange<G, R> {
    const { hashes } = this.turns
    const settler = this.#settler
    const match = {
      simulation: this.simulation,
      slots: this.#runner.slots,
      chain: hashes.chain,
      isPlaying: () => settler.seated.seat !== undefined,
      handleLoaded: (tick: number, chain: Uint32Array) => hashes.restore(tick, chain),
      adopt: (tick: number) => this.#adopt(tick),
      askDigest: (job: DigestJob) => this.#emit({ type: 'digest', job }),
    }
    return new StateExchange(match, { isComing, isReported })
  }

  /** Continues from a state that was loaded. */
  #adopt(tick: number): void {
    const { simulation } = this
    this.inbox.restart(tick)
    if (simulation.inputDelay > 0) this.turns.setDelay(simulation.inputDelay)
    this.pacer.setSpeed(simulation.speedPercent, tick)
    this.turns.setSpeed(simulation.speedPercent)
    this.recent.start()
    this.#watcher?.handleLoaded()
    this.#emit({ type: 'restored', tick, isResync: this.isResync })
  }

  #noteArrival(nowMs: number): void {
    const { receivedTick } = this.inbox
    this.inputs.dropUpTo(receivedTick)
    this.pacer.noteArrival(receivedTick, nowMs)
    this.turns.noteArrival(receivedTick, this.#isHidden, nowMs)
  }

  #takeControl(control: RelayControl, nowMs: number): void {
    this.turns.noteControl(control, nowMs)
    const near = this.orders.answeredCount
    this.orders.answer(expand16(control.orderNumber, near))
    for (const { number, reason } of control.refusals) {
      this.orders.refuse(expand16(number, near), reason)
    }
  }
}

/** Orders whose waiting times are kept: about a minute of an active player. */
const orderWaitsKept = 64
