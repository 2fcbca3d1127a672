import type { ClientOptions } from '../../client/membership/client-options.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Conditioner } from '../../transport/conditioner/conditioner.ts'
import type { Dial } from '../../transport/connection.ts'
import type { Timing } from '../../transport/timing.ts'
import type { IceServer } from '../../transport/webrtc/peer.ts'
import type { DoorKind } from '../../wire/messages/doors.ts'
import type { LevelOptions } from '../debug/level-switch.ts'
import type { DialDoor } from '../machines/client-driver.ts'
import type { JoinProgress } from './await-seat.ts'
import type { SessionStore } from './session-store.ts'

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

/** How long a relay may take to answer: longer than any that is there, shorter than a player's patience. */
export const joinTimeoutMs = 10_000
