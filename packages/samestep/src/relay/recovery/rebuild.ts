import { WireError } from '../../base/errors.ts'
import type { MatchHistory } from '../../record/match-history.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { areSameBytes } from '../../wire/messages/return-proof.ts'
import type { CapsuleCipher } from './capsule-cipher.ts'

/** Somebody who has given back what it had. */
export interface Returned {
  /** Its number, and its seat, in its own capsule. */
  readonly member: number
  readonly seat: number | undefined
  /** The newest tick that it has. */
  readonly haveTick: number
  /** Makes the history of its capsule anew, without any ticks behind it. */
  makeHistory(): MatchHistory
  readonly generation: number
  readonly line: Uint8Array
  readonly capsuleTick: number
  readonly tags: MessageBody<'ClientRecover'>['tags']
  readonly firstTick: number
  readonly bundles: readonly Uint8Array[]
}

/**
 * Puts a match together from what its clients gave back. What a relay tagged is as it was, whoever gives
 * it; behind the newest tag only what a strict majority of seats has byte for byte counts:
 *
 *     capsule ■   tags ▲         ▲ newest
 *             └────────┴─────────┤ sealed by a relay: one client is enough
 *                                └──────────┐ held by more than half of the seats
 *                                           └ the match goes on from here; who has more goes back
 *
 * Gives nothing when no capsule can be gone on from.
 */
export function rebuild(
  returned: readonly Returned[],
  cipher: CapsuleCipher,
): MatchHistory | undefined {
  // Of two lines that are as young as each other, that with more of those who are here counts.
  const onLineOf = (one: Returned) => returned.filter(({ line }) => areSameBytes(line, one.line))
  const candidates = [...returned].sort(
    (one, other) =>
      other.generation - one.generation ||
      onLineOf(other).length - onLineOf(one).length ||
      other.capsuleTick - one.capsuleTick,
  )
  for (const candidate of candidates) {
    const onLine = onLineOf(candidate)
    const sealed = sealedTicks(onLine, candidate.line, cipher)
    if (!isReachable(candidate.capsuleTick, onLine, sealed)) continue
    const history = candidate.makeHistory()
    try {
      addKept(history, sealed)
      addSealed(history, sealed)
      addTail(history, onLine)
    } catch (error) {
      // A bundle that a relay sealed and that cannot be read: no history of this match.
      if (!(error instanceof WireError)) throw error
      continue
    }
    noteOnLine(history, onLine)
    history.endRebuilt()
    return history
  }
  return undefined
}

/** Who has a capsule of this line was told where it began, and went back there. */
function noteOnLine(history: MatchHistory, onLine: readonly Returned[]): void {
  for (const { member } of onLine) {
    const body = history.members.get(member)
    if (body?.rewindTick === undefined) continue
    history.apply({ name: 'member', body: { ...body, rewindTick: undefined } })
  }
}

/** Bundles that carry a tag of a relay, by tick. */
function sealedTicks(
  returned: readonly Returned[],
  line: Uint8Array,
  cipher: CapsuleCipher,
): ReadonlyMap<number, Uint8Array> {
  const sealed = new Map<number, Uint8Array>()
  for (const { tags, firstTick, bundles } of returned) {
    for (const { tick, count, tag } of tags) {
      const from = tick - count + 1 - firstTick
      const covered = bundles.slice(Math.max(from, 0), from + count)
      const isKnown = sealed.has(tick) && sealed.has(tick - count + 1)
      if (from < 0 || count === 0 || covered.length !== count || isKnown) continue
      if (!areSameBytes(cipher.tag(line, tick - count + 1, covered), tag)) continue
      for (const [index, bundle] of covered.entries()) sealed.set(firstTick + from + index, bundle)
    }
  }
  return sealed
}

/**
 * Whether those who are here can come to a tick, most of them: they have it, or it can be sent to them.
 * Nobody could go on from a tick that nobody has.
 */
function isReachable(
  tick: number,
  returned: readonly Returned[],
  sealed: ReadonlyMap<number, Uint8Array>,
): boolean {
  let first = tick + 1
  while (sealed.has(first - 1)) first -= 1
  const players = returned.filter(({ seat }) => seat !== undefined)
  const able = players.filter(({ haveTick }) => haveTick >= tick || haveTick + 1 >= first)
  return able.length * 2 > players.length
}

/** Ticks before the capsule, for those who have yet to get them. */
function addKept(history: MatchHistory, sealed: ReadonlyMap<number, Uint8Array>): void {
  let first = history.sealedTick + 1
  while (first > 1 && sealed.has(first - 1)) first -= 1
  for (let tick = first; tick <= history.sealedTick; tick++) {
    history.apply({ name: 'kept', body: sealed.get(tick) as Uint8Array })
  }
}

function addSealed(history: MatchHistory, sealed: ReadonlyMap<number, Uint8Array>): void {
  for (;;) {
    const bundle = sealed.get(history.sealedTick + 1)
    if (bundle === undefined) return
    history.apply({ name: 'bundle', body: bundle })
  }
}

/** What no tag covers, as far as most seats have it. */
function addTail(history: MatchHistory, returned: readonly Returned[]): void {
  const seats = playingSeats(history)
  let voters = returned.filter(({ seat }) => seat !== undefined && seats.has(seat))
  for (;;) {
    const tick = history.sealedTick + 1
    const next = mostCommon(voters, tick, seats.size)
    if (next === undefined) return
    try {
      history.apply({ name: 'bundle', body: next })
    } catch (error) {
      // More than half of the seats say what no relay seals: they are left behind.
      if (!(error instanceof WireError)) throw error
      return
    }
    // Whoever said something else had another history.
    voters = voters.filter((voter) => {
      const own = voter.bundles[tick - voter.firstTick]
      return own !== undefined && areSameBytes(own, next)
    })
  }
}

/** Seats with a player who has a state. */
export function playingSeats({ members }: MatchHistory): ReadonlySet<number> {
  const seats = new Set<number>()
  for (const { seat, isNewcomer } of members.values()) {
    if (seat !== undefined && !isNewcomer) seats.add(seat)
  }
  return seats
}

function mostCommon(
  voters: readonly Returned[],
  tick: number,
  seatCount: number,
): Uint8Array | undefined {
  for (const one of voters) {
    const bundle = one.bundles[tick - one.firstTick]
    if (bundle === undefined) continue
    let count = 0
    for (const other of voters) {
      const own = other.bundles[tick - other.firstTick]
      if (own !== undefined && areSameBytes(own, bundle)) count += 1
    }
    if (count * 2 > seatCount) return bundle
  }
  return undefined
}
