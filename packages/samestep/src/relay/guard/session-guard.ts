import { TokenBucket } from '../../base/token-bucket.ts'
import type { ClientActivity } from '../../wire/codes.ts'
import type { OrderRulebook } from '../match/orders/order-table.ts'
import { OrderWaits } from '../match/orders/order-waits.ts'
import { Admission, gapMsMin } from './admission.ts'
import { Liveness } from './liveness.ts'
import type { LivenessAlarm } from './presence.ts'
import { Strikes } from './strikes.ts'

/** Longer than any margin: there was none. Not `Infinity`, which would not be an integer. */
export const noMargin = 2 ** 30

/** What the relay knows of one session's conduct: whether it lives, what it may send, how it fares. */
export class SessionGuard {
  readonly liveness: Liveness
  readonly admission: Admission
  readonly strikes = new Strikes()
  readonly waits = new OrderWaits()
  /** Wishes about the match: what hands can do, and above it what ends the session. */
  readonly #acts: TokenBucket
  readonly #actFlood: TokenBucket
  /** Changes of what it says that it is busy with. */
  readonly #activities: TokenBucket
  /** What the client last said about itself. */
  activity: ClientActivity = 'active'
  loadPercent = 0
  /** For how many ms it held its newest inputs back, as it says. */
  heldMs = 0
  /** When it last said anything: whole ms, as many as an integer has bits for, and then from below. */
  #heardAtMs: number
  /** What {@link takeNews} last looked at. */
  #known = -1
  /** The smallest margin of its inputs since the last statistics, in whole ms; or {@link noMargin}. */
  marginMs = noMargin
  /** The tick up to which the client knows what became of its orders. */
  #answeredTick = 0
  /** Whether it comes from a relay that is gone, and has not been back. */
  #isRestored = false

  constructor(
    seat: number | undefined,
    tickRate: number,
    rules: OrderRulebook | undefined,
    nowMs: number,
    alarm?: LivenessAlarm,
  ) {
    this.#heardAtMs = nowMs | 0
    this.liveness = new Liveness(seat, tickRate, nowMs, alarm)
    this.admission = new Admission(rules, nowMs)
    this.#acts = new TokenBucket(actsBurst, actsPerSecond, nowMs)
    this.#actFlood = new TokenBucket(actFloodBurst, actFloodPerSecond, nowMs)
    this.#activities = new TokenBucket(activitiesBurst, activitiesPerSecond, nowMs)
  }

  /** Something came: what was held up on the way comes with it, and is not held against anybody. */
  noteHeard(nowMs: number): void {
    const heardAtMs = nowMs | 0
    const gapMs = (heardAtMs - this.#heardAtMs) | 0
    this.#heardAtMs = heardAtMs
    if (gapMs >= gapMsMin) this.admission.noteGap(gapMs, nowMs)
  }

  /** Goes on with a client of a relay that is gone, and has no link to this one yet. */
  restore(nowMs: number): void {
    this.#isRestored = true
    this.liveness.restore(nowMs)
  }

  /** A link carries the session (again): the client is told what became of its orders. */
  noteAttached(nowMs: number): void {
    this.admission.noteAnswered()
    // What it gave while there was no relay comes at once, and nobody here knows how long that was.
    if (this.#isRestored) this.admission.noteStarted(nowMs)
    this.#isRestored = false
  }

  /** So far is sealed, and the client told with it what became of its orders. */
  noteAnswered(sealedTick: number): void {
    if (sealedTick === this.#answeredTick) return
    this.#answeredTick = sealedTick
    this.admission.noteAnswered()
  }

  /** Whether there is anything about it that its match does not know yet. Asked for every packet. */
  takeNews(): boolean {
    const isActive = this.activity === 'active'
    const state = (this.liveness.isAble ? 2 : 0) + (isActive ? 1 : 0)
    if (state === this.#known && !this.liveness.hasEvents) return false
    this.#known = state
    return true
  }

  /** The relay stood still for so long. */
  excuse(lostMs: number, nowMs: number): void {
    this.liveness.excuse(lostMs)
    this.strikes.excuse(nowMs)
  }

  /**
   * The client says what it is busy with, and lacks so many ticks by now. Others are told of each
   * change, and bots may move for it; one too many does not count, and is said again with the next turn
   * or sign of life.
   */
  noteActivity(activity: ClientActivity, behindTicks: number, nowMs: number): void {
    if (activity !== this.activity && !this.#activities.take(1, nowMs)) {
      this.liveness.handlePacket(nowMs)
      return
    }
    const wasHidden = this.activity === 'hidden'
    this.activity = activity
    if (activity === 'hidden' || wasHidden) {
      this.liveness.declareHidden(activity === 'hidden', behindTicks, nowMs)
    } else {
      this.liveness.handlePacket(nowMs)
    }
  }

  /** Whether one more wish is heard now. */
  admitAct(nowMs: number): 'taken' | 'rate' | 'flood' {
    if (!this.#actFlood.take(1, nowMs)) return 'flood'
    return this.#acts.take(1, nowMs) ? 'taken' : 'rate'
  }
}

/** Wishes at once and per second: clicking through a lobby, and loading in steps of a percent. */
const actsBurst = 60
const actsPerSecond = 15

/** Changes of activity at once and per second: a page that is hidden and shown, a machine that stutters. */
const activitiesBurst = 10
const activitiesPerSecond = 1

/** Far above it, nobody is clicking. */
const actFloodBurst = 240
const actFloodPerSecond = 30
