import type { Channel, ChannelMessage } from '../channel.ts'
import { LinkRandom } from './link-random.ts'

/** What one direction of a link does to packets. Shares are 0 to 1. */
export interface Conditions {
  readonly latencyMs: number
  readonly jitterMs: number
  readonly loss: number
  readonly duplicate: number
  readonly corrupt: number
  /** What the narrowest place of the path carries; unlimited when left out. */
  readonly bytesPerMs?: number
  /** How much waits in front of it before packets are thrown away. */
  readonly queueBytesMax?: number
}

/** A path that loses nothing. */
export const clean: Conditions = {
  latencyMs: 20,
  jitterMs: 0,
  loss: 0,
  duplicate: 0,
  corrupt: 0,
}

/** A path that carries nothing. */
export const dead: Conditions = { ...clean, loss: 1 }

/** A path that overtakes, damages, doubles and loses. */
export const storm: Conditions = {
  latencyMs: 40,
  jitterMs: 80,
  loss: 0.3,
  duplicate: 0.2,
  corrupt: 0.05,
}

/** Which end. */
export type End = 'a' | 'b'

/** What an end received, with the time. */
export type Received = {
  readonly lane: ChannelMessage['lane']
  readonly bytes: Uint8Array
  readonly atMs: number
}

type Delivery = {
  readonly atMs: number
  readonly number: number
  readonly to: End
  readonly bytes: Uint8Array
}

/** Events at one time after which something must be spinning. */
const eventsPerMomentMax = 20_000

/** Two channels, a virtual clock and the paths between them. Time jumps: nothing waits. */
export class LinkWorld<C extends Channel = Channel> {
  readonly channels: { readonly [end in End]: C }
  /** What the path from each end does. */
  readonly conditions: { [end in End]: Conditions } = { a: clean, b: clean }
  readonly received: { readonly [end in End]: Received[] } = { a: [], b: [] }
  /** Called for every packet that is put on the path, before anything happens to it. */
  onPacket: (from: End, bytes: Uint8Array, nowMs: number) => void = () => {}
  /** Called after every event. */
  onStep: () => void = () => {}
  /** Ends that do not poll their messages. */
  readonly idle = new Set<End>()
  nowMs: number
  readonly #random: LinkRandom
  readonly #deliveries: Delivery[] = []
  readonly #freeAtMs: { [end in End]: number } = { a: 0, b: 0 }
  #count = 0

  constructor(seed: number, make: (end: End, nowMs: number) => C, startMs = 0) {
    this.#random = new LinkRandom(seed)
    this.nowMs = startMs
    this.channels = { a: make('a', startMs), b: make('b', startMs) }
  }

  setBoth(conditions: Conditions): void {
    this.conditions.a = conditions
    this.conditions.b = conditions
  }

  /** Does something with one end's channel now, and takes what comes out. */
  act<R>(end: End, what: (channel: C, nowMs: number) => R): R {
    const result = what(this.channels[end], this.nowMs)
    this.#drain(end)
    return result
  }

  /** Puts bytes on the path to an end as if the other one had sent them, without delay or loss. */
  inject(to: End, bytes: Uint8Array): void {
    this.act(to, (channel, nowMs) => channel.handlePacket(bytes, nowMs))
  }

  /** Lets time pass until `untilMs`, or until `isDone`, which is asked after every event. */
  run(untilMs: number, isDone: () => boolean = () => false): boolean {
    let events = 0
    let momentMs = this.nowMs
    for (;;) {
      if (isDone()) return true
      const delivery = this.#deliveries[0]
      const { a, b } = this.channels
      const nextMs = Math.min(
        delivery?.atMs ?? Number.POSITIVE_INFINITY,
        a.wakeAtMs(),
        b.wakeAtMs(),
      )
      if (nextMs > untilMs) break
      events = nextMs > momentMs ? 0 : events + 1
      if (events > eventsPerMomentMax) throw new Error(`The channels spin at ${this.nowMs} ms`)
      momentMs = nextMs
      this.nowMs = Math.max(this.nowMs, nextMs)
      if (delivery !== undefined && delivery.atMs <= this.nowMs) {
        this.#deliveries.shift()
        this.act(delivery.to, (channel, nowMs) => channel.handlePacket(delivery.bytes, nowMs))
      } else {
        for (const end of ['a', 'b'] as const) {
          if (this.channels[end].wakeAtMs() > this.nowMs) continue
          this.act(end, (channel, nowMs) => channel.handleTime(nowMs))
        }
      }
      this.onStep()
    }
    this.nowMs = Math.max(this.nowMs, untilMs)
    return isDone()
  }

  /** Messages of one lane that an end received. */
  lane(end: End, lane: ChannelMessage['lane']): Uint8Array[] {
    return this.received[end].filter((message) => message.lane === lane).map(({ bytes }) => bytes)
  }

  /** Polls what an end was too idle to poll. */
  takeMessages(end: End): void {
    const channel = this.channels[end]
    for (let message = channel.pollMessage(); message; message = channel.pollMessage()) {
      this.received[end].push({
        lane: message.lane,
        bytes: message.bytes.slice(),
        atMs: this.nowMs,
      })
    }
  }

  #drain(end: End): void {
    if (!this.idle.has(end)) this.takeMessages(end)
    const channel = this.channels[end]
    for (let packet = channel.pollPacket(); packet; packet = channel.pollPacket()) {
      this.onPacket(end, packet, this.nowMs)
      this.#transmit(end, packet)
    }
  }

  #transmit(from: End, packet: Uint8Array): void {
    const conditions = this.conditions[from]
    const random = this.#random
    const { bytesPerMs, queueBytesMax = Number.POSITIVE_INFINITY } = conditions
    let queueMs = 0
    if (bytesPerMs !== undefined) {
      const waitMs = Math.max(this.#freeAtMs[from] - this.nowMs, 0)
      if (waitMs * bytesPerMs + packet.length > queueBytesMax) return
      queueMs = waitMs + packet.length / bytesPerMs
      this.#freeAtMs[from] = this.nowMs + queueMs
    }
    const copies = random.chance(conditions.duplicate) ? 2 : 1
    for (let copy = 0; copy < copies; copy++) {
      if (random.chance(conditions.loss)) continue
      const bytes = random.chance(conditions.corrupt) ? damage(packet, random) : packet
      const delayMs = conditions.latencyMs + random.below(conditions.jitterMs + 1)
      this.#deliver(from === 'a' ? 'b' : 'a', bytes, this.nowMs + queueMs + delayMs)
    }
  }

  #deliver(to: End, bytes: Uint8Array, atMs: number): void {
    const delivery: Delivery = { atMs, number: this.#count++, to, bytes }
    const deliveries = this.#deliveries
    let at = deliveries.length
    while (at > 0 && deliveries[at - 1]!.atMs > atMs) at--
    deliveries.splice(at, 0, delivery)
  }
}

/** A copy with something wrong: a flipped bit, a missing end, bytes behind it. */
export function damage(packet: Uint8Array, random: LinkRandom): Uint8Array {
  const kind = random.below(3)
  if (kind === 0) return packet.slice(0, random.below(packet.length))
  if (kind === 1) return Uint8Array.from([...packet, ...random.bytes(1 + random.below(8))])
  const copy = packet.slice()
  const at = random.below(copy.length)
  copy[at]! ^= 1 << random.below(8)
  return copy
}
