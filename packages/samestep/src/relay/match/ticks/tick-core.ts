import type { MatchHistory } from '../../../record/match-history.ts'
import type { Members } from '../../../room/members.ts'
import type { LeaveReason } from '../../../sim/game/run/bundle.ts'
import { spectatorSeat } from '../../../sim/game/run/bundle.ts'
import { ticksIn } from '../../../wire/limits.ts'
import type { MatchConfig } from '../../../wire/messages/match-config.ts'
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

/** What the ticks of a match need of the match around them. */
export interface TickHost {
  /** Lost time that is made up at the most; as much as usual when left out. */
  readonly makeUpMs: number | undefined
  emit(event: MatchEvent): void
  /** 32 random bits, for tokens. */
  randomWord(): number
  /** A tick is about to be sealed: what is measured may change the pace of the match. */
  steer(nowMs: number): void
  /** The figures of the match, when it is time for some. */
  takeStats(nowMs: number): StatsMessages | undefined
  /** The oldest tick that somebody will need who waits for a state; `Infinity` for none. */
  neededTick(): number
  /** Everybody is shown whom the match waits for: these seats, or nobody any more. */
  showWaiting(seats: readonly number[]): void
  /** Ends the session of a client that needs ticks which are not kept any more. */
  expelBehind(session: Session, nowMs: number): void
}

/**
 * The ticks of a match, whatever happens around it: when each is sealed, what is in it, who still needs
 * it. Who plays is for the members to say.
 *
 *     orders, inputs, events ──► sealer ──► log ──► sender ──► sessions
 *                     clock ───────┘
 */
export class TickCore {
  readonly sealer: Sealer
  readonly log: BundleLog
  readonly watch: MatchWatch
  /** What spectators may see, where they see the match later than it happens. */
  readonly view: DelayedView | undefined
  /** Whether a tick waits for its inputs, so that each of them may move its seal. */
  readonly waitsForInputs: boolean
  readonly #members: Members<Session>
  readonly #host: TickHost
  readonly #clock: MatchClock
  readonly #heldUp: HeldUp
  readonly #tickRate: number
  /** For how long all ticks are kept, so that whoever comes can run the match from its beginning. */
  readonly #wholeMs: number
  readonly #sender: TickSender
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
    this.#heldUp = new HeldUp(this.#clock, this.sealer)
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

  /** The match is played at another speed, at which so many ticks are sealed per second. */
  setSpeed(percent: number, ticksPerSecond: number, nowMs: number): void {
    this.log.setPace(ticksPerSecond)
    this.#clock.setSpeed(percent, nowMs)
    this.watch.setSpeed(percent)
    for (const { carrier } of this.#members.sessions) {
      carrier?.budget.setPace(ticksPerSecond, nowMs)
    }
  }

  /** Goes on where another relay was. Its clock stands still until somebody is back. */
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
    // Bots hold on to what they held; their next runners may say otherwise.
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

  /** A player begins to play, at the next tick. */
  sit(seat: number): void {
    // What the last player of this seat had ordered and is not sealed must not run as this one's.
    if (this.sealer.sealedTick > 0) this.sealer.forgetOrders(seat)
    this.sealer.addEvent({ type: 'join', seat })
    this.watch.setCounted(seat, this.#members.seats[seat]?.session)
    const firstTick = this.sealer.sealedTick + 1 + this.watch.delayTicks
    this.sealer.expectInputs(seat, firstTick + ticksIn(joinGraceMs, this.#tickRate))
  }

  /** Somebody else plays a seat from the next tick on, or a bot: what waits for it is nobody's. */
  switchSeat(seat: number, holder: Session | undefined): void {
    this.watch.setCounted(seat, holder)
    this.sealer.forgetInputs(seat)
    this.sealer.forgetOrders(seat)
    if (holder === undefined) return
    // What he ordered as a spectator would be sealed behind what he orders from his seat (I-05).
    this.sealer.forgetOrders(spectatorSeat(holder.member.id))
    const firstTick = this.sealer.sealedTick + 1 + this.watch.delayTicks
    this.sealer.expectInputs(seat, firstTick + ticksIn(joinGraceMs, this.#tickRate))
  }

  /**
   * A player is gone: from the next tick on, for everybody the same. One that never sat down, because it
   * still waited for the state of the match, is in no tick.
   */
  leave(seat: number, reason: LeaveReason, hasSat: boolean): void {
    this.watch.setCounted(seat, undefined)
    this.sealer.forgetInputs(seat)
    // Who is sent away orders nothing from that tick on, not even what waits for it (T-57).
    if (reason === 'kicked' || reason === 'voted-out') this.sealer.forgetOrders(seat)
    // Before the match runs nobody has sat down yet.
    if (this.isStarted && hasSat) this.sealer.addEvent({ type: 'leave', seat, reason })
  }

  /** What was sent before a launch that was called off belongs to nobody now. */
  forgetAll(): void {
    for (const seat of this.#members.seats.keys()) {
      this.sealer.forgetInputs(seat)
      this.sealer.forgetOrders(seat)
    }
  }

  /** Seals what is due. `isOn` says whether the match still runs: each tick may be its last. */
  handleTime(isOn: () => boolean, nowMs: number): void {
    while (isOn() && this.#clock.takeTick(this.#isComplete, nowMs)) this.#seal(nowMs)
    if (this.#heldUp.handleTime(nowMs)) this.#host.showWaiting(this.#heldUp.seats)
    this.#sender.flush(this.#clock.isWaiting, nowMs)
  }

  wakeAtMs(): number {
    return Math.min(this.#clock.wakeAtMs(this.#isComplete), this.#heldUp.wakeAtMs())
  }

  /** When ticks that waited for each other go out. */
  flushAtMs(): number {
    return this.#sender.wakeAtMs()
  }

  /** Whether no tick has to wait for inputs: they are all there, or nobody waits for them. */
  get #isComplete(): boolean {
    return !this.waitsForInputs || this.sealer.isComplete
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
    // Ticks that everybody has are needed no more. Whoever comes a little late can still run the
    // match from its beginning.
    if (sealedTick > ticksIn(this.#wholeMs, this.#tickRate)) {
      this.log.dropBefore(Math.min(neededTick, this.#host.neededTick()))
    }
  }

  /** A client that takes nothing in is not waited for: the log is bounded, and so is our patience. */
  #expelBehind(nowMs: number): void {
    for (const session of this.#members.sessions) {
      if (session.isWaitingForState) continue
      if (session.ackedTick + 1 < this.log.firstTick) this.#host.expelBehind(session, nowMs)
    }
  }
}

/**
 * After its first possible input, how long until a seat's missing input is called missing: the round
 * trip in which a client learns that the match began.
 */
const joinGraceMs = 500

/** For how long all ticks of a match are kept, and those of a delay on top of it. */
const wholeMs = 10_000

/**
 * How much longer ticks are kept for spectators who see the match later: the state that one of them
 * begins with is up to twice as old as the delay.
 */
function keptForMs(delayMs: number): number {
  return delayMs === 0 ? 0 : delayMs + Math.max(delayMs, everyMsMin)
}
