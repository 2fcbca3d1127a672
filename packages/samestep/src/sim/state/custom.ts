import { UsageError, WireError } from '../../base/errors.ts'
import { makeLabel } from '../hash/label.ts'
import type { LeafLabel, LeafVisitor } from '../hash/leaf.ts'
import type { Section, SectionWriter } from '../snapshot/section.ts'
import type { Difference, LeafValue, LoadOptions, PartDeclaration, StatePart } from './part.ts'

/** A labelled range of bytes of a custom part. Labels must be unique within the part. */
export type CustomLeaf = { readonly label: string; readonly bytes: Uint8Array }

/** How state in the game's own memory (a physics engine, an ECS, WebAssembly) is saved and hashed. */
export interface CustomOptions<T> {
  /** Creates a fresh, empty instance. */
  create(): T
  /**
   * Returns everything that the future of the simulation depends on. The same state must give the same
   * bytes. The caller owns them: return a copy, not memory that keeps changing.
   */
  save(instance: T): Uint8Array
  /**
   * Restores the instance from saved bytes; may reuse `instance`. Throw anything if the bytes are invalid.
   * The caller owns them: copy what you keep.
   */
  load(bytes: Uint8Array, instance: T): T
  /**
   * Returns the bytes to hash, in pieces that are worth distinguishing in a report, always in the same
   * sequence. It runs every tick, so it should be cheaper than `save` if possible. Defaults to the saved
   * bytes.
   */
  leaves?(instance: T): Iterable<CustomLeaf>
  /** The version of the saved format; part of the fingerprint. */
  readonly format?: string | number
}

/** A declared custom part. */
export interface CustomDeclaration<T> extends PartDeclaration<T, Readonly<T>> {
  readonly kind: 'custom'
  /** The options that the game gave, for checks. */
  readonly options: CustomOptions<T>
}

/**
 * Declares state that lives in the game's own memory.
 *
 * @example
 * ```ts
 * world: custom({
 *   create: () => new World(gravity),
 *   save: (world) => world.takeSnapshot(),
 *   load: (bytes) => World.restoreSnapshot(bytes),
 * })
 * ```
 */
export function custom<T>(options: CustomOptions<T>): CustomDeclaration<T> {
  return {
    kind: 'custom',
    options,
    check(path) {
      for (const name of ['create', 'save', 'load'] as const) {
        if (typeof options[name] !== 'function') {
          throw new UsageError(
            'SS_BAD_DEFINITION',
            `Cannot declare ${path} as custom without ${name}: write custom({ create, save, load })`,
          )
        }
      }
    },
    describe: () => ({ kind: 'custom', format: options.format ?? null }),
    byteLength: () => 0,
    create: (name) => new CustomPart<T>(name, options),
  }
}

/** A custom part of one running simulation. */
export class CustomPart<T> implements StatePart<T, Readonly<T>> {
  readonly name: string
  readonly kind = 'custom'
  readonly #options: CustomOptions<T>
  /** Labels are made once for each name that `leaves` ever gave. */
  readonly #labels = new Map<string, LeafLabel>()
  #live: T

  constructor(name: string, options: CustomOptions<T>) {
    this.name = name
    this.#options = options
    this.#live = options.create()
  }

  get live(): T {
    return this.#live
  }

  get view(): Readonly<T> {
    return this.#live
  }

  visitLeaves(visitor: LeafVisitor): void {
    const { leaves, save } = this.#options
    if (leaves === undefined) {
      this.#visit(visitor, 'saved', save(this.#live))
      return
    }
    for (const { label, bytes } of leaves(this.#live)) this.#visit(visitor, label, bytes)
  }

  reset(): void {
    this.#live = this.#options.create()
  }

  /** Its owner alone knows what its bytes mean. */
  normalise(): void {}

  save(out: SectionWriter): void {
    out.bytes(this.name, this.#options.save(this.#live))
  }

  load(section: Section, _options: LoadOptions): void {
    if (section.kind !== 'bytes') {
      throw new WireError(
        'SS_WIRE_MISMATCH',
        0,
        `Section '${section.name}' holds columns; part '${this.name}' is custom`,
      )
    }
    try {
      this.#live = this.#options.load(section.content, this.#live)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new WireError('SS_WIRE_OUT_OF_RANGE', 0, `Cannot load part '${this.name}': ${reason}`)
    }
  }

  explainLeaf(column: string, _block: number, mine: Uint8Array, theirs: Uint8Array): Difference[] {
    const offset = firstDifference(mine, theirs)
    if (offset < 0) return []
    return [
      {
        part: this.name,
        row: undefined,
        field: `${column}[byte ${offset}]`,
        mine: mine[offset] ?? null,
        theirs: theirs[offset] ?? null,
      },
    ]
  }

  listLeaf(column: string, _block: number, bytes: Uint8Array): LeafValue[] {
    return Array.from(bytes, (value, offset) => ({
      row: undefined,
      field: `${column}[byte ${offset}]`,
      value,
    }))
  }

  #visit(visitor: LeafVisitor, name: string, bytes: Uint8Array): void {
    let label = this.#labels.get(name)
    if (label === undefined) {
      label = makeLabel(`${this.name}/${name.replaceAll('/', '.')}/0`)
      this.#labels.set(name, label)
    }
    visitor.leaf(label, bytes, 0, bytes.byteLength, 'raw')
  }
}

function firstDifference(a: Uint8Array, b: Uint8Array): number {
  const length = Math.max(a.length, b.length)
  for (let index = 0; index < length; index++) if (a[index] !== b[index]) return index
  return -1
}
