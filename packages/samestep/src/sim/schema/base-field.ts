import type { BitReader } from '../../base/bit-reader.ts'
import type { BitWriter } from '../../base/bit-writer.ts'
import { UsageError } from '../../base/errors.ts'
import type { Prng } from '../../base/prng.ts'
import type { ColumnCodec, Field, FieldHistory, Json, RetiredField } from './field.ts'
import type { RefSource } from './sampling.ts'

/** What the modifiers of a field change; the rest of a field is its kind. */
export interface Traits<T> {
  readonly history: FieldHistory
  readonly isOneShot: boolean
  /** The default that was declared; `undefined` for the default of the kind. */
  readonly initial: T | undefined
}

/** The traits of a field without modifiers. */
export const plainTraits: Traits<never> = {
  history: { since: 0, until: Number.POSITIVE_INFINITY, was: [] },
  isOneShot: false,
  initial: undefined,
}

/** What all kinds of field share: the modifiers, the default and the frame of the description. */
export abstract class BaseField<T> implements Field<T> {
  abstract readonly kind: string
  abstract readonly column: ColumnCodec<T> | undefined
  abstract readonly bitsMin: number
  abstract readonly bitsMax: number
  protected readonly traits: Traits<T>

  protected constructor(traits: Traits<T>) {
    this.traits = traits
  }

  /** Most kinds that are one number make keys; the others say so. */
  get isKey(): boolean {
    return this.column !== undefined
  }

  /** Most kinds point nowhere. */
  get refTables(): readonly string[] {
    return []
  }

  get history(): FieldHistory {
    return this.traits.history
  }

  get isOneShot(): boolean {
    return this.traits.isOneShot
  }

  /** Whether the game no longer has it: it is declared only so that old snapshots load. */
  get isRetired(): boolean {
    return this.traits.history.until !== Number.POSITIVE_INFINITY
  }

  abstract write(out: BitWriter, value: T): void
  abstract read(input: BitReader): T
  /** Whether `value` fits: the fast half of {@link check}, which builds no path and no message. */
  abstract accepts(value: unknown): boolean
  abstract equals(a: T, b: T): boolean
  abstract normalise(value: T): T
  abstract toJson(value: T): Json
  abstract fromJson(json: Json, path: string): T
  abstract sample(prng: Prng, refs: RefSource): T

  /** Throws the error for a value that was not accepted: the slow half of {@link check}. */
  protected abstract refuse(value: unknown, path: string): never
  /** The default of this kind where none was declared. */
  protected abstract makeZero(): T
  /** Everything but the kind and the traits that decides compatibility. */
  protected abstract describeLimits(): { readonly [key: string]: Json }
  /** The same field with other traits. */
  protected abstract withTraits(traits: Traits<T>): this

  /** Scalars are their own copies; composites override it. */
  copy(value: T): T {
    return value
  }

  /** Most kinds have no inner fields that could come and go; composites override it. */
  atVersion(_version: number): Field<T> {
    return this
  }

  check(value: unknown, path: string): asserts value is T {
    if (!this.accepts(value)) this.refuse(value, path)
  }

  makeDefault(): T {
    const { initial } = this.traits
    return initial === undefined ? this.makeZero() : this.copy(initial)
  }

  describe(): Json {
    const { history, isOneShot } = this.traits
    const { since, until, was } = history
    const initial = this.makeDefault()
    return {
      kind: this.kind,
      ...this.describeLimits(),
      // A declared default that says nothing new must not change the fingerprint.
      ...(this.equals(initial, this.makeZero()) ? {} : { default: this.toJson(initial) }),
      ...(since === 0 ? {} : { since }),
      ...(until === Number.POSITIVE_INFINITY ? {} : { until }),
      ...(was.length === 0 ? {} : { was: [...was] }),
      ...(isOneShot ? { oneShot: true } : {}),
    }
  }

  default(value: T): this {
    this.check(value, 'default')
    // A copy, so that a later change of the given object changes no default.
    const initial = this.normalise(this.copy(value))
    return this.withTraits({ ...this.traits, initial })
  }

  since(version: number): this {
    const { history } = this.traits
    checkVersion('since', version)
    checkLife(version, history.until)
    return this.withTraits({ ...this.traits, history: { ...history, since: version } })
  }

  until(version: number): this & RetiredField<T> {
    const { history } = this.traits
    checkVersion('until', version)
    checkLife(history.since, version)
    const retired = this.withTraits({ ...this.traits, history: { ...history, until: version } })
    return retired as this & RetiredField<T>
  }

  was(...names: string[]): this {
    const { history } = this.traits
    for (const name of names) checkName(name)
    const was = [...history.was, ...names]
    if (names.length === 0 || new Set(was).size !== was.length) {
      badField(`was(${names.map(show).join(', ')})`, 'needs earlier names, each of them once')
    }
    return this.withTraits({ ...this.traits, history: { ...history, was } })
  }

  oneShot(): this {
    return this.withTraits({ ...this.traits, isOneShot: true })
  }
}

/** Throws the error for a field that cannot be declared so. `why` says what to write instead. */
export function badField(what: string, why: string): never {
  throw new UsageError('SS_BAD_FIELD', `Cannot declare ${what}: it ${why}`)
}

/** Throws the error for a value that does not fit its field. */
export function badValue(path: string, value: unknown, needed: string): never {
  throw new UsageError(
    'SS_BAD_VALUE',
    `Cannot use ${path}: it is ${show(value)}; it must be ${needed}`,
  )
}

/** Longer texts are cut in messages: an error should fit on a screen. */
const shownUnitsMax = 40

/** A value as an error message shows it. */
export function show(value: unknown): string {
  if (typeof value === 'string') {
    const isLong = value.length > shownUnitsMax
    return isLong ? `${JSON.stringify(value.slice(0, shownUnitsMax))}…` : JSON.stringify(value)
  }
  if (Object.is(value, -0)) return '-0'
  if (typeof value === 'bigint') return `${value}n`
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (value instanceof Uint8Array) return `${value.length} bytes`
  if (value instanceof Map || value instanceof Set) {
    return `a ${value instanceof Map ? 'Map' : 'Set'} of ${value.size}`
  }
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'object' && value !== null) return 'an object'
  return String(value)
}

/**
 * A maximum of items or bytes above this is a mistake: 16 million items are more than a match holds
 * in all its tables, and the bound keeps counts in 24 bits and sums of bits exact.
 */
export const countMax = 0xff_ffff

/** Checks a declared maximum of items or bytes. */
export function checkMax(what: string, max: number): void {
  if (Number.isInteger(max) && max >= 1 && max <= countMax) return
  badField(`${what} with a maximum of ${show(max)}`, `needs a whole number from 1 to ${countMax}`)
}

/** Checks that something is a type at all: a missing import gives `undefined`. */
export function checkField(what: string, field: unknown): void {
  if (field instanceof BaseField) return
  badField(`${what} of type ${show(field)}`, 'needs a type, such as u8 or list(u8, 10)')
}

/** Checks the name of a field, now or earlier. */
export function checkName(name: string): void {
  // JavaScript would move integer-like names to the front, and `__proto__` is no property.
  if (typeof name === 'string' && /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__') return
  badField(`a field named ${show(name)}`, 'needs a name of letters, digits and _, no digit first')
}

/** How many bits hold every whole number from 0 to `max`, which is below 2^32. */
export function bitsFor(max: number): number {
  return 32 - Math.clz32(max)
}

function checkVersion(what: string, version: number): void {
  if (Number.isSafeInteger(version) && version >= 0) return
  badField(`${what}(${show(version)})`, 'needs a game version: a whole number from 0 on')
}

function checkLife(since: number, until: number): void {
  if (since < until) return
  badField(`since(${since}) with until(${until})`, 'must begin before it ends')
}
