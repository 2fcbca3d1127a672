import { BitWriter } from '../../base/bit-writer.ts'
import { WireError } from '../../base/errors.ts'
import { makeLabel } from '../hash/label.ts'
import type { LeafLabel, LeafVisitor } from '../hash/leaf.ts'
import type { AnyField, Field, Json } from '../schema/field.ts'
import type { StructField } from '../schema/index.ts'
import { decodeRecord } from '../schema/index.ts'
import type { Section, SectionWriter } from '../snapshot/section.ts'
import { checkRefs } from './column-set.ts'
import { diffJson, listJson } from './json-diff.ts'
import type {
  Difference,
  LeafValue,
  LoadOptions,
  PartContext,
  PartDeclaration,
  StatePart,
} from './part.ts'
import { readonlyDeep } from './readonly.ts'

/** Deeply `readonly`, for the view that rendering gets. */
export type DeepReadonly<T> =
  T extends Map<infer K, infer V>
    ? ReadonlyMap<K, DeepReadonly<V>>
    : T extends Set<infer V>
      ? ReadonlySet<V>
      : T extends readonly (infer V)[]
        ? readonly DeepReadonly<V>[]
        : T extends object
          ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
          : T

/** A declared plain value. */
export interface PlainDeclaration<T> extends PartDeclaration<T, DeepReadonly<T>> {
  readonly kind: 'plain'
  readonly field: Field<T>
}

/**
 * Declares ordinary nested objects as state, for small games and for the few things that do not fit a
 * table. Arrays, Maps and Sets keep their exact sequence in snapshots.
 *
 * The whole value is encoded and hashed every tick, at a cost proportional to its size. Above some thousand
 * values, use tables.
 *
 * @example
 * ```ts
 * board: plain(struct({ cells: list(u8, 64), hands: map(seat, list(u8, 7), 4) }))
 * ```
 */
export function plain<T extends object>(field: StructField<T>): PlainDeclaration<T> {
  return {
    kind: 'plain',
    field,
    check: (path, context) => checkRefs(path, field, context),
    describe: () => ({ kind: 'plain', value: field.describe() }),
    byteLength: () => 0,
    create: (name, context) => new PlainPart<T>(name, field, context),
  }
}

type Leaf = { readonly key: string; readonly field: AnyField; readonly label: LeafLabel }

/** A plain value of one running simulation. */
export class PlainPart<T extends object> implements StatePart<T, DeepReadonly<T>> {
  readonly name: string
  readonly kind = 'plain'
  readonly #field: StructField<T>
  readonly #leaves: readonly Leaf[]
  readonly #writer = new BitWriter()
  readonly #development: boolean
  #live: T

  constructor(name: string, field: StructField<T>, context: Pick<PartContext, 'development'>) {
    this.name = name
    this.#field = field
    this.#development = context.development
    this.#live = field.makeDefault()
    // One leaf per member of the outermost object, so that a difference is at least that near.
    this.#leaves = Object.entries(field.fields).map(([key, inner]) => ({
      key,
      field: inner as AnyField,
      label: makeLabel(`${name}/${key}/0`),
    }))
  }

  get live(): T {
    return this.#live
  }

  get view(): DeepReadonly<T> {
    const value = this.#live as DeepReadonly<T>
    return this.#development ? readonlyDeep(this.name, value) : value
  }

  visitLeaves(visitor: LeafVisitor): void {
    const writer = this.#writer
    for (const { key, field, label } of this.#leaves) {
      writer.reset()
      field.write(writer, (this.#live as { readonly [key: string]: unknown })[key])
      const bytes = writer.view()
      visitor.leaf(label, bytes, 0, bytes.byteLength, 'raw')
    }
  }

  reset(): void {
    this.#live = this.#field.makeDefault()
  }

  normalise(): void {
    // Wrong values are caught in the tick that made them, not in a save an hour later.
    if (this.#development) this.#field.check(this.#live, this.name)
    this.#field.normalise(this.#live)
  }

  save(out: SectionWriter): void {
    this.#field.check(this.#live, this.name)
    this.#writer.reset()
    this.#field.write(this.#writer, this.#live)
    out.bytes(this.name, this.#writer.view())
  }

  load(section: Section, options: LoadOptions): void {
    if (section.kind !== 'bytes') {
      throw new WireError(
        'SS_WIRE_MISMATCH',
        0,
        `Section '${section.name}' holds columns; part '${this.name}' is a plain value`,
      )
    }
    this.#live = decodeRecord(this.#field.atVersion(options.fileVersion), section.content)
  }

  explainLeaf(column: string, _block: number, mine: Uint8Array, theirs: Uint8Array): Difference[] {
    const leaf = this.#leaves.find(({ key }) => key === column)
    if (leaf === undefined) return []
    return diffJson(this.name, column, leafJson(leaf, mine), leafJson(leaf, theirs))
  }

  listLeaf(column: string, _block: number, bytes: Uint8Array): LeafValue[] {
    const leaf = this.#leaves.find(({ key }) => key === column)
    return leaf === undefined ? [] : listJson(column, leafJson(leaf, bytes))
  }
}

/** Bytes from another machine may not decode at all; then the report shows that they do not. */
function leafJson({ field }: Leaf, bytes: Uint8Array): Json {
  try {
    return field.toJson(decodeRecord(field, bytes))
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return `undecodable: ${error.message}`
  }
}
