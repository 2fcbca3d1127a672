import type { SystemEvent } from '../sim/game/run/bundle.ts'
import { heirIdMax } from '../wire/limits.ts'
import type { RoomAction } from '../wire/messages/room-actions.ts'
import type { BotSeats } from './bot-seats.ts'
import type { Member, Members } from './members.ts'

/** Who plays a seat from the next tick on, and who did until then: `undefined` is a bot, or nobody. */
export interface SeatChange {
  readonly seat: number
  readonly holder: Member | undefined
  readonly former: Member | undefined
}

/** What changes of seats need of the room and the match around them. */
export interface SeatHost {
  /** Whether the match runs: only then do seats change hands like this. */
  isRunning(): boolean
  /** Seals an event with the next tick. */
  seal(event: SystemEvent): void
  /** From the next tick on another member plays a seat, or a bot: what waits for it is nobody's. */
  switchSeat(change: SeatChange, nowMs: number): void
  /** Others are to be shown who sits where; `gone` is a seat that a bot has left. */
  handleChange(gone: number | undefined, nowMs: number): void
}

/** Why a seat does not change hands. */
export type HandOverRefusal =
  | 'wrong-phase'
  | 'no-such-seat'
  | 'not-allowed'
  | 'unknown-member'
  | 'wrong-target'
  | 'too-few-players'

/**
 * Seats that change hands while a match runs. A change is an event of a tick, so that everybody agrees
 * on from when on whose orders they are; whoever sat there first keeps a claim, and has the seat back
 * when he wants it.
 *
 *     Ada plays ──hand-over──► Bob plays, Ada has a claim ──reclaim──► Ada plays
 *               ──stand-in───► a bot plays, Ada has a claim ──reclaim, or Ada is back──► Ada plays
 */
export class SeatClaims {
  readonly #members: Members
  readonly #bots: BotSeats
  readonly #host: SeatHost
  /** Teams of seats that bots play for somebody. */
  readonly #teams = new Map<number, number>()

  constructor(members: Members, bots: BotSeats, host: SeatHost) {
    this.#members = members
    this.#bots = bots
    this.#host = host
  }

  /** Grants a wish, or says why not. */
  handle(
    member: Member,
    action: Extract<RoomAction, { type: 'hand-over' | 'reclaim-seat' }>,
    nowMs: number,
  ): HandOverRefusal | undefined {
    if (!this.#host.isRunning()) return 'wrong-phase'
    return action.type === 'hand-over'
      ? this.#handOver(member, action.seat, action.member, nowMs)
      : this.#reclaim(member, nowMs)
  }

  /**
   * Gives a seat to a spectator: by whoever sits there, or by the owner of the match where that one is
   * away. A bot's seat that is claimed is given back by its claimant alone.
   */
  #handOver(asker: Member, seat: number, id: number, nowMs: number): HandOverRefusal | undefined {
    const holder = this.#members.seats[seat]
    if (holder === undefined) return 'no-such-seat'
    const isByOwner = asker === this.#members.owner && isAway(holder)
    if (asker !== holder && !isByOwner) return 'not-allowed'
    const heir = this.#members.get(id)
    if (heir === undefined) return 'unknown-member'
    const { isConnected, isWaitingForState = false } = heir.session
    if (heir.role !== 'spectator' || !isConnected || isWaitingForState || id > heirIdMax) {
      return 'wrong-target'
    }
    // Whoever has a claim elsewhere would have two seats to go back to.
    if (heir.claim !== undefined && heir.claim !== seat) return 'wrong-target'
    const claimant = this.#claimantOf(seat) ?? holder
    const { team } = holder
    this.#members.stand(holder)
    // Before the match hears of it: what a spectator may see depends on a claim.
    claimant.claim = claimant === heir ? undefined : seat
    this.#sit(heir, holder, seat, team, nowMs)
    this.#host.handleChange(undefined, nowMs)
    return undefined
  }

  /** A bot plays for a member who is away, until he is back. */
  standIn(member: Member, nowMs: number): HandOverRefusal | undefined {
    const { seat } = member
    if (seat === undefined) return 'no-such-seat'
    // A match that only bots play is over.
    if (this.#members.playerCount < 2) return 'too-few-players'
    const claimant = this.#claimantOf(seat) ?? member
    this.#teams.set(seat, member.team)
    this.#members.stand(member)
    this.#members.lock(seat, true)
    claimant.claim = seat
    this.#host.switchSeat({ seat, holder: undefined, former: member }, nowMs)
    this.#host.seal({ type: 'hand-over', seat, member: undefined })
    this.#bots.addStandIn(seat)
    this.#host.handleChange(undefined, nowMs)
    return undefined
  }

  /** Whoever sat there first has the seat back. */
  #reclaim(member: Member, nowMs: number): HandOverRefusal | undefined {
    const seat = member.claim
    if (seat === undefined || member.id > heirIdMax) return 'not-allowed'
    const holder = this.#members.seats[seat]
    const team = holder?.team ?? this.#teams.get(seat) ?? seat
    if (holder !== undefined) this.#members.stand(holder)
    const bot = holder === undefined ? this.#bots.removeBot(seat) : undefined
    this.#members.lock(seat, false)
    this.#sit(member, holder, seat, team, nowMs)
    member.claim = undefined
    this.#host.handleChange(bot?.seat, nowMs)
    return undefined
  }

  /**
   * Somebody is back who was away: a seat that only a bot plays for him is his again.
   */
  handleBack(member: Member, nowMs: number): void {
    if (member.claim === undefined || this.#bots.at(member.claim) === undefined) return
    this.#reclaim(member, nowMs)
  }

  /** A member leaves for good: the seat goes back to whoever has a claim to it and is there. */
  handleLeaving(member: Member, nowMs: number): void {
    const claimant = member.seat === undefined ? undefined : this.#claimantOf(member.seat)
    if (!this.#host.isRunning() || claimant?.session.isConnected !== true) return
    this.#reclaim(claimant, nowMs)
  }

  /** A member with a claim is gone for good: a bot that played for him has nobody to play for. */
  handleLeft(member: Member, nowMs: number): void {
    const { claim } = member
    if (claim === undefined || this.#bots.at(claim) === undefined) return
    this.#bots.removeBot(claim)
    this.#members.lock(claim, false)
    this.#host.seal({ type: 'leave', seat: claim, reason: 'timeout' })
    this.#host.handleChange(claim, nowMs)
  }

  #sit(
    holder: Member,
    former: Member | undefined,
    seat: number,
    team: number,
    nowMs: number,
  ): void {
    this.#members.sit(holder, seat)
    this.#members.joinTeam(holder, team)
    this.#host.switchSeat({ seat, holder, former }, nowMs)
    this.#host.seal({ type: 'hand-over', seat, member: holder.id })
  }

  #claimantOf(seat: number): Member | undefined {
    return this.#members.list.find(({ claim }) => claim === seat)
  }
}

/** Whether somebody does not play now: others may decide about the seat. */
function isAway({ isAfk, session }: Member): boolean {
  const { presence, isConnected } = session
  return isAfk || !isConnected || presence === 'silent'
}
