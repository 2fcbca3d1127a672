import { assert } from '../base/assert.ts'
import type { Member, Members } from './members.ts'
import type { RoomState } from './room-state.ts'

/**
 * Seats that nobody sits in: a bot plays them. Its thinking runs on the client of one member, its
 * runner, and its orders are sealed like anybody's, so that a replay needs no bot (ORD-18). When the
 * runner goes, the bot moves to the member who runs the fewest, of equals the one who came first: every
 * relay that saw the same comings and goings moves it to the same one.
 *
 * Every move is told to every member. So that nobody can multiply traffic by hiding and showing a page,
 * bots move together, at most once per second:
 *
 *     hidden  visible  hidden           1 s later
 *     │moves at once   │waits ──────────► all that still must move, in one message
 */

/** What somebody's order for a bot's seat is. */
export type BotClaim =
  | 'allowed'
  /** The bot ran here and has moved: the order was on its way. Refuse it, and think nothing of it. */
  | 'moved'
  /** The bot never ran here, or there is none: no client of ours sends that. */
  | 'wrong-seat'

/** A bot, as its runner and everybody else is told. */
export type BotMove = {
  readonly seat: number
  /** `undefined` when nobody can run it. */
  readonly runner: number | undefined
  /** Counts the runners of the seat. */
  readonly turn: number
  /** The order that comes next; each runner counts from 0. */
  readonly nextOrder: number
}

/** A bot, by the seat that it plays. */
export type Bot = {
  readonly seat: number
  runner: Member | undefined
  turn: number
  nextOrder: number
  /** Whether it plays: it joins a match that runs with its first runner, or when that begins. */
  isPlaying: boolean
  /** Members who ran it before, and are still here. */
  readonly former: Set<Member>
}

/** The bots of one match. */
export class BotSeats {
  readonly #members: Members
  readonly #bots = new Map<number, Bot>()
  #moves: BotMove[] = []
  /** Whether a bot may have to move, and when bots may move again. */
  #isUnsettled = false
  #moveAtMs = Number.NEGATIVE_INFINITY

  constructor(members: Members) {
    this.#members = members
  }

  /** Gives a seat to a bot, on the wished client if that can run it. */
  addBot(seat: number, wished?: Member): void {
    assert(!this.#bots.has(seat), 'A seat was given to two bots')
    const former = new Set<Member>()
    const bot: Bot = { seat, runner: undefined, turn: 0, nextOrder: 0, isPlaying: false, former }
    this.#bots.set(seat, bot)
    this.#move(bot, isAble(wished) ? wished : leastLoaded(this.#loads()))
  }

  /** A bot plays for somebody who is away: the seat plays already. */
  addStandIn(seat: number): void {
    this.addBot(seat)
    const bot = this.#bots.get(seat)
    if (bot !== undefined) bot.isPlaying = true
  }

  /** Where they run, for the record. */
  view(): { seat: number; runner: number | undefined; turn: number }[] {
    return [...this.#bots.values()].map(({ seat, runner, turn }) => {
      return { seat, runner: runner?.id, turn }
    })
  }

  /**
   * Goes on where another relay was. Whoever ran a bot is still known for it, and has to send anew what
   * is in no tick: every bot moves to another turn.
   */
  restore(bots: RoomState['bots'], isRunning: boolean): void {
    for (const { seat, runner: id, turn } of bots) {
      const runner = id === undefined ? undefined : this.#members.get(id)
      const former = new Set(this.#members.list)
      // Where somebody has a claim the seat plays, also when nobody could run its bot yet.
      const isClaimed = this.#members.list.some(({ claim }) => claim === seat)
      const isPlaying = isRunning && (turn > 0 || isClaimed)
      const bot: Bot = { seat, runner, turn, nextOrder: 0, isPlaying, former }
      this.#bots.set(seat, bot)
      this.#move(bot, undefined)
    }
    this.#isUnsettled = true
  }

  /** A person takes the seat, or nobody. Gives the bot that had it. */
  removeBot(seat: number): Bot | undefined {
    const bot = this.#bots.get(seat)
    this.#bots.delete(seat)
    return bot
  }

  /** The bot that plays a seat. */
  at(seat: number): Bot | undefined {
    return this.#bots.get(seat)
  }

  /** The match runs. Gives whether a bot begins to play that seat with it: each once. */
  beginPlay(seat: number): boolean {
    const bot = this.#bots.get(seat)
    if (bot === undefined || bot.isPlaying || bot.turn === 0) return false
    bot.isPlaying = true
    return true
  }

  /** The bots that a member runs, as they would be told. */
  runBy(member: Member): BotMove[] {
    return [...this.#bots.values()].filter(({ runner }) => runner === member).map(moveOf)
  }

  /** What an order of a member for a seat is. */
  claimOf(member: Member, seat: number): BotClaim {
    const bot = this.#bots.get(seat)
    if (bot === undefined) return 'wrong-seat'
    if (bot.runner === member) return 'allowed'
    return bot.former.has(member) ? 'moved' : 'wrong-seat'
  }

  /** Somebody came, or is able to run bots (again), or is not: hidden, silent, without a link. */
  notePresence(): void {
    this.#isUnsettled = true
  }

  /** A member is gone for good. */
  handleLeave(member: Member): void {
    for (const bot of this.#bots.values()) bot.former.delete(member)
    this.#isUnsettled = true
  }

  /** When bots have to move that could not at once. */
  wakeAtMs(): number {
    return this.#isUnsettled ? this.#moveAtMs : Number.POSITIVE_INFINITY
  }

  /** Moves bots whose runners cannot run them any more, if it is time, and gives all that moved. */
  takeMoves(nowMs: number): readonly BotMove[] {
    if (this.#isUnsettled && nowMs >= this.#moveAtMs) {
      this.#isUnsettled = false
      if (this.#moveStranded()) this.#moveAtMs = nowMs + moveEveryMs
    }
    if (this.#moves.length === 0) return nothing
    const moves = this.#moves
    this.#moves = []
    return moves
  }

  /** Finds runners for bots that have none who is able, by seat. Gives whether there was any. */
  #moveStranded(): boolean {
    if (this.#bots.size === 0) return false
    const bots = [...this.#bots.values()].filter(({ runner }) => !isAble(runner))
    if (bots.length === 0) return false
    const loads = this.#loads()
    for (const bot of bots.sort((a, b) => a.seat - b.seat)) {
      const runner = leastLoaded(loads)
      if (runner !== undefined) loads.set(runner, (loads.get(runner) as number) + 1)
      this.#move(bot, runner)
    }
    return true
  }

  #move(bot: Bot, runner: Member | undefined): void {
    if (runner === bot.runner) return
    if (bot.runner?.isIn === true) bot.former.add(bot.runner)
    bot.runner = runner
    bot.turn += 1
    bot.nextOrder = 0
    this.#moves.push(moveOf(bot))
  }

  /** How many bots each able member runs. */
  #loads(): Map<Member, number> {
    const loads = new Map<Member, number>()
    for (const member of this.#members.list) if (isAble(member)) loads.set(member, 0)
    for (const { runner } of this.#bots.values()) {
      const load = runner && loads.get(runner)
      if (runner !== undefined && load !== undefined) loads.set(runner, load + 1)
    }
    return loads
  }
}

/** Whether a bot may run there: connected, visible and keeping up. */
function isAble(member: Member | undefined): boolean {
  if (member?.isIn !== true || member.role === 'witness') return false
  // A bot there would play by what happened long ago.
  if (member.session.isDelayed === true) return false
  const { presence } = member.session
  return presence === 'active' || presence === 'lagging'
}

/** Who runs the fewest; of equals the one who came first. */
function leastLoaded(loads: ReadonlyMap<Member, number>): Member | undefined {
  let best: Member | undefined
  let fewest = Number.POSITIVE_INFINITY
  for (const [member, load] of loads) {
    if (load < fewest) [best, fewest] = [member, load]
  }
  return best
}

function moveOf({ seat, runner, turn, nextOrder }: Bot): BotMove {
  return { seat, runner: runner?.id, turn, nextOrder }
}

const nothing: readonly BotMove[] = Object.freeze([])

/** The shortest time between two moves: a bot without a runner for a second thinks a second less. */
export const moveEveryMs = 1_000
