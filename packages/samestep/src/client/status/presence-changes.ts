import type { LeaveReason } from '../../sim/game/run/bundle.ts'
import type { PresenceWord } from '../../wire/codes.ts'
import type { RoomView } from './room-view.ts'

type Member = RoomView['members'][number]

/** What became of somebody in a match. */
export type PresenceChange =
  | 'joined'
  /** Nothing is heard of them. The seat is kept for a while. */
  | 'disconnected'
  | 'reconnected'
  /** Their inputs come late, or they fall behind. */
  | 'lagging'
  | 'recovered'
  /** Their page is not looked at. */
  | 'hidden'
  | 'visible'
  /** They are behind the match, and run what they missed. */
  | 'catching-up'
  | 'caught-up'
  /** They are gone for good: see `reason`. */
  | 'left'

/** Something that others may want to hear of a player or spectator (DIS-14). */
export interface Presence {
  readonly change: PresenceChange
  readonly member: number
  readonly name: string
  readonly role: Member['role']
  /** Where they sit, or sat. */
  readonly seat: number | undefined
  /** Why they left; `undefined` for other changes, and for who left a lobby or only watched. */
  readonly reason: LeaveReason | undefined
}

/**
 * Tells by what the relay shows of a room, one after the other, what became of whom. Why a player left is
 * sealed in a tick; the tick and the room come in either sequence, and each waits for the other.
 */
export class PresenceChanges {
  readonly #emit: (presence: Presence) => void
  #members: ReadonlyMap<number, Member> | undefined
  /** By seat: whom the room no longer shows, and whose reason has not come. */
  readonly #leaving = new Map<number, Member>()
  /** By seat: why somebody left whom the room still shows. */
  readonly #reasons = new Map<number, LeaveReason>()

  constructor(emit: (presence: Presence) => void) {
    this.#emit = emit
  }

  /** Whoever is there at first sight has not just come. */
  handleRoom({ members, phase }: RoomView): void {
    const before = this.#members
    this.#members = new Map(members.map((member) => [member.id, member]))
    if (before === undefined) return
    for (const member of before.values()) {
      if (!this.#members.has(member.id)) this.#leave(member, phase === 'running')
    }
    for (const member of members) {
      const earlier = before.get(member.id)
      if (earlier === undefined) this.#come(member)
      else
        for (const change of changesOf(earlier.presence, member.presence))
          this.#tell(member, change)
    }
  }

  /** A tick ran in which a player left. */
  handleLeave(seat: number, reason: LeaveReason): void {
    const member = this.#leaving.get(seat)
    if (member === undefined) this.#reasons.set(seat, reason)
    else this.#part(seat, member, reason)
  }

  #leave(member: Member, isRunning: boolean): void {
    const { seat } = member
    if (seat === undefined || !isRunning) {
      this.#tell(member, 'left')
      return
    }
    const reason = this.#reasons.get(seat)
    if (reason === undefined) this.#leaving.set(seat, member)
    else this.#part(seat, member, reason)
  }

  #come(member: Member): void {
    const { seat } = member
    const gone = seat === undefined ? undefined : this.#leaving.get(seat)
    // The tick in which they left was passed over, with a state that came from others.
    if (seat !== undefined && gone !== undefined) this.#part(seat, gone, undefined)
    if (seat !== undefined) this.#reasons.delete(seat)
    this.#tell(member, 'joined')
  }

  #part(seat: number, member: Member, reason: LeaveReason | undefined): void {
    this.#leaving.delete(seat)
    this.#reasons.delete(seat)
    this.#tell(member, 'left', reason)
  }

  #tell({ id, name, role, seat }: Member, change: PresenceChange, reason?: LeaveReason): void {
    this.#emit({ change, member: id, name, role, seat, reason })
  }
}

/** Who is given up is gone from the room at once, and told of then. */
function changesOf(from: PresenceWord, to: PresenceWord): readonly PresenceChange[] {
  const [before, after] = [wordOf(from), wordOf(to)]
  if (before === after || after === 'gone') return []
  if (after === 'silent') return ['disconnected']
  const changes: PresenceChange[] = before === 'silent' || before === 'gone' ? ['reconnected'] : []
  if (after !== 'active') return [...changes, after]
  if (before === 'lagging') return ['recovered']
  if (before === 'hidden') return ['visible']
  if (before === 'catching-up') return ['caught-up']
  return changes
}

/** Whoever has no state yet is behind, whatever it is doing about it. */
function wordOf(presence: PresenceWord): Exclude<PresenceWord, 'authorised' | 'downloading'> {
  return presence === 'authorised' || presence === 'downloading' ? 'catching-up' : presence
}
