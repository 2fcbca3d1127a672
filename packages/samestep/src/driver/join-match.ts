import { UsageError } from '../base/errors.ts'
import { Client } from '../client/client.ts'
import type { ClientOptions } from '../client/client-options.ts'
import type { GameShape } from '../sim/game/context.ts'
import type { Game } from '../sim/game/define-game.ts'
import type { Conditioner } from '../transport/conditioner.ts'
import type { Dial } from '../transport/connection.ts'
import { dialBest } from '../transport/webrtc/dial-best.ts'
import { dialWebSocket } from '../transport/websocket-client.ts'
import { OnlineMatch } from './online-match.ts'
import { readMatchAddress, withMatch } from './relay-address.ts'
import type { Timing } from './timing.ts'
import { machineTiming } from './timing.ts'
import { followVisibility } from './visibility.ts'

/** Where to play, as whom, and how. */
export interface JoinOptions<G extends GameShape>
  extends Omit<ClientOptions<G>, 'match' | 'name' | 'onBundle' | 'onInput'> {
  /** The relay, as `ws://localhost:7777`, or the join link of a match. */
  readonly url: string
  /** Which match; the one that the link names when left out. Whoever comes first makes it. */
  readonly match?: string
  readonly name?: string
  /**
   * `websocket` works wherever pages do. `webrtc` loses packets instead of holding up those behind
   * them, and falls back to WebSocket within three seconds where it does not get through.
   */
  readonly transport?: 'websocket' | 'webrtc'
  /** Another way to reach the relay than its address says. */
  readonly dial?: Dial
  /** Makes the line worse, for trying out: see `Conditioner`. */
  readonly conditioner?: Conditioner
  /** The clock and the timers; the machine's own when left out. */
  readonly timing?: Timing
  /** How long to wait for a place before giving up; the match goes on trying when left out. */
  readonly timeoutMs?: number
  /** Ends the waiting for a place; once there is one, `close` is what ends the match. */
  readonly signal?: AbortSignal
}

/**
 * Joins a match on a relay, as a player or to watch. Resolves once the relay has let us in; rejects
 * with a `JoinError` when it refuses, when the time is up, or when `signal` says so. Throws a
 * `UsageError` for an address that is none.
 *
 * @example
 * ```ts
 * const match = await joinMatch(dots, { url: 'ws://localhost:7777', match: 'friday', name: 'Ada' })
 * match.order('move', { dx: 1, dy: 0 })
 * requestAnimationFrame(function paint(now) {
 *   const { current, alpha } = match.advance(now)
 *   draw(current, alpha)
 *   requestAnimationFrame(paint)
 * })
 * ```
 */
export function joinMatch<G extends GameShape, R>(
  game: Game<G, R>,
  options: JoinOptions<G>,
): Promise<OnlineMatch<G, R>> {
  return joinWith(game, options, () => {})
}

/** As {@link joinMatch}, for who has to know the client itself. */
export function joinWith<G extends GameShape, R>(
  game: Game<G, R>,
  options: JoinOptions<G>,
  meet: (client: Client<G, R>) => void,
): Promise<OnlineMatch<G, R>> {
  const { timing = machineTiming, conditioner } = options
  const { url, match } = readMatchAddress(options.url, options.match)
  const client = new Client<G, R>(game, {
    ticket: crypto.getRandomValues(new Uint8Array(16)),
    seats: usualSeats(game),
    ...options,
    match,
    name: options.name ?? 'player',
  })
  meet(client)
  let online: OnlineMatch<G, R> | undefined
  const tell = (fallback: { from: string; to: string; error: Error }) => {
    const { from, to, error } = fallback
    online?.announce('fallback', { from, to, message: error.message })
  }
  const dial = options.dial ?? dialTo(url, match, options.transport ?? 'websocket', tell)
  const failures: DialFailures = { last: undefined }
  const watched = watchDial(conditioner?.wrapDial(dial) ?? dial, failures)
  const joined = new OnlineMatch(client, watched, timing)
  online = joined
  followVisibility(
    (isHidden) => joined.setHidden(isHidden),
    () => joined.status === 'closed',
  )
  return awaitSeat(joined, timing, options, failures)
}

/** Seats of a match that nobody chose the number of: who goes online expects company. */
export function usualSeats({ seats }: { readonly seats: { min: number; max: number } }): number {
  return Math.max(seats.min, Math.min(2, seats.max))
}

/** What is known of dials that failed, and who wants to know. */
interface DialFailures {
  last: Error | undefined
  handleMisuse?: (error: UsageError) => void
}

/** Keeps why there is no link: weather is tried again, an address that is none never gets better. */
function watchDial(dial: Dial, failures: DialFailures): Dial {
  return async (signal) => {
    try {
      return await dial(signal)
    } catch (error) {
      if (error instanceof UsageError) failures.handleMisuse?.(error)
      if (error instanceof Error) failures.last = error
      throw error
    }
  }
}

/** Why a match could not be joined. */
export class JoinError extends Error {
  override readonly name = 'JoinError'
  /** A word for programs: a close reason such as `version` or `match-full`, `timeout`, `aborted`. */
  readonly reason: string

  constructor(reason: string, message: string) {
    super(message)
    this.reason = reason
  }
}

function dialTo(
  url: string,
  match: string,
  transport: 'websocket' | 'webrtc',
  onFallback: (fallback: { from: string; to: string; error: Error }) => void,
): Dial {
  if (url.startsWith('udp:')) {
    // A page cannot speak UDP, and must not carry the code for it.
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot reach ${url} without help: give dial: dialUdp('${url}'), imported from 'samestep/udp'`,
    )
  }
  const address = withMatch(url, match)
  const websocket = dialWebSocket(address)
  if (transport === 'websocket') return websocket
  const webrtc: Dial = async (signal) => {
    const { dialWebrtc } = await import('../transport/webrtc/index.ts')
    return dialWebrtc(address)(signal)
  }
  return dialBest(
    [
      { name: 'webrtc', dial: webrtc },
      { name: 'websocket', dial: websocket },
    ],
    { onFallback },
  )
}

function awaitSeat<G extends GameShape, R>(
  match: OnlineMatch<G, R>,
  timing: Timing,
  { timeoutMs, signal }: Pick<JoinOptions<G>, 'timeoutMs' | 'signal'>,
  failures: DialFailures,
): Promise<OnlineMatch<G, R>> {
  return new Promise((resolve, reject) => {
    const undo: (() => void)[] = []
    const settle = (finish: () => void) => {
      for (const one of undo.splice(0)) one()
      finish()
    }
    const giveUp = (error: Error) => {
      settle(() => {
        match.close()
        reject(error)
      })
    }
    undo.push(
      match.on('status', (status) => {
        if (status === 'active' || status === 'lobby') settle(() => resolve(match))
      }),
      match.on('closed', ({ reason, message }) => {
        settle(() => reject(new JoinError(reason, message)))
      }),
    )
    failures.handleMisuse = giveUp
    undo.push(() => {
      delete failures.handleMisuse
    })
    if (timeoutMs !== undefined) {
      const expire = () => {
        const why = failures.last === undefined ? '' : `. ${failures.last.message}`
        const waited = `Cannot join: no relay let us in within ${timeoutMs} ms`
        giveUp(new JoinError('timeout', `${waited}${why}`))
      }
      undo.push(timing.schedule(expire, timeoutMs))
    }
    const abort = () => giveUp(new JoinError('aborted', 'Cannot join: the attempt was aborted'))
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort)
    undo.push(() => signal?.removeEventListener('abort', abort))
  })
}
