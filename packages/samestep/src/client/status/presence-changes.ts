import type { LeaveReason } from '../../sim/game/run/bundle.ts'
import type { PresenceWord } from '../../wire/codes.ts'
import type { RoomView } from './room-view.ts'

type Member = RoomView['members'][number]

/** How the presence of a member changed. */
export type PresenceChange =
  | 'joined'
  /** Nothing was received from them for a while. The seat is kept for some time. */
  | 'disconnected'
  | 'reconnected'
  /** Their inputs arrive late, or they are falling behind. */
  | 'lagging'
  | 'recovered'
  /** Their page is hidden. */
  | 'hidden'
  | 'visible'
  /** They are behind the match, and are running the ticks they missed. */
  | 'catching-up'
  | 'caught-up'
  /** They have left for good: see `reason`. */
  | 'left'

/** A change of presence of a player or spectator that others may want to see (DIS-14). */
export interface Presence {
  readonly change: PresenceChange
  readonly member: number
  readonly name: string
  readonly role: Member['role']
  /** The seat they have or had. */
  readonly seat: number | undefined
  /** Why they left; `undefined` for other changes, and for members who left a lobby or were spectators. */
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
