import type {
  ClientStatistics,
  ClientStatus,
  MatchEvents,
  PlayState,
  RoomView,
  SyncHash,
} from 'samestep'

/** What the overlay looks at: any match of any game. */
export interface ShownMatch {
  readonly status: ClientStatus
  readonly seat: number | undefined
  readonly room: RoomView | undefined
  readonly transport: string | undefined
  readonly statistics: ClientStatistics
  readonly simulation: {
    readonly matchTick: number
    readonly seats: number
    syncHashAt(tick: number): SyncHash | undefined
  }
  playState(): PlayState
  on<K extends keyof MatchEvents>(type: K, listener: (event: MatchEvents[K]) => void): () => void
}

/** Somebody in the match who plays. */
export type Player = RoomView['members'][number] & { readonly seat: number }

/** Who plays, by seat. */
export function playersOf(room: RoomView | undefined): Player[] {
  return (room?.members ?? [])
    .flatMap((member) =>
      member.role === 'player' && member.seat !== undefined ? [member as Player] : [],
    )
    .sort((a, b) => a.seat - b.seat)
}
