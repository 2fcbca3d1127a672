import { UsageError } from '../../base/errors.ts'
import { Client } from '../../client/client.ts'
import type { ClientOptions } from '../../client/membership/client-options.ts'
import type { GameShape } from '../../sim/game/context.ts'
import type { Game } from '../../sim/game/define-game.ts'
import type { Simulation } from '../../sim/game/simulation.ts'
import type { Conditioner } from '../../transport/conditioner/conditioner.ts'
import type { Dial } from '../../transport/connection.ts'
import type { Timing } from '../../transport/timing.ts'
import { machineTiming } from '../../transport/timing.ts'
import type { IceServer } from '../../transport/webrtc/peer.ts'
import { dialWebSocket } from '../../transport/websocket-client.ts'
import type { DoorKind } from '../../wire/doors.ts'
import type { LevelOptions } from '../debug/level-switch.ts'
import type { DialDoor } from '../machines/client-driver.ts'
import { ClientMatch } from '../match/client-match.ts'
import type { Match } from '../match/match.ts'
import { MatchInside } from '../match/match-inside.ts'
import { followVisibility } from '../visibility.ts'
import type { DialFailures, JoinProgress } from './await-seat.ts'
import { awaitSeat } from './await-seat.ts'
import { dialDoorsOf, usableDoors, wrapDoors } from './doors.ts'
import { engineName } from './engine-name.ts'
import { dialWithEngine, lateEngine } from './late-engine.ts'
import { OnlineLine } from './online-line.ts'
import { readMatchAddress, withMatch } from './relay-address.ts'
import { probeRelay } from './relay-probe.ts'
import type { SessionStore } from './session-store.ts'
import { isFinal, KeptSession, storeFor } from './session-store.ts'

/** What `joinMatch` sets right by itself, for programs that know better. */
export type AdvancedOptions = Pick<
  ClientOptions<GameShape>,
  'ticket' | 'secret' | 'retryMs' | 'retrySeed' | 'engine' | 'desyncMemoryBytes'
>

/** Where to play, as whom, and how. */
export interface JoinOptions<G extends GameShape>
  extends Omit<
      ClientOptions<G>,
      'match' | 'name' | 'onBundle' | 'onInput' | 'investigate' | 'doors' | keyof AdvancedOptions
    >,
    LevelOptions {
  /** The relay, as `ws://localhost:7777`, or the join link of a match. Not needed with `dial`. */
  readonly url?: string
  /** Which match; the one that the link names when left out. Whoever comes first makes it. */
  readonly match?: string
  readonly name?: string
  /**
   * `auto` when left out: play begins over WebSocket, which works wherever pages do, and moves to
   * datagrams where relay and platform have them (WebRTC in browsers, UDP in Node), which lose packets
   * instead of holding up those behind them. Should they die, it moves back. `Match.transport` says which
   * it is. `websocket` stays there; `webrtc` dials that first, and falls back within three seconds.
   */
  readonly transport?: 'auto' | 'websocket' | 'webrtc'
  /** STUN and TURN servers for WebRTC. None are needed for a relay with a public address. */
  readonly iceServers?: readonly IceServer[]
  /** Another way to reach the relay than its address says. */
  readonly dial?: Dial
  /**
   * Another way to the better doors of the relay, with `dial`: those that it can open, best first. Without
   * it, a match that is dialled by `dial` stays there.
   */
  readonly betterDoors?: { readonly kinds: readonly DoorKind[]; readonly dial: DialDoor }
  /** Makes the line worse, for trying out: see `Conditioner`. */
  readonly conditioner?: Conditioner
  /** The clock and the timers; the machine's own when left out. */
  readonly timing?: Timing
  /** How long to wait for a place before giving up; 10 s when left out, `Infinity` for ever. */
  readonly timeoutMs?: number
  /** Told how far the attempt is: with each new status, and each failure to connect. */
  readonly onStatus?: (progress: JoinProgress) => void
  /**
   * Whether a page that is loaded again comes back to its seat. By default it does, for as long as its
   * tab is open and the relay keeps the seat; `false` makes it a new player. In Node give a store.
   */
  readonly remember?: boolean | SessionStore
  /** Ends the waiting for a place; once there is one, `close` is what ends the match. */
  readonly signal?: AbortSignal
  /** What `joinMatch` sets right by itself: keys of the session, times between attempts, memory. */
  readonly advanced?: AdvancedOptions
}

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
export function joinMatch<G extends GameShape, R>(
  game: Game<G, R>,
  options: JoinOptions<G>,
): Promise<Match<G, R, Simulation<G, R>>> {
  return joinWith(game, options, () => {})
}

/** As {@link joinMatch}, for who has to know what is behind the match. */
export async function joinWith<G extends GameShape, R>(
  game: Game<G, R>,
  options: JoinOptions<G>,
  meet: (inside: MatchInside<G, R>) => void,
): Promise<ClientMatch<G, R>> {
  const { timing = machineTiming, conditioner } = options
  const { url, match } = readMatchAddress(options.url, options.match)
  const place = placeOf(game, url, match, options.role)
  const doors = doorsFor(options, url, match)
  const kept = new KeptSession(storeFor(options.remember), place)
  const client = new Client<G, R>(
    game,
    {
      ...kept.keys,
      retrySeed: crypto.getRandomValues(new Uint32Array(1))[0] as number,
      seats: usualSeats(game),
      engine: engineName(),
      ...options,
      ...options.advanced,
      match,
      name: options.name ?? 'player',
      doors: doors?.kinds ?? [],
    },
    lateEngine.makeRunning,
  )
  const inside = new MatchInside(client, () => timing.nowMs(), { ...options, match })
  inside.events.on('closed', ({ reason }) => {
    if (isFinal(reason)) kept.forget()
  })
  meet(inside)
  const tell = (fallback: { from: string; to: string; error: Error }) => {
    const { from, to, error } = fallback
    inside.events.emitHeld('fallback', { from, to, message: error.message })
  }
  const dial = options.dial ?? dialTo(url, match, options, tell)
  const failures: DialFailures = { last: undefined }
  const watched = watchDial(dialWithEngine(conditioner?.wrapDial(dial) ?? dial), failures)
  const wrap = (inner: Dial) => conditioner?.wrapDial(inner) ?? inner
  const line = new OnlineLine(inside, watched, timing, doors && wrapDoors(doors.dial, wrap))
  const joined = new ClientMatch(inside, line, lateEngine)
  followVisibility(
    (isHidden) => joined.setHidden(isHidden),
    () => joined.status === 'closed',
  )
  return awaitSeat(joined, {
    timing,
    timeoutMs: options.timeoutMs ?? usualTimeoutMs,
    signal: options.signal,
    onStatus: options.onStatus,
    url: options.dial === undefined ? url : undefined,
    failures,
    probe: async () =>
      options.dial === undefined && url !== undefined ? probeRelay(url) : undefined,
    warn: (text) => console.warn(text),
  })
}

/** What a tab remembers a session by: where, which match of which game, and as what. */
export function placeOf(
  { id }: { readonly id: string },
  url: string | undefined,
  match: string,
  role = 'player',
): string {
  return `${url ?? ''} ${match} ${id} ${role}`
}

/** Seats of a match that nobody chose the number of: who goes online expects company. */
export function usualSeats({ seats }: { readonly seats: { min: number; max: number } }): number {
  return Math.max(seats.min, Math.min(2, seats.max))
}

/** Keeps why there is no link: weather is tried again, an address that is none never gets better. */
function watchDial(dial: Dial, failures: DialFailures): Dial {
  return async (signal) => {
    try {
      return await dial(signal)
    } catch (error) {
      if (error instanceof UsageError) failures.handleMisuse?.(error)
      if (error instanceof Error) failures.last = error
      failures.handleFailure?.()
      throw error
    }
  }
}

/** Which better doors can be dialled, and how; `undefined` where the match stays as it was dialled. */
function doorsFor<G extends GameShape>(
  { dial, transport = 'auto', betterDoors, iceServers }: JoinOptions<G>,
  url: string | undefined,
  match: string,
): JoinOptions<G>['betterDoors'] {
  if (transport !== 'auto') return undefined
  if (dial !== undefined || url === undefined || url.startsWith('udp:')) return betterDoors
  return { kinds: usableDoors(), dial: dialDoorsOf(withMatch(url, match), iceServers) }
}

type TellFallback = (fallback: { from: string; to: string; error: Error }) => void

/** A page that plays over WebSocket never carries what this loads. */
async function loadWebrtc(
  address: string,
  websocket: Dial,
  iceServers: readonly IceServer[],
  onFallback: TellFallback,
): Promise<Dial> {
  const { dialBest, dialWebrtc } = await import('../../transport/webrtc/index.ts')
  const ways = [
    { name: 'webrtc', dial: dialWebrtc(address, { iceServers }) },
    { name: 'websocket', dial: websocket },
  ]
  return dialBest(ways, { onFallback })
}

function dialTo(
  url: string | undefined,
  match: string,
  { transport = 'auto', iceServers = [] }: Pick<JoinOptions<GameShape>, 'transport' | 'iceServers'>,
  onFallback: TellFallback,
): Dial {
  if (url === undefined) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      "Cannot join: no relay is named; give url: 'ws://localhost:7777', or dial",
    )
  }
  if (url.startsWith('udp:')) {
    // A page cannot speak UDP, and must not carry the code for it.
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot reach ${url} without help: give dial: dialUdp('${url}'), imported from 'samestep/udp'`,
    )
  }
  const address = withMatch(url, match)
  const websocket = dialWebSocket(address)
  if (transport !== 'webrtc') return websocket
  let best: Dial | undefined
  return async (signal) => {
    try {
      best ??= await loadWebrtc(address, websocket, iceServers, onFallback)
    } catch (cause) {
      // A page whose files are gone, as after a new release, plays on over what it has.
      const error = cause instanceof Error ? cause : new Error(String(cause))
      onFallback({ from: 'webrtc', to: 'websocket', error })
      best = websocket
    }
    return best(signal)
  }
}

/** How long a relay may take to answer: longer than any that is there, shorter than a player's patience. */
const usualTimeoutMs = 10_000
