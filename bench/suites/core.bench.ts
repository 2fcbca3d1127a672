/**
 * What the relay costs by itself: no sockets, no simulation. Clients are turns that were encoded
 * beforehand; what the relay sends is counted and thrown away.
 */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BitWriter } from '../../packages/samestep/src/base/bit-writer.ts'
import { Prng } from '../../packages/samestep/src/base/prng.ts'
import { StreamChannel } from '../../packages/samestep/src/link/stream/stream-channel.ts'
import { Relay } from '../../packages/samestep/src/relay/relay.ts'
import { RelayPump } from '../../packages/samestep/src/relay/relay-pump.ts'
import type { MatchConfig } from '../../packages/samestep/src/wire/messages/match-config.ts'
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

const seats = 8
const tickRate = 30
const tickMs = 1_000 / tickRate
const inputDelay = 3
const whiskerMs = 1e-4

/** A relay's matches tick in so many phases. */
const phases = 4

/** All that chance ever gives here: turns are written before anybody was told a token. */
const randomByte = 1
const token = 0x01010101

/** Two sticks, a mouse and some buttons. */
const inputSlots: InputLayout = [slotOf(7, 50), slotOf(7, 50), slotOf(16), slotOf(4)]

/** Share of ticks in which a player changes something, as in a shooter. */
const changeChance = 0.45

/** Each player issues an order of twelve bytes about twice per second. */
const orderChance = 1 / 15

/** Every seat's turn for each tick of a long time, the same for every match. */
class Script {
  /** By tick, then by seat. */
  readonly turns: Uint8Array[][] = []
  readonly #delta = new SlotDelta(inputSlots)
  readonly #slots = new Uint32Array(seats * inputSlots.length)
  readonly #orders = new Uint32Array(seats)
  readonly #prng = new Prng(1)

  constructor(ticks: number) {
    for (let seat = 0; seat < seats; seat++) {
      this.#delta.writeInitial(this.#slots, seat * inputSlots.length)
    }
    for (let tick = 0; tick < ticks; tick++) {
      this.turns.push(Array.from({ length: seats }, (_, seat) => this.#turn(tick, seat)))
    }
  }

  /** What a seat sends when it has run a tick. */
  #turn(tick: number, seat: number): Uint8Array {
    const prng = this.#prng
    const at = seat * inputSlots.length
    if (prng.chance(changeChance)) {
      const slot = prng.below(inputSlots.length)
      this.#slots[at + slot] = prng.below((inputSlots[slot]?.max ?? 1) + 1)
    }
    const orders = prng.chance(orderChance) ? [new Uint8Array(12).fill(tick)] : []
    const writer = new BitWriter()
    writeClientTurn(writer, this.#delta, {
      received: tick,
      controlSeen: 255,
      report:
        tick % 15 === 0
          ? {
              stamp: (tick * 33) % 65_536,
              rttMs: 40,
              activity: 'active',
              loadPercent: 40,
              token,
            }
          : undefined,
      heldMs: 0,
      hash: tick === 0 ? undefined : { executedTick: tick, tick, lo: tick, hi: 1 },
      firstInputTick: tick + inputDelay,
      inputs: this.#slots.subarray(at, at + inputSlots.length),
      inputCount: 1,
      firstOrderNumber: this.#orders[seat] as number,
      orders,
    })
    this.#orders[seat]! += orders.length
    return writer.finish()
  }
}

const config: MatchConfig = makeMatchConfig({
  seats,
  tickRate,
  inputDelay,
  inputSlots: [...inputSlots],
})

function phaseMs(match: number): number {
  return ((match % phases) * tickMs) / phases
}

/** A relay with some matches that all run in step. */
class Load {
  readonly matches: number
  bytesSent = 0
  readonly #pump: RelayPump
  readonly #script: Script
  #tick = 0

  constructor(matches: number, script: Script) {
    this.matches = matches
    this.#script = script
    const relay = new Relay({
      randomBytes: (count) => new Uint8Array(count).fill(randomByte),
    })
    // As in a server.
    this.#pump = new RelayPump(relay, {
      send: (_link, bytes) => {
        this.bytesSent += bytes.byteLength
      },
      close: (_link, code) => {
        throw new Error(`The relay closed with ${code}`)
      },
      handleMatch: () => {},
    })
    // One phase after the other: time does not go back.
    for (let phase = 0; phase < phases; phase++) {
      for (let match = phase; match < matches; match += phases) {
        for (let seat = 0; seat < seats; seat++) this.#seat(match * seats + seat, phaseMs(phase))
      }
    }
  }

  get tick(): number {
    return this.#tick
  }

  /** All turns of one tick in, the next tick of every match out, one match after the other. */
  run(ticks: number): void {
    const pump = this.#pump
    for (let count = 0; count < ticks; count++) {
      const turns = this.#script.turns[this.#tick] as Uint8Array[]
      this.#tick += 1
      for (let phase = 0; phase < phases; phase++) {
        const dueMs = this.#tick * tickMs + phaseMs(phase)
        for (let match = phase; match < this.matches; match += phases) {
          for (let seat = 0; seat < seats; seat++) {
            pump.handlePacket(match * seats + seat, turns[seat] as Uint8Array, dueMs)
          }
        }
        // A whisker late, so that rounding never leaves a tick for the next turn.
        do pump.handleTime(dueMs + whiskerMs)
        while (pump.relay.wakeAtMs() <= dueMs + whiskerMs)
      }
    }
  }

  #seat(link: number, nowMs: number): void {
    const pump = this.#pump
    const hello = { magic: helloMagic, protocols: [...protocols], gameId: 'bench', gameVersion: 1 }
    pump.handleLinkOpened(link, (timeMs) => new StreamChannel(timeMs), nowMs)
    const body = { ...hello, fingerprint: new Uint8Array(32) }
    pump.handlePacket(link, encodeMessage('ClientHello', body), nowMs)
    const join = encodeMessage('ClientJoin', {
      match: `m${Math.floor(link / seats)}`,
      name: `p${link % seats}`,
      role: 'player',
      config,
      ticket: undefined,
      secret: undefined,
      nextTick: 1,
      token: undefined,
      software: undefined,
    })
    pump.handlePacket(link, join, nowMs)
  }
}

/** Seat-ticks of one sample: some hundredths of a second. */
const sampleSeatTicks = 24_000
const samples = 9

/** Ticks after which a match no longer keeps its beginning for those who come late. */
const settledTicks = 320

/** A match alone needs the most ticks for its samples and for warming up. */
const scriptTicks = ((samples + 5) * sampleSeatTicks) / seats

function ticksFor(matches: number, seatTicks: number): number {
  return Math.max(Math.round(seatTicks / (matches * seats)), 3)
}

/** Larger than the caches of one core, and than its share of those of all. */
const otherMemory = new Float64Array(8 * 1024 * 1024)

/** Leaves nothing of a relay in the caches, as system calls and other processes do in life. */
function coolCaches(): void {
  for (let at = 0; at < otherMemory.length; at += 8) otherMemory[at]! += 1
}

/** Processor time of one seat-tick. */
function timeOf(load: Load, ticks: number): number {
  const before = process.cpuUsage()
  load.run(ticks)
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1_000) / (ticks * load.matches * seats)
}

/** One tick at a time, each with cold caches; the median. */
function timeOfCold(load: Load): number {
  const times = Array.from({ length: ticksFor(load.matches, sampleSeatTicks) }, () => {
    coolCaches()
    return timeOf(load, 1)
  })
  return times.sort((a, b) => a - b)[times.length >> 1] as number
}

/** The best of several samples that take turns: others on the machine only make them slower. */
function measureTimes(loads: readonly Load[], colds: readonly Load[]): number[] {
  const best = [...loads, ...colds].map(() => Number.POSITIVE_INFINITY)
  for (const load of loads)
    load.run(Math.max(settledTicks, ticksFor(load.matches, sampleSeatTicks)))
  for (let sample = 0; sample < samples; sample++) {
    const times = [
      ...loads.map((load) => timeOf(load, ticksFor(load.matches, sampleSeatTicks))),
      ...colds.map(timeOfCold),
    ]
    for (const [index, ns] of times.entries()) best[index] = Math.min(best[index] as number, ns)
  }
  return best
}

/**
 * Bytes of memory taken for a seat-tick, and bytes sent. Few ticks at a time, right after a
 * collection, so that nothing is collected in between.
 */
function measureMemory(load: Load): { readonly allocated: number; readonly sent: number } {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const ticks = ticksFor(load.matches, 800)
  const found: number[] = []
  const sentBefore = load.bytesSent
  const repeats = 15
  for (let repeat = 0; repeat < repeats; repeat++) {
    collect()
    const before = process.memoryUsage()
    load.run(ticks)
    const after = process.memoryUsage()
    const heap = after.heapUsed - before.heapUsed
    found.push((heap + after.arrayBuffers - before.arrayBuffers) / (ticks * load.matches * seats))
  }
  found.sort((a, b) => a - b)
  const sent = (load.bytesSent - sentBefore) / (repeats * ticks * load.matches * seats)
  return { allocated: found[repeats >> 1] as number, sent }
}

function makeFigures(script: Script): Figure[] {
  const loads = [1, 100, 1_000].map((matches) => new Load(matches, script))
  const hundred = loads[1] as Load
  const times = measureTimes(loads, loads.slice(1))
  const [alone = 0, warm = 0, many = 0, cold = 0, manyCold = 0] = times
  const memory = measureMemory(hundred)
  const time = 'ns of CPU per seat and tick'
  const bytes = 'bytes per seat and tick'
  return [
    { name: '1 match', value: alone, unit: time, atMost: 10_000 },
    { name: '100 matches', value: warm, unit: time },
    { name: '100 matches, cold caches', value: cold, unit: time },
    { name: '1000 matches', value: many, unit: time },
    { name: '1000 matches, cold caches', value: manyCold, unit: time },
    { name: '1000 matches against 100', value: many / warm, unit: '×' },
    // Eight thousand seats fit no cache, and eight hundred do. With cold caches for both, what is
    // left is whether the relay does more for each seat when it has more of them.
    { name: '1000 matches against 100, cold', value: manyCold / cold, unit: '×', atMost: 1.5 },
    { name: 'memory taken', value: memory.allocated, unit: bytes, atMost: 250 },
    { name: 'sent', value: memory.sent, unit: bytes },
  ]
}

/** The relay machine. */
export const suites: readonly Suite[] = [
  {
    name: 'core-relay',
    work: 'one tick of one match of 8 seats: eight turns in, eight packets out',
    baseline: 'relay',
    prepare: () => {
      const script = new Script(scriptTicks)
      const figures = makeFigures(script)
      let load = new Load(1, script)
      return {
        figures,
        contenders: {
          relay: () => {
            if (load.tick >= script.turns.length) load = new Load(1, script)
            load.run(1)
            return load.bytesSent
          },
        },
      }
    },
  },
]
