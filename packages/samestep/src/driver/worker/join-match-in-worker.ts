import { UsageError } from '../../base/errors.ts'
import type { DebugOptions } from '../../client/debug/debug-level.ts'
import { makeConfig } from '../../client/membership/match-config.ts'
import { engineVersion } from '../../sim/game/copies/version.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { machineTiming } from '../../transport/timing.ts'
import type { Match } from '../match/match.ts'
import { JoinError } from '../online/join-error.ts'
import type { JoinOptions } from '../online/join-options.ts'
import { readMatchAddress } from '../online/relay-address.ts'
import { placeOf, usualSeats } from '../online/session-place.ts'
import { isFinal, KeptSession, storeFor } from '../online/session-store.ts'
import { followVisibility } from '../visibility.ts'
import { SilenceWatch } from './silence-watch.ts'
import { awaitDeath } from './thread-life.ts'
import type { LinePort, ThreadPort } from './thread-port.ts'
import { listenTo } from './thread-port.ts'
import { unpackError } from './worker-errors.ts'
import { WorkerMatch } from './worker-match.ts'
import type { JoinRequest, PageMessage, Refusal, WorkerMessage } from './worker-messages.ts'

/** The options of `joinMatchInWorker`: where to play, as whom, how, and in which worker. */
export interface WorkerJoinOptions<G extends GameShape>
  extends Omit<JoinOptions<G>, 'dial' | 'conditioner' | 'observer' | 'debug'> {
  /** The URL of the relay, or a join link. Not needed if `serveMatch` is given `dial`. */
  readonly url?: string
  /** A worker whose file calls `serveMatch` for the same game. It can serve other matches later. */
  readonly worker: ThreadPort
  /** What debug levels keep in the worker's memory. */
  readonly debug?: Omit<DebugOptions, 'save'>
}

/**
 * Joins a match like `joinMatch`, with the whole client in a worker: the connection, the clock and the
 * simulation. The match continues while the page is hidden or blocked. The page draws what the worker
 * sends.
 *
 * Resolves and rejects like `joinMatch`, and never throws. Also rejects with a `JoinError` of reason
 * `worker-lost` if the worker cannot be started or does not answer, and with a `UsageError`
 * `SS_WORKER_DIFFERS` if it was built from another version of the library or the game.
 *
 * @example
 * ```ts
 * const worker = new Worker(new URL('./match-worker.ts', import.meta.url), { type: 'module' })
 * const match = await joinMatchInWorker(dots, { worker, url: location.href, match: 'friday' })
 * ```
 */
export function joinMatchInWorker<G extends GameShape, R>(
  game: Game<G, R>,
  options: WorkerJoinOptions<G>,
): Promise<Match<G, R>> {
  return joinOverChannel(game, options, () => new MessageChannel())
}

/** A line between two threads: one end stays, the other is given away. */
export interface ThreadChannel {
  readonly port1: LinePort
  readonly port2: LinePort
}

/** As {@link joinMatchInWorker}, over a line of the caller's: for tests. */
export async function joinOverChannel<G extends GameShape, R>(
  game: Game<G, R>,
  options: WorkerJoinOptions<G>,
  openChannel: () => ThreadChannel,
): Promise<WorkerMatch<G, R>> {
  check(game, options)
  const { port1, port2 } = openChannel()
  const line = new WorkerLine(game, options, port1)
  line.listen()
  line.ask(port2)
  return line.joined
}

/** What the worker would refuse is refused here, at once. */
function check<G extends GameShape, R>(game: Game<G, R>, options: WorkerJoinOptions<G>): void {
  const { match } = readMatchAddress(options.url, options.match)
  makeConfig(game, { seats: usualSeats(game), ...options, match, name: options.name ?? 'player' })
  if (typeof options.worker?.postMessage !== 'function') {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot join in a worker: worker is ${String(options.worker)}; pass a new Worker(…)`,
    )
  }
  for (const name of ['dial', 'conditioner', 'observer']) {
    if (Reflect.get(options, name) === undefined) continue
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot use ${name} in a worker match: functions cannot be sent to a worker; pass it to serveMatch(game, { ${name} }) there`,
    )
  }
}

/** The line to a worker: until there is a match, as long as there is one, and to its end. */
class WorkerLine<G extends GameShape, R> {
  readonly joined: Promise<WorkerMatch<G, R>>
  readonly #game: Game<G, R>
  readonly #options: WorkerJoinOptions<G>
  readonly #port: LinePort
  readonly #match: WorkerMatch<G, R>
  readonly #silence: SilenceWatch
  readonly #lock = `samestep ${[...crypto.getRandomValues(new Uint32Array(4))].join('-')}`
  readonly #undo: (() => void)[] = []
  #resolve: (match: WorkerMatch<G, R>) => void = () => {}
  #reject: (error: Error) => void = () => {}
  /** Whether the worker ever said anything. */
  #isAlive = false
  #isJoined = false
  #isOver = false

  constructor(game: Game<G, R>, options: WorkerJoinOptions<G>, port: LinePort) {
    const timing = options.timing ?? machineTiming
    this.#game = game
    this.#options = options
    this.#port = port
    this.joined = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#silence = new SilenceWatch(timing, () => this.#lose('it says nothing any more'))
    this.#match = new WorkerMatch(game, {
      timing,
      silence: this.#silence,
      development: options.development,
      post: this.#post,
      handleOver: () => this.#end(),
    })
  }

  /** Listens before anything is said, so that no answer is missed. */
  listen(): void {
    const { worker, signal } = this.#options
    this.#undo.push(
      listenTo(this.#port, 'message', (message) => this.#handle(message as WorkerMessage)),
      // The end of a thread, where the platform tells of it.
      listenTo(this.#port, 'close', () => this.#handleDeath()),
      listenTo(worker, 'exit', () => this.#handleDeath()),
      listenTo(this.#port, 'messageerror', () => this.#lose('it cannot be understood')),
      listenTo(worker, 'error', (event) => this.#handleError(event)),
    )
    const abort = () => this.#abort()
    signal?.addEventListener('abort', abort)
    this.#undo.push(() => signal?.removeEventListener('abort', abort))
  }

  /** Asks the worker to join, and gives it the other end of the line. */
  ask(port: LinePort): void {
    const { worker, signal, timing, onStatus, remember, ...options } = this.#options
    const { url, match } = readMatchAddress(options.url, options.match)
    // What outlives a reload is the page's: a worker has no storage of its tab.
    const kept = new KeptSession(storeFor(remember), placeOf(this.#game, url, match, options.role))
    this.#match.on('closed', ({ reason }) => {
      if (isFinal(reason)) kept.forget()
    })
    const request: JoinRequest = {
      samestep: 'join-match',
      version: engineVersion,
      fingerprint: this.#game.fingerprint,
      options: { ...kept.keys, ...options },
      lock: this.#lock,
      port,
    }
    worker.postMessage(request, [port] as never[])
    if (signal?.aborted) this.#abort()
    followVisibility(
      (isHidden) => this.#match.setHidden(isHidden),
      () => this.#isOver,
    )
  }

  readonly #post = (message: PageMessage, transfer: readonly ArrayBuffer[] = []): void => {
    if (!this.#isOver) this.#port.postMessage(message, transfer as ArrayBuffer[])
  }

  #handle(message: WorkerMessage): void {
    if (this.#isOver) return
    this.#isAlive = true
    this.#silence.noteWord()
    switch (message.type) {
      case 'alive':
        return
      case 'progress':
        this.#options.onStatus?.(message.progress)
        return
      case 'locked':
        this.#undo.push(awaitDeath(this.#lock, () => this.#handleDeath()))
        return
      case 'refused':
        this.#giveUp(differs(this.#game.id, message))
        return
      case 'failed':
        this.#giveUp(unpackError(message.error))
        return
      default:
        this.#match.handle(message)
    }
    if (message.type !== 'joined') return
    this.#isJoined = true
    this.#resolve(this.#match)
  }

  /** Its last words may still be on their way, and tell more than that it is dead. */
  #handleDeath(): void {
    if (this.#isOver) return
    const { timing = machineTiming } = this.#options
    this.#undo.push(timing.schedule(() => this.#lose('it has ended'), lastWordsMs))
  }

  #lose(why: string): void {
    if (this.#isOver) return
    if (this.#isJoined) this.#match.end('worker-lost', `The worker is lost: ${why}`)
    else if (this.#isAlive) this.#giveUp(lost(`the worker is lost: ${why}`))
    else this.#giveUp(lost(`${silent} Does its file call serveMatch(game)?`))
  }

  /** Before the first word it means that there is no worker; later it is no end, and consoles show it. */
  #handleError(event: unknown): void {
    if (this.#isAlive) return
    const { message } = event as { readonly message?: unknown }
    const why = typeof message === 'string' && message !== '' ? message : 'its file does not load'
    this.#giveUp(lost(`the worker does not start: ${why}`))
  }

  #abort(): void {
    if (this.#isJoined) return
    this.#post({ type: 'close' })
    this.#giveUp(new JoinError('aborted', 'Cannot join: the attempt was aborted'))
  }

  #giveUp(error: Error): void {
    if (this.#isOver || this.#isJoined) return
    this.#end()
    this.#reject(error)
  }

  #end(): void {
    this.#isOver = true
    this.#silence.stop()
    for (const undo of this.#undo.splice(0)) undo()
    // What was said before is still heard there.
    this.#port.close()
  }
}

function lost(why: string): JoinError {
  return new JoinError('worker-lost', `Cannot join: ${why}`)
}

/** Messages between threads take less than a millisecond, and pages have other things to do. */
const lastWordsMs = 250

const silent = 'the worker does not answer.'

function differs(gameId: string, theirs: Refusal): UsageError {
  const what =
    theirs.version === engineVersion
      ? `it plays another game than '${gameId}', or another version of it`
      : `it was built with ${theirs.version}, and this page with ${engineVersion}`
  return new UsageError(
    'SS_WORKER_DIFFERS',
    `Cannot join in this worker: ${what}; build both from the same sources, and check for a stale cache`,
  )
}
