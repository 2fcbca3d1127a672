/**
 * One match, played from a script, whatever carries it. The relay's clock stands still until everything
 * that the script wants in the next tick has arrived, so how long that took leaves no trace:
 *
 *     inputs set, orders issued one after the other ──► all of it at the relay ──► one tick of time
 *          ▲                                                                           │
 *          └────────────── every player has run it and sent its next input ◄───────────┘
 */

import { RelayDriver } from '../../src/driver/machines/relay-driver.ts'
import type { OrderHandle, Match as PlayedMatch } from '../../src/driver/match/match.ts'
import { joinMatch } from '../../src/driver/online/join-match.ts'
import type { Match } from '../../src/relay/match/match.ts'
import { Relay } from '../../src/relay/relay.ts'
import type { Game } from '../../src/sim/game/definition/define-game.ts'
import { defineGame } from '../../src/sim/game/definition/define-game.ts'
import type { Simulation } from '../../src/sim/game/run/simulation.ts'
import { CosmeticRandom } from '../../src/sim/random/index.ts'
import { bool, i32, range, u16 } from '../../src/sim/schema/index.ts'
import { table } from '../../src/sim/state/table.ts'
import { Conditioner } from '../../src/transport/conditioner/conditioner.ts'
import type { Carrier } from './carriers.ts'

/** Every order, input, event and random number leaves its trace in the state. */
const scripted = defineGame({
  id: 'scripted',
  version: 1,
  // Fast, so that players who run ticks in their time take little of ours.
  tickRate: 120,
  seats: { min: 3, max: 3 },
  state: { players: table(3, { x: i32, fired: u16, luck: u16, orders: u16, isGone: bool }) },
  input: { dx: range(-3, 3).default(0), fire: bool.oneShot() },
  orders: { jump: { by: range(-500, 500) }, wish: {} },
  setup({ state }) {
    for (let seat = 0; seat < 3; seat++) state.players.add()
  },
  validate({ order }) {
    return order.type !== 'jump' || order.data.by !== 0 || 'Nowhere to jump to'
  },
  step({ state, inputs, orders, events, random }) {
    const { players } = state
    inputs.forEach(({ dx, fire }, seat) => {
      players.x[seat]! += dx
      if (fire) players.fired[seat]! += 1
    })
    for (const order of orders) {
      players.orders[order.seat]! += 1
      if (order.type === 'jump') players.x[order.seat]! += order.data.by
      else players.luck[order.seat] = random.below(65_536)
    }
    for (const event of events) if (event.type === 'leave') players.isGone[event.seat] = 1
  },
})

type MatchOf<T> = T extends Game<infer G, infer R> ? PlayedMatch<G, R, Simulation<G, R>> : never
type Player = MatchOf<typeof scripted>

/** What a scripted match leaves behind: the same bytes, whatever carried it. */
export interface Outcome {
  /** In hexadecimal, by tick less one. */
  readonly bundles: readonly string[]
  readonly hash: string | undefined
  /** How every order ended, in the sequence in which they were issued. */
  readonly ends: readonly string[]
  /** What the connections of the players said that they are, at the end. */
  readonly transports: readonly (string | undefined)[]
}

/** Enough that everybody loses its link, some of them twice, and that somebody has left for a while. */
export const ticks = 150
const inputDelay = 3

/** Plays the script with one carrier for each player. Each loses its connection once on the way. */
export async function playScript(open: CarrierSource): Promise<Outcome> {
  const stage = new ScriptStage()
  const doors: Carrier[] = []
  try {
    for (let seat = 0; seat < 3; seat++) {
      const carrier = await open(seat, stage.relay)
      doors.push(carrier)
      await stage.seat(seat, carrier)
    }
    for (let tick = 1; tick <= ticks; tick++) await stage.playTick(tick)
    return stage.outcome()
  } finally {
    stage.close()
    for (const door of new Set(doors)) await door.close()
  }
}

/** Gives the carrier of a seat, whose door leads to this relay. */
export type CarrierSource = (seat: number, relay: RelayDriver) => Promise<Carrier>

class ScriptStage {
  readonly relay: RelayDriver
  readonly #bundles: string[] = []
  readonly #players: Player[] = []
  readonly #conditioners: Conditioner[] = []
  readonly #handles: OrderHandle[] = []
  readonly #draw = new CosmeticRandom(99)
  /** The relay's time, and the timer that it asked for. */
  #nowMs = 0
  #timer: { readonly atMs: number; readonly callback: () => void } | undefined

  constructor() {
    const random = new CosmeticRandom(11)
    const randomBytes = (count: number) =>
      Uint8Array.from({ length: count }, () => random.below(256))
    const timing = {
      nowMs: () => this.#nowMs,
      schedule: (callback: () => void, delayMs: number) => {
        this.#timer = { atMs: this.#nowMs + delayMs, callback }
        return () => {
          this.#timer = undefined
        }
      },
    }
    this.relay = new RelayDriver(
      new Relay({ randomBytes }),
      {
        handleMatch: (_match, event) => {
          if (event.type === 'sealed') this.#bundles.push(Buffer.from(event.bundle).toString('hex'))
        },
      },
      timing,
    )
  }

  /** One after the other, so that everybody gets the same seat each time. */
  async seat(seat: number, carrier: Carrier): Promise<void> {
    const conditioner = new Conditioner()
    this.#conditioners.push(conditioner)
    const player = await joinMatch(scripted, {
      url: 'ws://relay.test',
      match: 'scripted',
      name: `player ${seat}`,
      dial: carrier.dial,
      conditioner,
      inputDelay,
      missing: { kind: 'wait', waitMs: 4_000 },
      advanced: { retryMs: 5 },
      timeoutMs: 20_000,
    })
    if (player.seat !== seat) throw new Error(`Seat ${player.seat} was given instead of ${seat}`)
    this.#players.push(player)
  }

  async playTick(tick: number): Promise<void> {
    for (const [seat, player] of this.#seated()) {
      player.input({ dx: this.#draw.below(7) - 3, fire: this.#draw.below(9) === 0 })
      if ((tick + seat * 17) % 70 === 40) await this.#breakLink(seat, player)
      if (this.#draw.below(4) === 0) await this.#issue(player)
    }
    // Near the end somebody leaves: for everybody at the same tick.
    if (tick === ticks - 20) await this.#leave()
    await until(() => this.#match.sealer.isComplete, `the inputs of tick ${tick}`)
    this.#seal(tick)
    await until(
      () =>
        this.#seated().every(([, { cursors }]) => {
          return cursors.simulatedTick === tick && cursors.inputTick >= tick + inputDelay
        }),
      `everybody at tick ${tick}`,
    )
  }

  outcome(): Outcome {
    const players = this.#seated().map(([, player]) => player)
    const hashes = new Set(players.map(({ simulation }) => simulation.syncHashAt(ticks)))
    if (hashes.size !== 1) throw new Error(`The players differ: ${[...hashes].join(', ')}`)
    return {
      bundles: this.#bundles,
      hash: [...hashes][0],
      ends: this.#handles.map(({ end }) => JSON.stringify(end)),
      transports: players.map(({ transport }) => transport),
    }
  }

  close(): void {
    for (const player of this.#players) player.close()
    this.relay.stop()
  }

  get #match(): Match {
    return this.relay.relay.matches.get('scripted') as Match
  }

  #seated(): [number, Player][] {
    return [...this.#players.entries()].filter(([, { status }]) => status !== 'closed')
  }

  /** The relay has it before anything else happens: so much for the sequence. */
  async #issue(player: Player): Promise<void> {
    const { waitingOrders } = this.#match.sealer
    const by = this.#draw.below(9) - 4
    this.#handles.push(
      this.#draw.below(3) === 0 ? player.order('wish', {}) : player.order('jump', { by }),
    )
    await until(() => this.#match.sealer.waitingOrders > waitingOrders, 'an order')
  }

  async #breakLink(seat: number, player: Player): Promise<void> {
    this.#conditioners[seat]!.breakConnections()
    await until(() => player.status === 'reconnecting', 'the loss of a link')
    await until(() => player.status === 'active', 'a new link')
  }

  async #leave(): Promise<void> {
    this.#players[1]!.close()
    await until(() => this.#match.sessions.length === 2, 'somebody to leave')
  }

  /** Lets the relay's time pass until the tick is sealed. */
  #seal(tick: number): void {
    for (let steps = 0; this.#bundles.length < tick; steps++) {
      if (steps === 1_000) throw new Error(`Tick ${tick} is not sealed`)
      const { callback, atMs } = this.#timer ?? { callback: () => {}, atMs: this.#nowMs + 1 }
      this.#nowMs = Math.max(Math.min(atMs, this.#nowMs + 1), this.#nowMs)
      if (this.#nowMs < atMs) continue
      this.#timer = undefined
      callback()
    }
  }
}

/** Waits for what sockets bring. */
async function until(isSo: () => boolean, what: string): Promise<void> {
  for (let turn = 0; turn < 20_000; turn++) {
    if (isSo()) return
    // Packets of sockets come between turns of the event loop, never inside of microtasks.
    await new Promise((resolve) => (turn < 50 ? setImmediate(resolve) : setTimeout(resolve, 1)))
  }
  throw new Error(`Waited in vain for ${what}`)
}
