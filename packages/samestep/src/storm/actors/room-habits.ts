import type { Prng } from '../../base/prng.ts'
import type { Client } from '../../client/client.ts'
import type { ClientEvent } from '../../client/events.ts'
import type { MatchAction } from '../../client/membership/match-action.ts'
import type { RoomView } from '../../client/status/room-view.ts'
import type { LobbyConfig } from '../../wire/messages/match-config.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { voteWords } from '../../wire/messages/room-actions.ts'
import { checkChat, checkName } from '../../wire/text-form.ts'
import type { World } from '../engine/world.ts'

/** How somebody behaves around a match. Plain data, for plans. */
export interface RoomPlan {
  readonly seats: number
  readonly lobbyStart: LobbyConfig['start']
  readonly botSeats: number
  /** Whether it talks, pauses, changes the speed and votes. */
  readonly hasWishes: boolean
  readonly pausesMax: number
}

type Own = RoomView['members'][number]

/** What habits need to know that no client can. */
export interface RoomWitness {
  /** Whether an attacker sits there: honest players vote such out, and nobody else. */
  isStranger(seat: number): boolean
  /** A ballot is cast, by somebody who has only one. */
  noteBallot(voter: string, id: number, isYes: boolean): void
  /** Somebody who watches is to be given a seat. */
  noteHeir(name: string): void
}

/**
 * What an honest person does around a match: takes a seat, says that he is ready, waits while it
 * loads, talks, pauses now and then, votes. All of it within what the rules allow him.
 */
export class RoomHabits {
  readonly #world: World
  readonly #client: Client
  readonly #name: string
  readonly #plan: RoomPlan
  readonly #witness: RoomWitness
  readonly #random: Prng
  #actAtMs = 0
  /** What the clock said when {@link act} was last called. */
  #nowMs = Number.NEGATIVE_INFINITY
  /** When the lobby was first seen, in the world's time; below 0 before. */
  #gatheringSinceMs = -1
  #progress = 0
  #pauses = 0
  /** Times that he changed his mind in a lobby: now and then, but not for ever. */
  #doubts = 0
  #isCalm = false
  #owner: number | undefined
  /** Votes in which nothing was said yet, and what will be. */
  readonly #ballots: { id: number; isYes: boolean }[] = []
  readonly #votedOn = new Set<number>()

  constructor(world: World, client: Client, name: string, plan: RoomPlan, witness: RoomWitness) {
    this.#world = world
    this.#client = client
    this.#name = name
    this.#plan = plan
    this.#witness = witness
    this.#random = world.random(`room/${name}`)
  }

  /** From here on only what brings the match on: the quiet is near. */
  calmDown(): void {
    this.#isCalm = true
  }

  wakeAtMs(): number {
    const { status } = this.#client
    const isIn = status === 'lobby' || status === 'active'
    return isIn && this.#isBusy ? this.#actAtMs : Number.POSITIVE_INFINITY
  }

  handleEvent(event: ClientEvent): void {
    const world = this.#world
    if (event.type === 'launched') this.#progress = 0
    if (event.type === 'aborted') world.sometimes('a launch was aborted')
    if (event.type === 'denied') world.sometimes('a wish was denied')
    if (event.type === 'room') this.#noteOwner(event.body)
    if (event.type === 'said') this.#noteText('heard', checkChat(event.body.text), event.body.text)
    if (event.type === 'stats') {
      const { effectivePercent, requestedPercent } = event.body
      const isSpared = effectivePercent < requestedPercent
      world.sometimes('lag protection slowed a match down', isSpared)
    }
    if (event.type === 'vote' && event.body.state === 'open') this.#considerVote(event.body)
    if (event.type === 'vote' && event.body.state !== 'open') {
      world.sometimes(event.body.state === 'passed' ? 'a vote passed' : 'a vote failed')
    }
  }

  /** Nobody is shown what deceives, or cannot be seen (SEC-05). */
  #noteText(how: string, fault: string | undefined, text: string): void {
    this.#world.always('SEC-05', fault === undefined, () => {
      return `${this.#name} ${how} ${JSON.stringify(text)}`
    })
  }

  #noteOwner({ members }: RoomView): void {
    for (const { name } of members) this.#noteText('sees', checkName(name), name)
    const owners = members.filter(({ isOwner }) => isOwner)
    const isOwned =
      owners.length === (members.some(({ role }) => role === 'player') ? 1 : owners.length)
    this.#world.always('I-27', isOwned, () => {
      return `${this.#name} hears of ${members.length} members, of whom ${owners.length} own the match`
    })
    const owner = owners[0]?.id
    const isMoved = this.#owner !== undefined && owner !== undefined && owner !== this.#owner
    this.#world.sometimes('the owner moved', isMoved)
    this.#owner = owner
  }

  /** Does one thing, now and then. */
  act(nowMs: number): void {
    // Who does something now and then does so also after his clock was set back.
    if (nowMs < this.#nowMs) this.#actAtMs -= this.#nowMs - nowMs
    this.#nowMs = nowMs
    if (this.wakeAtMs() === Number.POSITIVE_INFINITY || !isPast(this.#actAtMs, nowMs)) return
    this.#actAtMs = nowMs + 100 + 300 * this.#random.exponential()
    const { room, member } = this.#client
    const own = room?.members.find(({ id }) => id === member)
    if (room === undefined || own === undefined) return
    switch (room.phase) {
      case 'lobby':
        this.#gather(room, own)
        return
      case 'loading':
        this.#load(own)
        return
      case 'countdown':
        if (this.#doubt(0.02)) this.#setReady(room, false)
        return
      case 'running':
        if (this.#plan.hasWishes) this.#wish(own)
    }
  }

  /** Whether there is anything to do besides playing. */
  get #isBusy(): boolean {
    const { lobbyStart, botSeats, hasWishes } = this.#plan
    if (hasWishes && !this.#isCalm) return true
    const isRunning = this.#client.room?.phase === 'running'
    return !isRunning && (lobbyStart !== 'when-full' || botSeats > 0)
  }

  #gather(room: RoomView, own: Own): void {
    const { seats, botSeats, lobbyStart } = this.#plan
    const players = room.members.filter(({ role }) => role === 'player')
    if (own.isOwner && room.lockedSeats.length < botSeats) {
      const taken = new Set([...room.lockedSeats, ...players.map(({ seat }) => seat)])
      for (let seat = seats - 1; seat >= 0; seat--) {
        if (!taken.has(seat)) {
          this.#ask({ type: 'add-bot', seat })
          return
        }
      }
    }
    if (lobbyStart === 'when-full' || own.role !== 'player') return
    if (this.#gatheringSinceMs < 0) this.#gatheringSinceMs = this.#world.nowMs
    if (this.#doubt(0.15)) {
      this.#changePlace(room, players, own)
      return
    }
    const isFull = players.length + room.lockedSeats.length >= seats
    if (!isFull && this.#world.nowMs - this.#gatheringSinceMs < gatherMsMax) return
    if (!own.isReady) {
      this.#setReady(room, true)
      return
    }
    if (own.isOwner) this.#ask({ type: 'start' })
  }

  #changePlace(room: RoomView, players: RoomView['members'], own: Own): void {
    const { seats } = this.#plan
    const random = this.#random
    const taken = new Set([...room.lockedSeats, ...players.map(({ seat }) => seat)])
    const seat = random.below(seats)
    switch (random.below(6)) {
      case 0:
        this.#ask({ type: 'choose-team', team: seat })
        return
      case 1:
        if (!taken.has(seat)) this.#ask({ type: 'take-seat', seat })
        return
      case 2:
        if (own.isReady) this.#setReady(room, false)
        return
      case 3:
        // Agreed to by nobody any more, though the same as before.
        if (own.isOwner) this.#ask({ type: 'set-options', options: room.options })
        return
      case 4:
        if (own.isOwner) this.#ask({ type: 'give-ownership', member: random.pick(players).id })
        return
      default:
        this.#talk()
    }
  }

  #load(own: Own): void {
    if (own.role !== 'player') return
    if (own.isOwner && this.#doubt(0.15)) {
      this.#ask({ type: 'cancel' })
      return
    }
    this.#progress = Math.min(this.#progress + 10 + this.#random.below(40), 100)
    this.#client.reportLoad(this.#progress)
  }

  #wish(own: Own): void {
    const random = this.#random
    const ballot = this.#ballots.shift()
    if (ballot !== undefined) {
      this.#witness.noteBallot(this.#name, ballot.id, ballot.isYes)
      this.#ask({ type: 'cast', ...ballot })
      return
    }
    if (this.#isCalm) return
    const isPaused = this.#client.simulation?.isPaused === true
    if (isPaused && random.chance(0.1)) {
      this.#ask({ type: 'resume' })
      return
    }
    const draw = random.below(100)
    if (draw < 4) this.#talk()
    else if (draw < 6) this.#pause(own)
    else if (draw < 8 && own.isOwner) {
      this.#ask({ type: 'set-speed', percent: random.pick([50, 75, 100, 100, 125]) })
    } else if (draw < 9) this.#propose(own)
    else if (draw < 15) this.#changeHands(own)
  }

  /** Lets who only watches play for a while, and takes the seat back. */
  #changeHands(own: Own): void {
    if (own.claim !== undefined) {
      this.#ask({ type: 'reclaim-seat' })
      return
    }
    const { seat } = own
    const heir = this.#client.room?.members.find((member) => {
      // Not to strangers: nobody knows what they do with it.
      const isKnown = !member.name.startsWith('x-')
      return isKnown && member.role === 'spectator' && member.claim === undefined
    })
    if (seat !== undefined && heir !== undefined) {
      this.#witness.noteHeir(heir.name)
      this.#ask({ type: 'hand-over', seat, member: heir.id })
    }
  }

  #pause(own: Own): void {
    if (own.seat === undefined || this.#pauses >= this.#plan.pausesMax) return
    this.#pauses += 1
    this.#ask({ type: 'pause' })
  }

  #propose(own: Own): void {
    if (own.seat === undefined) return
    const target = this.#random.below(this.#plan.seats)
    const drawn = this.#random.pick(voteWords)
    // One cheat more who says yes, and somebody honest would have to go.
    const vote = drawn === 'kick' && !this.#witness.isStranger(target) ? 'mute' : drawn
    this.#ask({ type: 'propose', vote, target, percent: this.#random.pick([50, 100]) })
  }

  /** One ballot each, and none for who proposed it or is its target. */
  #considerVote({ id, kind, target, proposer }: MessageBody<'RelayVote'>): void {
    const { seat } = this.#client
    if (seat === undefined || seat === proposer || !this.#plan.hasWishes) return
    if (this.#votedOn.has(id)) return
    this.#votedOn.add(id)
    const isYes =
      kind === 'kick'
        ? target !== undefined && this.#witness.isStranger(target)
        : this.#random.chance(0.6)
    if (target !== seat && this.#random.chance(0.9)) this.#ballots.push({ id, isYes })
  }

  #talk(): void {
    const scope = this.#random.pick(['all', 'team'] as const)
    this.#ask({ type: 'say', scope, text: this.#random.pick(lines) })
  }

  #setReady(room: RoomView, isReady: boolean): void {
    this.#ask({ type: 'set-ready', isReady, optionsRevision: room.optionsRevision })
  }

  #doubt(chance: number): boolean {
    if (this.#isCalm || this.#doubts >= doubtsMax || !this.#random.chance(chance)) return false
    this.#doubts += 1
    return true
  }

  #ask(action: MatchAction): void {
    const { status } = this.#client
    if (status === 'lobby' || status === 'active') this.#client.act(action)
  }
}

/** How long people wait for others before they begin without them. */
const gatherMsMax = 8_000

/** How often one changes his mind before the match. */
const doubtsMax = 3

const lines = ['gl hf', 'Wait for me!', 'Łódź, 東京', '🙂', 'gg'] as const

/** Due by a clock that may have been set back by hours meanwhile. */
export function isPast(atMs: number, nowMs: number): boolean {
  return nowMs >= atMs || atMs - nowMs > 3_600_000 / 2
}
