import fc from 'fast-check'
import { expect, test } from 'vitest'
import { outboxOrdersMax } from '../wire/limits.ts'
import type { MatchConfig } from '../wire/messages/messages.ts'
import { Match } from './match/match.ts'
import type { MatchEvent } from './match/match-types.ts'
import type { Session } from './match/session.ts'
import { BundleReader, orderOf, testConfig, testIdentity, turnBytes } from './testing/match-kit.ts'
import type { ModelTurn } from './testing/model-relay.ts'
import { ModelRelay } from './testing/model-relay.ts'
import { RecordingChannel } from './testing/recording-channel.ts'

/** What happens next at the relay. Seats are asked for whether they are taken when it comes to it. */
type Step =
  | {
      readonly kind: 'turn'
      readonly seat: number
      /** Orders of the past that are sent again, and new ones by their sizes. */
      readonly repeated: number
      readonly sizes: readonly number[]
      /** Distance of the first input from the next tick, and the inputs. */
      readonly ahead: number
      readonly inputs: readonly (readonly [number, number, number])[]
    }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'leave'; readonly seat: number }
  | { readonly kind: 'join' }

const seats = 3
/** Half a second at the 20 ticks per second of this match. */
const joinGraceTicks = 10

const input = fc.tuple(fc.constantFrom(100, 0, 7, 255), fc.nat(1), fc.constantFrom(5, 5, 9))

const turnStep = fc.record({
  kind: fc.constant('turn' as const),
  seat: fc.nat(seats - 1),
  repeated: fc.nat(3),
  sizes: fc.array(fc.constantFrom(0, 1, 1, 30, 300, 1_024), { maxLength: 12, size: 'max' }),
  ahead: fc.integer({ min: -4, max: 70 }),
  inputs: fc.array(input, { maxLength: 4 }),
})

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: turnStep },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.oneof({ weight: 9, arbitrary: fc.nat(120) }, { weight: 1, arbitrary: fc.nat(1_500) }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('leave' as const), seat: fc.nat(seats - 1) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('join' as const) }) },
)

const policy = fc.constantFrom('idle' as const, 'repeat' as const)

/** The real match and the model, side by side. */
class Pair {
  readonly #match: Match
  readonly #model: ModelRelay
  readonly #config: MatchConfig
  readonly #sessions: (Session | undefined)[] = new Array<undefined>(seats).fill(undefined)
  readonly #issued: Uint8Array[][] = Array.from({ length: seats }, () => [])
  readonly #refusals: number[] = new Array<number>(seats).fill(0)
  /** New orders of each seat since the last tick. */
  readonly #fresh: number[] = new Array<number>(seats).fill(0)
  refused = 0
  #nowMs = 0
  #mark = 0
  ticks = 0

  constructor(kind: 'idle' | 'repeat') {
    this.#config = { ...testConfig, seats, missing: { kind, waitMs: 0 } }
    const reader = new BundleReader(this.#config)
    this.#model = new ModelRelay(this.#config, joinGraceTicks)
    const emit = (event: MatchEvent): void => {
      if (event.type !== 'sealed') return
      this.#fresh.fill(0)
      const real = reader.read(event.bundle)
      const { tick, orders, ...rest } = this.#model.seal()
      const wireOrders = orders.map((order) => ({ ...order, number: order.number % 256 }))
      expect({ tick: event.tick, ...real }).toEqual({ tick, orders: wireOrders, ...rest })
      this.ticks += 1
    }
    this.#match = new Match({
      id: 'id',
      name: 'm',
      seed: 'seed',
      config: this.#config,
      identity: testIdentity,
      nowMs: 0,
      randomWord: () => 1,
      emit,
    })
    for (let seat = 0; seat < seats; seat++) this.#join()
  }

  run(next: Step): void {
    if (next.kind === 'turn') this.#turn(next)
    if (next.kind === 'join' && this.#match.joinFault('player') === undefined) {
      this.#join()
    }
    if (next.kind === 'wait') this.#advanceTo(this.#nowMs + next.ms)
    if (next.kind === 'leave') this.#leave(next.seat)
  }

  #join(): void {
    const session = this.#match.admit('x', 'player', new Uint8Array(16), this.#nowMs)
    session.attach(1, new RecordingChannel('stream'), 0)
    // Nobody proves here that he executes anything: of who is hidden that is not asked.
    this.#match.handleMessage(
      session,
      { name: 'ClientHere', body: { activity: 'hidden' } },
      this.#nowMs,
    )
    const seat = session.seat as number
    this.#sessions[seat] = session
    this.#issued[seat] = []
    this.#refusals[seat] = 0
    this.#fresh[seat] = 0
    this.#model.join(seat, this.#nowMs)
  }

  #leave(seat: number): void {
    const session = this.#sessions[seat]
    // The last one stays: what comes after the end is nobody's tick.
    if (session === undefined || this.#sessions.filter(Boolean).length === 1) return
    this.#match.remove(session, 'left', this.#nowMs)
    this.#sessions[seat] = undefined
    this.#model.leave(seat, 'left')
  }

  #turn(next: Extract<Step, { kind: 'turn' }>): void {
    const session = this.#sessions[next.seat]
    if (session === undefined) return
    const issued = this.#issued[next.seat]!
    const before = this.#refusals[next.seat]!
    const firstOrder = Math.max(issued.length - next.repeated, 0)
    let left = outboxOrdersMax - Math.max(this.#fresh[next.seat]!, before)
    for (const size of next.sizes) {
      // No honest client has more on its way than its outbox holds.
      if (left-- <= 0) break
      this.#fresh[next.seat]! += 1
      issued.push(orderOf(this.#mark++, size))
    }
    const turn: ModelTurn = {
      firstOrder,
      orders: issued.slice(firstOrder),
      firstInputTick: Math.max(this.#match.sealer.sealedTick + next.ahead, 1),
      inputs: next.inputs,
    }
    const fault = this.#match.handleTurn(session, turnBytes(this.#config, turn), this.#nowMs)
    const refused = this.#model.turn(next.seat, turn, this.#nowMs).length
    this.refused += refused
    this.#refusals[next.seat] = before + refused
    expect([fault, session.control.openRefusals]).toEqual([undefined, this.#refusals[next.seat]])
  }

  #advanceTo(untilMs: number): void {
    for (let wake = this.#match.wakeAtMs(); wake <= untilMs; wake = this.#match.wakeAtMs()) {
      this.#match.handleTime(wake)
    }
    this.#nowMs = untilMs
  }
}

test('on any arrivals a match seals what a naive model of it seals', () => {
  let ticks = 0
  let refused = 0
  fc.assert(
    fc.property(policy, fc.array(step, { minLength: 20, maxLength: 150 }), (kind, steps) => {
      const pair = new Pair(kind)
      for (const next of steps) pair.run(next)
      pair.run({ kind: 'wait', ms: 2_000 })
      ticks += pair.ticks
      refused += pair.refused
    }),
    { numRuns: 40 },
  )
  expect(ticks).toBeGreaterThan(1_000)
  expect(refused).toBeGreaterThan(100)
})
