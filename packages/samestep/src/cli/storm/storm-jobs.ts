/**
 * Storms on several cores. Plans need nothing of each other, so each job is a process that gets one plan
 * after the other:
 *
 *     turns ─► whichever job is free ─► outcome ─► tally
 *
 * The same plans are run as without jobs. Plans that are running when the batch ends are waited for, and
 * count as well.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { BatchTurn, TurnOptions, TurnOutcome } from '../../storm/batch.ts'
import { BatchTally, batchTurns, playTurn } from '../../storm/batch.ts'
import type { BatchOptions, BatchResult } from '../../storm/index.ts'
import { Violation } from '../../storm/index.ts'

/** How a job finds the game: the words of the command line. */
export interface JobGame {
  readonly file: string | undefined
  readonly export: string | undefined
}

/** The result of a batch, and why it ended early: a job ended before it was told to. */
export interface JobsResult {
  readonly result: BatchResult
  readonly lostJob: string | undefined
}

/** A turn for a job, with the options that all plans have in common. */
interface JobRequest {
  readonly turn: BatchTurn
  readonly plan: BatchOptions['plan']
}

/** An outcome between processes: an error that is sent loses its class. */
interface PackedOutcome extends Omit<TurnOutcome, 'violation'> {
  readonly violation:
    | Pick<Violation, 'invariant' | 'atMs' | 'node' | 'detail' | 'cause'>
    | undefined
}

/** Runs a batch with so many processes at a time. `options` must be those of one process, too. */
export async function runJobs(
  jobs: number,
  game: JobGame,
  options: BatchOptions,
): Promise<JobsResult> {
  const tally = new BatchTally(options)
  const turns = batchTurns(options)
  let lostJob: string | undefined
  const next = (): BatchTurn | undefined => {
    const isOver = lostJob !== undefined || tally.isFull || options.isOver?.() === true
    return isOver ? undefined : (turns.next().value ?? undefined)
  }
  const work = async (): Promise<void> => {
    const job = new Job(game)
    try {
      for (let turn = next(); turn !== undefined; turn = next()) {
        const outcome = await job.play({ turn, plan: options.plan })
        options.onProgress?.(tally.add(outcome))
      }
    } catch (error) {
      if (!(error instanceof JobLost)) throw error
      // What the others find out still counts.
      lostJob ??= error.message
    } finally {
      job.stop()
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return { result: tally.result(), lostJob }
}

class JobLost extends Error {
  override readonly name = 'JobLost'
}

/** One process, as seen by who has the turns. */
class Job {
  readonly #child: ChildProcess
  #settle: { resolve(outcome: TurnOutcome): void; reject(error: Error): void } | undefined

  constructor({ file, export: name }: JobGame) {
    const program = fileURLToPath(new URL('../main.js', import.meta.url))
    const names = name === undefined ? [] : ['--export', name]
    const words = ['storm', ...(file === undefined ? [] : [file]), ...names, '--job']
    this.#child = fork(program, words, { serialization: 'advanced' })
    this.#child.on('message', (packed) => this.#settle?.resolve(unpack(packed as PackedOutcome)))
    this.#child.on('error', (error) => this.#settle?.reject(error))
    this.#child.on('exit', (code, signal) => {
      this.#settle?.reject(new JobLost(`A job ended with ${signal ?? `code ${code}`}`))
    })
  }

  play(request: JobRequest): Promise<TurnOutcome> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#child.send(request, (error) => error && reject(error))
    })
  }

  stop(): void {
    this.#settle = undefined
    if (this.#child.connected) this.#child.disconnect()
  }
}

/** The job's side: plays turns until there is nobody any more to tell the outcome. */
export function serveJob(options: Pick<TurnOptions, 'game'>): void {
  // Ctrl-C reaches every process of a terminal. Who gives us turns decides when this ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  process.on('message', ({ turn, plan }: JobRequest) => {
    const outcome = playTurn(turn, { ...options, ...(plan === undefined ? {} : { plan }) })
    process.send?.(pack(outcome))
  })
}

function pack({ violation, ...outcome }: TurnOutcome): PackedOutcome {
  if (violation === undefined) return { ...outcome, violation }
  const { invariant, atMs, node, detail, cause } = violation
  return { ...outcome, violation: { invariant, atMs, node, detail, cause } }
}

function unpack({ violation, ...outcome }: PackedOutcome): TurnOutcome {
  if (violation === undefined) return { ...outcome, violation }
  const { invariant, detail, cause } = violation
  return { ...outcome, violation: new Violation(invariant, violation, detail, { cause }) }
}
