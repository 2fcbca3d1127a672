import { UsageError, WireError } from '../../base/errors.ts'
import type { DerivedDeclaration } from '../game/derived/derived.ts'
import { derived } from '../game/derived/derived.ts'
import type { RecordOf } from '../schema/field.ts'
import { decodeRecord, encodeRecord } from '../schema/index.ts'
import type { Job, JobFields, JobQueueState, JobTicket } from './job.ts'
import { checkDueTicks } from './job.ts'

type Waiting<I extends JobFields> = JobQueueState<I>['waiting'][number]

/**
 * Starts jobs of one kind, and delivers their results at their due ticks. It is derived data: everything
 * that matters is in the queue, which is state. Only pending results are kept here, and those follow from
 * the queue too.
 */
export class JobRunner<I extends JobFields, O extends JobFields> {
  readonly #state: { readonly [part: string]: unknown }
  readonly #part: string
  readonly #job: Job<I, O>
  /** Jobs that are computed ahead, by their numbers. */
  readonly #tickets = new Map<number, JobTicket>()
  /** Jobs that nobody was given yet. */
  #unbegun: number[]

  constructor(state: { readonly [part: string]: unknown }, part: string, job: Job<I, O>) {
    this.#state = state
    this.#part = part
    this.#job = job
    // After a load: whatever waits is computed here as well.
    this.#unbegun = this.#queue.waiting.map(({ number }) => number)
  }

  /** The number of jobs that are not due yet. */
  get count(): number {
    return this.#queue.waiting.length
  }

  /**
   * Starts a job at a tick. Its result comes `dueTicks` later, in {@link finish}. The input is copied.
   * Returns false, without starting the job, if too many are queued.
   *
   * @throws UsageError `SS_BAD_VALUE` for an input that does not fit its fields.
   */
  start(tick: number, input: RecordOf<I>, dueTicks: number = this.#job.dueTicks): boolean {
    const { name, waitingMax, inputCodec } = this.#job
    checkDueTicks(name, dueTicks, 'SS_BAD_ARGUMENT')
    this.#job.inputCodec.check(input, name)
    const queue = this.#queue
    if (queue.waiting.length >= waitingMax) return false
    const { next: number } = queue
    const own = decodeRecord(inputCodec, this.#encode(input))
    queue.waiting.push({ number, dueTick: tick + dueTicks, input: own })
    queue.next = (number + 1) >>> 0
    this.#unbegun.push(number)
    return true
  }

  /**
   * Takes the jobs that are due at a tick, and passes each result with its input to `visit`: those due
   * earlier first, then those started earlier. Call it once per tick. A missing result is computed now.
   * Returns how many jobs there were.
   *
   * A job whose `run` throws has no result and is not visited. The first such error is thrown after the
   * others were visited, in the same way on every machine.
   */
  finish(tick: number, visit: (output: RecordOf<O>, input: RecordOf<I>) => void): number {
    const due = this.#queue.waiting
      .filter(({ dueTick }) => dueTick <= tick)
      .map(({ number, dueTick }) => ({ number, dueTick }))
      .sort((one, other) => one.dueTick - other.dueTick)
    let failure: { readonly error: unknown } | undefined
    for (const { number } of due) {
      // One by one: when a visit throws, the others still wait, and come in the next tick.
      const input = this.#take(number)
      let output: RecordOf<O>
      try {
        output = this.#resultOf(number, input)
      } catch (error) {
        failure ??= { error }
        continue
      }
      visit(output, decodeRecord(this.#job.inputCodec, input))
    }
    if (failure !== undefined) throw failure.error
    return due.length
  }

  /**
   * Passes started jobs to the executor, and returns whether every job that is due at a tick has its
   * result, or is not being computed elsewhere. Called between ticks by the code that runs them: a tick
   * must not depend on other threads, or on their failures.
   */
  prepare(tick: number): boolean {
    if (this.#unbegun.length > 0) this.#beginAll()
    if (this.#tickets.size === 0) return true
    return this.#queue.waiting.every(
      ({ number, dueTick }) => dueTick > tick || this.#tickets.get(number)?.isPending !== true,
    )
  }

  get #queue(): JobQueueState<I> {
    return this.#state[this.#part] as JobQueueState<I>
  }

  #encode(input: RecordOf<I>): Uint8Array {
    return encodeRecord(this.#job.inputCodec, input)
  }

  #beginAll(): void {
    const numbers = new Set(this.#unbegun)
    this.#unbegun = []
    const { executor } = this.#job
    if (executor === undefined) return
    for (const { number, input } of this.#queue.waiting) {
      if (!numbers.has(number)) continue
      this.#tickets.set(number, executor.begin(this.#job, this.#encode(input)))
    }
  }

  #take(number: number): Uint8Array {
    const { waiting } = this.#queue
    const index = waiting.findIndex((item) => item.number === number)
    const input = this.#encode((waiting[index] as Waiting<I>).input)
    waiting.splice(index, 1)
    return input
  }

  /** Always by way of bytes: what came from a thread and what is computed here are the same values. */
  #resultOf(number: number, input: Uint8Array): RecordOf<O> {
    const { outputCodec } = this.#job
    const ahead = this.#tickets.get(number)?.output
    this.#tickets.delete(number)
    if (ahead !== undefined) {
      try {
        return decodeRecord(outputCodec, ahead)
      } catch (error) {
        // A thread of another make: its word counts for nothing.
        if (!(error instanceof WireError)) throw error
      }
    }
    return decodeRecord(outputCodec, runJob(this.#job, input))
  }
}

/**
 * Computes a job from the bytes of its input to those of its output.
 *
 * @throws whatever its `run` throws, and UsageError `SS_BAD_VALUE` for an output that does not fit.
 */
export function runJob<I extends JobFields, O extends JobFields>(
  job: Job<I, O>,
  input: Uint8Array,
): Uint8Array {
  const output = job.run(decodeRecord(job.inputCodec, input))
  job.outputCodec.check(output, `result of ${job.name}`)
  return encodeRecord(job.outputCodec, output)
}

/**
 * Declares the runner of a `jobQueue`, as derived data. `part` is the name of the queue in the state.
 *
 * @example
 * ```ts
 * const findPath = defineJob({
 *   name: 'path',
 *   dueTicks: 15,
 *   input: { unit: ref('units'), from: u16, to: u16, walls: bytes(512) },
 *   output: { steps: list(u16, 64) },
 *   run: ({ from, to, walls }) => ({ steps: search(from, to, walls) }),
 * })
 *
 * state: { units: table(100, { … }), paths: jobQueue(findPath) },
 * derived: { paths: jobRunner('paths', findPath) },
 * step({ state, derived, tick, orders }) {
 *   for (const order of orders) derived.paths.start(tick, inputOf(state, order))
 *   derived.paths.finish(tick, ({ steps }, { unit }) => follow(state, unit, steps))
 * }
 * ```
 */
export function jobRunner<I extends JobFields, O extends JobFields>(
  part: string,
  job: Job<I, O>,
): DerivedDeclaration<JobRunner<I, O>> {
  const recompute = (state: { readonly [name: string]: unknown }) => {
    const queue = state[part] as Partial<JobQueueState<I>> | undefined
    if (!Array.isArray(queue?.waiting)) {
      throw new UsageError(
        'SS_BAD_DEFINITION',
        `Cannot run the jobs '${job.name}' of state.${part}: declare it as jobQueue(${job.name})`,
      )
    }
    return new JobRunner(state, part, job)
  }
  return derived(recompute, {
    refresh: 'load',
    // Nothing in it is not in the queue.
    equals: () => true,
    prepare: (runner, tick) => runner.prepare(tick),
  })
}
