/** What a thread is asked to compute, and what it answers. Both are of one build: see `signature`. */
import { engineVersion } from '../../sim/game/copies/version.ts'
import type { AnyJob } from '../../sim/jobs/job.ts'

/** One job for another thread. */
export interface JobRequest {
  readonly samestep: 'job'
  /** Counts the jobs of the asking thread. */
  readonly id: number
  readonly signature: string
  readonly input: Uint8Array
}

/** Its result; without one the thread could not compute it. */
export interface JobAnswer {
  readonly samestep: 'job-done'
  readonly id: number
  readonly output: Uint8Array | undefined
  /** For people; empty when there is a result. */
  readonly message: string
}

/** By which two threads know that they would compute the same. */
export function signatureOf(job: AnyJob): string {
  return `${engineVersion} ${job.signature}`
}

/** Whether a message is a job; others are somebody else's affair. */
export function isJobRequest(message: unknown): message is JobRequest {
  const { samestep, id, input } = (message ?? {}) as Partial<JobRequest>
  return samestep === 'job' && typeof id === 'number' && input instanceof Uint8Array
}

/** Whether a message is an answer to one. */
export function isJobAnswer(message: unknown): message is JobAnswer {
  const { samestep, id } = (message ?? {}) as Partial<JobAnswer>
  return samestep === 'job-done' && typeof id === 'number'
}
