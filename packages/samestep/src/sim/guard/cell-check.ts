/**
 * Tells of values that do not fit their cells. A column is a typed array, which makes of 300 the byte
 * 44 and of 0.5 the whole number 0, on every machine alike and without a word: no desync, and a game
 * that does not do what its author wrote.
 *
 * The value as it was written is only there while it is written, so game code gets columns that look.
 * That costs a hundred times a plain access. So each function of the game is looked at in its first
 * call, and then the less often the more cells it touches:
 *
 *     few cells    looked at in every call
 *     many cells   ████ . . . . . . . . . . ████ . . . . . . . . . . ████
 *                  a call in between gets the columns themselves
 *
 * It counts cells, not time, so that it is the same on every machine, and what it costs stays bounded.
 */
import type { UsageError } from '../../base/errors.ts'
import type { Column } from '../state/columns.ts'
import type { StatePart } from '../state/part.ts'
import type { BlendMode } from '../state/previous.ts'
import type { QueuePart } from '../state/queue.ts'
import type { SinglePart } from '../state/single.ts'
import type { TablePart } from '../state/table.ts'
import type { TableFields } from '../state/table-rows.ts'
import type { CellMisfit } from './cell-misfit.ts'
import { fitsCell, misfitError, strayNameError } from './cell-misfit.ts'
import type { WrittenCell } from './checked-cells.ts'
import type { StrayName, ValueListener } from './checked-parts.ts'
import { checkQueue, checkSingle, checkTable } from './checked-parts.ts'
import { letCloneStandIns } from './clone-stand-ins.ts'
import type { CodePlace, CodeWatch } from './code-watch.ts'
import { joinWatches, placeText } from './code-watch.ts'

/**
 * Cells that a function may touch per call, on average over its calls, while it is looked at: less than
 * a tenth of a millisecond, which no frame misses. Four times as many made ticks of 2 000 units thirty
 * times as long (`npm run bench -- guard`).
 */
const accessesPerCall = 500

/** Kinds of misfit that one tick tells of. Who has more to repair has enough to begin with. */
const kindsMax = 16

/** What did not fit, with the error that says so. */
export interface FoundMisfit {
  readonly misfit: CellMisfit
  readonly error: UsageError
}

/** The columns that are drawn as angles, by table. */
export type RenderModes = {
  readonly [table: string]: { readonly [field: string]: BlendMode } | undefined
}

// biome-ignore lint/complexity/noBannedTypes: any function can be the one that game code called.
type Any = Function

/** Looks at what one simulation's game code writes. It changes no bit of the state. */
export class CellCheck implements CodeWatch, ValueListener {
  accesses = 0
  isOn = false
  readonly #render: RenderModes
  readonly #wideColumns: 'told' | 'round'
  readonly #standIns = new Map<StatePart, object>()
  readonly #roundColumns = new Set<Column>()
  /** Calls to come, by function, in which it is not looked at. */
  readonly #restCalls = new Map<string, number>()
  #found = new Map<string, { error: UsageError; misfit: CellMisfit; cells: number }>()
  #place: CodePlace = { where: 'setup', name: 'setup' }
  #writer = 'setup'
  #startAccesses = 0
  #restoreClone: () => void = () => {}

  /** `wideColumns` that go round are not told: for who feeds a game the largest values there are. */
  constructor(render: RenderModes, wideColumns: 'told' | 'round' = 'told') {
    this.#render = render
    this.#wideColumns = wideColumns
  }

  /** Returns the proxy that game code gets for a part. Called by the state. */
  readonly wrapLive = (part: StatePart): unknown => {
    const known = this.#standIns.get(part)
    if (known !== undefined) return known
    const standIn = part.name.startsWith('#') ? undefined : this.#standIn(part)
    if (standIn !== undefined) this.#standIns.set(part, standIn)
    return standIn ?? part.live
  }

  /** Both this check and the guard of the same simulation, as one. */
  join(guard: CodeWatch | undefined): CodeWatch {
    return joinWatches(guard, this)
  }

  begin(_tick: number): void {
    this.#restoreClone = letCloneStandIns()
  }

  enter(where: CodePlace['where'], name: string): void {
    this.#place = { where, name }
    this.#writer = placeText(this.#place)
    const rest = this.#restCalls.get(this.#writer) ?? 0
    this.isOn = rest === 0
    if (rest > 0) this.#restCalls.set(this.#writer, rest - 1)
    this.#startAccesses = this.accesses
  }

  leave(): void {
    if (this.isOn) {
      const touched = this.accesses - this.#startAccesses
      this.#restCalls.set(this.#writer, Math.floor(touched / accessesPerCall))
    }
    this.isOn = false
  }

  end(): void {
    this.#restoreClone()
  }

  loaded(): void {}

  fits(column: Column, given: unknown): boolean {
    return fitsCell(column, given, this.#roundColumns.has(column))
  }

  wrote(above: Any, at: WrittenCell, given: unknown, kept: number): void {
    const { part, row, column } = at
    this.#note({ part, row, field: column.name, kept }, given, () =>
      misfitError(above, at, this.#place, given, kept),
    )
  }

  named(above: Any, { part, columns, row, name }: StrayName, given: unknown): void {
    this.#note({ part, row, field: name, kept: undefined }, given, () =>
      strayNameError(above, part, columns, this.#place, name),
    )
  }

  #note(
    at: Pick<CellMisfit, 'part' | 'row' | 'field' | 'kept'>,
    given: unknown,
    makeError: () => UsageError,
  ): void {
    const kind = `${this.#writer} ${at.part}.${at.field}`
    const known = this.#found.get(kind)
    if (known !== undefined) {
      known.cells += 1
      return
    }
    if (this.#found.size === kindsMax) return
    const value = typeof given === 'number' ? given : String(given)
    const misfit = { ...at, value, writer: this.#writer, cells: 1 }
    this.#found.set(kind, { error: makeError(), misfit, cells: 1 })
  }

  /** What did not fit since this was asked last: one of each kind. */
  take(): readonly FoundMisfit[] {
    if (this.#found.size === 0) return none
    const found = [...this.#found.values()]
    this.#found = new Map()
    return found.map(({ error, misfit, cells }) => ({ error, misfit: { ...misfit, cells } }))
  }

  #standIn(part: StatePart): object | undefined {
    switch (part.kind) {
      case 'table':
        this.#noteRound(part as TablePart<TableFields>)
        return checkTable(this, part as TablePart<TableFields>)
      case 'single':
        this.#noteRound(part as SinglePart<TableFields>)
        return checkSingle(this, part as SinglePart<TableFields>)
      case 'queue':
        this.#noteRound(part as StatePart as QueuePart<TableFields>)
        return checkQueue(this, part as StatePart as QueuePart<TableFields>)
      case 'plain':
      case 'custom':
        // Plain values are checked whole, behind every tick; what is custom only its owner knows.
        return undefined
    }
  }

  /** An angle that fills its type, as a u16 does, goes round where the type ends. */
  #noteRound({
    name,
    columns,
  }: {
    readonly name: string
    readonly columns: readonly Column[]
  }): void {
    for (const column of columns) {
      const { min, max } = column.codec
      const fillsType = max - min === 0xffff_ffff >>> (32 - 8 * column.cells.BYTES_PER_ELEMENT)
      const isAngle = this.#render[name]?.[column.name] === 'angle'
      const isWide = this.#wideColumns === 'round' && column.cells.BYTES_PER_ELEMENT === 4
      if (fillsType && (isAngle || isWide)) this.#roundColumns.add(column)
    }
  }
}

const none: readonly never[] = Object.freeze([])
