import { WireError } from '../../base/errors.ts'
import type { LeafSource, LeafVisitor } from '../hash/leaf.ts'
import type { StateMemory } from '../hash/memory.ts'
import { createStateMemory } from '../hash/memory.ts'
import type { Section, SectionWriter } from '../snapshot/section.ts'
import type {
  Difference,
  LeafValue,
  LiveOf,
  LoadOptions,
  PartDeclaration,
  PartDeclarations,
  StatePart,
  ViewOf,
} from './part.ts'
import { Allocator } from './part.ts'

/** How a state is made. */
export interface StateOptions {
  /** True in development: more checks, and views that throw when they are written to. */
  readonly development?: boolean
  /** How sync hashes are computed; `auto` uses WebAssembly where it is allowed. */
  readonly kernel?: 'auto' | 'wasm' | 'js'
  /** What game code gets instead of a part's live value: for tracing. */
  readonly wrapLive?: (part: StatePart) => unknown
}

/**
 * All parts of one simulation's state in one memory: what is hashed, saved, loaded and compared.
 *
 * Names that begin with `#` are the engine's own parts (the random generators, the tick).
 */
export class State<S extends PartDeclarations> implements LeafSource {
  readonly memory: StateMemory
  readonly parts: readonly StatePart[]
  /** What game code gets as `state`. */
  readonly live: LiveOf<S>
  readonly #byName: ReadonlyMap<string, StatePart>
  readonly #wrapLive: StateOptions['wrapLive']
  #view: ViewOf<S> | undefined

  constructor(declarations: S, options: StateOptions = {}) {
    const entries: [string, PartDeclaration<unknown, unknown>][] = Object.entries(declarations)
    const byteLength = entries.reduce((sum, [, part]) => sum + part.byteLength(), 0)
    this.memory = createStateMemory(byteLength, { kernel: options.kernel ?? 'auto' })
    const context = {
      memory: this.memory,
      allocator: new Allocator(this.memory.dataStart, this.memory.bytes.byteLength),
      development: options.development ?? false,
    }
    this.parts = entries.map(([name, part]) => part.create(name, context))
    this.#byName = new Map(this.parts.map((part) => [part.name, part]))
    this.#wrapLive = options.wrapLive
    this.live = {} as LiveOf<S>
    this.#publish()
  }

  /** What rendering gets: made on first use, because a server never draws. */
  get view(): ViewOf<S> {
    if (this.#view === undefined) {
      const view: { [name: string]: unknown } = {}
      for (const part of this.parts) {
        Object.defineProperty(view, part.name, { enumerable: true, get: () => part.view })
      }
      this.#view = Object.freeze(view) as ViewOf<S>
    }
    return this.#view
  }

  part(name: string): StatePart | undefined {
    return this.#byName.get(name)
  }

  visitLeaves(visitor: LeafVisitor): void {
    for (const part of this.parts) part.visitLeaves(visitor)
  }

  reset(): void {
    for (const part of this.parts) part.reset()
    this.#publish()
  }

  normalise(): void {
    for (const part of this.parts) part.normalise()
  }

  save(out: SectionWriter): void {
    for (const part of this.parts) part.save(out)
  }

  /**
   * Replaces the whole state by what a snapshot holds. A part that an older version of the game did
   * not have keeps its defaults; in a file of this version a missing part is an error.
   *
   * @throws WireError when a section does not fit; the state is then reset.
   */
  load(sections: readonly Section[], options: LoadOptions): void {
    this.reset()
    try {
      const seen = new Set<string>()
      for (const section of sections) {
        this.#checkFirst(section.name, seen)
        this.#loadSection(section, options)
      }
      if (options.fileVersion === options.gameVersion) this.#checkComplete(seen)
    } catch (error) {
      this.reset()
      throw error
    }
    this.#publish()
  }

  /** Lists what differs in one leaf, given another machine's bytes of that leaf. */
  explainLeaf(label: string, mine: Uint8Array, theirs: Uint8Array): Difference[] {
    const [name = '', column = '', block = '0'] = label.split('/')
    return this.#byName.get(name)?.explainLeaf(column, Number(block), mine, theirs) ?? []
  }

  /** Every value of one leaf, with the name of its part. */
  listLeaf(label: string, bytes: Uint8Array): LeafValue[] {
    const [name = '', column = '', block = '0'] = label.split('/')
    return this.#byName.get(name)?.listLeaf(column, Number(block), bytes) ?? []
  }

  #loadSection(section: Section, options: LoadOptions): void {
    const part = this.#byName.get(section.name)
    if (part !== undefined) part.load(section, options)
    else if (options.unknown === 'refuse') {
      throw new WireError(
        'SS_WIRE_UNKNOWN',
        0,
        `The snapshot has a section '${section.name}' that this game does not declare`,
      )
    }
  }

  #checkFirst(name: string, seen: Set<string>): void {
    if (seen.has(name)) {
      throw new WireError('SS_WIRE_NOT_CANONICAL', 0, `The snapshot has section '${name}' twice`)
    }
    seen.add(name)
  }

  #checkComplete(seen: ReadonlySet<string>): void {
    for (const { name } of this.parts) {
      if (!seen.has(name)) {
        throw new WireError('SS_WIRE_MISMATCH', 0, `The snapshot has no section '${name}'`)
      }
    }
  }

  /** Plain and custom parts get new values when they are loaded or reset. */
  #publish(): void {
    const live = this.live as { [name: string]: unknown }
    const wrap = this.#wrapLive
    for (const part of this.parts) live[part.name] = wrap === undefined ? part.live : wrap(part)
  }
}
