/** One worker as seen by the process with the port: started, watched, started again. */
import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { guardEntrance } from '../../transport/entrance.ts'
import type { Authorize, JoinRequest } from '../authorize.ts'
import { decide } from '../authorize.ts'
import { farewellMsMax } from '../relay-core.ts'
import type { MakerHub, MakersElsewhere } from '../shared-makers.ts'
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

/** A connection that is the worker's until it says otherwise. */
interface Handed {
  readonly socket: Socket
  readonly onEnded: () => void
}

/** Starts one worker process, watches it, and starts it again when it ends. */
export class WorkerProcess {
  readonly index: number
  /** Settles when the worker first is ready; rejects when it never is. */
  readonly ready: Promise<void>
  restarts = 0
  readonly #setup: WorkerSetup
  readonly #log: Logger
  readonly #onFault: (error: unknown) => void
  readonly #authorize: Authorize | undefined
  readonly #makers: MakerHub
  readonly #handed = new Map<number, Handed>()
  readonly #questions = new Map<number, (answer: WorkerAnswer | undefined) => void>()
  readonly #pulse: ReturnType<typeof setInterval>
  #child: ChildProcess | undefined
  #isReady = false
  #isStopping = false
  #restartMs = restartMsMin
  #startedMs = 0
  #heardMs = 0
  #questionId = 0
  #handedId = 0
  #onReady: () => void = () => {}
  #onExit: () => void = () => {}
  #onFailed: (error: Error) => void = () => {}

  /** `onFault` hears of errors of ours in what the worker makes happen here. */
  constructor(
    setup: WorkerSetup,
    log: Logger,
    onFault: (error: unknown) => void,
    makers: MakerHub,
    authorize?: Authorize,
  ) {
    this.#authorize = authorize
    this.#makers = makers
    this.index = setup.index
    this.#setup = setup
    this.#log = log
    this.#onFault = onFault
    this.ready = new Promise((resolve, reject) => {
      this.#onReady = resolve
      this.#onFailed = reject
      setTimeout(() => reject(new Error(`Worker ${setup.index} did not start`)), readyMsMax).unref()
    })
    this.#pulse = setInterval(
      this.#guard(() => this.#feelPulse()),
      pulseMs,
    ).unref()
    this.#start()
  }

  /** 0 while there is none. */
  get pid(): number {
    return this.#isReady ? (this.#child?.pid ?? 0) : 0
  }

  /**
   * Gives a socket away, from which nobody reads any more. False when the worker cannot take it now.
   * `onEnded` is called once, when the connection is over or the worker is.
   */
  hand(request: HandedRequest, socket: Socket, onEnded: () => void): boolean {
    if (!this.#isReady || this.#isStopping) return false
    const id = this.#handedId++
    this.#handed.set(id, { socket, onEnded })
    const isSaid = this.#say({ type: 'upgrade', id, request }, socket, () => this.#drop(id))
    if (!isSaid) this.#handed.delete(id)
    return isSaid
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

  /** Tells it what addresses made, or lost, in other workers. One that starts hears of all at once. */
  tellMakers(elsewhere: MakersElsewhere): void {
    if (this.#isReady) this.#say({ type: 'makers', elsewhere })
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
    child.on(
      'message',
      this.#guard((message) => this.#hear(message as FromWorker, child)),
    )
    child.on(
      'error',
      this.#guard((error) => this.#log.error({ err: error, worker: this.index }, 'worker')),
    )
    child.once(
      'exit',
      this.#guard((code, signal) => this.#handleExit(code, signal)),
    )
    this.#say({ type: 'begin', setup: this.#setup })
  }

  #hear(message: FromWorker, from: ChildProcess): void {
    this.#heardMs = performance.now()
    switch (message.type) {
      case 'ready':
        this.#isReady = true
        this.#makers.handleReady(this.index)
        this.#onReady()
        return
      case 'maker':
        // What one said that is gone meanwhile went with it.
        if (from === this.#child) this.#makers.handleChange(this.index, message.change)
        return
      case 'answer':
        this.#questions.get(message.id)?.(message.answer)
        return
      case 'ended':
        this.#end(message.id)
        return
      case 'authorize':
        void this.#decide(message.id, message.request)
        return
      case 'log':
        this.#passOn(message.line)
    }
  }

  /** Answers what the worker asks about a join. It may be another worker by then, and ignores it. */
  async #decide(id: number, request: JoinRequest): Promise<void> {
    const { pid } = this
    if (this.#authorize === undefined) return
    const decision = await decide(this.#authorize, request, this.#onFault)
    if (this.pid === pid) this.#say({ type: 'authorized', id, decision })
  }

  /** A connection is over. It may have been dropped here before the worker told. */
  #end(id: number): void {
    const handed = this.#handed.get(id)
    this.#handed.delete(id)
    handed?.onEnded()
  }

  /** A connection did not get to the worker, or the worker is gone. */
  #drop(id: number): void {
    this.#handed.get(id)?.socket.destroy()
    this.#end(id)
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
    this.#makers.handleGone(this.index)
    for (const settle of [...this.#questions.values()]) settle(undefined)
    // Those that still waited for being sent are open here, and nobody would ever close them.
    for (const id of [...this.#handed.keys()]) this.#drop(id)
    this.#onExit()
    if (this.#isStopping) return
    if (!wasReady && this.restarts === 0) {
      this.#onFailed(new Error(`Worker ${this.index} ended with ${signal ?? code} while starting`))
    }
    if (performance.now() - this.#startedMs > steadyMs) this.#restartMs = restartMsMin
    this.restarts += 1
    const inMs = this.#restartMs
    this.#restartMs = Math.min(this.#restartMs * 2, restartMsMax)
    this.#log.error({ worker: this.index, code, signal, inMs }, 'worker died and is restarted')
    setTimeout(
      this.#guard(() => {
        if (!this.#isStopping) this.#start()
      }),
      inMs,
    ).unref()
  }

  #feelPulse(): void {
    if (!this.#isReady) return
    if (performance.now() - this.#heardMs > hungMsMax) {
      this.#log.error({ worker: this.index }, 'worker hangs and is killed')
      this.#child?.kill('SIGKILL')
    } else void this.ask({ what: 'numbers' })
  }

  /** Sends a message. False when it cannot be, `onLost` when that shows only later. */
  #say(message: ToWorker, socket?: Socket, onLost: () => void = () => {}): boolean {
    const child = this.#child
    if (child === undefined || !child.connected) return false
    const onSent = this.#guard((error: Error | null) => {
      // The worker died meanwhile (EPIPE, ERR_IPC_CHANNEL_CLOSED): its exit is told in another way.
      if (error !== null) onLost()
    })
    try {
      child.send(message, socket, {}, onSent)
      return true
    } catch (error) {
      this.#onFault(error)
      return false
    }
  }

  #guard<Args extends readonly unknown[]>(callback: (...args: Args) => void) {
    return guardEntrance(callback, this.#onFault)
  }
}
