import { assert } from '../../base/assert.ts'
import { UsageError } from '../../base/errors.ts'
import { randomStreamsMax, streamNameLengthMax } from '../limits.ts'
import type { MatchSeed } from './seed.ts'
import { seedStream } from './seed.ts'
import { RandomStream, wordsPerStream } from './xoshiro.ts'

/**
 * All randomness of a simulation: a default stream, whose methods are right here, and the streams that
 * the game declares. One word of memory after the other:
 *
 *     default stream (8 words) · first name (8 words) · second name (8 words) · …
 *
 * Streams keep subsystems apart. When loot has its own stream, one more draw in combat changes no
 * treasure, and a desync in combat does not spread to everything that is random.
 */

/** The default stream's name. No declared name is empty, so it cannot be taken. */
const defaultName = ''

/** The words of memory that a {@link Random} with these stream names takes. */
export function wordsFor(names: readonly string[]): number {
  return (names.length + 1) * wordsPerStream
}

function checkNames(names: readonly string[]): void {
  const problem = (text: string): never => {
    throw new UsageError('SS_BAD_DEFINITION', `Cannot declare the random streams: ${text}`)
  }
  if (names.length > randomStreamsMax) {
    problem(`there are ${names.length}; there must be at most ${randomStreamsMax}`)
  }
  for (const [index, name] of names.entries()) {
    if (name.length < 1 || name.length > streamNameLengthMax) {
      problem(
        `the name ${JSON.stringify(name)} has ${name.length} characters; it must have 1 to ${streamNameLengthMax}`,
      )
    }
    if (names.indexOf(name) !== index) {
      problem(`the name ${JSON.stringify(name)} is there twice; names must differ`)
    }
  }
}

/** The random numbers of a simulation. `Random<'combat' | 'loot'>` has these two named streams. */
export class Random<Name extends string = never> extends RandomStream {
  /** The declared names, in the sequence of their memory. */
  readonly names: readonly Name[]
  readonly #words: Uint32Array
  readonly #streams: ReadonlyMap<string, RandomStream>

  /**
   * Uses `wordsFor(names)` words of memory without initialising them: {@link seed} or loading a snapshot
   * does that.
   *
   * @throws UsageError `SS_BAD_DEFINITION` for names that are empty, too long, too many or repeated.
   */
  constructor(words: Uint32Array, names: readonly Name[]) {
    checkNames(names)
    assert(words.length === wordsFor(names), `Random needs ${wordsFor(names)} words`)
    super(words.subarray(0, wordsPerStream))
    this.names = names
    this.#words = words
    this.#streams = new Map(
      names.map((name, index) => [name, new RandomStream(this.#wordsAt(index + 1))]),
    )
  }

  #wordsAt(position: number): Uint32Array {
    return this.#words.subarray(position * wordsPerStream, (position + 1) * wordsPerStream)
  }

  /**
   * The stream with this name. It is always the same object, so you can keep it.
   *
   * @throws UsageError `SS_BAD_ARGUMENT` for a name that the game does not declare.
   */
  stream(name: Name): RandomStream {
    const stream = this.#streams.get(name)
    if (stream !== undefined) return stream
    const known = this.names.map((each) => JSON.stringify(each)).join(', ') || 'none'
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot find the random stream ${JSON.stringify(name)}: the game declares ${known}`,
    )
  }

  /**
   * Starts all streams for a match, and resets the counts of draws to zero.
   *
   * @throws UsageError `SS_BAD_ARGUMENT` for an invalid seed.
   */
  seed(matchSeed: MatchSeed): void {
    seedStream(this.#wordsAt(0), matchSeed, defaultName)
    this.names.forEach((name, index) => {
      seedStream(this.#wordsAt(index + 1), matchSeed, name)
    })
  }

  /**
   * Whether the memory can be the result of seeding and drawing: no state is all zeros, and the reserved
   * words are empty. Check this after loading a stranger's snapshot.
   */
  isLegal(): boolean {
    for (let position = 0; position <= this.names.length; position++) {
      const words = this.#wordsAt(position)
      if ((words[0]! | words[1]! | words[2]! | words[3]!) === 0) return false
      if ((words[6]! | words[7]!) !== 0) return false
    }
    return true
  }
}
