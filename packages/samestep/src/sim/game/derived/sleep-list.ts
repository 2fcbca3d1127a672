import { UsageError } from '../../../base/errors.ts'
import type { CellColumn, TableReader } from '../../state/table-rows.ts'
import type { DerivedDeclaration } from './derived.ts'
import { derived } from './derived.ts'

/**
 * Rows that have nothing to do until a tick, so that the cost of a tick depends on the rows that wake in
 * it, not on all rows.
 *
 * The wake-up tick is a cell of the row itself: hashed, saved and compared like any other. The list is
 * derived from that column: a heap of the sleeping rows, by tick and then by row. So rows wake in the same
 * sequence on every machine, even on one that joined late and built its heap from a snapshot.
 *
 *     wakeAt      row 0: 90   row 1: 0 (awake)   row 2: 40   row 3: 90
 *     wake(40)    row 2
 *     wake(90)    row 0, row 3
 */
export class SleepList {
  readonly #table: TableReader
  readonly #wakeAt: CellColumn
  /** Rows, the next to wake first. Some may have died, or been woken otherwise: the column decides. */
  readonly #heap: Int32Array
  #size = 0
  /** By row: its place in the heap, or −1. */
  readonly #place: Int32Array
  /** By row: the tick by which it stands in the heap. */
  readonly #due: Uint32Array
  /** Rows that the current {@link wake} visits, and by which tick they were due. */
  readonly #waking: Int32Array
  readonly #wakingDue: Uint32Array
  #isWaking = false

  constructor(table: TableReader, wakeAt: CellColumn) {
    this.#table = table
    this.#wakeAt = wakeAt
    this.#heap = new Int32Array(table.rowsMax)
    this.#place = new Int32Array(table.rowsMax).fill(-1)
    this.#due = new Uint32Array(table.rowsMax)
    this.#waking = new Int32Array(table.rowsMax)
    this.#wakingDue = new Uint32Array(table.rowsMax)
    for (const row of table) {
      const tick = wakeAt[row] as number
      if (tick > 0) this.#insert(row, tick)
    }
  }

  /** Whether a row sleeps. */
  isAsleep(row: number): boolean {
    return this.#wakeAt[row] !== 0
  }

  /**
   * Puts a row to sleep until a tick, or changes the tick of a row that sleeps already. The row wakes in
   * the first {@link wake} with that tick or a later one, but never in a {@link wake} that is still
   * running.
   *
   * @throws UsageError `SS_STALE_ROW` for a row that is not alive, `SS_BAD_ARGUMENT` for a tick that the
   * column cannot hold.
   */
  sleep(row: number, untilTick: number): void {
    if (!this.#table.isAlive(row)) {
      throw new UsageError('SS_STALE_ROW', `Cannot let row ${row} sleep: it is not alive`)
    }
    this.#wakeAt[row] = untilTick
    if (!(untilTick >= 1) || this.#wakeAt[row] !== untilTick) {
      this.#wakeAt[row] = 0
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        `Cannot let row ${row} sleep until tick ${untilTick}: it must be a whole number from 1 that its column holds; declare the column as u32`,
      )
    }
    this.#insert(row, untilTick)
  }

  /** Wakes a row without visiting it. */
  rouse(row: number): void {
    this.#wakeAt[row] = 0
  }

  /**
   * Wakes the rows that are due and visits each, by tick, then by row. Rows removed while asleep are not
   * visited. Call it once per tick. Returns how many woke.
   */
  wake(tick: number, visit: (row: number) => void): number {
    if (this.#isWaking) {
      throw new UsageError('SS_BAD_ARGUMENT', 'Cannot wake rows from inside of a visit')
    }
    // All are taken out before the first visit, so that who falls asleep in one is not woken in the same.
    const count = this.#takeDue(tick)
    let visited = 0
    let woken = 0
    this.#isWaking = true
    try {
      while (visited < count) {
        const row = this.#waking[visited] as number
        const due = this.#wakingDue[visited] as number
        visited += 1
        // A visit before may have ended the row, or its sleep, or let it sleep for longer.
        if (this.#place[row] !== -1 || !this.#isDueAt(row, due)) continue
        this.#wakeAt[row] = 0
        woken += 1
        visit(row)
      }
    } finally {
      this.#isWaking = false
      // A visit that throws ends the system. The others still sleep, by their cells, so they do here.
      for (; visited < count; visited++) {
        const row = this.#waking[visited] as number
        const due = this.#wakingDue[visited] as number
        if (this.#place[row] === -1 && this.#isDueAt(row, due)) this.#insert(row, due)
      }
    }
    return woken
  }

  /** The tick until which a row sleeps in this list; 0 if it does not. */
  dueOf(row: number): number {
    const due = this.#due[row] as number
    return this.#place[row] !== -1 && this.#isDueAt(row, due) ? due : 0
  }

  /** Whether another list of the same table wakes the same rows at the same ticks. */
  equals(other: SleepList): boolean {
    for (let row = 0; row < this.#table.rowsUsed; row++) {
      if (this.dueOf(row) !== other.dueOf(row)) return false
    }
    return true
  }

  #isDueAt(row: number, tick: number): boolean {
    return this.#table.isAlive(row) && this.#wakeAt[row] === tick
  }

  #takeDue(tick: number): number {
    let count = 0
    while (this.#size > 0) {
      const row = this.#heap[0] as number
      const due = this.#due[row] as number
      if (due > tick) break
      this.#removeFirst()
      if (!this.#isDueAt(row, due)) continue
      this.#waking[count] = row
      this.#wakingDue[count] = due
      count += 1
    }
    return count
  }

  #insert(row: number, tick: number): void {
    this.#due[row] = tick
    let place = this.#place[row] as number
    if (place === -1) {
      place = this.#size
      this.#size += 1
      this.#put(place, row)
    }
    this.#settle(place)
  }

  #removeFirst(): void {
    this.#place[this.#heap[0] as number] = -1
    this.#size -= 1
    if (this.#size === 0) return
    this.#put(0, this.#heap[this.#size] as number)
    this.#settle(0)
  }

  /** Moves the row at a place to where it belongs. */
  #settle(from: number): void {
    let place = from
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!this.#isBefore(place, parent)) break
      this.#swap(place, parent)
      place = parent
    }
    for (;;) {
      const left = 2 * place + 1
      const right = left + 1
      let first = place
      if (left < this.#size && this.#isBefore(left, first)) first = left
      if (right < this.#size && this.#isBefore(right, first)) first = right
      if (first === place) return
      this.#swap(place, first)
      place = first
    }
  }

  #isBefore(one: number, other: number): boolean {
    const row = this.#heap[one] as number
    const otherRow = this.#heap[other] as number
    const due = this.#due[row] as number
    const otherDue = this.#due[otherRow] as number
    return due === otherDue ? row < otherRow : due < otherDue
  }

  #swap(one: number, other: number): void {
    const row = this.#heap[one] as number
    this.#put(one, this.#heap[other] as number)
    this.#put(other, row)
  }

  #put(place: number, row: number): void {
    this.#heap[place] = row
    this.#place[row] = place
  }
}

/**
 * Declares a sleep list over a column of a table, as derived data. The column is a `u32` that only the list
 * writes to; 0 means that the row is awake.
 *
 * @example
 * ```ts
 * state: { trees: table(10_000, { wakeAt: u32, age: u8 }) },
 * derived: { asleep: sleepList('trees', 'wakeAt') },
 * step({ state, derived, tick }) {
 *   derived.asleep.wake(tick, (row) => {
 *     state.trees.age[row] += 1
 *     derived.asleep.sleep(row, tick + 900)
 *   })
 * }
 * ```
 */
export function sleepList(table: string, column: string): DerivedDeclaration<SleepList> {
  const recompute = (state: { readonly [name: string]: unknown }) => {
    const rows = state[table] as (TableReader & { readonly [name: string]: unknown }) | undefined
    const cells = rows?.[column] as CellColumn | undefined
    if (typeof rows?.isAlive !== 'function' || typeof cells?.length !== 'number') {
      throw new UsageError(
        'SS_BAD_DEFINITION',
        `Cannot let rows sleep by ${table}.${column}: there is no such column of a table in the state`,
      )
    }
    return new SleepList(rows, cells)
  }
  // The game keeps it up to date; whoever loads a state builds it anew.
  return derived(recompute, { refresh: 'load', equals: (one, other) => one.equals(other) })
}
