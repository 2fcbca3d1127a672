import { UsageError } from '../../base/errors.ts'
import { jobDueTicksMax, jobsWaitingMax } from '../limits.ts'
import type { AnyField, RecordOf } from '../schema/field.ts'
import type { StructField } from '../schema/index.ts'
import { list, struct, u32 } from '../schema/index.ts'
import { plain } from '../state/plain.ts'

/**
 * Work that is too long for a tick and may be done elsewhere meanwhile: a path through a large map, the
 * plan of a bot. It begins at a tick and its result is used at a later one, which is fixed when it begins;
 * nobody ever asks whether it is done (PRF-09).
 *
 *     tick       100             101 … 114                      115
 *     step       start(input)    (computed here or elsewhere)   finish: the result
 *     state      input, due 115  input, due 115                 —
 *
 * The state holds the input, and the result follows from the input alone: so it is the same whether a
 * thread computed it, or the tick itself because the thread was late, or somebody who joined at tick 110.
 */
export interface Job<I extends JobFields = JobFields, O extends JobFields = JobFields> {
  readonly name: string
  readonly inputCodec: StructField<RecordOf<I>>
  readonly outputCodec: StructField<RecordOf<O>>
  /** Ticks from beginning to result, unless another number is given. */
  readonly dueTicks: number
  readonly waitingMax: number
  /** Two builds whose signatures differ do not compute for each other. */
  readonly signature: string
  run(input: RecordOf<I>): RecordOf<O>
  /** Where it is computed ahead of its tick; `undefined` for nowhere. It makes no difference but to time. */
  executor: JobExecutor | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: which fields a job has matters only to its own game.
type Whatever = any

/** A job, of whichever fields. */
export type AnyJob = Job<Whatever, Whatever>

/** Fields of what goes into a job, or comes out of it. */
export type JobFields = { readonly [name: string]: AnyField }

/** What a developer says about a job. */
export interface JobDefinition<I extends JobFields, O extends JobFields> {
  /** By which threads find it: another one for each job. */
  readonly name: string
  /** Raise it whenever `run` gives other results. 1 by default. */
  readonly version?: number
  /** Everything that the result depends on. */
  readonly input: I
  readonly output: O
  /**
   * Ticks from beginning to result: at least as many as the slowest machine needs, for it stands still at
   * the due tick until the result is there.
   */
  readonly dueTicks: number
  /** How many can wait for their tick at once; 64 by default. */
  readonly waitingMax?: number
  /** A pure function: of its input, of nothing else, and with the rules of `step`. */
  run(input: RecordOf<I>): NoInfer<RecordOf<O>>
}

/** Computes jobs while ticks go on. */
export interface JobExecutor {
  begin(job: AnyJob, input: Uint8Array): JobTicket
}

/** A job that is computed somewhere. */
export interface JobTicket {
  /** Whether it still may give a result. Without one, whoever needs it computes it. */
  readonly isPending: boolean
  readonly output: Uint8Array | undefined
}

/**
 * Defines a job. A game has it in its state by {@link jobQueue}, and starts and finishes it by `jobRunner`.
 *
 * @throws UsageError `SS_BAD_DEFINITION` for a name or a number of ticks that is none.
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
 * Declares the jobs that wait for their tick, as a part of the state. Inputs are hashed in every tick and
 * saved in every snapshot, for as long as they wait: keep them small.
 */
export function jobQueue<I extends JobFields, O extends JobFields>(job: Job<I, O>) {
  const item = struct({ number: u32, dueTick: u32, input: job.inputCodec })
  const fields = { next: u32, waiting: list(item, job.waitingMax) }
  return plain(struct(fields) as unknown as StructField<JobQueueState<I>>)
}
