import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import { dialWebSocket } from '../../transport/websocket-client.ts'
import type { Match } from '../match/match.ts'
import type { DialledAhead } from './dial-ahead.ts'
import { dialAhead } from './dial-ahead.ts'
import type { JoinOptions } from './join-options.ts'
import { joinTimeoutMs } from './join-options.ts'
import { loadInTime } from './load-in-time.ts'
import { readMatchAddress, withMatch } from './relay-address.ts'

/**
 * Joins a match on a relay as a player or a spectator. Resolves once the relay has admitted this client.
 * Rejects with a `JoinError` if the relay refuses, the timeout expires or `signal` is aborted, and with a
 * `UsageError` for an invalid address or invalid options. After two seconds without an answer, the address
 * being dialled is logged to the console.
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
  const { timeoutMs = joinTimeoutMs, signal } = options
  const ahead = dialIfPlain(options)
  try {
    // What a page that shows its menu does not need yet: all that talks to a relay and plays a match.
    const warn = (text: string) => console.warn(text)
    const limits = { timeoutMs, signal, warn }
    const { joinOnline } = await loadInTime(() => import('./join-online.ts'), limits)
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
