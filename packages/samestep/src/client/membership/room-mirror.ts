import type { DesyncReport } from '../../desync/report.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { readOptions } from '../../sim/game/run/simulation-options.ts'
import type { MatchConfig } from '../../wire/messages/match-config.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import type { ClientEvent } from '../events.ts'
import type { Blame } from '../status/blame.ts'
import { blameOf, isSameBlame, nobody } from '../status/blame.ts'
import { PresenceChanges } from '../status/presence-changes.ts'
import { type MatchStats, type RoomView, readStats } from '../status/room-view.ts'
import type { PassedOnMessage } from './passed-on.ts'
import { passOn } from './passed-on.ts'
import { ToldDesyncs } from './told-desyncs.ts'
import { WishedOptions } from './wished-options.ts'

/** Keeps what the relay last said about the match around the ticks, and passes it on. */
export class RoomMirror<G extends GameShape = GameShape, R = unknown> {
  readonly #game: Game<G, R>
  readonly #emit: (event: ClientEvent) => void
  /** What was asked for and is not shown yet. */
  readonly wished = new WishedOptions()
  /** What became of whom. */
  readonly presences: PresenceChanges
  /** By which the match is slowed down, and what follows a desync; once the relay has said it. */
  rules: Pick<MatchConfig, 'lagMode' | 'lagStretch' | 'desync'> | undefined
  #blame = nobody
  #room: RoomView<G> | undefined
  #stats: MatchStats | undefined
  readonly #desyncs = new ToldDesyncs()

  constructor(game: Game<G, R>, emit: (event: ClientEvent) => void) {
    this.#game = game
    this.#emit = emit
    this.presences = new PresenceChanges((presence) => emit({ type: 'presence', presence }))
  }

  /** Whom the match is waiting for or slowed down by. */
  get blame(): Blame {
    return this.#blame
  }

  /** Who is in the match and where it stands. */
  get room(): RoomView<G> | undefined {
    return this.#room
  }

  /** How everybody fares. */
  get stats(): MatchStats | undefined {
    return this.#stats
  }

  /** Who differs, and why, as last told; `undefined` while nobody does. */
  get desync(): DesyncReport | undefined {
    return this.#desyncs.newest
  }

  /** The seat of a member, by what was heard last. */
  seatOf(member: number | undefined): number | undefined {
    return this.#room?.members.find(({ id }) => id === member)?.seat
  }

  handle(message: PassedOnMessage): void {
    if (message.name === 'RelayDesync' || message.name === 'RelayFinding') {
      const report = this.#desyncs.handle(message, this.rules?.desync)
      if (report !== undefined) this.#emit({ type: 'desync', body: report })
      return
    }
    if (message.name === 'RelayRoom') {
      this.#room = this.#read(message.body)
      this.#emit({ type: 'room', body: this.#room })
      this.presences.handleRoom(this.#room)
      this.#judge()
      return
    }
    if (message.name === 'RelayDenied' && message.body.action === 'set-options') {
      this.wished.answer(1)
    }
    if (message.name === 'RelayStats') {
      this.#stats = readStats(message.body)
      this.#emit({ type: 'stats', body: this.#stats })
      this.#judge()
      return
    }
    this.#emit(passOn(message))
  }

  #judge(): void {
    const blame = blameOf(this.#room, this.#stats, this.rules)
    if (isSameBlame(blame, this.#blame)) return
    this.#blame = blame
    this.#emit({ type: 'blame', blame })
  }

  #read(body: MessageBody<'RelayRoom'>): RoomView<G> {
    const before = this.#room
    if (before === undefined || before.optionsRevision !== body.optionsRevision) {
      this.wished.answer(body.optionsRevision - (before?.optionsRevision ?? 0))
      return { ...body, options: readOptions(this.#game, body.options) }
    }
    // The same object for as long as they are the same, for who compares.
    return { ...body, options: before.options }
  }
}
