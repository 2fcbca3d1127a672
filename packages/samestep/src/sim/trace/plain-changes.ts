import type { Json } from '../schema/field.ts'
import { diffJson } from '../state/json-diff.ts'
import type { Difference } from '../state/part.ts'
import { valueJson } from './value-json.ts'

/** An object that was put into the state, as it was then. */
interface Placed {
  readonly part: string
  readonly path: string
  readonly value: object
  readonly json: Json
}

/**
 * Which changes of plain values the recorded writes of one function account for. What they do not
 * account for was done through an object that the game holds itself.
 */
export class PlainChanges {
  /** `part/path` of every write. */
  readonly #paths = new Set<string>()
  #placed: Placed[] = []

  clear(): void {
    this.#paths.clear()
    this.#placed = []
  }

  /** A write to `path`. */
  note(part: string, path: string, value: unknown): void {
    const full = `${part}/${path}`
    this.#paths.add(full)
    // What was written into since is no longer what it was when it was put there, and should not be.
    if (this.#placed.length > 0) {
      this.#placed = this.#placed.filter(
        (placed) => !isBelow(full, `${placed.part}/${placed.path}`),
      )
    }
    if (typeof value === 'object' && value !== null) {
      this.#placed.push({ part, path, value, json: valueJson(value) })
    }
  }

  /** Whether a recorded write was to this path, above it, or below it. */
  explains(part: string, path: string): boolean {
    const full = `${part}/${path}`
    for (const known of this.#paths) {
      if (isBelow(full, known) || isBelow(known, full)) return true
    }
    return false
  }

  /** What objects are no longer what they were when they were put into the state. */
  changedSince(part: string): Difference[] {
    return this.#placed
      .filter((placed) => placed.part === part)
      .flatMap(({ path, value, json }) => diffJson(part, path, json, valueJson(value)))
  }
}

function isBelow(path: string, root: string): boolean {
  if (!path.startsWith(root)) return false
  const next = path[root.length]
  return next === undefined || next === '.' || next === '[' || root.endsWith('/')
}
