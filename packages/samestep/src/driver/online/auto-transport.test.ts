import { expect, test } from 'vitest'
import { Relay } from '../../relay/relay.ts'
import { CosmeticRandom } from '../../sim/random/index.ts'
import { Conditioner } from '../../transport/conditioner/conditioner.ts'
import { ConnectError } from '../../transport/connect-error.ts'
import type { Dial } from '../../transport/connection.ts'
import { listenInMemory } from '../../transport/memory.ts'
import { TestTiming } from '../../transport/testing/test-timing.ts'
import type { Doors } from '../../wire/messages/doors.ts'
import { RelayDriver } from '../machines/relay-driver.ts'
import { ledger } from '../testing/driver-world.ts'
import { joinOnline } from './join-online.ts'
import type { JoinOptions } from './join-options.ts'

const allDoors: Doors = { udp: { port: 7_777, key: new Uint8Array(32).fill(9) }, webrtc: true }

/** One relay with a door for streams and one for datagrams, and one player. */
class AutoWorld {
  readonly timing = new TestTiming()
  readonly better = new Conditioner({ timing: this.timing, seed: 3 })
  /** Which better doors were dialled, and when. */
  readonly dialed: [string, number][] = []
  isBetterShut = false
  readonly #relay: RelayDriver
  readonly #home: Dial
  readonly #datagrams: Dial

  constructor(doors: Doors) {
    const random = new CosmeticRandom(7)
    const relay = new Relay({
      randomBytes: (count) => Uint8Array.from({ length: count }, () => random.below(256)),
      doors: () => doors,
    })
    this.#relay = new RelayDriver(relay, {}, this.timing)
    this.#home = listenInMemory((connection) => this.#relay.accept(connection)).dial
    const datagrams = listenInMemory((connection) => this.#relay.accept(connection), {
      kind: 'datagram',
    })
    this.#datagrams = this.better.wrapDial(datagrams.dial)
  }

  get connectionCount(): number {
    return this.#relay.connectionCount
  }

  async join(options: Partial<JoinOptions<never>> = {}) {
    const joining = joinOnline(ledger, {
      match: 'friday',
      seats: 1,
      guard: false,
      timing: this.timing,
      dial: this.#home,
      betterDoors: {
        kinds: ['udp'],
        dial: (door, _doors, signal) => {
          this.dialed.push([door, this.timing.nowMs()])
          if (this.isBetterShut) throw new ConnectError('SS_CONNECT_REFUSED', door, 'shut')
          return this.#datagrams(signal)
        },
      },
      ...options,
    })
    for (let count = 0; count < 100; count++) await this.timing.pass(1)
    const match = await joining
    const kinds: (string | undefined)[] = []
    match.on('transport', ({ transport }) => kinds.push(transport))
    return { match, kinds }
  }
}

test('play begins at home and moves to the better door, whose transport is told', async () => {
  const world = new AutoWorld(allDoors)
  const { match } = await world.join()
  let number = 0
  for (let count = 0; count < 40; count++) {
    match.order('mark', { number: number++ })
    await world.timing.pass(100)
  }
  expect(world.dialed).toHaveLength(1)
  expect(world.connectionCount).toBe(1)
  expect(match.statistics.lateInputs).toBe(0)
  await world.timing.pass(500)
  const { due, gaps, copies } = match.simulation.state.seats
  expect([due[0], gaps[0], copies[0]]).toEqual([number, 0, 0])
})

test('it goes home when nothing comes any more, and tries again later', async () => {
  const world = new AutoWorld(allDoors)
  const { match } = await world.join()
  await world.timing.pass(3_000)
  world.better.set({ loss: 1 })
  let number = 0
  const statuses: string[] = []
  match.on('status', (status) => statuses.push(status))
  for (let count = 0; count < 30; count++) {
    match.order('mark', { number: number++ })
    await world.timing.pass(100)
  }
  await world.timing.pass(500)
  const { due, gaps, copies } = match.simulation.state.seats
  expect([due[0], gaps[0], copies[0]]).toEqual([number, 0, 0])
  expect(statuses).not.toContain('reconnecting')
  world.better.set({ loss: 0 })
  await world.timing.pass(10_000)
  expect(world.dialed).toHaveLength(2)
  expect(match.status).toBe('active')
})

test('a door that is shut is tried with growing pauses, and play goes on', async () => {
  const world = new AutoWorld(allDoors)
  world.isBetterShut = true
  const { match } = await world.join()
  await world.timing.pass(100_000)
  expect(world.dialed.length).toBeGreaterThanOrEqual(3)
  expect(world.dialed.length).toBeLessThanOrEqual(5)
  expect(match.status).toBe('active')
})

test.each([
  ['a relay without that door', { udp: undefined, webrtc: true }, {}],
  ['a player who wants WebSocket alone', allDoors, { transport: 'websocket' }],
] as const)('nothing is tried with %s', async (_, doors, options) => {
  const world = new AutoWorld(doors)
  const { match } = await world.join(options)
  await world.timing.pass(10_000)
  expect(world.dialed).toEqual([])
  match.close()
})

test('whoever leaves in the middle of a move leaves no connection behind', async () => {
  for (let ms = 0; ms < 120; ms += 7) {
    const world = new AutoWorld(allDoors)
    world.better.set({ latencyMs: 20 })
    const { match } = await world.join()
    while (world.dialed.length === 0) await world.timing.pass(1)
    await world.timing.pass(ms)
    match.close()
    await world.timing.pass(8_000)
    expect(world.connectionCount).toBe(0)
  }
})
