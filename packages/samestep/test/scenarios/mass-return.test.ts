/** A relay with a hundred matches dies, and all of their players come back at once, from one address. */
import { expect, test } from 'vitest'
import { RelayDriver } from '../../src/driver/machines/relay-driver.ts'
import { joinOnline } from '../../src/driver/online/join-online.ts'
import { MatchHistories, scanRecord } from '../../src/record/index.ts'
import { Relay } from '../../src/relay/relay.ts'
import { CosmeticRandom } from '../../src/sim/random/index.ts'
import { makeToyGame } from '../../src/storm/games/toy-game.ts'
import { Conditioner } from '../../src/transport/conditioner/conditioner.ts'
import { ConnectError } from '../../src/transport/connect-error.ts'
import type { Connection, Dial } from '../../src/transport/connection.ts'
import { makeMemoryPair } from '../../src/transport/memory.ts'
import { strangersPerBlockMax } from '../../src/transport/node/websocket-limits.ts'
import { VirtualTiming } from '../../src/transport/virtual-timing.ts'

const matchCount = 100
const game = makeToyGame(10)

/** A relay that writes everything down, behind a door that counts strangers as real ones do. */
class ReturnWorld {
  readonly timing = new VirtualTiming()
  readonly #random = new CosmeticRandom(5)
  readonly #accepted = new Set<Connection>()
  #pieces: Uint8Array[] = []
  #relay: RelayDriver | undefined
  #strangers = 0
  /** How often the door was shut because too many of the address had not said who they are. */
  turnedAway = 0

  start(): number {
    const histories = new MatchHistories()
    histories.startFile()
    scanRecord(this.#pieces, (item) => histories.add(item))
    const random = this.#random
    const relay = new Relay({
      randomBytes: (count) => Uint8Array.from({ length: count }, () => random.below(256)),
      isRecorded: true,
    })
    this.#pieces = []
    const record = (bytes: Uint8Array): void => void this.#pieces.push(bytes.slice())
    this.#relay = new RelayDriver(relay, { record }, this.timing)
    let resumed = 0
    for (const history of histories.byId.values()) {
      if (this.#relay.act((own, nowMs) => own.restoreMatch(history, nowMs))) resumed += 1
    }
    this.#relay.act((own) =>
      own.startRecord(Uint8Array.from({ length: 8 }, () => random.below(256))),
    )
    this.#relay.act((own, nowMs) => own.carryRecord(matchCount, nowMs))
    return resumed
  }

  /** As `kill -9`: nobody is told anything but by the ends of their connections. */
  kill(): void {
    this.#relay = undefined
    for (const connection of this.#accepted) connection.close(1000, '')
    this.#accepted.clear()
    this.#strangers = 0
  }

  readonly dial: Dial = async () => {
    const relay = this.#relay
    if (relay === undefined) throw new ConnectError('SS_CONNECT_REFUSED', 'relay', 'nobody there')
    if (this.#strangers >= strangersPerBlockMax) {
      this.turnedAway += 1
      throw new ConnectError('SS_CONNECT_REJECTED', 'relay', 'too many of your address')
    }
    const [near, far] = makeMemoryPair()
    this.#strangers += 1
    let isStranger = true
    const know = (): void => {
      if (isStranger && this.#relay === relay) this.#strangers -= 1
      isStranger = false
    }
    this.#accepted.add(far)
    relay.accept(Object.assign(far, { markKnown: know }), '10.0.0.1')
    return near
  }
}

test('all players of a hundred matches are back in play within 30 s, though they share an address', async () => {
  // Loading it would take real time, which this world does not have.
  const world = new ReturnWorld()
  world.start()
  const joining = Array.from({ length: 2 * matchCount }, (_, player) => {
    const line = new Conditioner({
      timing: world.timing,
      seed: player,
      sending: { latencyMs: 40, jitterMs: 5 },
      receiving: { latencyMs: 40, jitterMs: 5 },
    })
    return joinOnline(game, {
      match: `match ${player >> 1}`,
      name: `player ${player}`,
      seats: 2,
      dial: world.dial,
      conditioner: line,
      timing: world.timing,
      timeoutMs: 120_000,
      remember: false,
      guard: false,
    })
  })
  let isIn = false
  const all = Promise.all(joining).then((matches) => {
    isIn = true
    return matches
  })
  for (let ms = 0; !isIn && ms < 120_000; ms += 50) await world.timing.pass(50)
  const matches = await all
  await world.timing.pass(3_000)
  const before = matches.map(({ simulation }) => simulation.matchTick)
  expect(Math.min(...before)).toBeGreaterThan(10)

  world.kill()
  await world.timing.pass(2_000)
  expect(world.start()).toBe(matchCount)
  world.turnedAway = 0
  const startedAtMs = world.timing.nowMs()
  const isBack = (): boolean =>
    matches.every(({ status, simulation }, player) => {
      return status === 'active' && simulation.matchTick > before[player]! + 20
    })
  while (!isBack() && world.timing.nowMs() < startedAtMs + 60_000) await world.timing.pass(50)
  const tookMs = world.timing.nowMs() - startedAtMs
  expect(isBack()).toBe(true)
  // Some did find the door shut, and came later.
  expect(world.turnedAway).toBeGreaterThan(0)
  expect(tookMs).toBeLessThan(30_000)
  for (const match of matches) match.close()
}, 300_000)
