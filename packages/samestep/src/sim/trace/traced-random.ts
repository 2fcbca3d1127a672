import { Random } from '../random/random.ts'
import { RandomStream, wordsPerStream } from '../random/xoshiro.ts'
import type { Recorder } from './recorder.ts'

/** The name of the stream that a game has without declaring one, as leaves and reports call it. */
const defaultStream = 'main'

/** The methods by which game code draws; in the end all of them call `next`. */
const drawMethods = [
  'below',
  'between',
  'bool',
  'chance',
  'fixed',
  'pick',
  'shuffle',
  'weighted',
] as const

type Method = (...args: unknown[]) => unknown

/** Which method game code has called, while it runs: its caller is who drew. */
interface Outermost {
  method: Method | undefined
}

/** The random streams of a simulation, on the same memory, recording every draw. */
export class TracedRandom extends Random<string> {
  readonly #recorder: Recorder
  readonly #outermost: Outermost
  readonly #traced: ReadonlyMap<string, TracedStream>

  constructor(words: Uint32Array, names: readonly string[], recorder: Recorder) {
    super(words, names)
    this.#recorder = recorder
    this.#outermost = noteOutermost(this)
    this.#traced = new Map(
      names.map((name, index) => {
        const from = (index + 1) * wordsPerStream
        return [name, new TracedStream(words.subarray(from, from + wordsPerStream), name, recorder)]
      }),
    )
  }

  override stream(name: string): RandomStream {
    return this.#traced.get(name) ?? super.stream(name)
  }

  override next(): number {
    const { draws } = this
    const value = super.next()
    const above = this.#outermost.method ?? this.next
    recordDraw(this.#recorder, above, defaultStream, draws, value)
    return value
  }
}

/** One named stream that records. */
class TracedStream extends RandomStream {
  readonly #name: string
  readonly #recorder: Recorder
  readonly #outermost: Outermost

  constructor(words: Uint32Array, name: string, recorder: Recorder) {
    super(words)
    this.#name = name
    this.#recorder = recorder
    this.#outermost = noteOutermost(this)
  }

  override next(): number {
    const { draws } = this
    const value = super.next()
    const above = this.#outermost.method ?? this.next
    recordDraw(this.#recorder, above, this.#name, draws, value)
    return value
  }
}

function noteOutermost(stream: RandomStream): Outermost {
  const outermost: Outermost = { method: undefined }
  for (const name of drawMethods) {
    const real = stream[name] as Method
    const samestepTracedDraw: Method = (...args) => {
      if (outermost.method !== undefined) return Reflect.apply(real, stream, args)
      outermost.method = samestepTracedDraw
      try {
        return Reflect.apply(real, stream, args)
      } finally {
        outermost.method = undefined
      }
    }
    Object.defineProperty(stream, name, { value: samestepTracedDraw })
  }
  return outermost
}

function recordDraw(
  recorder: Recorder,
  above: (...args: never[]) => unknown,
  stream: string,
  draws: number,
  value: number,
): void {
  recorder.write(above, {
    kind: 'draw',
    part: '#random',
    field: stream,
    before: draws,
    after: value,
  })
}
