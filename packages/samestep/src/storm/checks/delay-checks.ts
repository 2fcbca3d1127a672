import type { NodeId } from '../engine/node-id.ts'
import type { World } from '../engine/world.ts'

/**
 * Spectators see a match later than it happens where its rules say so: no tick and no state gets to
 * them before it is that old, by the relay's clock (I-36).
 */
export class DelayBook {
  readonly #world: World
  readonly #relay: NodeId
  readonly #delayMs: number
  readonly #names: Set<string>
  /** When each tick was sealed; those of a relay that was out of order are not there. */
  readonly #sealedAtMs = new Map<number, number>()

  /** `names` are those who only watch. */
  constructor(world: World, relay: NodeId, delayMs: number, names: ReadonlySet<string>) {
    this.#world = world
    this.#relay = relay
    this.#delayMs = delayMs
    this.#names = new Set(names)
  }

  /** Somebody who watched plays, and sees what players see; what he saw then he knows from then on. */
  exempt(name: string): void {
    this.#names.delete(name)
  }

  noteSealed(tick: number, isDisturbed: boolean): void {
    if (!isDisturbed) this.#sealedAtMs.set(tick, this.#world.localMs(this.#relay))
    // Nobody is further behind than the longest delay of a storm, and what a log keeps.
    this.#sealedAtMs.delete(tick - keptTicks)
  }

  /** A client has a tick, or the state after it. */
  check(name: string, tick: number, isDisturbed: boolean): void {
    const sealedAtMs = this.#sealedAtMs.get(tick)
    if (!this.#names.has(name) || isDisturbed || sealedAtMs === undefined) return
    const ageMs = this.#world.localMs(this.#relay) - sealedAtMs
    this.#world.sometimes('a spectator saw a tick later')
    this.#world.always('I-36', ageMs >= this.#delayMs, () => {
      return `${name} has tick ${tick}, which is ${Math.round(ageMs)} ms old; it must be ${this.#delayMs}`
    })
  }
}

/** A minute and a half at the fastest tick rate. */
const keptTicks = 21_600
