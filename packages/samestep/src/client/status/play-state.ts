import type { GameShape } from '../../sim/game/definition/context.ts'
import type { ClientActivity, JoinStage } from '../../wire/codes.ts'
import type { EndReason } from '../conversation/end-reason.ts'
import type { TickPacer } from '../pacing/tick-pacer.ts'
import type { JoinerState } from '../state/state-joiner.ts'
import type { MissedInputs } from './missed-inputs.ts'
import type { RoomView } from './room-view.ts'

/** What to show a player about the state of the match, so that a screen never freezes without a reason. */
export type PlayState<G extends Partial<GameShape> = GameShape> =
  /** The relay has not admitted this client yet, or the client is reconnecting before the match runs. */
  | { readonly name: 'connecting' }
  /** The relay has admitted this client to a running match, and is asking the others for its state. */
  | { readonly name: 'authorised' }
  /** The match has not started yet; `room` shows its members. */
  | { readonly name: 'waiting'; readonly room: RoomView<G> | undefined }
  /** The match had already started: its state is being downloaded. */
  | {
      readonly name: 'downloading'
      readonly bytes: number
      readonly bytesTotal: number
    }
  /**
   * This machine's state differed from that of most players: theirs is being downloaded, and play continues
   * from it. Meanwhile the old state is drawn.
   */
  | {
      readonly name: 'resyncing'
      readonly bytes: number
      readonly bytesTotal: number | undefined
    }
  /** The state has arrived, and is being loaded and checked. */
  | { readonly name: 'loading' }
  | { readonly name: 'active' }
  /** The match is paused. */
  | {
      readonly name: 'paused'
      /** The seat that asked for the pause; `undefined` for the relay or a vote. */
      readonly bySeat: number | undefined
      /** The tick at which the pause began, and how long it has lasted. */
      readonly sinceTick: number
      readonly forMs: number
      /** True if a desync caused the pause: the owner, a vote or the relay ends it. */
      readonly isHalted: boolean
    }
  /**
   * The match runs, but most of this player's inputs arrive too late to count: its latency exceeds the
   * largest input delay of the match. Orders are not affected.
   */
  | { readonly name: 'inputs-late'; readonly missedPercent: number }
  /**
   * The next tick is overdue: the match waits for the inputs of these seats or, if the list is empty, the
   * connection to the relay is slow.
   */
  | { readonly name: 'stalled'; readonly forMs: number; readonly waitingFor: readonly number[] }
  | {
      readonly name: 'catching-up'
      /** 0 to 1. */
      readonly progress: number
      readonly ticksLeft: number
      /** `Infinity` if this machine does not gain on the match. */
      readonly leftMs: number
    }
  | { readonly name: 'hidden' }
  /** Ticks take too long: this machine is falling behind. */
  | { readonly name: 'slow'; readonly loadPercent: number }
  /** The match is over; `reason` is that of the event `closed`. */
  | {
      readonly name: 'closed'
      readonly reason: EndReason | 'worker-lost'
      readonly message: string
    }

/** A pause, as it was run. */
export interface Pause {
  readonly seat: number | undefined
  readonly tick: number
  readonly atMs: number
}

/** What a state is made of while a match runs. */
export interface PlayStateSource {
  readonly pacer: TickPacer
  readonly missed: MissedInputs
  readonly activity: ClientActivity
  readonly pause: Pause | undefined
}

/** What a state is made of from the moment a match is set up. */
export interface AnyStateSource extends PlayStateSource {
  readonly states: { readonly joiner: { readonly state: JoinerState } | undefined }
  readonly simulation: { readonly matchTick: number }
  readonly isWaitingForState: boolean
  readonly isResync: boolean
}

/** The state of a match, set up or not, where `isIn` says whether the relay let us in. */
export function anyState<G extends GameShape>(
  running: AnyStateSource | undefined,
  room: RoomView<G> | undefined,
  nowMs: number,
  isIn: boolean,
): PlayState<G> {
  if (running?.states.joiner !== undefined && running.isWaitingForState) {
    return downloadState(running.states.joiner.state, running.isResync)
  }
  const isRunning = room?.phase === 'running' || (running?.simulation.matchTick ?? 0) > 0
  if (running !== undefined && isRunning) return playState(running, room, nowMs)
  return isIn ? { name: 'waiting', room } : { name: 'connecting' }
}

/** The state of a match that runs. */
export function playState(
  { pacer, missed, activity, pause }: PlayStateSource,
  room: Pick<RoomView, 'isHalted' | 'waitingFor'> | undefined,
  nowMs: number,
): Exclude<PlayState, { name: 'waiting' }> {
  if (activity === 'hidden') return { name: 'hidden' }
  const { state } = pacer
  // Who is far behind sees the past: the pause that it has come to may be over for the others.
  if (pause !== undefined && state.name !== 'catching-up') {
    const { seat: bySeat, tick: sinceTick, atMs } = pause
    const isHalted = room?.isHalted ?? false
    return { name: 'paused', bySeat, sinceTick, forMs: Math.max(nowMs - atMs, 0), isHalted }
  }
  if (state.name === 'active' && missed.isMost) {
    return { name: 'inputs-late', missedPercent: missed.percent }
  }
  if (state.name !== 'stalled') return state
  const forMs = Math.max(nowMs - state.sinceMs, 0)
  return { name: 'stalled', forMs, waitingFor: room?.waitingFor ?? [] }
}

/** How far somebody is who gets the state of a match that runs. */
export function downloadState(
  state: JoinerState,
  isResync = false,
): Exclude<PlayState, { name: 'waiting' }> {
  const { bytesHere = 0, manifest } = state.name === 'downloading' ? state.fetch : {}
  if (isResync) return { name: 'resyncing', bytes: bytesHere, bytesTotal: manifest?.bytes }
  if (state.name === 'waiting') return { name: 'authorised' }
  if (state.name !== 'downloading') return { name: 'loading' }
  return { name: 'downloading', bytes: bytesHere, bytesTotal: manifest?.bytes ?? 0 }
}

/** Every rung of the ladder is something that a player can be shown. */
type Unshown = Exclude<JoinStage, PlayState['name']>
true satisfies Unshown extends never ? true : never
