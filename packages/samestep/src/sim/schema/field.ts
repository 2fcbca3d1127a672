import type { BitReader } from '../../base/bit-reader.ts'
import type { BitWriter } from '../../base/bit-writer.ts'
import type { Prng } from '../../base/prng.ts'
import type { RefSource } from './sampling.ts'

/** Any JSON value: used by tools for display, and for fingerprints. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }

/** The typed array that keeps one column of a table. */
export type ColumnType = 'u8' | 'u16' | 'u32' | 'i8' | 'i16' | 'i32' | 'f32' | 'f64'

/** What a cell is in a picture: a fixed-point number is shown in metres, not in 65 536ths of them. */
export interface ShownCell {
  /** A cell is multiplied by this. */
  readonly scale: number
  /** What a full turn is after that, for a column that is blended as an angle. */
  readonly turn: number
}

/** A float that is shown as it is; an angle in it is in radians. */
export const shownAsIs: ShownCell = { scale: 1, turn: 2 * Math.PI }

/** How a field lives in a table column: one cell, one number. */
export interface ColumnCodec<T> {
  readonly type: ColumnType
  /** Smallest and largest legal cell. A loaded snapshot is checked against them. */
  readonly min: number
  readonly max: number
  /** How a picture shows a cell between two ticks. */
  readonly shown: ShownCell
  toCell(value: T): number
  fromCell(cell: number): T
}

/** When a field exists and under which names, so that old snapshots load. */
export interface FieldHistory {
  /** First game version that has the field; older snapshots give it its default. */
  readonly since: number
  /** First game version that no longer has it; `Infinity` while it lives. */
  readonly until: number
  /** Earlier names, newest first. */
  readonly was: readonly string[]
}

/**
 * One kind of value, declared once. The declaration determines its TypeScript type, its bits on the wire,
 * its equality, its default, its JSON form and, for scalars, its table column.
 *
 * `write` trusts its value (call `check` first if it comes from a developer); `read` trusts nothing, and
 * throws only a {@link WireError}.
 */
export interface Field<T> {
  /** `'u8'`, `'range'`, `'list'` …: the name used in descriptions. */
  readonly kind: string
  /** How a table stores it; `undefined` for values that are not a single number. */
  readonly column: ColumnCodec<T> | undefined
  /** The minimum and maximum number of bits of one value. */
  readonly bitsMin: number
  readonly bitsMax: number
  /**
   * Whether values can be keys of maps and sets: `===` must distinguish them exactly when their bits
   * differ. Objects are compared by identity, and two numbers may be rounded to the same f32.
   */
  readonly isKey: boolean
  /** The tables that its values point into, however deeply nested. */
  readonly refTables: readonly string[]
  readonly history: FieldHistory
  /** In an input: true for a one-shot (a shot), false for a held control (a direction). */
  readonly isOneShot: boolean

  /** A fresh default value. */
  makeDefault(): T
  write(out: BitWriter, value: T): void
  read(input: BitReader): T
  /** Whether `value` fits the field: like {@link check}, but without an error and without allocating. */
  accepts(value: unknown): boolean
  /** Throws a `UsageError` with code `SS_BAD_VALUE` that names `path` unless `value` fits. */
  check(value: unknown, path: string): asserts value is T
  equals(a: T, b: T): boolean
  /**
   * The value that saving and loading would give back: `-0` becomes `0`, an `f32` is rounded. Objects are
   * changed in place and returned. True scalars allocate nothing.
   */
  normalise(value: T): T
  /** A value that is equal to `value` and shares nothing with it. */
  copy(value: T): T
  toJson(value: T): Json
  /** The inverse of {@link toJson}; throws a `UsageError` with code `SS_BAD_VALUE`. */
  fromJson(json: Json, path: string): T
  /** A random value that fits, for checks and storms. The same draws give the same value. */
  sample(prng: Prng, refs: RefSource): T
  /** Everything that decides compatibility, for fingerprints and for self-describing files. */
  describe(): Json

  /**
   * The same values in the encoding of an older game version: without fields added later, with fields
   * removed since. Reading fills in defaults and drops removed fields.
   */
  atVersion(version: number): Field<T>

  /** The same field with another default. */
  default(value: T): this
  /** The same field, added in this game version. */
  since(version: number): this
  /** The same field, removed in this game version; old snapshots that contain it still load. */
  until(version: number): RetiredField<T>
  /** The same field, formerly known under other names. */
  was(...names: string[]): this
  /** The same field as a one-shot of an input: it returns to its default in the tick after it was set. */
  oneShot(): this
}

/**
 * A field that the game no longer has. It stays in the declaration so that old snapshots load, but is not
 * part of the types: it has no value, no column, and no bits in anything written now.
 */
export type RetiredField<
  // biome-ignore lint/suspicious/noExplicitAny: any retired field, whatever it once held.
  T = any,
> = Field<T> & { readonly isRetired: true }

/** A field of any type, for records with different fields: `Field` is invariant in its type. */
export type AnyField = Field<
  // biome-ignore lint/suspicious/noExplicitAny: ValueOf recovers the type; it is never used as any.
  any
>

/** The fields of a record, in the sequence in which they are encoded. */
export type Fields = { readonly [name: string]: AnyField }

/** The TypeScript type of a field's values. */
export type ValueOf<F> = F extends Field<infer T> ? T : never

/** The TypeScript type of a record with these fields, without retired fields. */
export type RecordOf<S extends Fields> = {
  -readonly [K in keyof S as S[K] extends RetiredField ? never : K]: ValueOf<S[K]>
}
