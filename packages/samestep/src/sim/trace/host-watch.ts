import { hostFactor } from '../../base/host-factor.ts'
import { HostTraps } from '../guard/host-traps.ts'
import type { RawValue } from './trace-log.ts'

// biome-ignore lint/complexity/noBannedTypes: any function of the host.
type Any = Function

/** Told what game code asked its machine for, and what it got; `above` is what it called. */
export type NoteCall = (above: Any, name: string, result: RawValue) => void

/** One call whose result is another one each time: of the clock, or of chance. */
export interface FleetingResult {
  readonly name: string
  readonly value: unknown
}

/**
 * Sees the calls of game code whose result another machine may give otherwise: `Math.sin`, `Date.now`,
 * `localeCompare`. Nothing is forbidden. Functions that a module took out of their object when it was
 * loaded are not seen.
 *
 * What the clock and chance give is never the same twice, so it is not told. It is kept instead, and can
 * be handed out again in another run: whether a tick depends on it is then seen, and not guessed.
 */
export class HostWatch {
  /** What the clock and chance gave, in sequence. */
  readonly fleeting: FleetingResult[] = []
  readonly #traps = new HostTraps()
  readonly #note: NoteCall
  readonly #given: readonly FleetingResult[]
  /** What game code got in the place of functions, each always the same. */
  readonly #functions = new WeakMap<Any, Any>()
  #depth = 0

  /** `given` is what the clock and chance give first. */
  constructor(note: NoteCall, given: readonly FleetingResult[] = []) {
    this.#note = note
    this.#given = given
  }

  /** A tick begins, and ends. */
  open(): void {
    this.#traps.open()
  }

  close(): void {
    this.#traps.close()
  }

  /** Game code runs, and no longer. */
  enter(): void {
    this.#depth += 1
    this.#traps.enter(allow, (name, result, above) => this.#take(name, result, above))
  }

  leave(): void {
    this.#depth -= 1
    this.#traps.leave()
  }

  #take(name: string, result: unknown, above: Any): unknown {
    if (typeof result === 'function') return this.#watched(name, result)
    if (!isFleeting(name)) {
      this.#note(above, name, shown(result))
      return result
    }
    const given = this.#given[this.fleeting.length]
    const value = given?.name === name ? given.value : result
    this.fleeting.push({ name, value })
    this.#note(above, name, null)
    return isDate(value) ? copyDate(value, 0) : value
  }

  /**
   * `compare` of a collator is a function that the host hands out, and what it gives is what differs.
   * Game code may keep it for later, when nobody watches.
   */
  #watched(name: string, real: Any): Any {
    const known = this.#functions.get(real)
    if (known !== undefined) return known
    const samestepTracedCall = (target: Any, self: unknown, args: unknown[]): unknown => {
      const result = Reflect.apply(target, self, args)
      if (this.#depth > 0) this.#note(samestepTracedCall, name, shown(result))
      return result
    }
    const watched: Any = new Proxy(real, { apply: samestepTracedCall })
    this.#functions.set(real, watched)
    return watched
  }
}

/** Whether a function gives something else each time. */
export function isFleeting(name: string): boolean {
  const factor = hostFactor(name)
  return factor === 'random' || factor === 'clock'
}

interface DateLike {
  readonly constructor: unknown
  getTime(): number
}

/** Whether it is a date, of whichever realm. */
export function isDate(value: unknown): value is DateLike {
  return Object.prototype.toString.call(value) === '[object Date]'
}

/** Another date, so many milliseconds later. Game code may write to the first. */
export function copyDate(date: DateLike, laterMs: number): unknown {
  const Type = date.constructor as new (ms: number) => unknown
  return new Type(date.getTime() + laterMs)
}

function allow(): void {}

/** What a call gave, as far as it can be compared. */
function shown(result: unknown): RawValue {
  switch (typeof result) {
    case 'string':
    case 'boolean':
      return result
    case 'number':
      return Number.isFinite(result) ? result : String(result)
    default:
      return null
  }
}
