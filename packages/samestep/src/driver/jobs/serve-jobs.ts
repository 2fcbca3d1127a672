import type { AnyJob } from '../../sim/jobs/job.ts'
import { runJob } from '../../sim/jobs/job-runner.ts'
import { ownScope } from '../worker/own-scope.ts'
import type { ThreadPort } from '../worker/thread-port.ts'
import { listenTo } from '../worker/thread-port.ts'
import type { JobAnswer } from './job-messages.ts'
import { isJobRequest, signatureOf } from './job-messages.ts'

/** Options of a thread that computes jobs. */
export interface ServeJobsOptions {
  /**
   * The port on which jobs are requested; defaults to the worker's global scope. In Node: its `parentPort`.
   */
  readonly port?: ThreadPort
}

/**
 * Computes jobs in this thread, for a thread that calls `runJobsIn` with it. Returns a function that stops
 * it.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` if there is no port to listen on.
 *
 * @example
 * ```ts
 * // job-worker.ts
 * import { serveJobs } from 'samestep/jobs'
 * import { findPath } from './game.ts'
 *
 * serveJobs([findPath])
 * ```
 */
export function serveJobs(jobs: readonly AnyJob[], options: ServeJobsOptions = {}): () => void {
  const port = options.port ?? ownScope('jobs')
  const bySignature = new Map(jobs.map((job) => [signatureOf(job), job]))
  return listenTo(port, 'message', (message) => {
    if (!isJobRequest(message)) return
    const { id, signature, input } = message
    port.postMessage(answer(id, bySignature.get(signature), input), [])
  })
}

/** Whatever goes wrong here is found again, and told, by whoever needs the result. */
function answer(id: number, job: AnyJob | undefined, input: Uint8Array): JobAnswer {
  const base = { samestep: 'job-done', id } as const
  if (job === undefined) {
    return {
      ...base,
      output: undefined,
      message: 'this thread has no such job, or another version',
    }
  }
  try {
    return { ...base, output: runJob(job, input), message: '' }
  } catch (error) {
    return { ...base, output: undefined, message: String(error) }
  }
}
