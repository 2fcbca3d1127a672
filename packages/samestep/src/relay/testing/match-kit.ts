import { BitReader } from '../../base/bit-reader.ts'
import { BitWriter } from '../../base/bit-writer.ts'
import type { SystemEvent } from '../../sim/game/run/bundle.ts'
import type { MatchConfig } from '../../wire/messages/match-config.ts'
import { makeMatchConfig } from '../../wire/messages/match-config.ts'
import type { RoomAction } from '../../wire/messages/room-actions.ts'
import { writeAction } from '../../wire/messages/room-actions.ts'
import { slotOf } from '../../wire/testing/slot-of.ts'
import type { BundleOrder } from '../../wire/ticks/bundle-codec.ts'
import { BundleCodec } from '../../wire/ticks/bundle-codec.ts'
import type { TurnReport } from '../../wire/ticks/client-turn.ts'
import { writeClientTurn } from '../../wire/ticks/client-turn.ts'
import { SlotDelta } from '../../wire/ticks/slot-delta.ts'
import type { TurnHash } from '../../wire/ticks/turn-hash.ts'
import { Match } from '../match/match.ts'
import type { Fault, GameIdentity, MatchEvent } from '../match/match-types.ts'
import type { Session } from '../match/session.ts'
import { RecordingChannel } from './recording-channel.ts'

/** A stick, a button that is held, a button that fires once. */
export const testSlots: MatchConfig['inputSlots'] = [slotOf(8, 100), slotOf(1), slotOf(4, 5, true)]

/** Two seats, twenty ticks per second, missing inputs idle. */
export const testConfig: MatchConfig = makeMatchConfig({
  seats: 2,
  tickRate: 20,
  inputDelay: 2,
  inputSlots: testSlots,
  options: Uint8Array.of(1, 2, 3),
})

/** The game that everybody in these tests plays. */
export const testIdentity: GameIdentity = {
  gameId: 'chess',
  gameVersion: 3,
  fingerprint: new Uint8Array(32).fill(7),
}

/** What a bundle says, in plain values. */
export interface PlainBundle {
  readonly orders: readonly BundleOrder[]
  readonly events: readonly SystemEvent[]
  readonly inputs: readonly (readonly number[])[]
  readonly missing: readonly boolean[]
}

/** Reads the bundles of one match, one after the other. */
export class BundleReader {
  readonly #codec: BundleCodec
  readonly #slots: Uint32Array
  readonly #missing: Uint8Array
  readonly #reader = new BitReader()

  constructor(config: MatchConfig) {
    this.#codec = new BundleCodec(config.seats, config.inputSlots)
    this.#slots = new Uint32Array(this.#codec.slotTotal)
    this.#missing = new Uint8Array(config.seats)
    const { delta } = this.#codec
    for (let seat = 0; seat < config.seats; seat++) {
      delta.writeInitial(this.#slots, seat * delta.slotCount)
    }
  }

  read(bytes: Uint8Array): PlainBundle {
    this.#reader.reset(bytes)
    const { orders, events } = this.#codec.decode(this.#reader, this.#slots, this.#missing)
    this.#reader.end()
    const { slotCount } = this.#codec.delta
    return {
      orders: orders.map(({ seat, number, bytes: order }) => ({
        seat,
        number,
        bytes: order.slice(),
      })),
      events: [...events],
      inputs: Array.from(this.#missing, (_, seat) => [
        ...this.#slots.slice(seat * slotCount, (seat + 1) * slotCount),
      ]),
      missing: Array.from(this.#missing, (bit) => bit === 1),
    }
  }
}

/** A turn in plain values. What is left out is not said. */
export interface PlainTurn {
  readonly received?: number
  readonly controlSeen?: number
  /** What it says about itself; a report says what is left out here in the plainest way. */
  readonly report?: Partial<TurnReport>
  readonly heldMs?: number
  /** The executed tick is that of the hash when left out. */
  readonly hash?: Omit<TurnHash, 'executedTick'> & { readonly executedTick?: number }
  readonly firstInputTick?: number
  readonly inputs?: readonly (readonly number[])[]
  readonly firstOrder?: number
  readonly orders?: readonly Uint8Array[]
}

const writer = new BitWriter()

const calm: TurnReport = {
  stamp: 0,
  rttMs: 65_535,
  activity: 'active',
  loadPercent: 0,
  token: undefined,
}

/** The bytes of a turn. */
export function turnBytes(config: MatchConfig, turn: PlainTurn): Uint8Array {
  const { inputs = [], orders = [] } = turn
  writer.reset()
  writeClientTurn(writer, new SlotDelta(config.inputSlots), {
    received: turn.received ?? 0,
    controlSeen: turn.controlSeen ?? 255,
    report: turn.report === undefined ? undefined : { ...calm, ...turn.report },
    heldMs: turn.heldMs ?? 0,
    hash: turn.hash && { executedTick: turn.hash.tick, ...turn.hash },
    firstInputTick: turn.firstInputTick ?? 0,
    inputs: Uint32Array.from(inputs.flat()),
    inputCount: inputs.length,
    firstOrderNumber: turn.firstOrder ?? 0,
    orders,
  })
  return writer.finish()
}

/** An order of some bytes that are easy to tell apart. */
export function orderOf(mark: number, size = 4): Uint8Array {
  return new Uint8Array(size).fill(mark)
}

/** A match with its clock, and all that it told. */
export class MatchBench {
  readonly match: Match
  readonly config: MatchConfig
  /** What it told, without the sealed ticks. */
  readonly events: MatchEvent[] = []
  readonly sealed: (PlainBundle & { readonly tick: number; readonly atMs: number })[] = []
  nowMs = 0
  #tickets = 0
  #words = 0

  constructor(changes: Partial<MatchConfig> = {}) {
    this.config = { ...testConfig, ...changes }
    const reader = new BundleReader(this.config)
    this.match = new Match({
      id: 'id',
      name: 'friday',
      seed: 'seed',
      config: this.config,
      identity: testIdentity,
      nowMs: 0,
      randomWord: () => 1_000 + this.#words++,
      emit: (event) => {
        if (event.type !== 'sealed') this.events.push(event)
        else this.sealed.push({ ...reader.read(event.bundle), tick: event.tick, atMs: this.nowMs })
      },
    })
  }

  /** Events of one kind. */
  told<T extends MatchEvent['type']>(type: T): Extract<MatchEvent, { type: T }>[] {
    return this.events.filter((event) => event.type === type) as Extract<MatchEvent, { type: T }>[]
  }

  /** Somebody comes in over a channel that remembers what it was given. */
  admit(
    role: 'player' | 'spectator' | 'witness' = 'player',
    kind: 'stream' | 'datagram' = 'stream',
  ): { readonly session: Session; readonly channel: RecordingChannel } {
    const ticket = new Uint8Array(16).fill(this.#tickets++)
    const session = this.match.admit('ada', role, ticket, this.nowMs)
    const channel = new RecordingChannel(kind)
    session.attach(session.member.id + 1, channel, 0)
    this.match.handleAttached(session, 0, this.nowMs)
    return { session, channel }
  }

  /** Lets time pass up to a time. */
  runTo(untilMs: number): void {
    const { match } = this
    for (let wake = match.wakeAtMs(); wake <= untilMs; wake = match.wakeAtMs()) {
      this.nowMs = Math.max(wake, this.nowMs)
      match.handleTime(this.nowMs)
    }
    this.nowMs = untilMs
  }

  /** Confirms and executes all that was sent, and proves it. */
  confirm(session: Session, turn: PlainTurn = {}): Fault | undefined {
    const tick = session.sentTick
    const { token } = session.guard.liveness
    const report = { token: token < 0 ? undefined : token, ...turn.report }
    return this.turn(session, {
      received: tick,
      hash: { tick, lo: tick, hi: 0 },
      ...turn,
      report,
    })
  }

  turn(session: Session, turn: PlainTurn): Fault | undefined {
    return this.match.handleTurn(session, turnBytes(this.config, turn), this.nowMs)
  }

  act(session: Session, action: RoomAction): Fault | undefined {
    return this.match.handleMessage(
      session,
      { name: 'ClientAct', body: writeAction(action) },
      this.nowMs,
    )
  }
}
