export type {
  Job,
  JobDefinition,
  JobExecutor,
  JobFields,
  JobQueueState,
  JobTicket,
} from '../../sim/jobs/job.ts'
export { defineJob, jobQueue } from '../../sim/jobs/job.ts'
export { JobRunner, jobRunner } from '../../sim/jobs/job-runner.ts'
export type { RunJobsOptions } from './run-jobs-in.ts'
export { runJobsIn } from './run-jobs-in.ts'
export type { ServeJobsOptions } from './serve-jobs.ts'
export { serveJobs } from './serve-jobs.ts'
