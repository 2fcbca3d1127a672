/** `seat 1`, `seats 0, 2`. */
export function namesOf(seats: readonly number[]): string {
  return `${seats.length === 1 ? 'seat' : 'seats'} ${seats.join(', ')}`
}
