import { UsageError } from '../../base/errors.ts'
import type { LeafVisitor } from '../hash/leaf.ts'
import type { StateMemory } from '../hash/memory.ts'
import type { RecordOf } from '../schema/field.ts'
import type { Section, SectionWriter } from '../snapshot/section.ts'
import { ColumnSet, explainColumn } from './column-set.ts'
import type { Column } from './columns.ts'
import type {
  Difference,
  LeafValue,
  LoadOptions,
  PartContext,
  PartDeclaration,
  StatePart,
} from './part.ts'
import { checkTable, columnsByteLength, describeTable } from './table.ts'
import type { LivingFields, TableFields } from './table-rows.ts'

/**
 * Work that does not fit into one tick: path requests, fog updates. A queue is state, so that every machine
 * has the same work left, even one that joined late. Its budget is counted in operations: with a budget in
 * milliseconds, a fast machine would do more work than a slow one, which is a desync (PRF-09).
 */
export interface WorkQueue<F extends TableFields> {
  /** The number of items in the queue. */
  readonly count: number
  readonly itemsMax: number
  /** Adds an item at the end. Returns false, without adding it, if the queue is full. */
  push(values: Partial<RecordOf<LivingFields<F>>>): boolean
  /**
   * Takes items from the front and passes each to `work`, which returns the operations it used, until
   * `budget` operations are used or the queue is empty. Items are not split, so the last one may exceed the
   * budget. Returns the operations used.
   */
  run(budget: number, work: (item: RecordOf<LivingFields<F>>) => number): number
  /** Removes all items. */
  clear(): void
}

/** A declared work queue. */
export interface QueueDeclaration<F extends TableFields>
  extends PartDeclaration<WorkQueue<F>, { readonly count: number }> {
  readonly kind: 'queue'
  readonly fields: F
  readonly itemsMax: number
}

/**
 * Declares a first-in, first-out queue of at most `itemsMax` items.
 *
 * @example
 * ```ts
 * paths: queue(500, { unit: ref('units'), x: fixed, y: fixed })
 * // in step: state.paths.run(2_000, (job) => findPath(state, job))
 * ```
 */
export function queue<const F extends TableFields>(
  itemsMax: number,
  fields: F,
): QueueDeclaration<F> {
  return {
    kind: 'queue',
    fields,
    itemsMax,
    check: (path, context) => checkTable(path, itemsMax, fields, context),
    describe: () => ({ queue: describeTable(itemsMax, fields) }),
    byteLength: () => columnsByteLength(itemsMax, fields),
    create: (name, context) => new QueuePart<F>(name, itemsMax, fields, context),
  }
}

/**
 * A queue of one running simulation. Waiting items stand in rows 0 to `count`, so that a queue saves
 * and hashes like a table; what was taken is closed up once per `run`, which is one copy per column.
 */
export class QueuePart<F extends TableFields>
  implements StatePart<WorkQueue<F>, { readonly count: number }>, WorkQueue<F>
{
  readonly name: string
  readonly kind = 'queue'
  readonly itemsMax: number
  readonly #memory: StateMemory
  readonly #set: ColumnSet
  /** Given to every call of `work`, so that taking an item allocates nothing. */
  readonly #item: { [name: string]: unknown } = {}
  /** Rows in use, and how many of them the current `run` has taken. */
  #end = 0
  #taken = 0

  constructor(name: string, itemsMax: number, fields: F, context: PartContext) {
    this.name = name
    this.itemsMax = itemsMax
    this.#memory = context.memory
    this.#set = new ColumnSet(name, itemsMax, fields, context.memory, context.allocator)
    for (const column of this.#set.columns) this.#item[column.name] = undefined
  }

  /** All columns, in declared sequence. */
  get columns(): readonly Column[] {
    return this.#set.columns
  }

  /** The cell of a waiting item, counted from the front. */
  cellAt(column: Column, item: number): number {
    return column.cells[this.#taken + item] as number
  }

  get live(): WorkQueue<F> {
    return this
  }

  get view(): { readonly count: number } {
    return this
  }

  get count(): number {
    return this.#end - this.#taken
  }

  push(values: Partial<RecordOf<LivingFields<F>>>): boolean {
    if (this.#end === this.itemsMax) this.#closeUp()
    if (this.#end === this.itemsMax) return false
    const row = this.#end
    for (const column of this.#set.columns) {
      const value = (values as { readonly [name: string]: unknown })[column.name]
      column.cells[row] = value === undefined ? column.defaultCell : column.codec.toCell(value)
    }
    this.#end = row + 1
    return true
  }

  run(budget: number, work: (item: RecordOf<LivingFields<F>>) => number): number {
    if (!Number.isInteger(budget)) {
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        `Cannot run queue '${this.name}' with a budget of ${budget}: a budget is a whole number of operations`,
      )
    }
    let used = 0
    try {
      while (used < budget && this.count > 0) {
        this.#takeFront()
        const operations = work(this.#item as RecordOf<LivingFields<F>>)
        // Work that claims to cost nothing would keep every machine in this loop for ever.
        used += Number.isInteger(operations) && operations > 0 ? operations : 1
      }
    } finally {
      this.#closeUp()
    }
    return used
  }

  clear(): void {
    this.#set.clear()
    this.#end = 0
    this.#taken = 0
  }

  visitLeaves(visitor: LeafVisitor): void {
    for (const column of this.#set.columns) column.visitLeaves(visitor, this.#memory, this.#end)
  }

  reset(): void {
    this.clear()
  }

  normalise(): void {
    this.#set.normalise(this.#end)
  }

  save(out: SectionWriter): void {
    out.beginTable(this.name, this.#end)
    this.#set.save(out)
    out.endTable()
  }

  load(section: Section, options: LoadOptions): void {
    this.reset()
    this.#end = this.#set.load(section, options, this.itemsMax)
  }

  explainLeaf(column: string, block: number, mine: Uint8Array, theirs: Uint8Array): Difference[] {
    return explainColumn(this.name, this.#set.column(column), block, mine, theirs)
  }

  listLeaf(column: string, block: number, bytes: Uint8Array): LeafValue[] {
    return this.#set.list(column, block, bytes)
  }

  #takeFront(): void {
    const row = this.#taken
    for (const column of this.#set.columns) {
      this.#item[column.name] = column.codec.fromCell(column.cells[row] as number)
    }
    this.#taken = row + 1
  }

  #closeUp(): void {
    if (this.#taken === 0) return
    for (const { cells } of this.#set.columns) {
      cells.copyWithin(0, this.#taken, this.#end)
      cells.fill(0, this.#end - this.#taken, this.#end)
    }
    this.#end -= this.#taken
    this.#taken = 0
  }
}
