import { assert } from '../base/assert.ts'
import type { PresenceWord, Role } from '../wire/codes.ts'
import { Speech } from './speech.ts'

/** What a room has to know of a member's session, and nothing else. */
export interface MemberSession {
  /** Whether a link carries it now. */
  readonly isConnected: boolean
  /** How others see the client. */
  readonly presence: PresenceWord
  /** Whether it has no state of the match yet, so that it could not play. */
  readonly isWaitingForState?: boolean
  /** Whether it sees the match later than it happens. */
  readonly isDelayed?: boolean
  /**
   * Sends a message, where there is a link. `isAboutPlay` says that it tells something about the game
   * that is played: whoever sees that later hears it later.
   */
  send(bytes: Uint8Array, nowMs: number, isAboutPlay?: boolean): void
}

/** Somebody in a match: the one place where it is kept who that is and where he sits. */
export interface Member<S extends MemberSession = MemberSession> {
  // What every turn and every tick looks at comes first.
  /** `undefined` for a spectator. Fixed when the match begins, and kept when the member has left. */
  seat: number | undefined
  /** False for members who have left. */
  isIn: boolean
  readonly session: S
  /** Counts those who came to the match, from 0. */
  readonly id: number
  readonly name: string
  role: Role
  team: number
  isReady: boolean
  /** Whether he has done nothing for as long as the match allows. */
  isAfk: boolean
  /** The seat that he may take back, because he sat there before. */
  claim: number | undefined
  /** 0 to 100. */
  loadProgress: number
  /** When it last got further with loading. */
  progressAtMs: number
  /** What it may say; that of before, for whoever was here already. */
  speech: Speech
}

/** Where somebody sits whose place is decided elsewhere: its member cannot change it. */
export interface Place {
  readonly seat?: number
  readonly team?: number
}

/** Why a seat is not given. */
export type SeatRefusal = 'no-such-seat' | 'seat-taken' | 'seat-locked'

/**
 * Who is in a match, where they sit, and whose it is. The owner is the first player who came; when the
 * owner goes, the player who has been there longest takes over, of spectators nobody: a match must not
 * fall to somebody who only looked in.
 */
export class Members<S extends MemberSession = MemberSession> {
  readonly #byId = new Map<number, Member<S>>()
  readonly #bySeat: (Member<S> | undefined)[]
  readonly #isLocked: boolean[]
  #list: readonly Member<S>[] = []
  #sessions: readonly S[] = []
  #owner: Member<S> | undefined
  #playerCount = 0

  constructor(seatCount: number) {
    this.#bySeat = new Array<undefined>(seatCount).fill(undefined)
    this.#isLocked = new Array<boolean>(seatCount).fill(false)
  }

  /** In the sequence in which they came. The list itself never changes: loops make no garbage. */
  get list(): readonly Member<S>[] {
    return this.#list
  }

  /** Their sessions, as a list of the same kind. */
  get sessions(): readonly S[] {
    return this.#sessions
  }

  /** Who sits where now. */
  get seats(): readonly (Member<S> | undefined)[] {
    return this.#bySeat
  }

  get owner(): Member<S> | undefined {
    return this.#owner
  }

  get playerCount(): number {
    return this.#playerCount
  }

  get spectatorCount(): number {
    return this.#count('spectator')
  }

  get witnessCount(): number {
    return this.#count('witness')
  }

  /** Whether every seat that is not locked is taken. */
  get isFull(): boolean {
    return this.#freeSeat() < 0
  }

  /** Whether anybody has a link. */
  get isAttended(): boolean {
    // By number: an iterator makes garbage in every tick of every match.
    for (let index = 0; index < this.#sessions.length; index++) {
      if ((this.#sessions[index] as S).isConnected) return true
    }
    return false
  }

  get(id: number): Member<S> | undefined {
    return this.#byId.get(id)
  }

  /** The players, in the sequence in which they came. */
  players(): Member<S>[] {
    return this.#list.filter(({ role }) => role === 'player')
  }

  /** Seats whose players are there and keep up. */
  activeSeats(): number[] {
    return this.#bySeat.flatMap((member, seat) =>
      member?.session.presence === 'active' ? [seat] : [],
    )
  }

  /** Sends a message to all, or to those of whom `isFor` says so. */
  send(bytes: Uint8Array, nowMs: number, isFor?: (member: Readonly<Member<S>>) => boolean): void {
    for (const member of this.#list) {
      if (isFor === undefined || isFor(member)) member.session.send(bytes, nowMs)
    }
  }

  /** The same for what tells something about the game that is played. */
  tell(bytes: Uint8Array, nowMs: number, isFor?: (member: Readonly<Member<S>>) => boolean): void {
    for (const member of this.#list) {
      if (isFor === undefined || isFor(member)) member.session.send(bytes, nowMs, true)
    }
  }

  /** Somebody comes in, and watches until {@link sit} gives a seat. */
  add(id: number, name: string, makeSession: (member: Member<S>) => S, nowMs: number): Member<S> {
    assert(!this.#byId.has(id), 'Somebody came twice')
    const member: { -readonly [K in keyof Member<S>]: Member<S>[K] } = {
      seat: undefined,
      isIn: true,
      session: undefined as unknown as S,
      id,
      name,
      role: 'spectator',
      team: 0,
      isReady: false,
      isAfk: false,
      claim: undefined,
      loadProgress: 0,
      progressAtMs: nowMs,
      speech: new Speech(nowMs),
    }
    member.session = makeSession(member)
    this.#byId.set(id, member)
    this.#relist()
    return member
  }

  /** Somebody is gone for good. The record still says where he sat. */
  remove(member: Member<S>): void {
    assert(member.isIn, 'Somebody left twice')
    member.isIn = false
    this.#byId.delete(member.id)
    this.#relist()
    if (member.seat !== undefined) this.#vacate(member.seat)
    if (this.#owner === member) this.#owner = this.players()[0]
  }

  /** Why nobody can be put there; `undefined` when somebody can. */
  placeFault({ seat, team = 0 }: Place): SeatRefusal | 'bad-value' | undefined {
    if (!this.#isSeat(team)) return 'bad-value'
    return seat === undefined ? undefined : this.seatFault(undefined, seat)
  }

  /** Why a member, or a newcomer, cannot have a seat; `undefined` when he can. */
  seatFault(member: Member<S> | undefined, seat: number): SeatRefusal | undefined {
    if (!this.#isSeat(seat)) return 'no-such-seat'
    const holder = this.#bySeat[seat]
    if (holder !== undefined && holder !== member) return 'seat-taken'
    return this.#isLocked[seat] && holder === undefined ? 'seat-locked' : undefined
  }

  /** Puts a member into a free seat. Alone in a team of that number, until he chooses another. */
  sit(member: Member<S>, seat = this.#freeSeat()): void {
    assert(this.seatFault(member, seat) === undefined, 'A seat was given that is not free')
    this.stand(member)
    this.#bySeat[seat] = member
    this.#playerCount += 1
    member.role = 'player'
    member.seat = seat
    member.team = seat
    this.#owner ??= member
  }

  /** Makes a member a spectator. An owner stays the owner. */
  stand(member: Member<S>): void {
    if (member.seat === undefined) return
    this.#vacate(member.seat)
    member.role = 'spectator'
    member.seat = undefined
    member.team = 0
    member.isReady = false
    member.isAfk = false
  }

  /** Gives a member the place that another relay wrote down. */
  restore(
    member: Member<S>,
    place: Pick<Member, 'role' | 'seat' | 'team' | 'isReady' | 'loadProgress' | 'claim'> & {
      readonly isMuted: boolean
    },
  ): void {
    if (place.isMuted) member.speech.mute('owner', Number.POSITIVE_INFINITY)
    if (place.seat !== undefined) this.sit(member, place.seat)
    if (place.role === 'witness') this.makeWitness(member)
    member.team = place.team
    member.isReady = place.isReady
    member.claim = place.claim
    member.loadProgress = place.loadProgress
  }

  /** Restores whose match it is, and which seats are locked. */
  restoreRoom(owner: number | undefined, lockedSeats: readonly number[]): void {
    this.#owner = owner === undefined ? undefined : this.#byId.get(owner)
    for (const seat of lockedSeats) this.lock(seat, true)
  }

  /** Makes a member who only watches a witness, for as long as it is there. */
  makeWitness(member: Member<S>): void {
    assert(member.role === 'spectator', 'A witness was to be somebody else')
    member.role = 'witness'
  }

  /** Puts a player into a team. Who changes his place should think again. False for no such team. */
  joinTeam(member: Member<S>, team: number): boolean {
    if (!this.#isSeat(team)) return false
    member.team = team
    member.isReady = false
    return true
  }

  lock(seat: number, isLocked: boolean): SeatRefusal | undefined {
    if (!this.#isSeat(seat)) return 'no-such-seat'
    if (isLocked && this.#bySeat[seat] !== undefined) return 'seat-taken'
    this.#isLocked[seat] = isLocked
    return undefined
  }

  lockedSeats(): number[] {
    return this.#isLocked.flatMap((isLocked, seat) => (isLocked ? [seat] : []))
  }

  /** Gives a match to another member. */
  giveOwnership(member: Member<S>): void {
    assert(member.isIn, 'A match was given to nobody')
    this.#owner = member
  }

  /** The lowest seat that is free and not locked; -1 when there is none. */
  #freeSeat(): number {
    return this.#bySeat.findIndex((holder, seat) => holder === undefined && !this.#isLocked[seat])
  }

  #count(role: Role): number {
    return this.#list.reduce((sum, member) => sum + (member.role === role ? 1 : 0), 0)
  }

  #isSeat(seat: number): boolean {
    return Number.isInteger(seat) && seat >= 0 && seat < this.#bySeat.length
  }

  #vacate(seat: number): void {
    this.#bySeat[seat] = undefined
    this.#playerCount -= 1
  }

  #relist(): void {
    this.#list = [...this.#byId.values()]
    this.#sessions = this.#list.map(({ session }) => session)
  }
}
