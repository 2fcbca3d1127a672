import { assert } from '../base/assert.ts'
import { OutputQueue } from '../base/output-queue.ts'

/**
 * Seats that nobody sits in: a bot plays them. Its thinking runs on one client, its runner, and its
 * orders are sealed like anybody's, so that a replay needs no bot (ORD-18). When the runner goes, the
 * bot moves to the client that runs the fewest, of equals the one that came first: every relay that
 * saw the same comings and goings moves it to the same one.
 */

/** What somebody's order for a bot's seat is. */
export type BotClaim =
  | 'allowed'
  /** The bot ran here and has moved: the order was on its way. Refuse it, and think nothing of it. */
  | 'moved'
  /** The bot never ran here, or there is none: no client of ours sends that. */
  | 'wrong-seat'

/** A bot has another runner; `undefined` when nobody can run it. */
export type BotEvent = {
  readonly type: 'runner'
  readonly seat: number
  readonly runner: number | undefined
  /** Counts the runners of the seat. Each numbers its orders from 0. */
  readonly turn: number
}

type Bot = { runner: number | undefined; turn: number; readonly former: Set<number> }

/** The bots of one match. Clients are numbered by their sessions, lower numbers came first. */
export class BotSeats {
  readonly #bots = new Map<number, Bot>()
  /** Clients that are here, and whether a bot may run there: connected, visible and keeping up. */
  readonly #clients = new Map<number, boolean>()
  readonly #events = new OutputQueue<BotEvent>()

  /** Gives a seat to a bot, on the wished client if that can run it. */
  addBot(seat: number, wished?: number): void {
    assert(!this.#bots.has(seat), 'A seat was given to two bots')
    this.#bots.set(seat, { runner: undefined, turn: 0, former: new Set() })
    this.#move(seat, wished)
  }

  /** A person takes the seat, or nobody. */
  removeBot(seat: number): void {
    this.#bots.delete(seat)
  }

  isBot(seat: number): boolean {
    return this.#bots.has(seat)
  }

  /** Who runs the bot of a seat. */
  runnerOf(seat: number): number | undefined {
    return this.#bots.get(seat)?.runner
  }

  /** What an order of a client for a seat is. */
  claimOf(client: number, seat: number): BotClaim {
    const bot = this.#bots.get(seat)
    if (bot === undefined) return 'wrong-seat'
    if (bot.runner === client) return 'allowed'
    return bot.former.has(client) ? 'moved' : 'wrong-seat'
  }

  /** A client is here, or is able to run bots (again), or is not: hidden, lagging, without a link. */
  setClient(client: number, isAble: boolean): void {
    this.#clients.set(client, isAble)
    if (isAble) this.#moveAll(undefined)
    else this.#moveAll(client)
  }

  /** A client is gone for good. */
  handleLeave(client: number): void {
    if (!this.#clients.delete(client)) return
    this.#moveAll(client)
    for (const bot of this.#bots.values()) bot.former.delete(client)
  }

  /** Clients that it knows, for leak checks. */
  get clientCount(): number {
    return this.#clients.size
  }

  pollEvent(): BotEvent | undefined {
    return this.#events.shift()
  }

  /** Finds new runners for the bots of one runner, or for those without any; by seat. */
  #moveAll(from: number | undefined): void {
    const seats = [...this.#bots.keys()].filter((seat) => this.#bots.get(seat)?.runner === from)
    for (const seat of seats.sort((a, b) => a - b)) this.#move(seat, undefined)
  }

  #move(seat: number, wished: number | undefined): void {
    const bot = this.#bots.get(seat) as Bot
    const isWishedAble = wished !== undefined && this.#clients.get(wished) === true
    const next = isWishedAble ? wished : this.#leastLoaded()
    if (next === bot.runner) return
    if (bot.runner !== undefined) bot.former.add(bot.runner)
    bot.runner = next
    bot.turn += 1
    this.#events.push({ type: 'runner', seat, runner: next, turn: bot.turn })
  }

  #leastLoaded(): number | undefined {
    let best: number | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const [client, isAble] of this.#clients) {
      if (!isAble) continue
      let load = 0
      for (const { runner } of this.#bots.values()) if (runner === client) load += 1
      if (load < fewest || (load === fewest && client < (best as number))) {
        best = client
        fewest = load
      }
    }
    return best
  }
}
