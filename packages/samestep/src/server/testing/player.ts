/** A player of a small game over real sockets, for tests of a whole relay. */

import { Client } from '../../client/client.ts'
import type { ClientEvent } from '../../client/events.ts'
import type { OrderEnd } from '../../client/outbox/order-outbox.ts'
import { makeRunning } from '../../client/run/make-running.ts'
import { ClientDriver } from '../../driver/machines/client-driver.ts'
import { defineGame } from '../../sim/game/definition/define-game.ts'
import { bool, u32 } from '../../sim/schema/index.ts'
import { single } from '../../sim/state/single.ts'
import type { Connection, ConnectionEnd, Dial } from '../../transport/connection.ts'
import { machineTiming } from '../../transport/timing.ts'
import { dialWebSocket } from '../../transport/websocket-client.ts'

/** A game that only counts. */
export const countGame = defineGame({
  id: 'count',
  version: 1,
  tickRate: 30,
  seats: { min: 1, max: 8 },
  state: { tally: single({ marks: u32 }) },
  input: { up: bool },
  orders: { mark: {} },
  setup() {},
  apply({ state }) {
    state.tally.marks += 1
  },
  step() {},
})

function makeClient(
  options: { match: string; name: string; seats: number; build: string },
  token: string | undefined,
  onBundle: (tick: number, bytes: Uint8Array) => void,
) {
  return new Client(
    countGame,
    {
      ...options,
      ticket: random(16),
      secret: random(32),
      // A test may write to the state on purpose.
      guard: false,
      onBundle,
      ...(token === undefined ? {} : { token }),
    },
    makeRunning,
  )
}

type CountClient = ReturnType<typeof makeClient>

/** How a player comes in. */
export interface PlayerOptions {
  readonly match: string
  readonly name?: string
  readonly seats?: number
  /** Which build of the game it says it is. */
  readonly build?: string
  /** What it shows to be let in. */
  readonly token?: string
  /** Dials by something else than a WebSocket at the relay's address. */
  readonly dial?: Dial
  /** Does not name the match in the address, as only old or foreign clients do. */
  readonly isAnonymous?: boolean
}

/** A client of the test game over a real connection. */
export class TestPlayer {
  readonly events: ClientEvent[] = []
  /** How each of its connections ended. */
  readonly ends: ConnectionEnd[] = []
  /** When each tick came, on this machine's clock. */
  readonly tickAtMs: number[] = []
  readonly match: string
  readonly #client: CountClient
  /** How each of its orders ended, in sequence. */
  readonly orderEnds: OrderEnd[] = []
  /** The bytes of each tick that it ran, from the first. */
  readonly bundles: Uint8Array[] = []
  readonly #driver: { wake(): void; stop(): void; flush(): void }

  constructor(url: string, options: PlayerOptions) {
    const { match, name = 'Ada', seats = 1, build = '', isAnonymous = false } = options
    const client = makeClient({ match, name, seats, build }, options.token, (_, bytes) => {
      this.bundles.push(bytes)
    })
    const address = isAnonymous ? url : `${url}/?match=${encodeURIComponent(match)}`
    const dial = options.dial ?? dialWebSocket(address)
    this.match = match
    this.#client = client
    this.#driver = new ClientDriver(
      client,
      async (signal) => this.#watch(await dial(signal)),
      machineTiming,
      {
        handleEvent: (event) => this.events.push(event),
        handleProgress: (nowMs) => {
          const { sealedTick } = client.cursors
          while (this.tickAtMs.length < sealedTick) this.tickAtMs.push(nowMs)
          client.runTicks(Number.POSITIVE_INFINITY)
        },
      },
    )
    this.#driver.wake()
  }

  /** The newest tick that came. */
  get ticks(): number {
    return this.tickAtMs.length
  }

  /** Orders that it ran, of everybody. */
  get marks(): number {
    return this.#client.simulation?.state.tally.marks ?? 0
  }

  /** Its own state becomes another than that of everybody else. */
  spoil(): void {
    const { simulation } = this.#client
    if (simulation !== undefined) simulation.state.tally.marks += 1
  }

  /** Whether the match stands still here. */
  get isPaused(): boolean {
    return this.#client.simulation?.isPaused === true
  }

  /** Asks for a pause. */
  pause(): void {
    this.#client.act({ type: 'pause' })
    this.#driver.wake()
  }

  /** Marks once. */
  mark(): void {
    this.#client.issue('mark', {}, (end) => this.orderEnds.push(end))
    this.#driver.wake()
  }

  get seat(): number | undefined {
    return this.#client.seat
  }

  /** How it ended, if it did. */
  get closed(): Extract<ClientEvent, { type: 'closed' }> | undefined {
    return this.events.find((event) => event.type === 'closed')
  }

  stop(): void {
    this.#driver.stop()
  }

  /** Writes down how a connection ends. */
  #watch(connection: Connection): Connection {
    const { open } = connection
    connection.open = (handler) =>
      open.call(connection, {
        handlePacket: (bytes) => handler.handlePacket(bytes),
        handleClosed: (end) => {
          this.ends.push(end)
          handler.handleClosed(end)
        },
      })
    return connection
  }
}

function random(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count))
}
