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
import { Prng } from '../../base/prng.ts'
import type { CallSite, CallSiteResolver } from '../../sim/trace/call-site.ts'
import { isGameCaller, siteOfCaller } from '../causes/game-site.ts'
import { hookHost } from './host-hooks.ts'
import { clockPatches, zonePatches } from './machine-clock.ts'
import { environmentPatches } from './machine-environment.ts'
import { localePatches } from './machine-locale.ts'
import { mathPatches, randomPatches, sortPatches } from './machine-numbers.ts'
import type { Factor, MachineState, Patch } from './machine-state.ts'
import { caughtName, textPatches } from './machine-texts.ts'

/** A call with which the game asked its machine for something. */
export interface AmbientUse {
  readonly factor: Factor
  /** What it called: `Math.random`. */
  readonly name: string
  readonly tick: number
  /** The line of the game. */
  readonly site: CallSite | undefined
  /** The line in a package, if the game called a package that asked. */
  readonly within: CallSite | undefined
}

/** How a made-up machine is made. */
export interface MachineOptions {
  readonly seed: number
  readonly tickRate: number
  /** In what it differs from the plain one; in nothing by default. */
  readonly others?: Iterable<Factor>
  /** Finds source lines behind those of generated code. */
  readonly resolve?: CallSiteResolver | undefined
  /** Remembers the last tick of every line that asked, and not only the first to ask for each thing. */
  readonly everyUse?: boolean | undefined
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
  readonly #everyUse: boolean
  readonly #seen = new Set<string>()
  #tick = 0
  #calls = 0
  #prng: Prng | undefined

  constructor(options: MachineOptions) {
    this.#seed = options.seed
    this.#tickMs = 1_000 / options.tickRate
    this.#others = new Set(options.others)
    this.#resolve = options.resolve
    this.#everyUse = options.everyUse === true
    this.#patches = [
      ...randomPatches(this),
      ...clockPatches(this),
      ...zonePatches(this),
      ...localePatches(this),
      ...mathPatches(this),
      ...environmentPatches(this),
      ...textPatches(this),
      ...(this.#others.has('sort') ? sortPatches(this) : []),
    ]
  }

  /** Runs something on this machine, at a tick. Everything is as it was afterwards. */
  run<T>(tick: number, work: () => T): T {
    this.#tick = tick
    this.#calls = 0
    this.#prng = undefined
    const before = this.#open()
    try {
      return work()
    } finally {
      this.#close(before)
    }
  }

  /** Loads modules on this machine: what they ask for while they load, it answers. */
  async load<T>(work: () => Promise<T>): Promise<T> {
    this.#tick = 0
    this.#calls = 0
    this.#prng = undefined
    const before = this.#open()
    try {
      return await work()
    } finally {
      this.#close(before)
    }
  }

  /** Puts the machine's answers in place; gives what was there. */
  #open(): readonly (PropertyDescriptor | undefined)[] {
    return this.#patches.map(({ target, key, value, get }) => {
      if (get === undefined) {
        const before: PropertyDescriptor = { value: Reflect.get(target, key) }
        Reflect.set(target, key, value)
        return before
      }
      const before = Object.getOwnPropertyDescriptor(target, key)
      Reflect.defineProperty(target, key, { get, configurable: true, enumerable: true })
      return before
    })
  }

  #close(before: readonly (PropertyDescriptor | undefined)[]): void {
    this.#patches.forEach(({ target, key, get }, index) => {
      const was = before[index]
      if (get === undefined) Reflect.set(target, key, was?.value)
      else if (was === undefined) Reflect.deleteProperty(target, key)
      else Reflect.defineProperty(target, key, was)
    })
  }

  /** Lets whatever the game takes out of the host when it loads go on asking the machine. */
  static hookHost(): void {
    const machine = new Machine({ seed: 0, tickRate: 20 })
    hookHost(machine.#patches)
    // Instrumented code calls it on no machine at all, too.
    const host = globalThis as { [name: string]: unknown }
    host[caughtName] ??= (error: unknown) => error
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

  isAskedByGame(asked: Parameters<MachineState['note']>[2]): boolean {
    return isGameCaller(asked, this.#resolve)
  }

  note(factor: Factor, name: string, asked: Parameters<MachineState['note']>[2]): void {
    const key = `${factor} ${name}`
    if (!this.#everyUse && (this.#seen.has(key) || this.uses.length >= usesMax)) return
    this.#seen.add(key)
    const use = { factor, name, tick: this.#tick, ...siteOfCaller(asked, this.#resolve) }
    const at = this.#everyUse ? this.uses.findIndex((known) => isSameUse(known, use)) : -1
    // What was asked last is last in the list.
    if (at >= 0) this.uses.splice(at, 1)
    this.uses.push(use)
  }
}

function isSameUse(a: AmbientUse, b: AmbientUse): boolean {
  return (
    a.name === b.name &&
    a.factor === b.factor &&
    a.site?.line === b.site?.line &&
    a.site?.file === b.site?.file
  )
}
