/** The worker's file of a program for Node. */
import { parentPort } from 'node:worker_threads'
import { serveMatch } from '../../src/driver/worker/serve-match.ts'
import { runners } from './game.ts'

if (parentPort === null) throw new Error('This file is for a worker')
serveMatch(runners, { port: parentPort })
