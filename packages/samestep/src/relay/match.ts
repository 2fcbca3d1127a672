import { assert } from '../base/assert.ts'
import { BitWriter } from '../base/bit-writer.ts'
import type { LeaveReason } from '../sim/game/bundle.ts'
import { orderBytesMax } from '../sim/limits.ts'
import type { ClientTurn } from '../wire/client-turn.ts'
import { readClientTurn, turnSlotsMax } from '../wire/client-turn.ts'
import { outboxOrdersMax, spectatorsMax } from '../wire/limits.ts'
import type { MatchConfig } from '../wire/messages.ts'
import { encodeMessage } from '../wire/messages.ts'
import { BundleLog } from './bundle-log.ts'
import { HashBoard } from './hash-board.ts'
import { Sealer } from './sealer.ts'
import { Session } from './session.ts'
import { TickClock } from './tick-clock.ts'

/** What everybody in a match must have in common. */
export interface GameIdentity {
  readonly gameId: string
  readonly gameVersion: number
  readonly fingerprint: Uint8Array
}

/** What a match tells whoever runs it. */
export type MatchEvent =
  | { readonly type: 'started'; readonly tick: number }
  | { readonly type: 'sealed'; readonly tick: number; readonly bundle: Uint8Array }
  | { readonly type: 'hash-mismatch'; readonly tick: number; readonly seat: number | undefined }
  | { readonly type: 'left'; readonly seat: number; readonly reason: LeaveReason }
  | { readonly type: 'ended' }

/** Why a message of a seated client is not taken: its session ends with this. */
export type TurnFault = 'ack-of-unsent' | 'order-gap' | 'order-flood'

type Phase =
  | { readonly name: 'gathering'; noticeAtMs: number }
  | { readonly name: 'running'; readonly clock: TickClock; waitingSinceMs: number }
  | { readonly name: 'ended' }

// Shared by all matches, so that they stay in the cache: calls do not overlap.
const writer = new BitWriter(1_500)
let turnSlots = new Uint32Array(0)
const turnContext = { nearReceived: 0, nearInputTick: 0, nearOrderNumber: 0 }

/**
 * One match: who sits where, which ticks are sealed, who still needs which of them. It never runs the
 * game and never decodes an order.
 */
export class Match {
  readonly id: string
  readonly name: string
  readonly seed: string
  readonly config: MatchConfig
  readonly identity: GameIdentity
  readonly sealer: Sealer
  readonly log: BundleLog
  readonly #sessions = new Set<Session>()
  readonly #seats: (Session | undefined)[]
  readonly #hashes = new HashBoard()
  readonly #emit: (event: MatchEvent) => void
  #phase: Phase = { name: 'gathering', noticeAtMs: 0 }

  constructor(
    id: string,
    name: string,
    seed: string,
    config: MatchConfig,
    identity: GameIdentity,
    emit: (event: MatchEvent) => void,
    waitingMax?: number,
  ) {
    this.id = id
    this.name = name
    this.seed = seed
    this.config = config
    this.identity = identity
    this.sealer = new Sealer(config, waitingMax)
    this.log = new BundleLog()
    this.#seats = new Array<Session | undefined>(config.seats).fill(undefined)
    const slotsMax = turnSlotsMax(this.sealer.codec.delta)
    if (turnSlots.length < slotsMax) turnSlots = new Uint32Array(slotsMax)
    this.#emit = emit
  }

  get phase(): 'gathering' | 'running' | 'ended' {
    return this.#phase.name
  }

  get sessions(): ReadonlySet<Session> {
    return this.#sessions
  }

  /** Whether a new player or spectator can come in now. */
  hasRoomFor(role: 'player' | 'spectator'): boolean {
    // Without snapshots only who was there from tick 1 has a state to go on from.
    if (this.log.firstTick > 1 || this.#phase.name === 'ended') return false
    if (role === 'player') return this.#seats.includes(undefined)
    return this.#sessions.size - this.#seatedCount() < spectatorsMax
  }

  /** Gives a seat, or a place to watch from. The match starts when its last seat is taken. */
  admit(name: string, role: 'player' | 'spectator', ticket: Uint8Array, nowMs: number): Session {
    const seat = role === 'player' ? this.#seats.indexOf(undefined) : undefined
    assert(seat !== -1, 'A player was admitted to a full match')
    const session = new Session(ticket, name, seat)
    this.#sessions.add(session)
    if (seat !== undefined) {
      this.#seats[seat] = session
      // What the last player of this seat had ordered and is not sealed must not run as this one's.
      this.sealer.forgetOrders(seat)
      this.sealer.addEvent({ type: 'join', seat })
      const firstTick = this.sealer.sealedTick + 1 + this.config.inputDelay
      this.sealer.expectInputs(seat, firstTick + joinGraceTicks)
    }
    if (this.#phase.name === 'gathering') {
      if (this.#seats.includes(undefined)) this.#phase.noticeAtMs = nowMs
      else this.#start(nowMs)
    }
    return session
  }

  sessionWith(ticket: Uint8Array): Session | undefined {
    for (const session of this.#sessions) {
      const isSame = session.ticket.length === ticket.length
      if (isSame && session.ticket.every((byte, index) => byte === ticket[index])) return session
    }
    return undefined
  }

  /** Ends a session for good. Its seat, if any, is left at the next tick, for everybody the same. */
  remove(session: Session, reason: LeaveReason): void {
    if (!this.#sessions.delete(session)) return
    const { seat } = session
    if (seat !== undefined) {
      this.#seats[seat] = undefined
      this.sealer.forgetInputs(seat)
      this.sealer.addEvent({ type: 'leave', seat, reason })
      this.#emit({ type: 'left', seat, reason })
    }
    // Who only watches may wait for the first player, but not for players who are gone.
    const isOver = seat === undefined ? this.#sessions.size === 0 : this.#seatedCount() === 0
    if (isOver && this.#phase.name !== 'ended') {
      this.#phase = { name: 'ended' }
      this.#emit({ type: 'ended' })
    }
  }

  /**
   * Takes in what a client did. The bytes are a stranger's: a `WireError` passes through to whoever
   * called; a message that breaks the rules gives a fault.
   */
  handleTurn(session: Session, bytes: Uint8Array, nowMs: number): TurnFault | undefined {
    turnContext.nearReceived = session.ackedTick
    turnContext.nearInputTick = this.sealer.sealedTick
    turnContext.nearOrderNumber = session.nextOrder
    const turn = readClientTurn(bytes, this.sealer.codec.delta, turnContext, turnSlots)
    if (turn.received > session.sentTick) return 'ack-of-unsent'
    session.acknowledge(turn.received, turn.controlSeen)
    if (turn.stamp !== undefined) session.control.noteStamp(turn.stamp, nowMs)
    if (turn.hash !== undefined) this.#takeHash(session, turn.hash)
    this.#takeInputs(session, turn)
    return this.#takeOrders(session, turn, nowMs)
  }

  handleTime(nowMs: number): void {
    const phase = this.#phase
    if (phase.name === 'gathering' && nowMs >= phase.noticeAtMs) this.#sendNotice(phase, nowMs)
    if (phase.name !== 'running') return
    while (phase.clock.isDue(nowMs)) {
      if (this.#mustWait(phase, nowMs)) return
      // However the wait ended, its time is not made up afterwards.
      if (phase.waitingSinceMs >= 0) phase.clock.postpone(nowMs)
      phase.waitingSinceMs = -1
      phase.clock.advance(nowMs)
      this.#seal(nowMs)
    }
  }

  wakeAtMs(): number {
    const phase = this.#phase
    if (phase.name === 'gathering') return phase.noticeAtMs
    if (phase.name === 'ended') return Number.POSITIVE_INFINITY
    if (phase.waitingSinceMs >= 0 && !this.sealer.isComplete) {
      return phase.waitingSinceMs + this.config.missing.waitMs
    }
    return phase.clock.wakeAtMs()
  }

  #start(nowMs: number): void {
    const clock = new TickClock(this.config.tickRate, nowMs)
    this.#phase = { name: 'running', clock, waitingSinceMs: -1 }
    this.#emit({ type: 'started', tick: this.sealer.sealedTick + 1 })
  }

  /** Tells everybody who waits how far it is, and that we are still here. */
  #sendNotice(phase: Extract<Phase, { name: 'gathering' }>, nowMs: number): void {
    phase.noticeAtMs = nowMs + noticeEveryMs
    const body = { takenSeats: this.#seatedCount(), seats: this.config.seats }
    const notice = encodeMessage('RelayGathering', body)
    for (const { channel } of this.#sessions) channel?.sendControl(notice, nowMs)
  }

  /** Under the policy `wait`, a tick waits for its inputs, but not for ever. */
  #mustWait(phase: Extract<Phase, { name: 'running' }>, nowMs: number): boolean {
    const { kind, waitMs } = this.config.missing
    if (kind !== 'wait' || this.sealer.isComplete) return false
    if (phase.waitingSinceMs < 0) phase.waitingSinceMs = nowMs
    return nowMs < phase.waitingSinceMs + waitMs
  }

  #seal(nowMs: number): void {
    const bundle = this.sealer.seal()
    this.log.append(bundle)
    this.#emit({ type: 'sealed', tick: this.sealer.sealedTick, bundle })
    for (const session of this.#sessions) {
      if (session.ackedTick + 1 >= this.log.firstTick) {
        session.sendTicks(this.log, writer, nowMs)
      }
    }
    this.#trimLog()
  }

  /** Ticks that everybody has are needed no more. */
  #trimLog(): void {
    let needed = this.log.sealedTick + 1
    for (const session of this.#sessions) {
      if (session.ackedTick + 1 < needed) needed = session.ackedTick + 1
    }
    // Whoever comes a little late can still run the match from its beginning.
    if (this.log.sealedTick > lateJoinTicks) this.log.dropBefore(needed)
  }

  /** Sessions that confirmed so little that the log has moved on: they need what is gone. */
  fallenBehind(): readonly Session[] {
    const { firstTick } = this.log
    let fallen = nobody
    if (firstTick === 1) return fallen
    for (const session of this.#sessions) {
      if (session.ackedTick + 1 < firstTick) fallen = [...fallen, session]
    }
    return fallen
  }

  #takeHash(session: Session, hash: NonNullable<ClientTurn['hash']>): void {
    const { tick, lo, hi } = hash
    if (tick <= session.executedTick) return
    session.executedTick = tick
    if (!this.#hashes.report(tick, lo, hi)) {
      this.#emit({ type: 'hash-mismatch', tick, seat: session.seat })
    }
  }

  #takeInputs(session: Session, turn: ClientTurn): void {
    const { seat } = session
    if (seat === undefined) return
    const { slotCount } = this.sealer.codec.delta
    let isLate = false
    for (let index = 0; index < turn.inputCount; index++) {
      const tick = turn.firstInputTick + index
      const verdict = this.sealer.addInput(seat, tick, turn.inputs, index * slotCount)
      // Copies of inputs that were in time are normal; only the newest of a turn tells lateness.
      if (verdict === 'late' && index === turn.inputCount - 1) isLate = true
    }
    if (isLate) session.control.countLateInput()
  }

  #takeOrders(session: Session, turn: ClientTurn, nowMs: number): TurnFault | undefined {
    const { orders, firstOrderNumber } = turn
    if (orders.length === 0) return undefined
    if (firstOrderNumber > session.nextOrder) return 'order-gap'
    session.copiedOrders += Math.min(session.nextOrder - firstOrderNumber, orders.length)
    if (firstOrderNumber + orders.length <= session.nextOrder) {
      session.control.repeat()
      return undefined
    }
    for (let index = session.nextOrder - firstOrderNumber; index < orders.length; index++) {
      const bytes = orders[index] as Uint8Array
      const number = session.nextOrder
      session.nextOrder += 1
      const refusal = this.#refusalOf(session, bytes)
      if (refusal === undefined) {
        const seat = session.seat as number
        this.sealer.addOrder({ seat, number: number % 256, bytes, arrivedAtMs: nowMs })
      } else {
        session.control.refuse(number, refusal)
      }
    }
    session.control.answerOrders()
    // An honest client has fewer orders on their way than that, all told.
    return session.control.openRefusals > outboxOrdersMax ? 'order-flood' : undefined
  }

  #refusalOf(session: Session, bytes: Uint8Array) {
    if (session.seat === undefined) return 'no-seat'
    // Orders that come while players gather wait for the first tick.
    if (this.#phase.name === 'ended') return 'not-running'
    if (bytes.byteLength > orderBytesMax) return 'too-large'
    if (!this.sealer.hasRoomFor(session.seat)) return 'queue-full'
    return undefined
  }

  #seatedCount(): number {
    let count = 0
    for (const session of this.#seats) if (session !== undefined) count += 1
    return count
  }
}

const nobody: readonly Session[] = Object.freeze([])

/**
 * Ticks after its first possible input before a seat's missing input is called missing: the round
 * trip in which a client learns that the match began.
 */
const joinGraceTicks = 15

/** How often those who wait for others hear from the relay: well within their patience. */
const noticeEveryMs = 2_000

/** Ticks for which a match that has begun can still be joined: 10 s at 30 ticks per second. */
const lateJoinTicks = 300
