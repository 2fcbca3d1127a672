/** One worker as seen by the process with the port: started, watched, started again. */
import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { farewellMsMax } from './relay-core.ts'
import type {
  FromWorker,
  HandedRequest,
  ToWorker,
  WorkerAnswer,
  WorkerQuestion,
  WorkerSetup,
} from './worker-messages.ts'

/** How long a worker may take to be ready: a loaded machine starts Node in a second or two. */
const readyMsMax = 15_000

/** How long a worker may take to answer a question. */
const answerMsMax = 1_000

/** How often a worker is asked whether it lives. */
const pulseMs = 2_000

/** Without an answer for that long it hangs, and is ended: its matches are lost anyhow. */
const hungMsMax = 12_000

/** How long to wait before the next start, doubled for each that fails soon after. */
const restartMsMin = 50
const restartMsMax = 10_000

/** A worker that lived for that long did not fail by starting. */
const steadyMs = 30_000

/** See above. */
export class WorkerProcess {
  readonly index: number
  /** Settles when the worker first is ready; rejects when it never is. */
  readonly ready: Promise<void>
  restarts = 0
  readonly #setup: WorkerSetup
  readonly #log: Logger
  readonly #questions = new Map<number, (answer: WorkerAnswer | undefined) => void>()
  readonly #pulse: ReturnType<typeof setInterval>
  #child: ChildProcess | undefined
  #isReady = false
  #isStopping = false
  #restartMs = restartMsMin
  #startedMs = 0
  #heardMs = 0
  #questionId = 0
  #onReady: () => void = () => {}
  #onExit: () => void = () => {}
  #onFailed: (error: Error) => void = () => {}

  constructor(setup: WorkerSetup, log: Logger) {
    this.index = setup.index
    this.#setup = setup
    this.#log = log
    this.ready = new Promise((resolve, reject) => {
      this.#onReady = resolve
      this.#onFailed = reject
      setTimeout(() => reject(new Error(`Worker ${setup.index} did not start`)), readyMsMax).unref()
    })
    this.#pulse = setInterval(() => this.#feelPulse(), pulseMs).unref()
    this.#start()
  }

  /** 0 while there is none. */
  get pid(): number {
    return this.#isReady ? (this.#child?.pid ?? 0) : 0
  }

  /** Gives a socket away. False when the worker cannot take it now. */
  hand(request: HandedRequest, socket: Socket): boolean {
    if (!this.#isReady || this.#isStopping) return false
    return this.#say({ type: 'upgrade', request }, socket)
  }

  /** Asks; `undefined` when there is no answer in time. */
  ask(question: WorkerQuestion): Promise<WorkerAnswer | undefined> {
    const id = this.#questionId++
    return new Promise((resolve) => {
      const settle = (answer: WorkerAnswer | undefined) => {
        clearTimeout(timer)
        this.#questions.delete(id)
        resolve(answer)
      }
      const timer = setTimeout(settle, answerMsMax, undefined)
      this.#questions.set(id, settle)
      if (!this.#isReady || !this.#say({ type: 'ask', id, question })) settle(undefined)
    })
  }

  /** Lets it say goodbye to its players, and ends it. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#pulse)
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise<void>((resolve) => {
      this.#onExit = resolve
    })
    if (!this.#say({ type: 'stop' })) child.kill('SIGKILL')
    const timer = setTimeout(() => child.kill('SIGKILL'), farewellMsMax + 500)
    await gone
    clearTimeout(timer)
  }

  #start(): void {
    // Beside this file, translated like it or not.
    const name = import.meta.url.endsWith('.ts') ? './worker-main.ts' : './worker-main.js'
    const child = fork(fileURLToPath(new URL(name, import.meta.url)), {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#child = child
    this.#startedMs = performance.now()
    this.#heardMs = this.#startedMs
    child.on('message', (message: FromWorker) => this.#hear(message))
    child.on('error', (error) => this.#log.error({ err: error, worker: this.index }, 'worker'))
    child.once('exit', (code, signal) => this.#handleExit(code, signal))
    this.#say({ type: 'begin', setup: this.#setup })
  }

  #hear(message: FromWorker): void {
    this.#heardMs = performance.now()
    switch (message.type) {
      case 'ready':
        this.#isReady = true
        this.#onReady()
        return
      case 'answer':
        this.#questions.get(message.id)?.(message.answer)
        return
      case 'log':
        this.#passOn(message.line)
    }
  }

  #passOn(line: string): void {
    const { level, time: _, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
    const name = this.#log.levels.labels[level as number] ?? 'info'
    this.#log[name as 'info']({ ...fields, worker: this.index }, msg as string)
  }

  #handleExit(code: number | null, signal: string | null): void {
    const wasReady = this.#isReady
    this.#isReady = false
    this.#child = undefined
    for (const settle of [...this.#questions.values()]) settle(undefined)
    this.#onExit()
    if (this.#isStopping) return
    if (!wasReady && this.restarts === 0) {
      this.#onFailed(new Error(`Worker ${this.index} ended with ${signal ?? code} while starting`))
    }
    if (performance.now() - this.#startedMs > steadyMs) this.#restartMs = restartMsMin
    this.restarts += 1
    const inMs = this.#restartMs
    this.#restartMs = Math.min(this.#restartMs * 2, restartMsMax)
    this.#log.error({ worker: this.index, code, signal, inMs }, 'worker died, and is started again')
    setTimeout(() => {
      if (!this.#isStopping) this.#start()
    }, inMs).unref()
  }

  #feelPulse(): void {
    if (!this.#isReady) return
    if (performance.now() - this.#heardMs > hungMsMax) {
      this.#log.error({ worker: this.index }, 'worker hangs, and is ended')
      this.#child?.kill('SIGKILL')
    } else void this.ask({ what: 'numbers' })
  }

  #say(message: ToWorker, socket?: Socket): boolean {
    const child = this.#child
    if (child === undefined || !child.connected) return false
    // What cannot be delivered is lost with its worker; the other end of a socket sees it close.
    child.send(message, socket, {}, () => {})
    return true
  }
}
