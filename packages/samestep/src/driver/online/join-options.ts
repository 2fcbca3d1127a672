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

/** Settings that `joinMatch` normally chooses itself, for programs that need other values. */
export type AdvancedOptions = Pick<
  ClientOptions<GameShape>,
  'ticket' | 'secret' | 'retryMs' | 'retrySeed' | 'engine' | 'desyncMemoryBytes'
>

/** The options of `joinMatch`: where to play, as whom, and how. */
export interface JoinOptions<G extends GameShape>
  extends Omit<
      ClientOptions<G>,
      'match' | 'name' | 'onBundle' | 'onInput' | 'investigate' | 'doors' | keyof AdvancedOptions
    >,
    LevelOptions {
  /** The URL of the relay, such as `ws://localhost:7777`, or a join link. Not needed with `dial`. */
  readonly url?: string
  /**
   * The name of the match; defaults to the one in the join link. The first client to join creates the
   * match.
   */
  readonly match?: string
  readonly name?: string
  /**
   * `auto`, the default, starts over WebSocket, which works wherever pages do, and moves to datagrams if
   * relay and platform support them (WebRTC in browsers, UDP in Node): a lost packet then does not delay
   * those behind it. If the datagram link fails, the match moves back. `Match.transport` names the one in
   * use. `websocket` never moves. `webrtc` dials WebRTC first, and falls back within three seconds.
   */
  readonly transport?: 'auto' | 'websocket' | 'webrtc'
  /** STUN and TURN servers for WebRTC. A relay with a public address needs none. */
  readonly iceServers?: readonly IceServer[]
  /** Opens the connection to the relay, instead of dialling its URL. */
  readonly dial?: Dial
  /**
   * With `dial`: opens connections to better doors of the relay. `kinds` are those it can open, best first.
   * Without it, a match that was dialled with `dial` stays on that connection.
   */
  readonly betterDoors?: { readonly kinds: readonly DoorKind[]; readonly dial: DialDoor }
  /** Simulates a bad connection, for testing: see `Conditioner`. */
  readonly conditioner?: Conditioner
  /** The clock and the timers; defaults to those of the machine. */
  readonly timing?: Timing
  /** How long to try to join before giving up. Defaults to 10 s; `Infinity` means for ever. */
  readonly timeoutMs?: number
  /** Called with the progress of the attempt: at each new status, and each failure to connect. */
  readonly onStatus?: (progress: JoinProgress) => void
  /**
   * Whether a reloaded page gets its seat back. By default it does, as long as its tab stays open and the
   * relay keeps the seat; with `false` it joins as a new player. In Node, pass a store.
   */
  readonly remember?: boolean | SessionStore
  /** Aborts the attempt to join. Once joined, use `close` to leave the match. */
  readonly signal?: AbortSignal
  /** Settings that `joinMatch` normally chooses itself: session keys, retry times, memory limits. */
  readonly advanced?: AdvancedOptions
}

/** How long a relay may take to answer: longer than any that is there, shorter than a player's patience. */
export const joinTimeoutMs = 10_000
