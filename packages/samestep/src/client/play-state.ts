import type { ClientActivity } from '../wire/codes.ts'
import type { MessageBody } from '../wire/messages.ts'
import type { TickPacer } from './pacing/tick-pacer.ts'

/** A match and who is in it, as the relay shows it. */
export type RoomView = MessageBody<'RelayRoom'>

/** How everybody fares, as the relay shows it. */
export type MatchStats = MessageBody<'RelayStats'>

/** What a player should be shown about the flow of the game. Never a frozen screen without a word. */
export type PlayState =
  /** The match does not run yet; `room` tells who is there. */
  | { readonly name: 'waiting'; readonly room: RoomView | undefined }
  | { readonly name: 'active' }
  /** The next tick is late: because of these seats, or of the line to the relay when there are none. */
  | { readonly name: 'stalled'; readonly forMs: number; readonly waitingFor: readonly number[] }
  | {
      readonly name: 'catching-up'
      /** 0 to 1. */
      readonly progress: number
      readonly ticksLeft: number
      /** `Infinity` when this machine does not gain on the match. */
      readonly leftMs: number
    }
  | { readonly name: 'hidden' }
  /** Ticks take longer than they may: this machine falls behind. */
  | { readonly name: 'slow'; readonly loadPercent: number }

/** The state of a match that runs. */
export function playState(
  pacer: TickPacer,
  activity: ClientActivity,
  room: RoomView | undefined,
  nowMs: number,
): PlayState {
  if (activity === 'hidden') return { name: 'hidden' }
  switch (pacer.state) {
    case 'hidden':
      return { name: 'hidden' }
    case 'slow':
      return { name: 'slow', loadPercent: Math.round(pacer.load.simPercent) }
    case 'catching-up': {
      const { progress, ticksLeft, leftMs } = pacer
      return { name: 'catching-up', progress, ticksLeft, leftMs }
    }
    case 'stalled':
      return {
        name: 'stalled',
        forMs: Math.max(nowMs - pacer.drySinceMs, 0),
        waitingFor: absentSeats(room),
      }
    case 'active':
      return { name: 'active' }
  }
}

/** Seats whose players may be what everybody waits for. */
function absentSeats(room: RoomView | undefined): number[] {
  const isAbsent = (presence: string) => presence === 'silent' || presence === 'lagging'
  return (room?.members ?? []).flatMap(({ seat, presence }) =>
    seat !== undefined && isAbsent(presence) ? [seat] : [],
  )
}
