import { WireError } from '../../../base/errors.ts'
import { toHex } from '../../hash/hex.ts'
import { makeLabel } from '../../hash/label.ts'
import type { LeafLabel, LeafVisitor } from '../../hash/leaf.ts'
import type { StateMemory } from '../../hash/memory.ts'
import { seatsMax } from '../../limits.ts'
import { Random, wordsFor } from '../../random/random.ts'
import { seedStream } from '../../random/seed.ts'
import { wordsPerStream } from '../../random/xoshiro.ts'
import type { StructField } from '../../schema/index.ts'
import { bool, list, struct, u8, u16, u32 } from '../../schema/index.ts'
import type { Section, SectionWriter } from '../../snapshot/section.ts'
import type {
  Difference,
  LeafValue,
  LoadOptions,
  PartContext,
  PartDeclaration,
  StatePart,
} from '../../state/part.ts'
import { paddedLength } from '../../state/part.ts'
import { plain } from '../../state/plain.ts'
import { single } from '../../state/single.ts'
import type { InputFields } from '../definition/context.ts'

/**
 * The engine's own state. It shares the memory of the game's state, and is hashed and saved with it. So
 * a generator that runs ahead is a desync like any other, and is found like any other.
 */

/** The progress and the settings of the match. */
export const systemPart = single({
  /** The match tick: the bundle that ran last. */
  tick: u32,
  /** How many of those were paused. The game's tick is the difference. */
  pausedTicks: u32,
  paused: bool,
  speedPercent: u16.default(100),
  inputDelay: u8,
  /** A bit per seat that has a player: seats 0 to 31, then 32 to 63. */
  presentLo: u32,
  presentHi: u32,
})

/** The held input of each seat: the baseline of the next input, which a late joiner needs too. */
export function inputsPart(codec: StructField<InputFields>) {
  return plain(struct({ seats: list(codec, seatsMax) }))
}

/** The random generators as a part of the state: one column of eight words per stream. */
export function randomPart<N extends string>(
  streams: readonly N[],
): PartDeclaration<Random<N>, undefined> {
  const names = ['main', ...streams]
  return {
    kind: 'custom',
    check: () => {},
    describe: () => ({ kind: 'random', streams: [...streams] }),
    byteLength: () => paddedLength(wordsFor(streams) * 4),
    create: (name, context) => new RandomPart<N>(name, names, streams, context),
  }
}

/** The random generators of one running simulation. */
export class RandomPart<N extends string> implements StatePart<Random<N>, undefined> {
  readonly name: string
  readonly kind = 'custom'
  readonly live: Random<N>
  readonly view = undefined
  /** The memory of all streams, one after the other. */
  readonly words: Uint32Array
  readonly #start: number
  readonly #memory: StateMemory
  readonly streams: readonly N[]
  readonly #names: readonly string[]
  readonly #labels: readonly LeafLabel[]
  /** Streams that were missing in the last loaded snapshot. */
  #missing: readonly number[] = []

  constructor(name: string, names: readonly string[], streams: readonly N[], context: PartContext) {
    const wordCount = wordsFor(streams)
    this.name = name
    this.streams = streams
    this.#names = names
    this.#memory = context.memory
    this.#start = context.allocator.take(wordCount * 4)
    this.words = new Uint32Array(context.memory.buffer, this.#start, wordCount)
    this.#labels = names.map((stream) => makeLabel(`${name}/${stream}/0`))
    this.live = new Random(this.words, streams)
  }

  visitLeaves(visitor: LeafVisitor): void {
    const byteLength = wordsPerStream * 4
    for (let index = 0; index < this.#labels.length; index++) {
      const start = this.#start + index * byteLength
      visitor.leaf(this.#labels[index] as LeafLabel, this.#memory.bytes, start, byteLength, 'raw')
    }
  }

  reset(): void {
    this.words.fill(0)
  }

  normalise(): void {}

  save(out: SectionWriter): void {
    out.beginTable(this.name, wordsPerStream)
    this.#names.forEach((stream, index) => {
      out.column(stream, 'u32', this.#wordsOf(index))
    })
    out.endTable()
  }

  load(section: Section, _options: LoadOptions): void {
    if (section.kind !== 'table' || section.rows !== wordsPerStream) {
      throw new WireError('SS_WIRE_MISMATCH', 0, `Section '${section.name}' is not random streams`)
    }
    const missing = new Set(this.#names.keys())
    for (const column of section.columns) {
      const index = this.#names.indexOf(column.name)
      if (index < 0) continue
      missing.delete(index)
      if (column.type !== 'u32') {
        throw new WireError('SS_WIRE_MISMATCH', 0, `Random stream '${column.name}' is not u32`)
      }
      column.readInto(this.#wordsOf(index))
    }
    this.#missing = [...missing]
  }

  /**
   * Seeds the streams that an older version of the game did not have, as on every other machine.
   *
   * @throws WireError if a loaded stream is in a state that no generator can be in.
   */
  completeLoad(seed: number | string): void {
    for (const index of this.#missing) {
      const name = index === 0 ? '' : (this.#names[index] as string)
      seedStream(this.#wordsOf(index), seed, name)
    }
    this.#missing = []
    if (!this.live.isLegal()) {
      throw new WireError('SS_WIRE_OUT_OF_RANGE', 0, 'A random stream is in an impossible state')
    }
  }

  explainLeaf(column: string, _block: number, mine: Uint8Array, theirs: Uint8Array): Difference[] {
    const drawsMine = drawsOf(mine)
    const drawsTheirs = drawsOf(theirs)
    return [
      {
        part: this.name,
        row: undefined,
        field: drawsMine === drawsTheirs ? `${column} (generator state)` : `${column} (draws)`,
        mine: drawsMine,
        theirs: drawsTheirs,
      },
    ]
  }

  listLeaf(column: string, _block: number, bytes: Uint8Array): LeafValue[] {
    const value = toHex(bytes)
    return [
      { row: undefined, field: `${column} (draws)`, value: drawsOf(bytes) },
      { row: undefined, field: `${column} (generator state)`, value },
    ]
  }

  #wordsOf(index: number): Uint32Array {
    const from = index * wordsPerStream
    return this.words.subarray(from, from + wordsPerStream)
  }
}

/** The number of draws from a stream: usually enough to explain why two of them differ. */
function drawsOf(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return bytes.byteLength >= 24 ? view.getUint32(16, true) + view.getUint32(20, true) * 2 ** 32 : 0
}
