import { LeafShadow } from '../guard/leaf-shadow.ts'
import { mixBytes } from '../hash/mix.ts'
import type { Cells } from '../snapshot/section.ts'
import type { Column } from '../state/columns.ts'
import type { Difference, PartDeclarations, StatePart } from '../state/part.ts'
import type { State } from '../state/state.ts'
import { PlainChanges } from './plain-changes.ts'
import type { Write } from './recorder.ts'

/**
 * Finds what changed in a state although nobody was seen writing it: through a typed array or an object
 * that the game holds itself. A copy of the state is compared with it whenever game code has run.
 */
export class UnseenChanges {
  readonly #record: (write: Write) => void
  readonly #changes = new PlainChanges()
  readonly #cells = new Map<Column, Cells>()
  #parts: readonly StatePart[] = []
  #engineParts: readonly StatePart[] = []
  #shadow: LeafShadow | undefined

  constructor(record: (write: Write) => void) {
    this.#record = record
  }

  get isAttached(): boolean {
    return this.#shadow !== undefined
  }

  /** From now on, this state is looked at. */
  attach(state: State<PartDeclarations>): void {
    this.#parts = state.parts
    this.#engineParts = state.parts.filter(({ name }) => name.startsWith('#'))
    this.#shadow = new LeafShadow(state.memory)
    this.captureAll()
  }

  /** A function of the game begins. The engine's own writes, before it, are no part of a trace. */
  enter(): void {
    for (const part of this.#engineParts) this.settle(part)
    this.#changes.clear()
  }

  /** A function of the game has ended. */
  leave(): void {
    this.sweep()
    this.#changes.clear()
  }

  /** The state is another one. */
  reset(): void {
    this.#changes.clear()
    this.captureAll()
  }

  /** A write to a plain value was seen. */
  explain(part: string, path: string, placed: unknown): void {
    this.#changes.note(part, path, placed)
  }

  /** All changes of a part were seen. */
  settle(part: StatePart): void {
    this.#shadow?.capture(part)
  }

  /** The cells of a column as they were, to be written along with the real ones. */
  cellsOf(column: Column): Cells | undefined {
    let cells = this.#cells.get(column)
    if (cells === undefined && this.#shadow !== undefined) {
      cells = this.#shadow.cellsOf(column)
      this.#cells.set(column, cells)
    }
    return cells
  }

  /** Takes the state as it is. */
  captureAll(): void {
    for (const part of this.#parts) {
      try {
        this.settle(part)
      } catch (error) {
        // A plain value that no longer fits its field cannot be encoded; the tick's end will say so.
        if (part.kind !== 'plain') throw error
      }
    }
  }

  /** Records what changed without being seen. */
  sweep(): void {
    for (const part of this.#parts) {
      if (part.name === '#system' || part.name === '#random') continue
      try {
        let isChanged = false
        for (const difference of this.#changes.changedSince(part.name)) this.#recordOne(difference)
        this.#shadow?.compareCells(part, (label, before, after) => {
          isChanged = true
          this.#recordLeaf(part, label, before, after)
        })
        if (isChanged) this.settle(part)
      } catch (error) {
        if (part.kind !== 'plain') throw error
      }
    }
  }

  #recordLeaf(part: StatePart, label: string, old: Uint8Array, now: Uint8Array): void {
    const [, column = '', block = '0'] = label.split('/')
    const { name, kind } = part
    for (const difference of part.explainLeaf(column, Number(block), old, now)) {
      if (kind === 'plain' && this.#changes.explains(name, difference.field)) continue
      this.#recordOne(difference)
    }
    // Differences are cut short, and explained ones left out: this makes up for both.
    mixBytes(now, digest, 0)
    const after = `${digest[0]?.toString(16)}-${digest[1]?.toString(16)}`
    const field = `${column}/${block}`
    this.#record({ kind: 'digest', part: name, field, before: null, after })
  }

  #recordOne({ part, row, field, mine: before, theirs: after }: Difference): void {
    this.#record({ kind: 'unseen', part, row, field, before, after })
  }
}

/** Where the hash of a leaf is for a moment. */
const digest = new Uint32Array(2)
