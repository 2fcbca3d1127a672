/** What a relay that dies must leave to the next one of the room around a match. */
import type { Match } from '../../relay/match/match.ts'
import { toHex } from '../../sim/hash/hex.ts'
import type { World } from '../engine/world.ts'

/** What was so when the relay last did something and lived. All of it only grows. */
type Known = {
  readonly matchId: string
  readonly kicked: readonly string[]
  readonly lastVote: number
  readonly openVote: number | undefined
  /** By seat: how many votes it has proposed. */
  readonly proposals: ReadonlyMap<number, number>
}

/**
 * Follows whom a match has removed and what its members have used up, and compares over a crash: who
 * was sent away stays away (T-57), and no crash buys anybody another vote (T-56).
 */
export class CrashBook {
  readonly #world: World
  readonly #known = new Map<string, Known>()
  #revision = -1

  constructor(world: World) {
    this.#world = world
  }

  /** The relay did something, and lives. */
  note(match: Match): void {
    const revision = match.room.revision + match.kicked.count
    if (revision === this.#revision && this.#known.has(match.name)) return
    this.#revision = revision
    this.#known.set(match.name, knownOf(match, this.#world.nowMs))
  }

  /** Another relay has taken the match up. */
  check(match: Match): void {
    const before = this.#known.get(match.name)
    if (before === undefined || before.matchId !== match.id) return
    const world = this.#world
    const after = knownOf(match, world.nowMs)
    const isKept = before.kicked.every((mark) => after.kicked.includes(mark))
    world.always('T-57', isKept, 'Somebody who was removed may come back after a crash')
    world.sometimes('a crash with somebody removed', before.kicked.length > 0)
    const isCounted = [...before.proposals].every(([seat, count]) => {
      return (after.proposals.get(seat) ?? 0) >= count
    })
    world.always('T-56', isCounted && after.lastVote >= before.lastVote, 'A crash gave votes back')
    world.sometimes('a crash with a vote that is open', before.openVote !== undefined)
    const isOpen = before.openVote === undefined || after.openVote === before.openVote
    // What ended it was written before anybody heard of it.
    world.sometimes('a vote was open after a crash', isOpen && before.openVote !== undefined)
  }
}

function knownOf({ id, kicked, room }: Match, nowMs: number): Known {
  const { vote, lastVote, proposals } = room.votes.state(nowMs)
  return {
    matchId: id,
    kicked: kicked.newest(kicked.count).map(toHex),
    lastVote,
    openVote: vote?.id,
    proposals: new Map(proposals.map(({ seat, count }) => [seat, count])),
  }
}
