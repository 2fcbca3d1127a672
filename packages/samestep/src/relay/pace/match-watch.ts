import type { Member } from '../../room/members.ts'
import type { PauseBudget } from '../../room/pause-budget.ts'
import type { MatchConfig } from '../../wire/messages/match-config.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import { marginUnknown } from '../../wire/ticks/relay-bundles.ts'
import { noMargin } from '../guard/session-guard.ts'
import type { Session } from '../match/session.ts'
import type { Sealer } from '../match/ticks/sealer.ts'
import { DelayController } from './delay-controller.ts'
import { InputMargins } from './input-margins.ts'
import { LagProtection } from './lag-protection.ts'
import { TickStretch } from './tick-stretch.ts'

/** The statistics of a match as a message: for members without a delay, and for delayed spectators. */
export interface StatsMessages {
  readonly now: Uint8Array
  readonly delayed: Uint8Array
}

/**
 * Measures how early inputs arrive and how loaded the players' machines are. The input delay and the
 * speed of the match follow from that, and the statistics that all members may see.
 */
export class MatchWatch {
  readonly #delay: DelayController
  readonly #lag: LagProtection
  readonly #margins: InputMargins
  readonly #stretch: TickStretch | undefined
  readonly #seats: readonly (Member<Session> | undefined)[]
  readonly #normalIntervalMs: number
  #intervalMs: number
  #statsAtMs = Number.NEGATIVE_INFINITY

  /** `seats` is the match's own list: who sits where now. */
  constructor(config: MatchConfig, seats: readonly (Member<Session> | undefined)[]) {
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

  /** Continues with the input delay that another relay chose. */
  restoreDelay(ticks: number): void {
    this.#delay.restore(ticks)
  }

  /** The highest speed that lag protection allows, in percent. */
  get #speedLimitPercent(): number {
    const { effectivePercent } = this.#lag
    return this.#stretch?.limitOf(effectivePercent) ?? effectivePercent
  }

  /**
   * How many of a turn's newest inputs measure the loop of its client (see `DelayController`). Ticks
   * that reached the client together are answered together, and each of those inputs is as late as
   * its tick. What arrives after an outage, or fills a gap, says nothing about the line.
   */
  measuredTicks(newTicks: number): number {
    return newTicks * this.#intervalMs <= clumpMsMax ? Math.max(newTicks, 1) : 1
  }

  /** An input of a turn arrived in time. */
  noteKept(seat: number, tick: number, delay: number, heldMs: number, nowMs: number): void {
    this.#margins.noteKept(seat, tick, delay, heldMs, nowMs)
  }

  /** An input of a turn arrived after its tick was sealed. */
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

  /** A tick was sealed. `waitedMs` is how long it waited for an input that arrived. */
  noteSealed(tick: number, nowMs: number, waitedMs = 0): void {
    let slackMs = Number.POSITIVE_INFINITY
    const margins = this.#margins
    margins.noteSealed(tick, nowMs)
    for (let seat = 0; seat < this.#seats.length; seat++) {
      const session = this.#seats[seat]?.session
      if (session === undefined || !margins.isInTime(seat)) continue
      const marginMs = margins.marginMs(seat)
      slackMs = Math.min(slackMs, marginMs)
      this.#note(session, seat, marginMs, margins.delayOf(seat), margins.heldMs(seat), nowMs)
    }
    this.#stretch?.noteSealed(waitedMs, slackMs)
  }

  /**
   * Counts a seat or leaves it out, by what its player does. For the delay, a player counts who is
   * present and only plays, also while inputs are late: the delay is what helps then. For the speed,
   * a slow machine counts too: if it were left out once it falls behind, the match would speed up
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

  /** The load of the machine that this relay runs on, from playing (LAG-06). */
  noteHostLoad(loadPercent: number, nowMs: number): void {
    this.#lag.noteHostLoad(loadPercent, nowMs)
  }

  setSpeed(percent: number): void {
    if (percent > 0) this.#intervalMs = (this.#normalIntervalMs * 100) / percent
    this.#delay.setSpeed(percent)
  }

  /**
   * Adapts the input delay and the speed to what is measured, by events of the next tick. Returns
   * whether there is a new speed limit for the room to settle.
   */
  steer(sealer: Sealer, pace: PauseBudget, nowMs: number): boolean {
    const ticks = this.#delay.update(nowMs)
    if (ticks !== undefined) sealer.addEvent({ type: 'delay', ticks })
    // The speed that was asked for, even if lag protection does not grant it.
    const { requestedPercent } = pace
    if (requestedPercent !== this.#lag.requestedPercent) {
      this.#lag.requestedPercent = requestedPercent
    }
    const isStretched = this.#stretch?.update(this.#delay.delayTicks, nowMs) === true
    if (this.#lag.update(nowMs) === undefined && !isStretched) return false
    pace.limitSpeed(this.#speedLimitPercent)
    return true
  }

  /** The statistics of all seats as a message, if it is time for one. */
  takeStats(
    pace: { readonly requestedPercent: number; readonly effectivePercent: number },
    hashes: { readonly comparedTick: number; readonly mismatches: number },
    sealedTick: number,
    nowMs: number,
    visibleTick = sealedTick,
  ): StatsMessages | undefined {
    if (nowMs < this.#statsAtMs) return undefined
    this.#statsAtMs = nowMs + statsEveryMs
    const seats = this.#seats.flatMap((member, seat) =>
      member === undefined ? [] : [seatStats(member.session, seat, sealedTick)],
    )
    const body = {
      inputDelay: this.#delay.delayTicks,
      requestedPercent: pace.requestedPercent,
      effectivePercent: pace.effectivePercent,
      comparedTick: hashes.comparedTick,
      mismatches: Math.min(hashes.mismatches, 65_535),
      seats,
    }
    const now = encodeMessage('RelayStats', body)
    if (visibleTick >= hashes.comparedTick) return { now, delayed: now }
    return { now, delayed: encodeMessage('RelayStats', { ...body, comparedTick: visibleTick }) }
  }

  /**
   * The margin is that of the newest input of a turn. Ticks combined in one packet are answered
   * together, and the input for the first of them arrived that much closer to its seal.
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
    // The client is told the margin that it would have if it held nothing back.
    session.control.noteMargin(marginMs + heldMs)
    const { guard } = session
    if (marginMs < guard.marginMs) guard.marginMs = Math.round(Math.max(marginMs, -marginMsMax))
    this.#delay.noteMargin(seat, marginMs, delay, nowMs, heldMs)
  }
}

/** More than that is not jitter: no delay that a player would accept helps against it. */
const clumpMsMax = 300

/** The largest margin that is reported. */
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
