import { UsageError } from '../../base/errors.ts'
import { Client } from '../../client/client.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { Dial } from '../../transport/connection.ts'
import { machineTiming } from '../../transport/timing.ts'
import type { IceServer } from '../../transport/webrtc/peer.ts'
import { dialWebSocket } from '../../transport/websocket-client.ts'
import { ClientMatch } from '../match/client-match.ts'
import { matchEngine } from '../match/match-engine.ts'
import { MatchInside } from '../match/match-inside.ts'
import { followVisibility } from '../visibility.ts'
import type { DialFailures } from './await-seat.ts'
import { awaitSeat } from './await-seat.ts'
import { dialDoorsOf, usableDoors, wrapDoors } from './doors.ts'
import { engineName } from './engine-name.ts'
import type { JoinOptions } from './join-options.ts'
import { joinTimeoutMs } from './join-options.ts'
import { OnlineLine } from './online-line.ts'
import { readMatchAddress, withMatch } from './relay-address.ts'
import { probeRelay } from './relay-probe.ts'
import { placeOf, usualSeats } from './session-place.ts'
import { isFinal, KeptSession, storeFor } from './session-store.ts'

/** Joins a match: what `joinMatch` does once this is loaded. `websocket` is a line that is dialled already. */
export async function joinOnline<G extends GameShape, R>(
  game: Game<G, R>,
  options: JoinOptions<G>,
  websocket?: Dial,
): Promise<ClientMatch<G, R>> {
  return joinWith(game, options, () => {}, websocket)
}

/** The same, for who has to know what is behind the match. */
export async function joinWith<G extends GameShape, R>(
  game: Game<G, R>,
  options: JoinOptions<G>,
  meet: (inside: MatchInside<G, R>) => void,
  websocket?: Dial,
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
    matchEngine.makeRunning,
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
  const dial = options.dial ?? dialTo(url, match, options, tell, websocket)
  const failures: DialFailures = { last: undefined }
  const watched = watchDial(conditioner?.wrapDial(dial) ?? dial, failures)
  const wrap = (inner: Dial) => conditioner?.wrapDial(inner) ?? inner
  const line = new OnlineLine(inside, watched, timing, doors && wrapDoors(doors.dial, wrap))
  const joined = new ClientMatch(inside, line, matchEngine)
  followVisibility(
    (isHidden) => joined.setHidden(isHidden),
    () => joined.status === 'closed',
  )
  return awaitSeat(joined, {
    timing,
    timeoutMs: options.timeoutMs ?? joinTimeoutMs,
    signal: options.signal,
    onStatus: options.onStatus,
    url: options.dial === undefined ? url : undefined,
    failures,
    probe: async () =>
      options.dial === undefined && url !== undefined ? probeRelay(url) : undefined,
    warn: (text) => console.warn(text),
  })
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
  dialled: Dial | undefined,
): Dial {
  if (url === undefined) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      "Cannot join: no relay is named; pass url: 'ws://localhost:7777', or dial",
    )
  }
  if (url.startsWith('udp:')) {
    // A page cannot speak UDP, and must not carry the code for it.
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot reach ${url} directly: pass dial: dialUdp('${url}'), imported from 'samestep/udp'`,
    )
  }
  const address = withMatch(url, match)
  const websocket = dialled ?? dialWebSocket(address)
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
