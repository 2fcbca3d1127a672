import type { SystemEvent } from '../sim/game/run/bundle.ts'
import { encodeMessage } from '../wire/messages/messages.ts'
import type { BotMove, BotSeats } from './bot-seats.ts'
import type { Lobby } from './lobby.ts'
import type { LobbyAction } from './lobby-types.ts'
import type { Member, Members } from './members.ts'
import type { RoomAnswer } from './room-answer.ts'
import { deny, granted } from './room-answer.ts'

/** Puts bots into seats, takes them out, and tells everybody where they think. */
export class BotKeeper {
  readonly #bots: BotSeats
  readonly #lobby: Lobby
  readonly #members: Members
  readonly #host: { seal(event: SystemEvent): void }

  constructor(
    bots: BotSeats,
    lobby: Lobby,
    members: Members,
    host: { seal(event: SystemEvent): void },
  ) {
    this.#bots = bots
    this.#lobby = lobby
    this.#members = members
    this.#host = host
  }

  /** A bot's seat is locked for people, and so it counts as taken where all seats must be. */
  add(member: Member, seat: number, nowMs: number): RoomAnswer {
    if (this.#bots.at(seat) !== undefined) return deny('seat-taken')
    const action: LobbyAction = { type: 'lock-seat', seat, isLocked: true }
    const refusal = this.#lobby.handle(member, action, nowMs)
    if (refusal !== undefined) return deny(refusal)
    this.#bots.addBot(seat, member)
    return granted
  }

  /** A bot is taken out of its seat. */
  remove(member: Member, seat: number, nowMs: number): RoomAnswer {
    if (this.#bots.at(seat) === undefined) return deny('no-such-seat')
    const action: LobbyAction = { type: 'lock-seat', seat, isLocked: false }
    const refusal = this.#lobby.handle(member, action, nowMs)
    if (refusal !== undefined) return deny(refusal)
    const bot = this.#bots.removeBot(seat)
    if (bot?.isPlaying === true) this.#host.seal({ type: 'leave', seat, reason: 'left' })
    this.tellGone(seat, nowMs)
    return granted
  }

  /** Tells everybody where bots think: they moved, came or went. */
  tell(bots: readonly BotMove[], nowMs: number): void {
    const isRunning = this.#lobby.phase === 'running'
    for (const { seat } of bots) {
      if (isRunning && this.#bots.beginPlay(seat)) this.#host.seal({ type: 'join', seat })
    }
    this.#members.send(encodeMessage('RelayBots', { bots: [...bots] }), nowMs)
  }

  /** Tells everybody of a bot that plays no more. */
  tellGone(seat: number, nowMs: number): void {
    this.tell([{ seat, runner: undefined, turn: 0, nextOrder: 0 }], nowMs)
  }
}
