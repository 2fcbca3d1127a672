/**
 * Step responses of the real machines: a relay and some clients in virtual time, over simulated lines.
 * Something changes for one of them, and everything that follows is written down as series.
 *
 *     line steps ──► arrivals ──► relay: input delay ──► event of a tick ──► everybody
 *                        └──────► margin ──► client: hold, jitter buffer, play state
 *
 * One seed gives one history. Each line has streams of chance of its own, so a match in which nothing
 * happens is what the others are compared with.
 */
import { BitReader } from '../../src/base/bit-reader.ts'
import type { ClientOptions } from '../../src/client/membership/client-options.ts'
import type { PlayState } from '../../src/client/status/play-state.ts'
import type { GameShape } from '../../src/sim/game/definition/context.ts'
import { RelayActor } from '../../src/storm/actors/relay-actor.ts'
import { Oracle } from '../../src/storm/checks/oracle.ts'
import { World } from '../../src/storm/engine/world.ts'
import { BundleCodec } from '../../src/wire/ticks/bundle-codec.ts'
import type { ClientBook, ClientPlan } from './stage-client.ts'
import { matchName, StageClient, shootSlot } from './stage-client.ts'

/** What is played. */
export interface StageOptions {
  readonly forMs: number
  readonly clients: readonly ClientPlan[]
  readonly seed?: number
  /** 30 by default. */
  readonly tickRate?: number
  readonly inputDelay?: { readonly min: number; readonly max: number }
  readonly lagProtection?: ClientOptions<GameShape>['lagProtection']
  readonly batching?: ClientOptions<GameShape>['batching']
  readonly missing?: ClientOptions<GameShape>['missing']
}

/** One look at a client. */
export interface ClientSample {
  readonly state: PlayState
  /** How the others see it; `undefined` before they do. */
  readonly presence: string | undefined
  /** How early its inputs reached the relay in the last second, at the least. */
  readonly marginMs: number
  readonly holdMs: number
  /** The input delay that it samples with. */
  readonly delayTicks: number
  /** Ticks that are here and not run, and how many are meant to be. */
  readonly bufferTicks: number
  readonly targetTicks: number
  /** Ticks between the newest sealed one and the newest that it ran. */
  readonly behindTicks: number
  /** Ticks that wait for each other in packets to it. */
  readonly ticksPerPacket: number
}

/** A client and all that was seen of it. */
export interface ClientRecord extends ClientBook {
  readonly samples: readonly ClientSample[]
  /** Shots and orders of its seat that ran, as the game counts them. */
  readonly shots: number
  readonly orderCount: number
  /** Ticks with a shot of its seat, as they were sealed. */
  readonly sealedShots: readonly number[]
  /** Own inputs that came too late, as its statistics say. */
  readonly lateInputs: number
  /** Ticks for which its input did not come in time. */
  readonly lateTicks: readonly number[]
}

/** A change of what holds for all, by a sealed event. */
export interface Change {
  readonly atMs: number
  readonly value: number
}

/** All that was seen. */
export interface StageResult {
  readonly timesMs: readonly number[]
  readonly clients: readonly ClientRecord[]
  /** By tick: when it was sealed. */
  readonly sealedMs: readonly number[]
  readonly delays: readonly Change[]
  readonly speeds: readonly Change[]
}

/** Between two samples. Lines change at samples, too. */
export const sampleMs = 100

/** Plays a stage from its first packet. */
export function playStage(options: StageOptions): StageResult {
  const stage = new Stage(options)
  return stage.play(options.forMs)
}

class Stage {
  readonly #world: World
  readonly #clients: StageClient[]
  readonly #watch: SealWatch
  readonly #nodes: number[] = []

  constructor({ clients, seed = 1, tickRate = 30, forMs: _, ...settings }: StageOptions) {
    const world = new World({ seed })
    this.#world = world
    const oracle = new Oracle(world)
    this.#watch = new SealWatch(world, oracle, clients.length)
    const relayNode = world.addNode('relay', new RelayActor(world, new Map([[matchName, oracle]])))
    this.#clients = clients.map((plan, index) => {
      const name = `c${index}`
      const client = new StageClient({
        world,
        oracle,
        relayNode,
        name,
        plan,
        tickRate,
        options: {
          seats: clients.length,
          ...given(settings),
        },
        phaseMs: 1.3 + index * 3.7,
      })
      this.#nodes.push(world.addNode(name, client))
      return client
    })
    // One after the other, so that everybody has the seat of his number.
    for (const [index, client] of this.#clients.entries()) {
      const node = this.#nodes[index] as number
      world.atNode(node, index * 200, (nowMs) => client.start(node, nowMs))
    }
  }

  play(forMs: number): StageResult {
    const world = this.#world
    const timesMs: number[] = []
    const samples: ClientSample[][] = this.#clients.map(() => [])
    for (let atMs = 0; atMs <= forMs; atMs += sampleMs) {
      world.runUntil(atMs)
      timesMs.push(atMs)
      for (const [index, client] of this.#clients.entries()) {
        samples[index]?.push(this.#sample(index, client))
        this.#change(index, client, atMs)
      }
    }
    const { sealedMs, delays, speeds, shots, lates } = this.#watch
    const clients = this.#clients.map(({ book, client }, index) => {
      const seat = client.seat as number
      const tally = client.simulation?.state.tally
      return {
        ...book,
        samples: samples[index] as ClientSample[],
        shots: tally?.shots[seat] ?? 0,
        orderCount: tally?.orders[seat] ?? 0,
        sealedShots: shots[seat] as number[],
        lateInputs: client.statistics.lateInputs,
        lateTicks: lates[seat] as number[],
      }
    })
    return { timesMs, clients, sealedMs, delays, speeds }
  }

  /** Lets what the plan says happen to a client. */
  #change(index: number, client: StageClient, atMs: number): void {
    const node = this.#nodes[index] as number
    const { plan, link } = client
    const isHidden = plan.isHidden?.(atMs) === true
    if (isHidden !== (plan.isHidden?.(atMs - sampleMs) === true)) {
      this.#world.atNode(node, atMs, (nowMs) => client.setHidden(isHidden, nowMs))
    }
    const isSame = (curve: ((atMs: number) => number) | undefined) =>
      curve === undefined || curve(atMs) === curve(atMs - sampleMs)
    const isCutChanged = plan.isCut?.(atMs) !== plan.isCut?.(atMs - sampleMs)
    const isSameLine = isSame(plan.latencyMs) && isSame(plan.jitterMs) && !isCutChanged
    if (link === undefined || isSameLine) return
    this.#world.setConditions(link, client.conditions)
  }

  #sample(index: number, { client }: StageClient): ClientSample {
    const { statistics, seat } = client
    const seen = statistics.match?.seats.find((figures) => figures.seat === seat)
    const other = this.#clients[index === 0 ? 1 : 0]?.client.room
    return {
      state: client.playState(this.#world.localMs(this.#nodes[index] as number)),
      presence: other?.members.find((member) => member.seat === seat)?.presence,
      marginMs: seen?.marginMs ?? Number.NaN,
      holdMs: statistics.holdMs,
      delayTicks: statistics.inputDelay,
      bufferTicks: statistics.bufferTicks,
      targetTicks: statistics.bufferTargetTicks,
      behindTicks: this.#watch.sealedTick - statistics.cursors.simulatedTick,
      ticksPerPacket: seen?.ticksPerPacket ?? 1,
    }
  }
}

/** Those settings that are given. */
function given<T extends object>(settings: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> }
}

/** Reads along what the relay seals. */
class SealWatch {
  readonly sealedMs: number[] = []
  readonly delays: Change[] = []
  readonly speeds: Change[] = []
  readonly shots: number[][]
  readonly lates: number[][]
  readonly #world: World
  #read: ((tick: number, bytes: Uint8Array) => void) | undefined

  constructor(world: World, oracle: Oracle, seats: number) {
    this.#world = world
    this.shots = Array.from({ length: seats }, () => [])
    this.lates = Array.from({ length: seats }, () => [])
    const { noteStarted, noteSealed } = oracle
    oracle.noteStarted = (...started) => {
      const [config] = started
      this.#begin(new BundleCodec(config.seats, config.inputSlots))
      noteStarted.apply(oracle, started)
    }
    oracle.noteSealed = (...sealed) => {
      this.#read?.(...sealed)
      noteSealed.apply(oracle, sealed)
    }
  }

  get sealedTick(): number {
    return Math.max(this.sealedMs.length - 1, 0)
  }

  #begin(codec: BundleCodec): void {
    const { slotCount } = codec.delta
    const slots = new Uint32Array(codec.slotTotal)
    const missing = new Uint8Array(codec.seatCount)
    const reader = new BitReader()
    for (let seat = 0; seat < codec.seatCount; seat++) {
      codec.delta.writeInitial(slots, seat * slotCount)
    }
    this.#read = (tick, bytes) => {
      const atMs = this.#world.nowMs
      this.sealedMs[tick] = atMs
      reader.reset(bytes)
      for (const event of codec.decode(reader, slots, missing).events) {
        if (event.type === 'delay') this.delays.push({ atMs, value: event.ticks })
        if (event.type === 'speed') this.speeds.push({ atMs, value: event.percent })
      }
      for (let seat = 0; seat < codec.seatCount; seat++) {
        if (missing[seat] === 1) this.lates[seat]?.push(tick)
        if (slots[seat * slotCount + shootSlot] === 1) this.shots[seat]?.push(tick)
      }
    }
  }
}

/** `inside` from one time to another, `outside` before and after. */
export function between(
  fromMs: number,
  toMs: number,
  inside: number,
  outside: number,
): (atMs: number) => number {
  return (atMs) => (atMs >= fromMs && atMs < toMs ? inside : outside)
}
