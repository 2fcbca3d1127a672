/** A worker: the relay of those matches that are its own. Sockets come from the process with the port. */
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Logger } from 'pino'
import { type FaultListener, guardEntrance } from '../../transport/entrance.ts'
import { machineTiming } from '../../transport/timing.ts'
import { AbsentRtc } from '../../transport/webrtc/node/index.ts'
import { JoinQuestions } from '../join-questions.ts'
import { makeLineLog } from '../logs/logging.ts'
import { UpgradeDoor } from '../pages/upgrade-door.ts'
import { RelayCore } from '../relay-core.ts'
import { makeAddressRule } from '../settings/address-rule.ts'
import { makeOriginRule } from '../settings/origin-rule.ts'
import type { MakersElsewhere } from '../shared-makers.ts'
import { noteElsewhere, SharedMakers } from '../shared-makers.ts'
import { mayCreateBy } from './crew.ts'
import { workerOf } from './match-pin.ts'
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

  readonly #makers: SharedMakers

  private constructor(core: RelayCore, door: UpgradeDoor, makers: SharedMakers) {
    this.#core = core
    this.#door = door
    this.#makers = makers
  }

  static async start(setup: WorkerSetup, log: Logger): Promise<Worker> {
    const { index, count, pinKey, createMatches, trustedProxies, strangersPerAddress } = setup
    const makers = new SharedMakers(setup.rules.matchesPerMinute, (change) =>
      say({ type: 'maker', change }),
    )
    const core = new RelayCore({
      log,
      ...setup.rules,
      makers,
      authorize: setup.isAuthorizing ? (request) => questions.ask(request) : undefined,
      addressOf: makeAddressRule(trustedProxies),
      gatherMs: setup.gatherMs,
      journal: setup.journal,
      isOwn: (name) => workerOf(name, count, pinKey) === index,
      // Whoever came without the name of the match may be in the wrong place for it.
      mayCreate: (name, permission) =>
        mayCreateBy(createMatches, permission) && workerOf(name, count, pinKey) === index,
    })
    const mayConnect = makeOriginRule(setup.origin)
    const options = { mayConnect, trustedProxies, strangersPerAddress, turbo: setup.turbo }
    const door = await UpgradeDoor.open((connection) => core.accept(connection), options)
    const onFault: FaultListener = (error, remote) => core.faults.note(error, { remote })
    const guard = strangersPerAddress === undefined ? {} : { strangersPerAddress }
    door.sideDoors.push(new AbsentRtc({ ...guard, trustedProxies }, onFault))
    return new Worker(core, door, makers)
  }

  /** Takes a socket over. It may have died on the way. */
  take({ head, ...handed }: HandedRequest, socket: Socket): void {
    const request = Object.assign(new IncomingMessage(socket), handed)
    this.#door.handleUpgrade(request, socket, Buffer.from(head))
  }

  answer(question: WorkerQuestion): WorkerAnswer {
    switch (question.what) {
      case 'numbers':
        return { ...this.#core.numbers, refused: this.#door.refused }
      case 'summaries':
        return this.#core.summaries()
      case 'decide':
        return this.#core.decide(question.match, question.decision)
      case 'kick':
        return this.#core.kick(question.match, question.seat)
      case 'order':
        return this.#core.order(question.match, Uint8Array.from(question.bytes))
      case 'create':
        return { problem: this.#core.createMatch(question.match) }
    }
  }

  /** Other workers have more matches of some addresses, or fewer. */
  noteElsewhere(elsewhere: MakersElsewhere): void {
    noteElsewhere(this.#makers, elsewhere, machineTiming.nowMs())
  }

  noteFault(error: unknown): void {
    this.#core.faults.note(error)
  }

  async stop(): Promise<void> {
    this.#door.stop()
    await this.#core.stop()
  }
}

let worker: Worker | undefined
let hasJournal = false

function say(message: FromWorker): void {
  // Whoever started us may be gone; then this process ends too, see below.
  if (process.connected) process.send?.(message, undefined, {}, () => {})
}

/** Joins about which the process with the port decides. */
const questions = new JoinQuestions((id, request) => say({ type: 'authorize', id, request }))

async function begin(setup: WorkerSetup): Promise<void> {
  const log = makeLineLog(setup.log, (line) => say({ type: 'log', line }))
  // Says why before it dies, and is started again.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'worker fails')
    setTimeout(() => process.exit(1), 50)
  })
  hasJournal = setup.journal !== undefined
  worker = await Worker.start(setup, log)
  say({ type: 'ready' })
}

async function end(): Promise<void> {
  await worker?.stop()
  process.exit(0)
}

function hear(message: ToWorker, socket: unknown): void {
  switch (message.type) {
    case 'begin':
      begin(message.setup).catch(fail)
      return
    case 'upgrade':
      take(message.id, message.request, socket)
      return
    case 'ask':
      if (worker !== undefined) {
        say({ type: 'answer', id: message.id, answer: worker.answer(message.question) })
      }
      return
    case 'authorized':
      questions.settle(message.id, message.decision)
      return
    case 'makers':
      worker?.noteElsewhere(message.elsewhere)
      return
    case 'stop':
      hasJournal = false
      end().catch(fail)
  }
}

/** Takes a socket over, and tells when it is closed: the process with the port counts them. */
function take(id: number, request: HandedRequest, socket: unknown): void {
  // It may have died on the way, or there was no descriptor left for it.
  if (!(socket instanceof Socket) || socket.destroyed) {
    say({ type: 'ended', id })
    return
  }
  socket.once('close', () => say({ type: 'ended', id }))
  try {
    if (worker === undefined) socket.destroy()
    else worker.take(request, socket)
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** An error behind which this worker is of no use. It is started again. */
function fail(error: unknown): void {
  process.exitCode = 1
  queueMicrotask(() => {
    throw error
  })
}

/** An error of ours, met at the edge: told and survived. */
function noteFault(error: unknown): void {
  if (worker === undefined) fail(error)
  else worker.noteFault(error)
}

process.on('message', guardEntrance(hear, noteFault))
// A signal goes to the whole group of a terminal. The process with the port says when to stop, and keys
// are read again there.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
process.on('disconnect', () => {
  // Whoever started us died. With a journal the matches go on in the next relay, where nobody must have
  // been told goodbye, and nothing be decided here meanwhile.
  if (hasJournal) process.exit(1)
  end().catch(fail)
})
