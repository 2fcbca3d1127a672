import { engineVersion } from '../../sim/game/copies/version.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { SimulationObserver } from '../../sim/game/run/observers.ts'
import type { Conditioner } from '../../transport/conditioner/conditioner.ts'
import type { Dial } from '../../transport/connection.ts'
import type { Timing } from '../../transport/timing.ts'
import { machineTiming } from '../../transport/timing.ts'
import type { MatchInside } from '../match/match-inside.ts'
import { joinWith } from '../online/join-online.ts'
import type { JoinOptions } from '../online/join-options.ts'
import { ownScope } from './own-scope.ts'
import { ServedMatch } from './served-match.ts'
import { showLife } from './thread-life.ts'
import type { ThreadPort } from './thread-port.ts'
import { listenTo } from './thread-port.ts'
import { packError } from './worker-errors.ts'
import type { JoinRequest, PageMessage, WorkerMessage } from './worker-messages.ts'
import { isJoinRequest } from './worker-messages.ts'

/** Options that only the worker can set, because functions cannot be sent to it by the page. */
export interface ServeOptions {
  /**
   * The port on which pages send requests; defaults to the worker's global scope. In Node: its
   * `parentPort`.
   */
  readonly port?: ThreadPort
  /** Opens the connection to the relay, instead of dialling its URL. */
  readonly dial?: Dial
  /** Simulates a bad connection, for testing. */
  readonly conditioner?: Conditioner
  /** Observes the ticks of the matches. */
  readonly observer?: SimulationObserver
  readonly timing?: Timing
}

/**
 * Lets pages play this game in this worker: see `joinMatchInWorker`. It serves any number of matches, one
 * after the other or at once, and ignores other messages. Returns a function that stops it; matches that
 * were joined continue.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` if there is no port to listen on.
 *
 * @example
 * ```ts
 * // match-worker.ts
 * import { serveMatch } from 'samestep/worker'
 * import { dots } from './game.ts'
 *
 * serveMatch(dots)
 * ```
 */
export function serveMatch<G extends GameShape, R>(
  game: Game<G, R>,
  options: ServeOptions = {},
): () => void {
  const port = options.port ?? ownScope('matches')
  return listenTo(port, 'message', (message) => {
    if (isJoinRequest(message)) new Service(game, message, options).begin()
  })
}

/** One page that wants to play, from its first word to its last. */
class Service<G extends GameShape, R> {
  readonly #game: Game<G, R>
  readonly #request: JoinRequest
  readonly #options: ServeOptions
  readonly #timing: Timing
  readonly #leaving = new AbortController()
  /** What the page said before there was a match to say it to. */
  readonly #early: PageMessage[] = []
  #match: ServedMatch<G, R> | undefined
  #cancelWord = () => {}
  #letGo = () => {}

  constructor(game: Game<G, R>, request: JoinRequest, options: ServeOptions) {
    this.#game = game
    this.#request = request
    this.#options = options
    this.#timing = options.timing ?? machineTiming
  }

  begin(): void {
    const { version, fingerprint, port } = this.#request
    if (version !== engineVersion || fingerprint !== this.#game.fingerprint) {
      const own = { version: engineVersion, fingerprint: this.#game.fingerprint }
      this.#post({ type: 'refused', ...own })
      port.close()
      return
    }
    listenTo(port, 'message', (message) => this.#handle(message as PageMessage))
    // Where the platform tells of it: the page is gone without a word.
    listenTo(port, 'close', () => this.#handle({ type: 'close' }))
    this.#sayAlive()
    const isOver = new Promise<void>((resolve) => {
      this.#letGo = resolve
    })
    showLife(this.#request.lock, isOver, () => this.#post({ type: 'locked' }))
    this.#join().catch((error: unknown) => {
      this.#cancelWord()
      this.#post({ type: 'failed', error: packError(error) })
      this.#end()
    })
  }

  async #join(): Promise<void> {
    const { dial, conditioner, observer } = this.#options
    let inside: MatchInside<G, R> | undefined
    const options: JoinOptions<G> = {
      ...(this.#request.options as JoinOptions<G>),
      ...(dial === undefined ? {} : { dial }),
      ...(conditioner === undefined ? {} : { conditioner }),
      ...(observer === undefined ? {} : { observer }),
      timing: this.#timing,
      signal: this.#leaving.signal,
      onStatus: (progress) => this.#post({ type: 'progress', progress }),
    }
    const match = await joinWith<G, R>(this.#game, options, (made) => {
      inside = made
    })
    this.#cancelWord()
    // The page left between the answer of the relay and this.
    if (this.#leaving.signal.aborted) {
      match.close()
      this.#end()
      return
    }
    this.#match = new ServedMatch(inside as unknown as MatchInside<G, R>, match, {
      timing: this.#timing,
      post: this.#post,
      handleOver: () => this.#end(),
    })
    for (const message of this.#early.splice(0)) this.#match.handle(message)
  }

  readonly #post = (message: WorkerMessage, transfer: readonly ArrayBuffer[] = []): void => {
    this.#request.port.postMessage(message, transfer as ArrayBuffer[])
  }

  #end(): void {
    this.#request.port.close()
    this.#letGo()
  }

  #handle(message: PageMessage): void {
    if (this.#match !== undefined) this.#match.handle(message)
    else if (message.type === 'close') this.#leaving.abort()
    else this.#early.push(message)
  }

  /** A relay may be out of reach for long, and the page must not think that we are. */
  #sayAlive(): void {
    this.#post({ type: 'alive' })
    this.#cancelWord = this.#timing.schedule(() => this.#sayAlive(), aliveEveryMs)
  }
}

/** Often enough for the patience of a page, which is counted in seconds. */
const aliveEveryMs = 500
