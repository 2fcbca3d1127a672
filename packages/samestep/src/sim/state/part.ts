import type { LeafSource } from '../hash/leaf.ts'
import type { StateMemory } from '../hash/memory.ts'
import type { Json } from '../schema/field.ts'
import type { Section, SectionWriter } from '../snapshot/section.ts'

/**
 * State comes in three kinds (tables, plain objects, custom) behind this one small interface.
 *
 * A {@link PartDeclaration} is what a developer writes in `defineGame({ state })`. Every simulation creates
 * its own {@link StatePart} from it. Game code never sees a part, only its `live` value.
 */
export interface PartDeclaration<Live, View> {
  readonly kind: 'table' | 'single' | 'queue' | 'plain' | 'custom'
  /** Throws a `UsageError` that names `path` if the declaration is invalid. */
  check(path: string, context: DeclarationContext): void
  /** Everything that decides compatibility, for the fingerprint. */
  describe(): Json
  /** How many bytes of the state memory the part takes from its allocator. */
  byteLength(): number
  create(name: string, context: PartContext): StatePart<Live, View>
}

/** What a declaration is checked against. */
export interface DeclarationContext {
  /** The tables of the game, for `ref`. */
  readonly tables: ReadonlySet<string>
}

// biome-ignore lint/suspicious/noExplicitAny: the types are recovered by LiveOf and ViewOf, never used as any.
type Whatever = any

/** A declared part of any kind. */
export type AnyPart = PartDeclaration<Whatever, Whatever>

/** The parts of a state, in the sequence in which they are hashed and saved. */
export type PartDeclarations = { readonly [name: string]: AnyPart }

/** What `step` reads and writes. */
export type LiveOf<S extends PartDeclarations> = {
  readonly [K in keyof S]: S[K] extends PartDeclaration<infer Live, infer _View> ? Live : never
}

/** What rendering reads. */
export type ViewOf<S extends PartDeclarations> = {
  readonly [K in keyof S]: S[K] extends PartDeclaration<infer _Live, infer View> ? View : never
}

/** What a part gets when it is made. */
export interface PartContext {
  readonly memory: StateMemory
  readonly allocator: Allocator
  /** True in development: more checks, and views that throw when they are written to. */
  readonly development: boolean
}

/** How a section that does not fit exactly is treated. */
export interface LoadOptions {
  /** Version of the game that wrote the snapshot. */
  readonly fileVersion: number
  /** Version of the game that reads it. */
  readonly gameVersion: number
  /** What to do with sections and columns that the game does not declare. */
  readonly unknown: 'refuse' | 'skip'
}

/** One part of a running simulation's state. */
export interface StatePart<Live = unknown, View = unknown> extends LeafSource {
  readonly name: string
  readonly kind: AnyPart['kind']
  /** What game code gets. A plain or custom part may replace it on {@link load}. */
  readonly live: Live
  /** What rendering gets: the same values, not writable. */
  readonly view: View
  /** Back to what it was when it was made: empty tables, default values. */
  reset(): void
  /** Makes memory hold what a save and a load would give back: no `-0`, one NaN, rounded `f32`. */
  normalise(): void
  save(out: SectionWriter): void
  /** Throws `WireError`; the part is then in an unspecified state and must be reset or reloaded. */
  load(section: Section, options: LoadOptions): void
  /** What a leaf's bytes mean, for a report: the cells that differ, with their names. */
  explainLeaf(column: string, block: number, mine: Uint8Array, theirs: Uint8Array): Difference[]
  /**
   * Every value of a leaf, in its sequence, for a comparison with a machine that must not be sent them.
   * Equal leaves give equal lists. Empty for a column that the part does not have.
   */
  listLeaf(column: string, block: number, bytes: Uint8Array): LeafValue[]
}

/** One value of a leaf. */
export interface LeafValue {
  /** Row number in a table; `undefined` where there are no rows. */
  readonly row: number | undefined
  /** Column, or path inside a plain value. */
  readonly field: string
  readonly value: Json
}

/** One cell or value on which two states disagree. */
export interface Difference {
  readonly part: string
  /** Row number in a table; `undefined` where there are no rows. */
  readonly row: number | undefined
  /** Column, or path inside a plain value. */
  readonly field: string
  readonly mine: Json
  readonly theirs: Json
}

/**
 * Hands out runs of one memory, front to back. Nothing is ever given back: a state's layout is fixed
 * when the simulation is made, so that no tick can move a column under a view.
 */
export class Allocator {
  readonly #end: number
  #next: number

  constructor(start: number, end: number) {
    this.#next = start
    this.#end = end
  }

  take(byteLength: number): number {
    const start = this.#next
    this.#next = start + paddedLength(byteLength)
    if (this.#next > this.#end) {
      throw new RangeError(`State memory of ${this.#end} bytes is too small for its own layout`)
    }
    return start
  }
}

/** Columns start on 128-byte boundaries: one stripe of the hash kernel, two cache lines. */
export const columnAlignment = 128

/** The bytes that {@link Allocator.take} uses for a run of this length. */
export function paddedLength(byteLength: number): number {
  return Math.ceil(byteLength / columnAlignment) * columnAlignment
}
