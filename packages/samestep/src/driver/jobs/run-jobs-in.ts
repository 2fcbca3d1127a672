import { isDevelopment } from '../../base/environment.ts'
import { UsageError } from '../../base/errors.ts'
import type { AnyJob, JobExecutor, JobTicket } from '../../sim/jobs/job.ts'
import type { Timing } from '../../transport/timing.ts'
import { machineTiming } from '../../transport/timing.ts'
import type { ThreadPort } from '../worker/thread-port.ts'
import { listenTo } from '../worker/thread-port.ts'
import type { JobRequest } from './job-messages.ts'
import { isJobAnswer, signatureOf } from './job-messages.ts'

/** Options for computing jobs in other threads. */
export interface RunJobsOptions {
  /**
   * How long a tick is delayed for a result, in ms, before the result is computed in the tick itself, since
   * a thread may hang. Defaults to 5 s.
   */
  readonly holdMsMax?: number
  /** The clock; defaults to that of the machine. */
  readonly timing?: Timing
}

/**
 * Lets other threads compute these jobs while ticks run, for every match and simulation of this thread.
 * Their files call `serveJobs` with the same jobs. Returns a function that undoes this.
 *
 * It affects only when a result is ready: if no thread delivers a result in time, it is computed in the
 * tick that needs it.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` without a thread.
 *
 * @example
 * ```ts
 * const worker = new Worker(new URL('./job-worker.ts', import.meta.url), { type: 'module' })
 * runJobsIn([worker], [findPath])
 * const match = await joinMatch(game, { url, match: 'friday' })
 * ```
 */
export function runJobsIn(
  threads: readonly ThreadPort[],
  jobs: readonly AnyJob[],
  options: RunJobsOptions = {},
): () => void {
  if (threads.length === 0) {
    throw new UsageError('SS_BAD_ARGUMENT', 'Cannot run jobs in no thread: give [new Worker(…)]')
  }
  const pool = new JobThreads(threads, options)
  for (const job of jobs) job.executor = pool
  return () => {
    for (const job of jobs) if (job.executor === pool) job.executor = undefined
    pool.stop()
  }
}

/** A job on its way through another thread. */
class Ticket implements JobTicket {
  output: Uint8Array | undefined
  readonly #holdMsMax: number
  readonly #timing: Timing
  #isLost = false
  /** When a tick first waited for it. */
  #askedAtMs: number | undefined

  constructor(holdMsMax: number, timing: Timing) {
    this.#holdMsMax = holdMsMax
    this.#timing = timing
  }

  get isPending(): boolean {
    if (this.#isLost || this.output !== undefined) return false
    this.#askedAtMs ??= this.#timing.nowMs()
    return this.#timing.nowMs() - this.#askedAtMs < this.#holdMsMax
  }

  lose(): void {
    this.#isLost = true
  }
}

interface Thread {
  readonly port: ThreadPort
  readonly tickets: Map<number, Ticket>
  readonly undo: (() => void)[]
}

/** Some threads, each with the jobs that it has. */
class JobThreads implements JobExecutor {
  readonly #holdMsMax: number
  readonly #timing: Timing
  readonly #threads: Thread[]
  #nextId = 0

  constructor(
    ports: readonly ThreadPort[],
    { holdMsMax = 5_000, timing = machineTiming }: RunJobsOptions,
  ) {
    this.#holdMsMax = holdMsMax
    this.#timing = timing
    this.#threads = ports.map((port) => ({ port, tickets: new Map(), undo: [] }))
    for (const thread of this.#threads) this.#listen(thread)
  }

  /** To the thread with the least to do. */
  begin(job: AnyJob, input: Uint8Array): JobTicket {
    const ticket = new Ticket(this.#holdMsMax, this.#timing)
    const [first, ...others] = this.#threads
    if (first === undefined) {
      ticket.lose()
      return ticket
    }
    const thread = others.reduce(
      (best, other) => (other.tickets.size < best.tickets.size ? other : best),
      first,
    )
    const id = this.#nextId++
    thread.tickets.set(id, ticket)
    const request: JobRequest = { samestep: 'job', id, signature: signatureOf(job), input }
    try {
      thread.port.postMessage(request, [])
    } catch (error) {
      this.#lose(thread, error)
    }
    return ticket
  }

  stop(): void {
    for (const thread of [...this.#threads]) this.#drop(thread)
  }

  #listen(thread: Thread): void {
    const { port, tickets, undo } = thread
    undo.push(
      listenTo(port, 'message', (message) => {
        if (!isJobAnswer(message)) return
        const ticket = tickets.get(message.id)
        tickets.delete(message.id)
        if (ticket === undefined) return
        ticket.output = message.output
        if (message.output !== undefined) return
        ticket.lose()
        warn(`A thread could not compute a job: ${message.message}`)
      }),
    )
    for (const event of ['error', 'messageerror', 'exit'] as const) {
      undo.push(listenTo(port, event, (why) => this.#lose(thread, why)))
    }
  }

  #lose(thread: Thread, why: unknown): void {
    const { message = '' } = (why ?? {}) as { readonly message?: string }
    this.#drop(thread)
    warn(`A thread for jobs is lost${message === '' ? '' : `: ${message}`}`)
  }

  /** What it has not answered is computed where it is needed. */
  #drop(thread: Thread): void {
    const index = this.#threads.indexOf(thread)
    if (index < 0) return
    this.#threads.splice(index, 1)
    for (const undo of thread.undo) undo()
    for (const ticket of thread.tickets.values()) ticket.lose()
    thread.tickets.clear()
  }
}

function warn(text: string): void {
  if (isDevelopment()) console.warn(`[samestep] ${text}; it is computed in the tick instead`)
}
