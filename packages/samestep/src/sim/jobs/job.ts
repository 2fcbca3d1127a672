import { UsageError } from '../../base/errors.ts'
import { jobDueTicksMax, jobsWaitingMax } from '../limits.ts'
import type { AnyField, RecordOf } from '../schema/field.ts'
import type { StructField } from '../schema/index.ts'
import { list, struct, u32 } from '../schema/index.ts'
import { plain } from '../state/plain.ts'

/**
 * Work that takes too long for a tick and can be done in another thread: a path through a large map, the
 * plan of a bot. It starts at a tick, and its result is used at a later tick that is fixed at the start;
 * nothing ever asks whether it is done (PRF-09).
 *
 *     tick       100             101 … 114                      115
 *     step       start(input)    (computed here or elsewhere)   finish: the result
 *     state      input, due 115  input, due 115                 —
 *
 * The state holds the input, and the result follows from the input alone. So it is the same whether it was
 * computed by a thread, by the tick itself because the thread was too slow, or by a client that joined at
 * tick 110.
 */
export interface Job<I extends JobFields = JobFields, O extends JobFields = JobFields> {
  readonly name: string
  readonly inputCodec: StructField<RecordOf<I>>
  readonly outputCodec: StructField<RecordOf<O>>
  /** Ticks from start to result, unless another number is given. */
  readonly dueTicks: number
  readonly waitingMax: number
  /** Builds whose signatures differ do not compute jobs for each other. */
  readonly signature: string
  run(input: RecordOf<I>): RecordOf<O>
  /**
   * Computes the job ahead of its due tick; `undefined` for none. It affects only the timing, never the
   * result.
   */
  executor: JobExecutor | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: which fields a job has matters only to its own game.
type Whatever = any

/** A job, of whichever fields. */
export type AnyJob = Job<Whatever, Whatever>

/** The fields of a job's input or result. */
export type JobFields = { readonly [name: string]: AnyField }

/** The definition of a job. */
export interface JobDefinition<I extends JobFields, O extends JobFields> {
  /** The name by which threads find the job; unique for each job. */
  readonly name: string
  /** Raise it whenever the results of `run` change. Defaults to 1. */
  readonly version?: number
  /** Everything that the result depends on. */
  readonly input: I
  readonly output: O
  /**
   * Ticks from start to result: at least as many as the slowest machine needs, because a machine stands
   * still at the due tick until the result is ready.
   */
  readonly dueTicks: number
  /** The maximum number of jobs queued at a time. Defaults to 64. */
  readonly waitingMax?: number
  /** A pure function of its input, under the same rules as `step`. */
  run(input: RecordOf<I>): NoInfer<RecordOf<O>>
}

/** Computes jobs while ticks run. */
export interface JobExecutor {
  begin(job: AnyJob, input: Uint8Array): JobTicket
}

/** A job that is being computed. */
export interface JobTicket {
  /** Whether it may still produce a result. If not, the tick that needs the result computes it. */
  readonly isPending: boolean
  readonly output: Uint8Array | undefined
}

/**
 * Defines a job. A game keeps its jobs in the state with {@link jobQueue}, and runs them with `jobRunner`.
 *
 * @throws UsageError `SS_BAD_DEFINITION` for an invalid name or number of ticks.
 */
export function defineJob<I extends JobFields, O extends JobFields>(
  definition: JobDefinition<I, O>,
): Job<I, O> {
  const { name, version = 1, input, output, dueTicks, waitingMax = 64, run } = definition
  if (typeof name !== 'string' || name === '') {
    throw new UsageError(
      'SS_BAD_DEFINITION',
      "Cannot define a job without a name: write name: 'path'",
    )
  }
  checkDueTicks(name, dueTicks, 'SS_BAD_DEFINITION')
  if (!Number.isInteger(waitingMax) || waitingMax < 1 || waitingMax > jobsWaitingMax) {
    throw new UsageError(
      'SS_BAD_DEFINITION',
      `Cannot let ${waitingMax} jobs '${name}' wait: write a whole number from 1 to ${jobsWaitingMax}`,
    )
  }
  const inputCodec = struct(input) as unknown as StructField<RecordOf<I>>
  const outputCodec = struct(output) as unknown as StructField<RecordOf<O>>
  const fields = [inputCodec.describe(), outputCodec.describe()]
  const signature = JSON.stringify([name, version, fields])
  const codecs = { inputCodec, outputCodec }
  return { name, ...codecs, dueTicks, waitingMax, signature, run, executor: undefined }
}

/** @throws UsageError for what is no number of ticks. */
export function checkDueTicks(
  name: string,
  dueTicks: number,
  code: 'SS_BAD_DEFINITION' | 'SS_BAD_ARGUMENT',
): void {
  if (Number.isInteger(dueTicks) && dueTicks >= 1 && dueTicks <= jobDueTicksMax) return
  throw new UsageError(
    code,
    `Cannot let job '${name}' take ${dueTicks} ticks: write a whole number from 1 to ${jobDueTicksMax}`,
  )
}

/** What a {@link jobQueue} keeps. */
export interface JobQueueState<I extends JobFields> {
  /** The number of the next job. */
  next: number
  waiting: { number: number; dueTick: number; input: RecordOf<I> }[]
}

/**
 * Declares a queue of jobs that are not due yet, as a part of the state. As long as they are queued, inputs
 * are hashed in every tick and saved in every snapshot: keep them small.
 */
export function jobQueue<I extends JobFields, O extends JobFields>(job: Job<I, O>) {
  const item = struct({ number: u32, dueTick: u32, input: job.inputCodec })
  const fields = { next: u32, waiting: list(item, job.waitingMax) }
  return plain(struct(fields) as unknown as StructField<JobQueueState<I>>)
}
