import type { GameShape } from '../../sim/game/context.ts'
import type { Game } from '../../sim/game/define-game.ts'
import type { Simulation } from '../../sim/game/simulation.ts'
import { dialWebSocket } from '../../transport/websocket-client.ts'
import type { Match } from '../match/match.ts'
import type { DialledAhead } from './dial-ahead.ts'
import { dialAhead } from './dial-ahead.ts'
import { JoinError } from './join-error.ts'
import type { JoinOptions } from './join-options.ts'
import { joinTimeoutMs } from './join-options.ts'
import { readMatchAddress, withMatch } from './relay-address.ts'

/**
 * Joins a match on a relay, as a player or to watch. Resolves once the relay has let us in; rejects
 * with a `JoinError` when it refuses, when the time is up, or when `signal` says so, and with a
 * `UsageError` for an address or options that are none. After two seconds without an answer the console
 * says what is dialled.
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
export async function joinMatch<G extends GameShape, R>(
  game: Game<G, R>,
  options: JoinOptions<G>,
): Promise<Match<G, R, Simulation<G, R>>> {
  const ahead = dialIfPlain(options)
  try {
    const { joinOnline } = await loadOnline(options.timeoutMs ?? joinTimeoutMs, options.signal)
    return await joinOnline(game, options, ahead?.dial)
  } finally {
    ahead?.release()
  }
}

/** Dials a WebSocket while the rest is loaded; `undefined` where the line is another one. */
function dialIfPlain<G extends GameShape>(options: JoinOptions<G>): DialledAhead | undefined {
  const { url, match } = readMatchAddress(options.url, options.match)
  const isPlain = options.dial === undefined && options.transport !== 'webrtc'
  if (!isPlain || url === undefined || url.startsWith('udp:')) return undefined
  return dialAhead(dialWebSocket(withMatch(url, match)))
}

/**
 * Loads what talks to a relay and plays a match, which a page that shows its menu does not need yet. A
 * file that cannot be had is weather, as a line that cannot be had is: it is asked for again.
 */
async function loadOnline(timeoutMs: number, signal: AbortSignal | undefined) {
  const endMs = performance.now() + timeoutMs
  for (let pauseMs = 250; ; pauseMs *= 2) {
    try {
      return await import('./join-online.ts')
    } catch (error) {
      if (signal?.aborted) throw new JoinError('aborted', 'Stopped waiting for a place', error)
      if (performance.now() + pauseMs > endMs) throw notLoaded(error)
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

function notLoaded(cause: unknown): JoinError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new JoinError(
    'timeout',
    `Cannot join: a part of the page could not be loaded (${why})`,
    cause,
  )
}
