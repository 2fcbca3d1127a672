/**
 * What a page and the worker that plays for it say to each other. Both are built from one version of
 * the library, which the first message proves, so nothing here has to be understood by strangers or
 * to stay as it is, except {@link JoinRequest} and {@link Refusal}: they are how two versions find out.
 *
 *     page                                   worker
 *      │ JoinRequest, with a port of its own ──► serveMatch
 *      │ ◄── alive, or Refusal                    │ joinMatch
 *      │ ◄── launch, joined, or failed            │
 *      │ order, input, act … ───────────────────► │
 *      │ ◄── picture, event, settled, vitals      │
 *      │ seen (the picture's memory) ───────────► │
 *      │ close ─────────────────────────────────► │
 */

import type { DebugFile, DebugLevel, DebugOptions } from '../../client/debug/debug-level.ts'
import type { Cursors } from '../../client/events.ts'
import type { MatchAction } from '../../client/membership/match-action.ts'
import type { OrderEnd } from '../../client/outbox/order-outbox.ts'
import type { Motion } from '../../client/pacing/tick-pacer.ts'
import type { Blame } from '../../client/status/blame.ts'
import type { ClientStatus } from '../../client/status/client-status.ts'
import type { PlayState } from '../../client/status/play-state.ts'
import type { RoomView } from '../../client/status/room-view.ts'
import type { ClientStatistics } from '../../client/status/statistics.ts'
import type { DesyncReport } from '../../desync/report.ts'
import type { MirrorOptions, PictureLayout } from '../../sim/game/copies/mirror.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { TickTimings } from '../../sim/game/run/tick-timer.ts'
import type { TraceEntry } from '../../sim/trace/trace-entry.ts'
import type { AnyEvent } from '../match/match.ts'
import type { JoinProgress } from '../online/await-seat.ts'
import type { JoinOptions } from '../online/join-options.ts'
import type { LinePort } from './thread-port.ts'
import type { PackedError } from './worker-errors.ts'

/** What of the options of a join can be said to another thread. */
export type SentJoinOptions = Omit<
  JoinOptions<GameShape>,
  'dial' | 'betterDoors' | 'conditioner' | 'timing' | 'signal' | 'onStatus' | 'observer' | 'debug'
> & { readonly debug?: Omit<DebugOptions, 'save'> }

/** What the debug levels of a worker have. */
export interface DebugAnswer {
  readonly files: readonly DebugFile[]
  readonly writes: readonly TraceEntry[]
}

/** The first words of a page, to the worker itself; everything else goes over the port in it. */
export interface JoinRequest {
  readonly samestep: 'join-match'
  /** The version of the library, and the game: see {@link Refusal}. */
  readonly version: string
  readonly fingerprint: string
  readonly options: SentJoinOptions
  /** A name that nobody else has: the worker holds the lock of that name while it plays. */
  readonly lock: string
  readonly port: LinePort
}

/** The answer of a worker that was built from another library, or plays another game. */
export interface Refusal {
  readonly type: 'refused'
  readonly version: string
  readonly fingerprint: string
}

/** What a page says about its match. */
export type PageMessage =
  | { readonly type: 'order'; readonly number: number; readonly bytes: Uint8Array }
  | { readonly type: 'input-as'; readonly seat: number; readonly changes: object }
  | { readonly type: 'order-as'; readonly seat: number; readonly bytes: Uint8Array }
  | { readonly type: 'input'; readonly changes: { readonly [name: string]: unknown } }
  | { readonly type: 'act'; readonly action: MatchAction }
  | { readonly type: 'load'; readonly percent: number }
  | { readonly type: 'hidden'; readonly isHidden: boolean }
  /** A picture was drawn or is outdated: its memory comes back. */
  | { readonly type: 'seen'; readonly buffer: ArrayBuffer }
  /** The vitals came: there may be others. Who hangs is not sent any more. */
  | { readonly type: 'felt' }
  /** What ticks cost is wanted, or no longer. */
  | { readonly type: 'measure'; readonly isWanted: boolean }
  | { readonly type: 'debug-level'; readonly level: DebugLevel }
  /** What levels have is wanted, once. */
  | { readonly type: 'debug-ask'; readonly number: number }
  /** A report of a desync is wanted as a file. */
  | { readonly type: 'desync-file'; readonly number: number; readonly report: DesyncReport }
  | { readonly type: 'close' }

/** Where the match stands; with every message, so that what is read on the page belongs together. */
export interface Standing {
  readonly status: ClientStatus
  readonly seat: number | undefined
  readonly member: number | undefined
  readonly transport: string | undefined
  readonly cursors: Cursors
  /** Without the room, which the page has. */
  readonly playState: PlayState
  readonly botSeats: readonly number[]
  readonly blame: Blame
  readonly debugLevel: DebugLevel
  /** Counts simulations that were set up; 0 while there is none. */
  readonly launch: number
}

/** A picture on its way. */
export interface SentPicture {
  readonly buffer: ArrayBuffer
  readonly layout: PictureLayout
  readonly motion: Motion
  /** By the worker's clock. */
  readonly sentAtMs: number
}

/** What a worker says about the match that it plays. */
export type WorkerMessage =
  | Refusal
  /** The worker is there, and tries to join. */
  | { readonly type: 'alive' }
  /** How far the attempt to join is. */
  | { readonly type: 'progress'; readonly progress: JoinProgress }
  /** The worker holds its lock: whoever gets it next knows that the worker is dead. */
  | { readonly type: 'locked' }
  | { readonly type: 'failed'; readonly error: PackedError }
  | {
      readonly type: 'joined'
      readonly standing: Standing
      readonly statistics: ClientStatistics
      readonly room: RoomView | undefined
    }
  | {
      readonly type: 'launch'
      readonly standing: Standing
      readonly mirror: Omit<MirrorOptions<GameShape>, 'development'>
      readonly picture: SentPicture
    }
  | { readonly type: 'picture'; readonly standing: Standing; readonly picture: SentPicture }
  | { readonly type: 'event'; readonly standing: Standing; readonly event: AnyEvent }
  | {
      readonly type: 'settled'
      readonly standing: Standing
      readonly number: number
      readonly end: OrderEnd
    }
  /** The file that was asked for, or why there is none. */
  | {
      readonly type: 'desync-file'
      readonly standing: Standing
      readonly number: number
      readonly bytes: Uint8Array | undefined
      readonly error: PackedError | undefined
    }
  | {
      readonly type: 'debug-answer'
      readonly standing: Standing
      readonly number: number
      readonly answer: DebugAnswer
    }
  | {
      readonly type: 'vitals'
      readonly standing: Standing
      readonly statistics: ClientStatistics
      readonly timings: TickTimings | undefined
    }

/** Whether a message to a worker is a page that wants to join; others are the game's own affair. */
export function isJoinRequest(message: unknown): message is JoinRequest {
  const { samestep, port } = (message ?? {}) as Partial<JoinRequest>
  return samestep === 'join-match' && port !== undefined
}
