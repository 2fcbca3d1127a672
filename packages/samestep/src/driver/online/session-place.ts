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
