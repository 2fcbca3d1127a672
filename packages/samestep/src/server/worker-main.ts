/** A worker: the relay of those matches that are its own. Sockets come from the process with the port. */
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Logger } from 'pino'
import { makeLineLog } from './logging.ts'
import { workerOf } from './match-pin.ts'
import { makeOriginRule } from './origin-rule.ts'
import { RelayCore } from './relay-core.ts'
import { UpgradeDoor } from './upgrade-door.ts'
import type {
  FromWorker,
  HandedRequest,
  ToWorker,
  WorkerAnswer,
  WorkerQuestion,
  WorkerSetup,
} from './worker-messages.ts'

class Worker {
  readonly #core: RelayCore
  readonly #door: UpgradeDoor

  private constructor(core: RelayCore, door: UpgradeDoor) {
    this.#core = core
    this.#door = door
  }

  static async start(setup: WorkerSetup, log: Logger): Promise<Worker> {
    const { index, count, createMatches, trustedProxies, strangersPerAddress } = setup
    const core = new RelayCore({
      log,
      matchesMax: setup.matchesMax,
      gatherMs: setup.gatherMs,
      // Whoever came without the name of the match may be in the wrong place for it.
      mayCreate: (name) => createMatches === 'anyone' && workerOf(name, count) === index,
    })
    const mayConnect = makeOriginRule(setup.origin)
    const options = { mayConnect, trustedProxies, strangersPerAddress }
    const door = await UpgradeDoor.open((connection) => core.accept(connection), options)
    return new Worker(core, door)
  }

  /** Takes a socket over. It may have died on the way. */
  take({ head, ...handed }: HandedRequest, socket: unknown): void {
    if (!(socket instanceof Socket)) return
    const request = Object.assign(new IncomingMessage(socket), handed)
    this.#door.handleUpgrade(request, socket, Buffer.from(head))
  }

  answer(question: WorkerQuestion): WorkerAnswer {
    switch (question.what) {
      case 'numbers':
        return { ...this.#core.numbers, refused: this.#door.refused }
      case 'summaries':
        return this.#core.summaries()
      case 'kick':
        return this.#core.kick(question.match, question.seat)
    }
  }

  noteFault(error: unknown): void {
    this.#core.noteFault(error)
  }

  async stop(): Promise<void> {
    this.#door.stop()
    await this.#core.stop()
  }
}

let worker: Worker | undefined

function say(message: FromWorker): void {
  // Whoever started us may be gone; then this process ends too, see below.
  if (process.connected) process.send?.(message, undefined, {}, () => {})
}

async function begin(setup: WorkerSetup): Promise<void> {
  const log = makeLineLog(setup.log, (line) => say({ type: 'log', line }))
  // Says why before it dies, and is started again.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'worker fails')
    setTimeout(() => process.exit(1), 50)
  })
  worker = await Worker.start(setup, log)
  say({ type: 'ready' })
}

async function end(): Promise<void> {
  await worker?.stop()
  process.exit(0)
}

process.on('message', (message: ToWorker, socket: unknown) => {
  switch (message.type) {
    case 'begin':
      void begin(message.setup)
      return
    case 'upgrade':
      try {
        worker?.take(message.request, socket)
      } catch (error) {
        worker?.noteFault(error)
        if (socket instanceof Socket) socket.destroy()
      }
      return
    case 'ask':
      if (worker !== undefined) {
        say({ type: 'answer', id: message.id, answer: worker.answer(message.question) })
      }
      return
    case 'stop':
      void end()
  }
})
// A signal goes to the whole group of a terminal. The process with the port says when to stop.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
process.on('disconnect', () => void end())
