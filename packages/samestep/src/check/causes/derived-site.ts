/** Which write made derived data stale: one to what its `recompute` reads. */
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { TraceEntry } from '../../sim/trace/trace-entry.ts'
import type { Copy } from '../lanes/copy.ts'

type Reads = ReadonlyMap<string, ReadonlySet<string>>

/** The last write of a tick to what a derived value follows from. */
export function findStaleWrite(
  game: Game,
  name: string,
  copy: Copy,
  entries: readonly TraceEntry[],
): TraceEntry | undefined {
  const declaration = game.definition.derived?.[name]
  if (declaration === undefined) return undefined
  const reads = noteReads(copy.simulation.state as object, (state) => {
    declaration.recompute(state, undefined)
  })
  return entries.findLast(({ part, field, kind }) => {
    const fields = reads.get(part)
    if (fields === undefined) return false
    return kind === 'add' || kind === 'remove' || fields.has(field)
  })
}

/** Which parts of a state a function reads, and what of them. */
function noteReads(state: object, run: (state: object) => void): Reads {
  const reads = new Map<string, Set<string>>()
  const watched = new Proxy(state, {
    get(target, name) {
      const part: unknown = Reflect.get(target, name)
      if (typeof part !== 'object' || part === null) return part
      const fields = reads.get(String(name)) ?? new Set()
      reads.set(String(name), fields)
      // An empty target: a proxy may not hide what its target has and cannot change.
      return new Proxy(
        {},
        {
          get(_, field) {
            fields.add(String(field))
            const value: unknown = Reflect.get(part, field)
            return typeof value === 'function' ? value.bind(part) : value
          },
        },
      )
    },
  })
  try {
    run(watched)
  } catch {
    // What it read until then is something.
  }
  return reads
}
