/**
 * Another machine, in one process. A player's machine differs from the next one in its clock, its
 * time zone, its language, the last bits of its `Math.sin`, the algorithm of its `sort` and what its
 * `Math.random` says. A game must not notice. So one copy of the game runs while these are replaced
 * by those of a made-up machine, and the other copies run on a made-up plain one.
 *
 *     base.run(tick, () => original.step(bundle))
 *     other.run(tick, () => twin.step(bundle))      other clock, other zone, other language …
 *
 * Both are functions of seed and tick: what a check found once, it finds again.
 */
import { Prng } from '../base/prng.ts'
import type { CallSite, CallSiteResolver } from '../sim/trace/call-site.ts'
import { siteOfCaller } from './game-site.ts'
import { clockPatches, zonePatches } from './machine-clock.ts'
import { localePatches } from './machine-locale.ts'
import { mathPatches, randomPatches, sortPatches } from './machine-numbers.ts'

/** One way in which machines differ. */
export type Factor = 'random' | 'clock' | 'zone' | 'locale' | 'math' | 'sort'

/** All of them, in the sequence in which they are suspected. */
export const factors: readonly Factor[] = ['random', 'clock', 'zone', 'locale', 'math', 'sort']

/** A game that asked its machine for something. */
export interface AmbientUse {
  readonly factor: Factor
  /** What it called: `Math.random`. */
  readonly name: string
  readonly tick: number
  readonly site: CallSite | undefined
}

/** One replaced property. */
export interface Patch {
  readonly target: object
  readonly key: PropertyKey
  readonly value: unknown
}

// biome-ignore lint/complexity/noBannedTypes: any function can stand in for another.
type Asked = Function

/** What patches ask of the machine that they belong to. */
export interface MachineState {
  /** Whether the machine differs from the plain one in this. */
  isOther(factor: Factor): boolean
  /** Milliseconds since 1970, a little more at every call. */
  nowMs(): number
  /** The machine's own chance, from the start in every tick. */
  prng(): Prng
  tick(): number
  /** Remembers who asked; `asked` is the function that stands in. */
  note(factor: Factor, name: string, asked: Asked): void
}

/** How a made-up machine is made. */
export interface MachineOptions {
  readonly seed: number
  readonly tickRate: number
  /** In what it differs from the plain one; in nothing by default. */
  readonly others?: Iterable<Factor>
  /** Finds source lines behind those of generated code. */
  readonly resolve?: CallSiteResolver | undefined
}

/** A plain Monday: far from any change of year, month, daylight saving or leap second. */
const baseStartMs = 1_700_000_000_000
/** The other machine's clock is wrong by some 417 days and a bit. */
const otherStartMs = baseStartMs + 36_061_234_567
/** Asking the time takes time, and on the other machine more of it. */
const baseCallMs = 0.01
const otherCallMs = 3.7
/** The most places that are remembered for each function: a game has few, and each is told once. */
const usesMax = 64

/** A made-up machine. */
export class Machine implements MachineState {
  readonly uses: AmbientUse[] = []
  readonly #seed: number
  readonly #tickMs: number
  readonly #others: ReadonlySet<Factor>
  readonly #patches: readonly Patch[]
  readonly #resolve: CallSiteResolver | undefined
  readonly #seen = new Set<string>()
  #tick = 0
  #calls = 0
  #prng: Prng | undefined

  constructor(options: MachineOptions) {
    this.#seed = options.seed
    this.#tickMs = 1_000 / options.tickRate
    this.#others = new Set(options.others)
    this.#resolve = options.resolve
    this.#patches = [
      ...randomPatches(this),
      ...clockPatches(this),
      ...zonePatches(this),
      ...localePatches(this),
      ...mathPatches(this),
      ...(this.#others.has('sort') ? sortPatches(this) : []),
    ]
  }

  /** Runs something on this machine, at a tick. Everything is as it was afterwards. */
  run<T>(tick: number, work: () => T): T {
    this.#tick = tick
    this.#calls = 0
    this.#prng = undefined
    const before = this.#patches.map(({ target, key }) => Reflect.get(target, key))
    for (const { target, key, value } of this.#patches) Reflect.set(target, key, value)
    try {
      return work()
    } finally {
      this.#patches.forEach(({ target, key }, index) => {
        Reflect.set(target, key, before[index])
      })
    }
  }

  isOther(factor: Factor): boolean {
    return this.#others.has(factor)
  }

  nowMs(): number {
    const isOther = this.isOther('clock')
    this.#calls += 1
    const callMs = this.#calls * (isOther ? otherCallMs : baseCallMs)
    return (isOther ? otherStartMs : baseStartMs) + this.#tick * this.#tickMs + callMs
  }

  prng(): Prng {
    const name = `${this.isOther('random') ? 'other' : 'base'}/${this.#tick}`
    this.#prng ??= new Prng(this.#seed, name)
    return this.#prng
  }

  tick(): number {
    return this.#tick
  }

  note(factor: Factor, name: string, asked: Asked): void {
    if (this.#seen.has(name) || this.uses.length >= usesMax) return
    this.#seen.add(name)
    this.uses.push({ factor, name, tick: this.#tick, site: siteOfCaller(asked, this.#resolve) })
  }
}
