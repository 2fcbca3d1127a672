import { standsFor } from '../guard/stand-ins.ts'
import type { Column } from '../state/columns.ts'
import type { QueuePart } from '../state/queue.ts'
import type { SinglePart } from '../state/single.ts'
import type { TableFields } from '../state/table-rows.ts'
import type { Recorder } from './recorder.ts'

/** The single row, with properties that record. */
export function traceSingle(recorder: Recorder, part: SinglePart<TableFields>): object {
  const row = {}
  const live = part.live as { [name: string]: unknown }
  for (const column of part.columns) defineTraced(recorder, part.name, row, live, column)
  return standsFor(Object.seal(row), live)
}

function defineTraced(
  recorder: Recorder,
  part: string,
  row: object,
  live: { [name: string]: unknown },
  column: Column,
): void {
  const { name, cells } = column
  function samestepTracedSet(value: unknown): void {
    const before = cells[0] as number
    live[name] = value
    recorder.writeCell(samestepTracedSet, part, column, 0, before)
  }
  Object.defineProperty(row, name, {
    enumerable: true,
    get: () => live[name],
    set: samestepTracedSet,
  })
}

type Work = (item: never) => number

/**
 * A queue that records what is pushed and taken. Rows are counted from the front. Closing up behind
 * taken items moves cells, which is no write of the game's, and is not recorded.
 */
export function traceQueue(recorder: Recorder, part: QueuePart<TableFields>): object {
  const { name } = part

  function samestepTracedPush(values: { readonly [name: string]: unknown }): boolean {
    const row = part.count
    const isTaken = part.push(values as never)
    recorder.settle(part)
    for (const column of isTaken ? part.columns : []) {
      recorder.write(samestepTracedPush, {
        kind: 'push',
        part: name,
        row,
        field: column.name,
        before: null,
        after: part.cellAt(column, row),
        column,
      })
    }
    return isTaken
  }

  function samestepTracedRun(budget: number, work: Work): number {
    try {
      return part.run(budget, (item) => {
        recorder.settle(part)
        const { count } = part
        recorder.write(samestepTracedRun, {
          kind: 'take',
          part: name,
          row: 0,
          field: 'item',
          before: count + 1,
          after: count,
        })
        return work(item as never)
      })
    } finally {
      recorder.settle(part)
    }
  }

  function samestepTracedClear(): void {
    const { count } = part
    part.clear()
    recorder.settle(part)
    recorder.write(samestepTracedClear, {
      kind: 'delete',
      part: name,
      field: 'items',
      before: count,
      after: 0,
    })
  }

  const traced = {
    get count() {
      return part.count
    },
    itemsMax: part.itemsMax,
    push: samestepTracedPush,
    run: samestepTracedRun,
    clear: samestepTracedClear,
  }
  return standsFor(traced, part)
}
