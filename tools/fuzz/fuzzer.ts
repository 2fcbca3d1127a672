/**
 * A small coverage-guided fuzzer for decoders. It keeps every input that made the code do something new,
 * changes it a little, and tries again; so it finds its way through checks that noise never passes.
 *
 * One seed gives one history: the same inputs in the same sequence on every machine.
 */
import { Prng } from '../../packages/samestep/src/base/prng.ts'
import { Mutator } from './mutator.ts'
import { Coverage, type Probe } from './probe.ts'

/** A decoder to try. */
export type FuzzTarget = {
  readonly name: string
  /** Legal inputs to start from. */
  readonly seeds: readonly Uint8Array[]
  /**
   * Decodes. Throws a `WireError` where bytes are refused. Gives the bytes that encode the result, where
   * only one encoding is legal.
   */
  run(bytes: Uint8Array): Uint8Array | undefined
  /** Makes checksums right again, which no amount of guessing would. */
  repair?(bytes: Uint8Array): Uint8Array
  /** The most bytes of arrays that `bytes` of input may cost. */
  allocationMax(length: number): number
}

/** What went wrong with an input. */
export type Fault =
  /** Something else than a `WireError` was thrown. */
  | { readonly kind: 'threw'; readonly detail: string }
  /** It was accepted, and encodes to other bytes. */
  | { readonly kind: 'not canonical'; readonly detail: string }
  /** It made arrays out of proportion to its length. */
  | { readonly kind: 'allocates'; readonly detail: string }
  /** It took steps out of proportion to its length. */
  | { readonly kind: 'takes long'; readonly detail: string }
  /** A legal input to start from was refused. */
  | { readonly kind: 'refuses a seed'; readonly detail: string }

/** A fault and the input that shows it. */
export type Finding = { readonly target: string; readonly bytes: Uint8Array; readonly fault: Fault }

/** Counts so far. */
export type FuzzStats = {
  readonly target: string
  readonly runs: number
  /** How many of them were legal bytes. */
  readonly accepted: number
  readonly corpus: number
  /** Steps that were taken so far, each as often as magnitudes of it were seen. */
  readonly coverage: number
}

/** Steps that any input may cost, and more for each of its bytes. A bit takes some ten steps. */
const stepsMin = 60_000
const stepsPerByte = 800

/** Inputs that are kept. Beyond it new ones replace old ones at random. */
const corpusMax = 4_096

/** How to fuzz. */
export type FuzzOptions = {
  readonly seed: number
  /** Numbers that the code mentions. */
  readonly constants?: readonly number[]
  /** False to only change the seeds: shows what the guidance is worth. */
  readonly isGuided?: boolean
}

/** Runs one target. */
export class Fuzzer {
  readonly target: FuzzTarget
  readonly #probe: Probe
  readonly #random: Prng
  readonly #mutator: Mutator
  readonly #corpus: Uint8Array[] = []
  readonly #coverage = new Coverage()
  readonly #isGuided: boolean
  #runs = 0
  #accepted = 0

  constructor(target: FuzzTarget, probe: Probe, options: FuzzOptions) {
    const { seed, constants = [], isGuided = true } = options
    this.target = target
    this.#probe = probe
    this.#random = new Prng(seed, `fuzz/${target.name}`)
    this.#mutator = new Mutator(this.#random, constants)
    this.#isGuided = isGuided
  }

  get stats(): FuzzStats {
    return {
      target: this.target.name,
      runs: this.#runs,
      accepted: this.#accepted,
      corpus: this.#corpus.length,
      coverage: this.#coverage.size,
    }
  }

  /** Tries so many more inputs. Gives the first one that shows a fault. */
  run(count: number): Finding | undefined {
    // Most inputs are refused, and a stack costs more than the rest of a refusal.
    const stackLimit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    try {
      return this.#runAll(count)
    } finally {
      Error.stackTraceLimit = stackLimit
    }
  }

  #runAll(count: number): Finding | undefined {
    if (this.#corpus.length === 0) {
      const finding = this.#plantSeeds()
      if (finding !== undefined) return finding
    }
    for (let left = count; left > 0; left--) {
      const input = this.#makeInput()
      const fault = this.try(input)
      if (fault !== undefined) return { target: this.target.name, bytes: input.slice(), fault }
      if (this.#isGuided && this.#probe.learn(this.#coverage)) this.#keep(input.slice())
    }
    return undefined
  }

  /** What is wrong with one input, if anything. */
  try(bytes: Uint8Array): Fault | undefined {
    const probe = this.#probe
    this.#runs++
    probe.begin()
    let again: Uint8Array | undefined
    try {
      again = this.target.run(bytes)
      this.#accepted++
    } catch (error) {
      if (!isWireError(error)) return { kind: 'threw', detail: describe(error) }
    }
    const { length } = bytes
    if (again !== undefined && !areEqual(again, bytes)) {
      return { kind: 'not canonical', detail: `encodes to ${toHex(again)}` }
    }
    if (probe.allocatedBytes > this.target.allocationMax(length)) {
      const limit = this.target.allocationMax(length)
      return { kind: 'allocates', detail: `${probe.allocatedBytes} bytes, above ${limit}` }
    }
    const stepsMax = stepsMin + stepsPerByte * length
    if (probe.steps > stepsMax) {
      return { kind: 'takes long', detail: `${probe.steps} steps, above ${stepsMax}` }
    }
    return undefined
  }

  /** The shortest and plainest input that it can find with the same kind of fault. */
  minimise(finding: Finding): Finding {
    let best = finding
    const keep = (bytes: Uint8Array): boolean => {
      const fault = this.try(this.#repaired(bytes))
      if (fault?.kind !== finding.fault.kind) return false
      best = { ...finding, bytes: this.#repaired(bytes), fault }
      return true
    }
    for (let size = best.bytes.length; size >= 1; size = Math.floor(size / 2)) {
      for (let at = best.bytes.length - size; at >= 0; at -= size) {
        const { bytes } = best
        if (at + size > bytes.length) continue
        keep(Uint8Array.of(...bytes.subarray(0, at), ...bytes.subarray(at + size)))
      }
    }
    for (let at = 0; at < best.bytes.length; at++) {
      if (best.bytes[at] !== 0) keep(best.bytes.with(at, 0))
    }
    return best
  }

  #plantSeeds(): Finding | undefined {
    for (const seed of this.target.seeds) {
      const before = this.#accepted
      const fault = this.try(seed)
      const isRefused = fault === undefined && this.#accepted === before
      const found = isRefused ? ({ kind: 'refuses a seed', detail: '' } as const) : fault
      if (found !== undefined) return { target: this.target.name, bytes: seed, fault: found }
      this.#probe.learn(this.#coverage)
      this.#corpus.push(seed)
    }
    if (this.#corpus.length === 0) this.#corpus.push(new Uint8Array(0))
    return undefined
  }

  #makeInput(): Uint8Array {
    const input = this.#mutator.mutate(this.#pickParent(), this.#random.pick(this.#corpus))
    // Now and then it stays broken, so that the check itself is tried as well.
    return this.#random.below(16) === 0 ? input : this.#repaired(input)
  }

  /** Half of the time one of the newest: what was found last leads to what is found next. */
  #pickParent(): Uint8Array {
    const corpus = this.#corpus
    const random = this.#random
    if (random.below(2) === 0) return random.pick(corpus)
    let index = corpus.length - 1
    while (index > 0 && random.below(2) === 0) index--
    return corpus[index] as Uint8Array
  }

  #repaired(bytes: Uint8Array): Uint8Array {
    return this.target.repair?.(bytes) ?? bytes
  }

  #keep(bytes: Uint8Array): void {
    if (this.#corpus.length < corpusMax) this.#corpus.push(bytes)
    else this.#corpus[this.#random.below(corpusMax)] = bytes
  }
}

// By name: the code under test is bundled, and so has classes of its own.
function isWireError(error: unknown): boolean {
  return error instanceof Error && error.name === 'WireError'
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false
  return true
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
