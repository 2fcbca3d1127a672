import type { MatchConfig } from '../wire/match-config.ts'
import { encodeMessage } from '../wire/messages.ts'
import { marginUnknown } from '../wire/relay-bundles.ts'
import { DelayController } from './delay-controller.ts'
import { InputMargins } from './input-margins.ts'
import { LagProtection } from './lag-protection.ts'
import type { Session } from './session.ts'
import { noMargin } from './session-guard.ts'
import { TickStretch } from './tick-stretch.ts'

/**
 * Watches how a match fares: how early inputs arrive, how loaded players are. From that follow its
 * input delay and its speed, and the figures that everybody may see.
 */
export class MatchWatch {
  readonly #delay: DelayController
  readonly #lag: LagProtection
  readonly #margins: InputMargins
  readonly #stretch: TickStretch | undefined
  readonly #seats: readonly (Session | undefined)[]
  readonly #normalIntervalMs: number
  #intervalMs: number
  #statsAtMs = Number.NEGATIVE_INFINITY

  /** `seats` is the match's own list: who sits where now. */
  constructor(config: MatchConfig, seats: readonly (Session | undefined)[]) {
    this.#seats = seats
    this.#normalIntervalMs = 1_000 / config.tickRate
    this.#intervalMs = this.#normalIntervalMs
    this.#delay = new DelayController({
      seats: config.seats,
      tickRate: config.tickRate,
      range: { min: config.inputDelayMin, max: config.inputDelayMax },
      initial: config.inputDelay,
    })
    this.#lag = new LagProtection({ mode: config.lagMode, seats: config.seats })
    this.#margins = new InputMargins(config.seats)
    const isStretching = config.lagStretch && config.missing.kind === 'wait'
    this.#stretch = isStretching ? new TickStretch(config.tickRate) : undefined
  }

  get delayTicks(): number {
    return this.#delay.delayTicks
  }

  /** The most that lag protection allows, in percent. */
  get speedLimitPercent(): number {
    const { effectivePercent } = this.#lag
    return this.#stretch?.limitOf(effectivePercent) ?? effectivePercent
  }

  /** The newest input of a turn came in time. */
  noteKept(seat: number, tick: number, delay: number, heldMs: number, nowMs: number): void {
    this.#margins.noteKept(seat, tick, delay, heldMs, nowMs)
  }

  /** The newest input of a turn came after its tick was sealed. */
  noteLate(
    session: Session,
    seat: number,
    tick: number,
    sealedTick: number,
    delay: number,
    heldMs: number,
    nowMs: number,
  ): void {
    const marginMs = this.#margins.lateMarginMs(tick, sealedTick, nowMs)
    if (marginMs !== undefined) this.#note(session, seat, marginMs, delay, heldMs, nowMs)
  }

  /** A tick was sealed, after it had waited for an input that came. */
  noteSealed(tick: number, nowMs: number, waitedMs = 0): void {
    let slackMs = Number.POSITIVE_INFINITY
    const margins = this.#margins
    margins.noteSealed(tick, nowMs)
    for (let seat = 0; seat < this.#seats.length; seat++) {
      const session = this.#seats[seat]
      if (session === undefined || !margins.isInTime(seat)) continue
      const marginMs = margins.marginMs(seat)
      slackMs = Math.min(slackMs, marginMs)
      this.#note(session, seat, marginMs, margins.delayOf(seat), margins.heldMs(seat), nowMs)
    }
    this.#stretch?.noteSealed(waitedMs, slackMs)
  }

  /**
   * Counts a seat by what its player does, or leaves it out. For the delay counts who is there and busy
   * with nothing but playing, also while his inputs are late: the delay is what helps him. For the
   * speed a slow machine counts too: were it left out once it falls behind, the match would speed up
   * again at once.
   */
  setCounted(seat: number, session: Session | undefined): void {
    const isAble = session?.guard.liveness.isAble === true
    this.#delay.setActive(seat, isAble && session?.guard.activity === 'active')
    this.#lag.setCounted(seat, isAble)
  }

  noteLoad(seat: number, loadPercent: number, nowMs: number): void {
    this.#lag.noteLoad(seat, loadPercent, nowMs)
  }

  setSpeed(percent: number): void {
    if (percent > 0) this.#intervalMs = (this.#normalIntervalMs * 100) / percent
    this.#delay.setSpeed(percent)
  }

  /** The speed that was asked for, also when lag protection does not grant it. */
  requestSpeed(percent: number): void {
    if (percent !== this.#lag.requestedPercent) this.#lag.requestedPercent = percent
  }

  /** A new input delay to be sealed, or `undefined`. */
  updateDelay(nowMs: number): number | undefined {
    return this.#delay.update(nowMs)
  }

  /** Whether lag protection moved its limit. */
  updateSpeed(nowMs: number): boolean {
    const isStretched = this.#stretch?.update(this.#delay.delayTicks, nowMs) === true
    return this.#lag.update(nowMs) !== undefined || isStretched
  }

  /** The figures of all seats as a message, when it is time for one. */
  takeStats(
    pace: { readonly requestedPercent: number; readonly effectivePercent: number },
    hashes: { readonly comparedTick: number; readonly mismatches: number },
    sealedTick: number,
    nowMs: number,
  ): Uint8Array | undefined {
    if (nowMs < this.#statsAtMs) return undefined
    this.#statsAtMs = nowMs + statsEveryMs
    const seats = this.#seats.flatMap((session, seat) =>
      session === undefined ? [] : [seatStats(session, seat, sealedTick)],
    )
    return encodeMessage('RelayStats', {
      inputDelay: this.#delay.delayTicks,
      requestedPercent: pace.requestedPercent,
      effectivePercent: pace.effectivePercent,
      comparedTick: hashes.comparedTick,
      mismatches: Math.min(hashes.mismatches, 65_535),
      seats,
    })
  }

  /**
   * A margin is that of the newest input of a turn. Ticks that waited for each other are answered
   * together, and the input that the first of them called for came that much closer to its seal.
   */
  #note(
    session: Session,
    seat: number,
    newestMarginMs: number,
    delay: number,
    heldMs: number,
    nowMs: number,
  ): void {
    const marginMs = newestMarginMs - (session.ticksPerPacket - 1) * this.#intervalMs
    // What the client is told is the margin as it would be had it held nothing back.
    session.control.noteMargin(marginMs + heldMs)
    const { guard } = session
    if (marginMs < guard.marginMs) guard.marginMs = Math.round(Math.max(marginMs, -marginMsMax))
    this.#delay.noteMargin(seat, marginMs, delay, nowMs, heldMs)
  }
}

/** What a message can say of a margin. */
const marginMsMax = 32_000

/** Once per second is what eyes can follow (LAG-09). */
const statsEveryMs = 1_000

function seatStats(session: Session, seat: number, sealedTick: number) {
  const { guard, channel } = session
  const { marginMs } = guard
  guard.marginMs = noMargin
  const known = (value: number | undefined) => Math.min(Math.round(value ?? 65_535), 65_535)
  return {
    seat,
    rttMs: known(channel?.stats.rttMs ?? session.rttMs),
    jitterMs: known(channel?.stats.rttVariationMs),
    lossPercent: Math.round((channel?.stats.lossShare ?? 0) * 100),
    marginMs: marginMs === noMargin ? marginUnknown : Math.min(marginMs, marginMsMax),
    loadPercent: guard.loadPercent,
    behindTicks: Math.min(Math.max(sealedTick - session.executedTick, 0), 65_535),
    orderWaitMs: guard.waits.percentile(0.5),
    orderWaitP95Ms: guard.waits.percentile(0.95),
    ticksPerPacket: session.ticksPerPacket,
  }
}
