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
 * Computes jobs in this thread, for whoever calls `runJobsIn` with it. Gives its own undo.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` where there is nobody who could ask.
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
