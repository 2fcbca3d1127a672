import type { LeaveReason } from '../../sim/game/run/bundle.ts'
import { spectatorSeat } from '../../sim/game/run/bundle.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import type { ClientEvent } from '../events.ts'
import type { BotOutbox } from '../outbox/bot-outbox.ts'
import type { OrderOutbox } from '../outbox/order-outbox.ts'
import { endOf } from '../outbox/order-outbox.ts'
import type { TurnSender } from '../outbox/turn-sender.ts'
import type { SampleWindow } from '../pacing/sample-window.ts'
import type { TickPacer } from '../pacing/tick-pacer.ts'
import type { MissedInputs } from '../status/missed-inputs.ts'
import type { Pause } from '../status/play-state.ts'
import type { RanTick } from './tick-runner.ts'

/** Which seat this client has, and from which tick on. */
export type ToldSeat = Pick<MessageBody<'RelaySeated'>, 'seat' | 'seatTick'>

/** The match whose ticks are settled. */
export interface SettledMatch {
  readonly simulation: {
    readonly tick: number
    readonly matchTick: number
    readonly isPaused: boolean
  }
  readonly orders: OrderOutbox
  readonly bots: BotOutbox
  readonly turns: TurnSender
  readonly pacer: TickPacer
  readonly missed: MissedInputs
  readonly orderWaits: SampleWindow
  readonly handleLeave: ((seat: number, reason: LeaveReason) => void) | undefined
}

/**
 * Handles the consequences of each tick that ran: settles this client's orders and inputs, adjusts its
 * pace, and emits events.
 *
 * It also knows which seat this client has. Seats change hands in ticks, which tell it. Ticks that are
 * replaced by a state tell nothing, so the relay does, with the tick of the newest change. Hand-overs in
 * ticks up to that one are history:
 *
 *     lost the seat       got it back             state              running
 *     ────┴───────────────────┴─────────────────────┴──────────────────────►
 *                             └ told: that seat, from this tick on
 */
export class TickSettler {
  readonly #match: SettledMatch
  readonly #emit: (event: ClientEvent) => void
  #seated: MessageBody<'RelaySeated'>
  #nowMs = 0
  #pause: Pause | undefined
  /** When the last paused tick ran. */
  #pausedAtMs = Number.NEGATIVE_INFINITY

  constructor(
    match: SettledMatch,
    seated: MessageBody<'RelaySeated'>,
    emit: (event: ClientEvent) => void,
  ) {
    this.#match = match
    this.#seated = seated
    this.#emit = emit
  }

  /** What the relay said when it let us in, with the current seat. */
  get seated(): MessageBody<'RelaySeated'> {
    return this.#seated
  }

  /** The current pause: since when, and who asked for it. */
  pauseAt(nowMs: number): Pause | undefined {
    const { simulation } = this.#match
    if (this.#pause !== undefined || !simulation.isPaused) return this.#pause
    // The state was loaded in the middle of a pause, so who asked for it is unknown.
    return { seat: undefined, tick: simulation.tick, atMs: nowMs }
  }

  settle(ran: RanTick, nowMs: number): void {
    const { report, orders, events } = ran
    this.#nowMs = nowMs
    const own = this.#seated.seat ?? spectatorSeat(this.#seated.member)
    if (events.length > 0) this.#handleEvents(events)
    for (let index = 0; index < orders.length; index++) {
      const order = orders[index] as RanTick['orders'][number]
      if (order.seat !== own) this.#match.bots.noteSealed(order)
    }
    // Ticks sealed before we joined or took the seat, and their orders, are not ours.
    if (report.matchTick > this.#seated.sealedTick) this.#settleOwn(ran, own)
    if (report.outcomes.length > 0 || report.faults.length > 0) {
      // The simulation reuses its report for the next tick; an event is kept until it is polled.
      const { tick, matchTick, outcomes, faults, systemHashes } = report
      const kept = { tick, matchTick, outcomes, faults, systemHashes }
      this.#emit({ type: 'tick', report: kept })
      for (const fault of faults) this.#emit({ type: 'fault', fault })
    }
  }

  #settleOwn({ report, orders, missing }: RanTick, own: number): void {
    const { simulation, orders: outbox, orderWaits, missed } = this.#match
    const { isPaused } = simulation
    for (let index = 0; index < orders.length; index++) {
      const order = orders[index] as RanTick['orders'][number]
      if (order.seat !== own) continue
      const pending = outbox.find(order.id, order.bytes, isPaused)
      const outcome = report.outcomes[index]
      if (pending === undefined || outcome === undefined) continue
      // A wait that includes a pause says nothing about the connection.
      const wasHeld = pending.issuedAtMs <= this.#pausedAtMs
      if (!wasHeld) orderWaits.add(this.#nowMs - pending.issuedAtMs)
      outbox.finish(pending, endOf(outcome, report.tick), isPaused)
    }
    if (isPaused) this.#pausedAtMs = this.#nowMs
    if (own < 0) return
    const isMissed = missing[own] === 1
    missed.note(report.matchTick, isMissed)
    if (!isMissed) return
    this.#match.turns.noteMissed(this.#nowMs)
    this.#emit({ type: 'input-missed', tick: report.matchTick, count: missed.total })
  }

  #handleEvents(events: RanTick['events']): void {
    const { simulation, turns, pacer } = this.#match
    if (simulation.matchTick > this.#seated.seatTick) this.#handleHandOvers(events)
    for (const event of events) {
      if (event.type === 'delay') turns.setDelay(event.ticks)
      if (event.type === 'resume') this.#pause = undefined
      if (event.type === 'leave' && simulation.matchTick > this.#seated.sealedTick) {
        this.#match.handleLeave?.(event.seat, event.reason)
      }
      if (event.type === 'pause') {
        this.#pause ??= { seat: event.seat, tick: simulation.tick, atMs: this.#nowMs }
      }
      if (event.type !== 'speed') continue
      pacer.setSpeed(event.percent, simulation.matchTick)
      turns.setSpeed(event.percent)
    }
  }

  /**
   * The relay says which seat we have. What it says is not used if ticks that still have to run here lead
   * there: our orders in those before the change are those of the seat that we had then.
   */
  hearSeat(told: ToldSeat, isWaitingForState: boolean): void {
    const { seat, seatTick, sealedTick } = this.#seated
    const isCorrection = told.seatTick === seatTick && told.seat !== seat
    const isNews = told.seatTick > seatTick && isWaitingForState
    // What is ordered now may be in that tick already: it is not sealed yet.
    const lastTick = Math.max(sealedTick, told.seatTick - 1)
    if (isNews || isCorrection) this.#takeSeat(told, lastTick)
  }

  /** Seats may have other players from this tick on. We may have gained or lost one. */
  #handleHandOvers(events: RanTick['events']): void {
    const { matchTick } = this.#match.simulation
    const { member: own } = this.#seated
    let { seat } = this.#seated
    let isAboutUs = false
    for (const event of events) {
      if (event.type !== 'hand-over' || (event.member !== own && event.seat !== seat)) continue
      seat = event.member === own ? event.seat : undefined
      isAboutUs = true
    }
    if (isAboutUs) this.#takeSeat({ seat, seatTick: matchTick }, matchTick)
  }

  /** We have another seat, or have one again. Ticks up to the last one have no orders of ours there. */
  #takeSeat({ seat, seatTick }: ToldSeat, sealedTick: number): void {
    const before = this.#seated.seat
    this.#seated = { ...this.#seated, seat, seatTick, sealedTick }
    // The relay has dropped the orders that it accepted for the old seat and has not sealed.
    this.#match.orders.loseAnswered()
    if (seat === before) return
    this.#match.missed.restart()
    this.#emit({ type: 'seat', seat })
  }
}
