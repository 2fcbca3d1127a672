import type { ClientActivity } from '../wire/codes.ts'
import { Admission, gapMsMin } from './admission.ts'
import { Liveness } from './liveness.ts'
import type { OrderRulebook } from './order-table.ts'
import { OrderWaits } from './order-waits.ts'
import type { LivenessAlarm } from './presence.ts'
import { Strikes } from './strikes.ts'
import { TokenBucket } from './token-bucket.ts'

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

  constructor(
    seat: number | undefined,
    tickRate: number,
    rules: OrderRulebook | undefined,
    nowMs: number,
    alarm?: LivenessAlarm,
  ) {
    this.#heardAtMs = nowMs | 0
    this.liveness = new Liveness(seat, tickRate, nowMs, alarm)
    // Whoever is let in is level until a tick proves otherwise: lobbies have patience of their own.
    this.liveness.setStage('playing', nowMs)
    // Nor is that news to anybody.
    this.liveness.pollEvent()
    this.admission = new Admission(rules, nowMs)
    this.#acts = new TokenBucket(actsBurst, actsPerSecond, nowMs)
    this.#actFlood = new TokenBucket(actFloodBurst, actFloodPerSecond, nowMs)
  }

  /** Something came: what was held up on the way comes with it, and is not held against anybody. */
  noteHeard(nowMs: number): void {
    const heardAtMs = nowMs | 0
    const gapMs = (heardAtMs - this.#heardAtMs) | 0
    this.#heardAtMs = heardAtMs
    if (gapMs >= gapMsMin) this.admission.noteGap(gapMs, nowMs)
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

  /** Whether one more wish is heard now. */
  admitAct(nowMs: number): 'taken' | 'rate' | 'flood' {
    if (!this.#actFlood.take(1, nowMs)) return 'flood'
    return this.#acts.take(1, nowMs) ? 'taken' : 'rate'
  }
}

/** Wishes at once and per second: clicking through a lobby, and loading in steps of a percent. */
const actsBurst = 60
const actsPerSecond = 15

/** Far above it, nobody is clicking. */
const actFloodBurst = 240
const actFloodPerSecond = 30
