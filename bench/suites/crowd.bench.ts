/**
 * The largest match that there can be: 64 seats and 192 spectators, 256 clients, at 20 ticks per second.
 * No sockets, no simulation: turns were encoded beforehand, and what the relay sends is counted.
 */
import { BitWriter } from '../../packages/samestep/src/base/bit-writer.ts'
import { Prng } from '../../packages/samestep/src/base/prng.ts'
import { StreamChannel } from '../../packages/samestep/src/link/stream/stream-channel.ts'
import { Relay } from '../../packages/samestep/src/relay/relay.ts'
import { RelayPump } from '../../packages/samestep/src/relay/relay-pump.ts'
import { seatsMax } from '../../packages/samestep/src/sim/limits.ts'
import { spectatorsMax } from '../../packages/samestep/src/wire/limits.ts'
import { makeMatchConfig } from '../../packages/samestep/src/wire/messages/match-config.ts'
import {
  encodeMessage,
  helloMagic,
  protocols,
} from '../../packages/samestep/src/wire/messages/messages.ts'
import { slotOf } from '../../packages/samestep/src/wire/testing/slot-of.ts'
import { writeClientTurn } from '../../packages/samestep/src/wire/ticks/client-turn.ts'
import type { InputLayout } from '../../packages/samestep/src/wire/ticks/input-layout.ts'
import { SlotDelta } from '../../packages/samestep/src/wire/ticks/slot-delta.ts'
import type { Figure, Suite } from '../types.ts'

const clients = seatsMax + spectatorsMax
const tickRate = 20
const tickMs = 1_000 / tickRate
const inputDelay = 3
const whiskerMs = 1e-4

/** All that chance ever gives here: turns are written before anybody was told a token. */
const randomByte = 1
const token = 0x01010101

/** Two sticks, a mouse and some buttons. */
const inputSlots: InputLayout = [slotOf(7, 50), slotOf(7, 50), slotOf(16), slotOf(4)]
const config = makeMatchConfig({
  seats: seatsMax,
  tickRate,
  inputDelay,
  inputSlots: [...inputSlots],
})

/** Share of ticks in which a player changes something, and in which one orders something. */
const changeChance = 0.45
const orderChance = 1 / 10

/** Writes what each client sends when it has run a tick. */
class Crowd {
  readonly #delta = new SlotDelta(inputSlots)
  readonly #slots = new Uint32Array(seatsMax * inputSlots.length)
  readonly #orders = new Uint32Array(seatsMax)
  readonly #prng = new Prng(1)
  readonly #writer = new BitWriter()

  constructor() {
    for (let seat = 0; seat < seatsMax; seat++) {
      this.#delta.writeInitial(this.#slots, seat * inputSlots.length)
    }
  }

  /** Those with the first numbers play, the others watch. */
  turn(tick: number, client: number): Uint8Array {
    const isPlayer = client < seatsMax
    const at = isPlayer ? client * inputSlots.length : 0
    if (isPlayer && this.#prng.chance(changeChance)) {
      const slot = this.#prng.below(inputSlots.length)
      this.#slots[at + slot] = this.#prng.below((inputSlots[slot]?.max ?? 1) + 1)
    }
    const isOrdering = isPlayer && this.#prng.chance(orderChance)
    const orders = isOrdering ? [new Uint8Array(12).fill(tick)] : []
    const stamp = (tick * 50) % 65_536
    this.#writer.reset()
    writeClientTurn(this.#writer, this.#delta, {
      received: tick,
      controlSeen: 255,
      report:
        tick % 10 === 0
          ? { stamp, rttMs: 40, activity: 'active', loadPercent: 40, token }
          : undefined,
      heldMs: 0,
      hash: tick === 0 ? undefined : { executedTick: tick, tick, lo: tick, hi: 1 },
      firstInputTick: tick + inputDelay,
      inputs: this.#slots.subarray(at, at + inputSlots.length),
      inputCount: isPlayer ? 1 : 0,
      firstOrderNumber: isPlayer ? (this.#orders[client] as number) : 0,
      orders,
    })
    if (isPlayer) this.#orders[client]! += orders.length
    return this.#writer.finish()
  }
}

/** One match with everybody in it. */
class CrowdedMatch {
  bytesSent = 0
  readonly #pump: RelayPump
  readonly #crowd = new Crowd()
  #tick = 0

  constructor() {
    const relay = new Relay({ randomBytes: (count) => new Uint8Array(count).fill(randomByte) })
    this.#pump = new RelayPump(relay, {
      send: (_link, bytes) => {
        this.bytesSent += bytes.byteLength
      },
      close: (_link, code) => {
        throw new Error(`The relay closed with ${code}`)
      },
      handleMatch: () => {},
    })
    // Those who watch come first: with the last player the match begins.
    for (let client = clients - 1; client >= 0; client--) this.#enter(client)
  }

  /** Turns of everybody, encoded before anything is measured. */
  prepare(): readonly Uint8Array[] {
    return Array.from({ length: clients }, (_, client) => this.#crowd.turn(this.#tick, client))
  }

  /** All turns of a tick in, the next tick out to everybody. */
  run(turns: readonly Uint8Array[]): void {
    this.#tick += 1
    const dueMs = this.#tick * tickMs
    for (const [client, turn] of turns.entries()) this.#pump.handlePacket(client, turn, dueMs)
    do this.#pump.handleTime(dueMs + whiskerMs)
    while (this.#pump.relay.wakeAtMs() <= dueMs + whiskerMs)
  }

  #enter(client: number): void {
    const pump = this.#pump
    const hello = { magic: helloMagic, protocols: [...protocols], gameId: 'bench', gameVersion: 1 }
    pump.handleLinkOpened(client, (timeMs) => new StreamChannel(timeMs), 0)
    const body = { ...hello, fingerprint: new Uint8Array(32) }
    pump.handlePacket(client, encodeMessage('ClientHello', body), 0)
    const join = encodeMessage('ClientJoin', {
      match: 'crowd',
      name: `p${client}`,
      role: client < seatsMax ? 'player' : 'spectator',
      config,
      ticket: undefined,
      secret: undefined,
      nextTick: 1,
      token: undefined,
      software: undefined,
    })
    pump.handlePacket(client, join, 0)
  }
}

/** Half a minute of play, after ten seconds in which the beginning is kept. */
const settledTicks = 10 * tickRate
const measuredTicks = 30 * tickRate

function makeFigures(match: CrowdedMatch): Figure[] {
  for (let tick = 0; tick < settledTicks; tick++) match.run(match.prepare())
  const sentBefore = match.bytesSent
  const times: number[] = []
  let cpuUs = 0
  for (let tick = 0; tick < measuredTicks; tick++) {
    const turns = match.prepare()
    const before = process.cpuUsage()
    const fromNs = process.hrtime.bigint()
    match.run(turns)
    times.push(Number(process.hrtime.bigint() - fromNs) / 1e6)
    const { user, system } = process.cpuUsage(before)
    cpuUs += user + system
  }
  times.sort((a, b) => a - b)
  const perTick = (match.bytesSent - sentBefore) / (measuredTicks * clients)
  const p99 = times[Math.floor(measuredTicks * 0.99)] as number
  return [
    { name: 'sent', value: perTick, unit: 'bytes per client and tick' },
    { name: 'sent per second', value: (perTick * tickRate) / 1_000, unit: 'kB per client' },
    { name: 'CPU', value: cpuUs / 1_000 / measuredTicks, unit: 'ms per tick', atMost: tickMs / 10 },
    // The tick itself, not its way to anybody: from the last turn of 256 in to the last packet out.
    { name: 'tick, median', value: times[measuredTicks >> 1] as number, unit: 'ms' },
    { name: 'tick, p99', value: p99, unit: 'ms' },
  ]
}

/** The relay machine with as many in one match as there can be. */
export const suites: readonly Suite[] = [
  {
    name: 'core-crowd',
    work: `one tick of one match of ${seatsMax} seats and ${spectatorsMax} spectators at ${tickRate} per second`,
    baseline: 'relay',
    prepare: () => {
      const match = new CrowdedMatch()
      const figures = makeFigures(match)
      return {
        figures,
        contenders: {
          relay: () => {
            match.run(match.prepare())
            return match.bytesSent
          },
        },
      }
    },
  },
]
