import type { MatchHistory } from '../../../record/match-history.ts'
import type { Members } from '../../../room/members.ts'
import type { LeaveReason } from '../../../sim/game/run/bundle.ts'
import { spectatorSeat } from '../../../sim/game/run/bundle.ts'
import { ticksIn } from '../../../wire/limits.ts'
import type { MatchConfig } from '../../../wire/messages/match-config.ts'
import { silentMs } from '../../../wire/patience.ts'
import { everyMsMin } from '../../join/state-shelf.ts'
import type { StatsMessages } from '../../pace/match-watch.ts'
import { MatchWatch } from '../../pace/match-watch.ts'
import type { MatchNotes } from '../../record/match-notes.ts'
import type { MatchEvent } from '../match-types.ts'
import type { OrderRulebook } from '../orders/order-table.ts'
import { TickCaps } from '../orders/order-table.ts'
import { HeldUp } from '../people/held-up.ts'
import type { Session } from '../session.ts'
import { BundleLog } from './bundle-log.ts'
import { DelayedView } from './delayed-view.ts'
import { MatchClock } from './match-clock.ts'
import { Sealer } from './sealer.ts'
import { TickSender } from './tick-sender.ts'

/** What the ticks of a match need from the match. */
export interface TickHost {
  /** The most lost time that is made up; if `undefined`, the default. */
  readonly makeUpMs: number | undefined
  emit(event: MatchEvent): void
  /** 32 random bits, for tokens. */
  randomWord(): number
  /** A tick is about to be sealed: measurements may change the pace of the match. */
  steer(nowMs: number): void
  /** The statistics of the match, if it is time to send them. */
  takeStats(nowMs: number): StatsMessages | undefined
  /** The oldest tick needed by a client that waits for a state; `Infinity` for none. */
  neededTick(): number
  /** Shows all members which seats the match waits for; an empty list if the wait is over. */
  showWaiting(seats: readonly number[]): void
  /** Ends the session of a client that needs ticks which are no longer kept. */
  expelBehind(session: Session, nowMs: number): void
}

/**
 * The ticks of a match: when each is sealed, what is in it, and who still needs it. Who plays is
 * decided elsewhere.
 *
 *     orders, inputs, events ──► sealer ──► log ──► sender ──► sessions
 *                     clock ───────┘
 */
export class TickCore {
  readonly sealer: Sealer
  readonly log: BundleLog
  readonly watch: MatchWatch
  /** What spectators may see, if they see the match with a delay. */
  readonly view: DelayedView | undefined
  /** Whether ticks wait for their inputs, so that each input may move a seal. */
  readonly waitsForInputs: boolean
  readonly #members: Members<Session>
  readonly #host: TickHost
  readonly #clock: MatchClock
  readonly #heldUp: HeldUp
  readonly #tickRate: number
  /** How long all ticks are kept, so that newcomers can run the match from its beginning. */
  readonly #wholeMs: number
  readonly #sender: TickSender
  /** As of the last {@link handleTime}: while a tick waits, there is one when it has waited enough. */
  #timeMs = Number.NEGATIVE_INFINITY
  /** When the newest tick of a pause was sealed. */
  #pausedAtMs = Number.NEGATIVE_INFINITY

  constructor(
    config: MatchConfig,
    members: Members<Session>,
    host: TickHost,
    rules: OrderRulebook | undefined,
    waitingMax: number | undefined,
    notes?: MatchNotes,
  ) {
    this.#members = members
    this.#host = host
    this.#tickRate = config.tickRate
    const { spectatorDelayMs } = config.lobby
    this.view = spectatorDelayMs === 0 ? undefined : new DelayedView(spectatorDelayMs)
    this.log = new BundleLog(config.tickRate, keptForMs(spectatorDelayMs))
    this.#wholeMs = wholeMs + spectatorDelayMs
    this.waitsForInputs = config.missing.kind === 'wait'
    this.#clock = new MatchClock(this.waitsForInputs ? config.missing.waitMs : 0, host.makeUpMs)
    const caps = rules && new TickCaps(rules, config.seats)
    this.sealer = new Sealer(config, waitingMax, caps, notes)
    this.#heldUp = new HeldUp(this.#clock, { missingSeats: () => this.#awaitedSeats() })
    this.watch = new MatchWatch(config, members.seats)
    const isBatching = config.batching === 'adaptive'
    this.#sender = new TickSender(members, this.log, isBatching, () => host.randomWord())
  }

  get isStarted(): boolean {
    return this.#clock.isStarted
  }

  /** What is due at {@link wakeAtMs}. */
  get wakeReason(): 'seal' | 'input-wait' {
    return this.#clock.isWaiting ? 'input-wait' : 'seal'
  }

  /** Whether ticks come by themselves: then nothing else needs a wake-up of its own. */
  get isGoing(): boolean {
    return this.#clock.isGoing(this.#isComplete)
  }

  start(tickRate: number, nowMs: number): void {
    this.#clock.start(tickRate, nowMs)
  }

  /** Changes the speed of the match. `ticksPerSecond` is the pace that the log and budgets adapt to. */
  setSpeed(percent: number, ticksPerSecond: number, nowMs: number): void {
    this.log.setPace(ticksPerSecond)
    this.#clock.setSpeed(percent, nowMs)
    this.watch.setSpeed(percent)
    for (const { carrier } of this.#members.sessions) {
      carrier?.budget.setPace(ticksPerSecond, nowMs)
    }
  }

  /** Continues where another relay stopped. The clock stands still until a member is back. */
  restore(history: MatchHistory, isRunning: boolean, nowMs: number): void {
    const { sealedTick, inputs, bundles, firstTick, room, match } = history
    this.sealer.restore(sealedTick, inputs, history.isPaused)
    this.log.restore(firstTick, bundles)
    this.view?.restore(firstTick, sealedTick, nowMs)
    for (const { seat, number, bytes } of history.taken) {
      if (!this.sealer.hasRoomFor(seat)) continue
      this.sealer.addOrder({ seat, number: number % 256, bytes, arrivedAtMs: nowMs })
    }
    for (const event of history.waitingEvents) this.sealer.addEvent(event)
    this.watch.restoreDelay(room?.inputDelay ?? match.config.inputDelay)
    if (!isRunning) return
    this.start(match.config.tickRate, nowMs)
    const percent = room?.effectivePercent ?? 100
    this.setSpeed(percent, (match.config.tickRate * Math.max(percent, 100)) / 100, nowMs)
    // Bots keep holding what they held; their next runners may change that.
    for (const { seat } of room?.bots ?? []) this.sealer.holdOn(seat)
    this.#clock.setAttended(false, nowMs)
    for (const [seat, member] of this.#members.seats.entries()) {
      if (member !== undefined) this.sealer.expectInputs(seat, sealedTick + 1)
    }
  }

  /** A link came or went: without any, the clock stands still. */
  settleRest(nowMs: number): void {
    const change = this.#clock.setAttended(this.#members.isAttended, nowMs)
    if (change !== undefined) this.#host.emit({ type: 'rest', isResting: change === 'rests' })
  }

  /** A player begins to play at the next tick. */
  sit(seat: number): void {
    // Orders of the seat's last player that are not sealed yet must not run as this one's.
    if (this.sealer.sealedTick > 0) this.sealer.forgetOrders(seat)
    this.sealer.addEvent({ type: 'join', seat })
    this.watch.setCounted(seat, this.#members.seats[seat]?.session)
    const firstTick = this.sealer.sealedTick + 1 + this.watch.delayTicks
    this.sealer.expectInputs(seat, firstTick + ticksIn(joinGraceMs, this.#tickRate))
  }

  /** Another player or a bot has the seat from the next tick on: what waits for it is dropped. */
  switchSeat(seat: number, holder: Session | undefined): void {
    this.watch.setCounted(seat, holder)
    this.sealer.forgetInputs(seat)
    this.sealer.forgetOrders(seat)
    if (holder === undefined) return
    // Orders issued as a spectator could otherwise be sealed after those of the seat (I-05).
    this.sealer.forgetOrders(spectatorSeat(holder.member.id))
    const firstTick = this.sealer.sealedTick + 1 + this.watch.delayTicks
    this.sealer.expectInputs(seat, firstTick + ticksIn(joinGraceMs, this.#tickRate))
  }

  /**
   * A player left: from the next tick on, the same for everyone. A player who never sat down, because
   * it still waited for the state of the match, is in no tick.
   */
  leave(seat: number, reason: LeaveReason, hasSat: boolean): void {
    this.watch.setCounted(seat, undefined)
    this.sealer.forgetInputs(seat)
    // A removed player orders nothing from that tick on: waiting orders are dropped too (T-57).
    if (reason === 'kicked' || reason === 'voted-out') this.sealer.forgetOrders(seat)
    // Before the match runs nobody has sat down yet.
    if (this.isStarted && hasSat) this.sealer.addEvent({ type: 'leave', seat, reason })
  }

  /** Drops what was sent before this launch: an earlier launch may have been cancelled. */
  forgetAll(): void {
    for (const seat of this.#members.seats.keys()) {
      this.sealer.forgetInputs(seat)
      this.sealer.forgetOrders(seat)
    }
  }

  /** Seals what is due. `isOn` says whether the match still runs: each tick may be its last. */
  handleTime(isOn: () => boolean, nowMs: number): void {
    this.#timeMs = nowMs
    while (isOn() && this.#clock.takeTick(this.#isComplete, nowMs)) this.#seal(nowMs)
    if (this.#heldUp.handleTime(nowMs)) this.#host.showWaiting(this.#heldUp.seats)
    this.#sender.flush(this.#clock.isWaiting, nowMs)
  }

  wakeAtMs(): number {
    return Math.min(this.#clock.wakeAtMs(this.#isComplete), this.#heldUp.wakeAtMs())
  }

  /** When ticks that wait to be combined are sent. */
  flushAtMs(): number {
    return this.#sender.wakeAtMs()
  }

  /** Whether no tick has to wait for inputs: all are there, or the match does not wait for them. */
  get #isComplete(): boolean {
    return !this.waitsForInputs || this.sealer.isComplete || this.#awaitedSeats().length === 0
  }

  /**
   * Seats whose input the next tick waits for. A client without a state cannot send any, and would wait
   * all the longer for its state: that is one of a tick still to come. A player who has been silent for
   * three seconds is not waited for either: every tick would take its whole time, until a minute later
   * the seat is given up.
   */
  #awaitedSeats(): number[] {
    const { seats } = this.#members
    return this.sealer.missingSeats().filter((seat) => {
      const session = seats[seat]?.session
      if (session === undefined) return true
      const isSilent = this.#timeMs - session.guard.liveness.heardAtMs >= silentMs
      return !session.isWaitingForState && !isSilent
    })
  }

  #seal(nowMs: number): void {
    if (this.#heldUp.noteSealed()) this.#host.showWaiting(this.#heldUp.seats)
    const { intervalMs, waitedMs } = this.#clock
    this.#host.steer(nowMs)
    const bundle = this.sealer.seal()
    this.log.append(bundle)
    const { sealedTick } = this.sealer
    this.view?.noteSealed(sealedTick, nowMs, intervalMs)
    this.watch.noteSealed(sealedTick, nowMs, waitedMs)
    for (const { seat, arrivedAtMs } of this.sealer.sealedOrders) {
      // A pause says nothing about how well a seat is served.
      if (arrivedAtMs <= this.#pausedAtMs) continue
      this.#members.seats[seat]?.session.guard.waits.add(nowMs - arrivedAtMs)
    }
    if (this.sealer.isPaused) this.#pausedAtMs = nowMs
    this.#host.emit({ type: 'sealed', tick: sealedTick, bundle })
    const neededTick = this.#sender.noteSealed(this.#host.takeStats(nowMs), nowMs, intervalMs)
    if (neededTick < this.log.firstTick) this.#expelBehind(nowMs)
    // Ticks that everyone has are no longer needed. At first all are kept, so that a client that
    // comes a little late can run the match from its beginning.
    if (sealedTick > ticksIn(this.#wholeMs, this.#tickRate)) {
      this.log.dropBefore(Math.min(neededTick, this.#host.neededTick()))
    }
  }

  /** A client that confirms nothing is not waited for: the log is bounded. */
  #expelBehind(nowMs: number): void {
    for (const session of this.#members.sessions) {
      if (session.isWaitingForState) continue
      if (session.ackedTick + 1 < this.log.firstTick) this.#host.expelBehind(session, nowMs)
    }
  }
}

/**
 * How long after its first possible input a seat's missing input does not count as missing: the round
 * trip in which a client learns that the match began.
 */
const joinGraceMs = 500

/** How long all ticks of a match are kept; the delay of spectators is added. */
const wholeMs = 10_000

/**
 * How much longer ticks are kept for delayed spectators: the state that one of them begins with is up
 * to twice as old as the delay.
 */
function keptForMs(delayMs: number): number {
  return delayMs === 0 ? 0 : delayMs + Math.max(delayMs, everyMsMin)
}
