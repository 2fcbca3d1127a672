/** A file for a thread of Node that computes jobs. */
import { parentPort } from 'node:worker_threads'
import { serveJobs } from '../../src/driver/jobs/serve-jobs.ts'
import { addUp } from '../../src/sim/jobs/testing/sums.ts'

if (parentPort === null) throw new Error('This file is for a worker')
serveJobs([addUp], { port: parentPort })
