import type { LeafVisitor } from '../hash/leaf.ts'
import type { StateMemory } from '../hash/memory.ts'
import type { RecordOf } from '../schema/field.ts'
import type { Cells, Section, SectionWriter } from '../snapshot/section.ts'
import { ColumnSet, checkColumnFields, explainColumn } from './column-set.ts'
import type { Column } from './columns.ts'
import type {
  Difference,
  LeafValue,
  LoadOptions,
  PartContext,
  PartDeclaration,
  StatePart,
} from './part.ts'
import { readonlyDeep } from './readonly.ts'
import { columnsByteLength, describeTable } from './table.ts'
import type { LivingFields, TableFields } from './table-rows.ts'

/** The one row of a {@link single}, as `step` sees it: plain properties. */
export type Single<F extends TableFields> = RecordOf<LivingFields<F>>

/** The one row of a {@link single}, as rendering sees it: read-only. */
export type SingleView<F extends TableFields> = Readonly<Single<F>>

/** A declared single row. */
export interface SingleDeclaration<F extends TableFields>
  extends PartDeclaration<Single<F>, SingleView<F>> {
  readonly kind: 'single'
  readonly fields: F
}

/**
 * Declares values that exist once: the wave, the active player, the size of the map.
 *
 * @example
 * ```ts
 * score: single({ wave: u16, over: bool })   // state.score.over = true
 * ```
 */
export function single<const F extends TableFields>(fields: F): SingleDeclaration<F> {
  return {
    kind: 'single',
    fields,
    check: (path, context) => checkColumnFields(path, fields, new Set(), context),
    describe: () => ({ single: describeTable(1, fields) }),
    byteLength: () => columnsByteLength(1, fields),
    create: (name, context) => new SinglePart<F>(name, fields, context),
  }
}

/** The single row of one running simulation. */
export class SinglePart<F extends TableFields> implements StatePart<Single<F>, SingleView<F>> {
  readonly name: string
  readonly kind = 'single'
  readonly live: Single<F>
  readonly view: SingleView<F>
  readonly #memory: StateMemory
  readonly #set: ColumnSet

  constructor(name: string, fields: F, context: PartContext) {
    this.name = name
    this.#memory = context.memory
    this.#set = new ColumnSet(name, 1, fields, context.memory, context.allocator)
    this.live = makeRow(fields, this.#set.columns) as Single<F>
    this.view = context.development ? readonlyDeep(name, this.live) : this.live
    this.reset()
  }

  /** All columns, in declared sequence. */
  get columns(): readonly Column[] {
    return this.#set.columns
  }

  visitLeaves(visitor: LeafVisitor): void {
    for (const column of this.#set.columns) column.visitLeaves(visitor, this.#memory, 1)
  }

  reset(): void {
    for (const column of this.#set.columns) column.cells[0] = column.defaultCell
  }

  normalise(): void {
    this.#set.normalise(1)
  }

  save(out: SectionWriter): void {
    out.beginTable(this.name, 1)
    this.#set.save(out)
    out.endTable()
  }

  load(section: Section, options: LoadOptions): void {
    this.reset()
    this.#set.load(section, options, 1)
  }

  explainLeaf(column: string, block: number, mine: Uint8Array, theirs: Uint8Array): Difference[] {
    return explainColumn(this.name, this.#set.column(column), block, mine, theirs)
  }

  listLeaf(column: string, block: number, bytes: Uint8Array): LeafValue[] {
    return this.#set.list(column, block, bytes).map((value) => ({ ...value, row: undefined }))
  }
}

/** Where a row keeps its cells: not enumerable, so that a row looks like the values that were declared. */
const cellsKey = Symbol('cells')

interface Row {
  readonly [cellsKey]: readonly Cells[]
}

/**
 * The properties of all rows that one declaration makes. Engines give objects one fast shape only if
 * their accessors are the same functions: with functions of its own, the second simulation of a game
 * in a process had rows that were read by looking names up in a dictionary.
 */
const accessors = new WeakMap<TableFields, PropertyDescriptorMap>()

function makeRow(fields: TableFields, columns: readonly Column[]): object {
  let properties = accessors.get(fields)
  if (properties === undefined) {
    properties = Object.fromEntries(columns.map(({ name, codec }, at) => [name, cellAt(at, codec)]))
    accessors.set(fields, properties)
  }
  const row = Object.defineProperty({}, cellsKey, { value: columns.map(({ cells }) => cells) })
  return Object.seal(Object.defineProperties(row, properties))
}

/** What does not fit is kept as a column keeps it, in every mode: a state must not depend on it. */
function cellAt(at: number, codec: Column['codec']): PropertyDescriptor & ThisType<Row> {
  return {
    enumerable: true,
    get() {
      return codec.fromCell((this[cellsKey][at] as Cells)[0] as number)
    },
    set(value: unknown) {
      ;(this[cellsKey][at] as Cells)[0] = codec.toCell(value)
    },
  }
}
