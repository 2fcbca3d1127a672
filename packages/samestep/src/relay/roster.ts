import { assert } from '../base/assert.ts'
import type { LobbyRefusal, Member, MemberView, OwnAction } from './lobby-types.ts'
import { loaded } from './lobby-types.ts'

/** What changes where a member sits or with whom. */
type Move = Extract<OwnAction, { type: 'take-seat' | 'leave-seat' | 'choose-team' }>

/**
 * Who is in a match, where they sit, and whose it is. The owner is the first player who came; when the
 * owner goes, the player who has been there longest takes over, of spectators nobody: a match must not
 * fall to somebody who only looked in.
 */
export class Roster {
  readonly seats: number
  /** In the sequence in which they came. */
  readonly #members = new Map<number, Member>()
  readonly #bySeat: (Member | undefined)[]
  readonly #isLocked: boolean[]
  #owner: number | undefined
  #players = 0

  constructor(seats: number) {
    this.seats = seats
    this.#bySeat = new Array<undefined>(seats).fill(undefined)
    this.#isLocked = new Array<boolean>(seats).fill(false)
  }

  get owner(): number | undefined {
    return this.#owner
  }

  get size(): number {
    return this.#members.size
  }

  get playerCount(): number {
    return this.#players
  }

  get spectatorCount(): number {
    return this.#members.size - this.#players
  }

  /** Whether every seat that is not locked is taken. */
  get isFull(): boolean {
    return this.freeSeat() < 0
  }

  get(id: number): Member | undefined {
    return this.#members.get(id)
  }

  /** The players, in the sequence in which they came. */
  *players(): IterableIterator<Member> {
    for (const member of this.#members.values()) if (member.role === 'player') yield member
  }

  /** Whether something holds for every player. */
  everyPlayer(holds: (member: Member) => boolean): boolean {
    for (const member of this.players()) if (!holds(member)) return false
    return true
  }

  /** The lowest seat that is free and not locked; -1 when there is none. */
  freeSeat(): number {
    for (let seat = 0; seat < this.seats; seat++) {
      if (this.#bySeat[seat] === undefined && !this.#isLocked[seat]) return seat
    }
    return -1
  }

  add(id: number, name: string, role: 'player' | 'spectator', nowMs: number): Member {
    assert(!this.#members.has(id), 'Somebody came twice')
    const member: Member = {
      id,
      name,
      role: 'spectator',
      seat: undefined,
      team: 0,
      isReady: false,
      loadProgress: 0,
      isConnected: true,
      progressAtMs: nowMs,
    }
    this.#members.set(id, member)
    if (role === 'player') this.sit(member, this.freeSeat())
    return member
  }

  remove(id: number): Member | undefined {
    const member = this.#members.get(id)
    if (member === undefined) return undefined
    this.stand(member)
    this.#members.delete(id)
    if (this.#owner === id) this.#owner = this.#heir()
    return member
  }

  /** Why a member cannot have a seat; `undefined` when he can. */
  seatFault(member: Member, seat: number): LobbyRefusal | undefined {
    if (!Number.isInteger(seat) || seat < 0 || seat >= this.seats) return 'no-such-seat'
    const holder = this.#bySeat[seat]
    if (holder !== undefined && holder !== member) return 'seat-taken'
    return this.#isLocked[seat] && holder !== member ? 'seat-locked' : undefined
  }

  /** Puts a member into a free seat. Alone in a team of that number, until he chooses another. */
  sit(member: Member, seat: number): void {
    assert(this.seatFault(member, seat) === undefined, 'A seat was given that is not free')
    this.stand(member)
    this.#bySeat[seat] = member
    this.#players += 1
    member.role = 'player'
    member.seat = seat
    member.team = seat
    this.#owner ??= member.id
  }

  /** Makes a member a spectator. An owner stays the owner. */
  stand(member: Member): void {
    if (member.seat === undefined) return
    this.#bySeat[member.seat] = undefined
    this.#players -= 1
    member.role = 'spectator'
    member.seat = undefined
    member.team = 0
    member.isReady = false
  }

  /** Grants a member another place, or says why not. Who changes his place should think again. */
  move(member: Member, move: Move, spectatorsMax: number): LobbyRefusal | undefined {
    if (move.type === 'take-seat') {
      const fault = this.seatFault(member, move.seat)
      if (fault !== undefined) return fault
      this.sit(member, move.seat)
      return undefined
    }
    if (member.role !== 'player') return 'not-player'
    if (move.type === 'leave-seat') {
      if (this.spectatorCount >= spectatorsMax) return 'full'
      this.stand(member)
      return undefined
    }
    const { team } = move
    if (!Number.isInteger(team) || team < 0 || team >= this.seats) return 'bad-value'
    member.team = team
    member.isReady = false
    return undefined
  }

  /** Since when the slowest of those who load has shown no progress; `Infinity` when all have loaded. */
  idleSinceMs(): number {
    let since = Number.POSITIVE_INFINITY
    for (const { loadProgress, progressAtMs } of this.players()) {
      if (loadProgress < loaded && progressAtMs < since) since = progressAtMs
    }
    return since
  }

  /** Those who load and have shown no progress for so long. */
  idleFor(ms: number, nowMs: number): Member[] {
    // By the sum, as whoever waits for it: a difference rounds otherwise, and never comes true.
    return [...this.players()].filter(
      ({ loadProgress, progressAtMs }) => loadProgress < loaded && nowMs >= progressAtMs + ms,
    )
  }

  lock(seat: number, isLocked: boolean): LobbyRefusal | undefined {
    if (!Number.isInteger(seat) || seat < 0 || seat >= this.seats) return 'no-such-seat'
    if (isLocked && this.#bySeat[seat] !== undefined) return 'seat-taken'
    this.#isLocked[seat] = isLocked
    return undefined
  }

  /** Gives a match to another member. */
  giveOwnership(id: number): void {
    assert(this.#members.has(id), 'A match was given to nobody')
    this.#owner = id
  }

  lockedSeats(): number[] {
    return this.#isLocked.flatMap((isLocked, seat) => (isLocked ? [seat] : []))
  }

  view(): MemberView[] {
    return Array.from(this.#members.values(), ({ progressAtMs: _, ...member }) => ({
      ...member,
      isOwner: member.id === this.#owner,
    }))
  }

  #heir(): number | undefined {
    for (const { id } of this.players()) return id
    return undefined
  }
}
