/**
 * Who is to blame for a desync, as far as counting can tell. The relay never runs the game, so all that
 * it has is who agrees with whom.
 *
 *     seats that play   0 1 2 3 4        groups [0 1 2] [3]      4 is silent
 *     3 of 5 agree: a strict majority, so 3 is the culprit. 4 is not: nobody knows what it has.
 *
 * Half is not enough, and silence is no agreement: a seat that says nothing still counts among those who
 * play, so that nobody becomes a majority by keeping others from speaking (T-47, T-49). The same goes for
 * an echo: a seat that was given its state by one player alone, and says of what was before only what
 * that player does.
 */

/** Whom a desync is blamed on, by counting who agrees with whom. */
export type DesyncVerdict =
  /** These seats differ from more than half of the players, or from the referee. */
  | { readonly kind: 'culprit'; readonly seats: readonly number[] }
  /** No state has a strict majority, so nobody is blamed. Between two players only a referee can decide. */
  | { readonly kind: 'undecided' }

/** Nobody is blamed. */
export const undecided: DesyncVerdict = Object.freeze({ kind: 'undecided' })

/**
 * The verdict on groups of seats, where so many seats play, silent ones included. Where no group has a
 * majority without its echoes, that of the referee is right, in a match that has one.
 */
export function decideVerdict(
  groups: readonly (readonly number[])[],
  activeCount: number,
  refereeGroup?: number,
  isEcho: (seat: number) => boolean = () => false,
): DesyncVerdict {
  const heard = groups.reduce((sum, seats) => sum + seats.length, 0)
  const electors = Math.max(activeCount, heard)
  const most = groups.findIndex((seats) => {
    return 2 * seats.filter((seat) => !isEcho(seat)).length > electors
  })
  const right = most < 0 ? refereeGroup : most
  if (right === undefined) return undecided
  const seats = groups.filter((_, index) => index !== right).flat()
  return { kind: 'culprit', seats: seats.sort((one, other) => one - other) }
}

/** A verdict from the seats that are blamed, as messages tell it; nobody is blamed for none. */
export function verdictOf(culprits: readonly number[]): DesyncVerdict {
  return culprits.length === 0 ? undecided : { kind: 'culprit', seats: culprits }
}

/** The seats that a verdict blames. */
export function culpritsOf(verdict: DesyncVerdict): readonly number[] {
  return verdict.kind === 'culprit' ? verdict.seats : []
}
