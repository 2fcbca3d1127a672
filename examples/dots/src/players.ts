import type { RoomView } from 'samestep'

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
