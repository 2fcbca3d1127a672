import { Relay } from '../../relay/relay.ts'
import type { RelayOutput } from '../../relay/relay-outputs.ts'
import type { GameState } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { defineGame } from '../../sim/game/definition/define-game.ts'
import { derived } from '../../sim/game/derived/derived.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import { CosmeticRandom } from '../../sim/random/index.ts'
import { ConnectError } from '../../transport/connect-error.ts'
import type { Connection, Dial } from '../../transport/connection.ts'
import { listenInMemory } from '../../transport/memory.ts'
import { TestTiming } from '../../transport/testing/test-timing.ts'
import type { RelayDriverHooks } from '../machines/relay-driver.ts'
import { RelayDriver } from '../machines/relay-driver.ts'
import type { Match } from '../match/match.ts'
import { joinOnline } from '../online/join-online.ts'
import type { JoinOptions } from '../online/join-options.ts'
import { bool, i16, oneOf, single, table, u8, u16 } from './kit.ts'

/** Refused by {@link ledger} in any state. */
export const noSuchMark = 65_535

/** Refused by {@link ledger} until there was another one. */
export const lateMark = 65_534

const state = {
  seats: table(8, { due: u16, gaps: u16, copies: u16, held: i16 }),
  all: single({ leaves: u8 }),
}

type LedgerState = GameState<{ state: typeof state }>

/** Every order is numbered by its issuer, so that the state shows what was lost or doubled. */
export const ledger = defineGame({
  id: 'ledger',
  version: 3,
  tickRate: 20,
  seats: { min: 1, max: 8 },
  state,
  input: { right: bool },
  orders: { mark: { number: u16 }, crash: {} },
  options: { goal: u8.default(5), rules: oneOf(['short', 'long']) },
  render: { seats: { held: 'lerp' } },
  setup({ state }) {
    for (let seat = 0; seat < 8; seat++) state.seats.add()
  },
  derived: { marks: derived((state: LedgerState) => Math.max(...Array.from(state.seats.due))) },
  validate({ order, derived }) {
    if (order.type !== 'mark') return true
    if (order.data.number === noSuchMark) return 'There is no such mark'
    return order.data.number !== lateMark || derived.marks > 0 || 'Nobody has marked anything'
  },
  step({ state, inputs, orders, events }) {
    inputs.forEach((input, seat) => {
      if (input.right) state.seats.held[seat]! += 1
    })
    for (const { type, seat, data } of orders) {
      if (type === 'crash') throw new Error('crashed')
      const due = state.seats.due[seat]!
      if (data.number < due) state.seats.copies[seat]! += 1
      if (data.number > due) state.seats.gaps[seat]! += 1
      state.seats.due[seat] = data.number + 1
    }
    for (const { type } of events) if (type === 'leave') state.all.leaves += 1
  },
})

type ShapeOf<T> = T extends Game<infer G, infer _> ? G : never
type RenderOf<T> = T extends Game<infer _, infer R> ? R : never

/** The types of {@link ledger}. */
export type LedgerShape = ShapeOf<typeof ledger>

/** What it keeps of the tick before. */
export type LedgerRender = RenderOf<typeof ledger>

/** A match of {@link ledger}. */
export type LedgerMatch = Match<LedgerShape, LedgerRender, Simulation<LedgerShape, LedgerRender>>

/** One relay and any number of players in one process, in virtual time. */
export class DriverWorld {
  /** What is played: another game of the same shape, where a test says so. */
  game: Game<LedgerShape, LedgerRender> = ledger
  readonly timing = new TestTiming()
  readonly outputs: Extract<RelayOutput, { type: 'match' }>[] = []
  readonly relay: RelayDriver
  /** Ends that the relay accepted, in sequence. */
  readonly accepted: Connection[] = []
  /** Ends that were dialled, in sequence. */
  readonly dialed: Connection[] = []
  /** When dials were begun. */
  readonly dialedAtMs: number[] = []
  /** While it is set, every dial fails. */
  isUnreachable = false
  readonly dial: Dial

  constructor(kind: 'stream' | 'datagram' = 'stream') {
    const random = new CosmeticRandom(7)
    const relay = new Relay({
      randomBytes: (count) => Uint8Array.from({ length: count }, () => random.below(256)),
    })
    const handleMatch: RelayDriverHooks['handleMatch'] = (match, event) => {
      this.outputs.push({ type: 'match', match, event })
    }
    this.relay = new RelayDriver(relay, { handleMatch }, this.timing)
    const door = listenInMemory(
      (connection) => {
        this.accepted.push(connection)
        this.relay.accept(connection)
      },
      { kind },
    )
    this.dial = async (signal) => {
      this.dialedAtMs.push(this.timing.nowMs())
      if (this.isUnreachable) throw new ConnectError('SS_CONNECT_REFUSED', 'memory:0', 'nobody')
      const connection = await door.dial(signal)
      this.dialed.push(connection)
      return connection
    }
  }

  /** Begins to join; let time pass before awaiting it. */
  join(options: Partial<JoinOptions<LedgerShape>> = {}): Promise<LedgerMatch> {
    const { timing, dial } = this
    const usual: JoinOptions<LedgerShape> = {
      url: 'ws://relay.test',
      match: 'friday',
      seats: 1,
      timing,
      dial,
    }
    return joinOnline(this.game, { ...usual, guard: false, ...options })
  }

  /** Joins, and lets the time pass that it takes. */
  async seat(options: Partial<JoinOptions<LedgerShape>> = {}): Promise<LedgerMatch> {
    return this.finish(this.join(options))
  }

  /** Lets the time pass that something takes. */
  async finish<T>(doing: Promise<T>): Promise<T> {
    let isDone = false
    const done = doing.finally(() => {
      isDone = true
    })
    for (let ms = 0; ms < 5_000 && !isDone; ms++) await this.timing.pass(1)
    return done
  }

  /** Ticks sealed so far. */
  get sealedTick(): number {
    return this.outputs.filter(({ event }) => event.type === 'sealed').length
  }
}
