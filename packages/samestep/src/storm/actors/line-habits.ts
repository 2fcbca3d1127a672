import type { Prng } from '../../base/prng.ts'
import type { Client } from '../../client/client.ts'
import type { MoveDoor } from '../../client/move/move-state.ts'
import type { Conditions } from '../engine/network/conditions.ts'
import type { World } from '../engine/world.ts'

/** A player whose client changes between a stream and datagrams, more often than any reason would have it. */
export class LineHabits {
  readonly #world: World
  readonly #random: Prng
  readonly #everyMs: number
  readonly #conditions: () => Conditions
  #nextAtMs: number
  #isStopped = false

  constructor(world: World, name: string, perMinute: number, conditions: () => Conditions) {
    this.#world = world
    this.#random = world.random(`moves/${name}`)
    this.#everyMs = 60_000 / perMinute
    this.#conditions = conditions
    this.#nextAtMs = this.#draw()
  }

  /** What the line to a door is like: the same way for packets, in another kind of link. */
  lineOf(door: MoveDoor): Conditions {
    return { ...this.#conditions(), kind: door === 'home' ? 'stream' : 'datagram' }
  }

  act(client: Client, nowMs: number): void {
    if (this.#isStopped || nowMs < this.#nextAtMs) return
    this.#nextAtMs = nowMs + this.#draw()
    const isTried = client.tryMove('udp') || client.tryMove('home')
    this.#world.sometimes('a client moves of its own will', isTried)
  }

  wakeAtMs(): number {
    return this.#isStopped ? Number.POSITIVE_INFINITY : this.#nextAtMs
  }

  /** What it has is good enough from here on. */
  stop(): void {
    this.#isStopped = true
  }

  #draw(): number {
    return Math.max(this.#random.exponential() * this.#everyMs, 20)
  }
}
