import { UsageError } from '../base/errors.ts'
import { Client } from '../client/client.ts'
import type { ClientEvent } from '../client/events.ts'
import type { PlayState, RoomView } from '../client/play-state.ts'
import type { ClientStatistics } from '../client/statistics.ts'
import { StreamChannel } from '../link/stream-channel.ts'
import { Relay } from '../relay/relay.ts'
import { debtMsMax } from '../relay/tick-clock.ts'
import type { GameOptions, GameShape } from '../sim/game/context.ts'
import type { Game } from '../sim/game/define-game.ts'
import type { Simulation } from '../sim/game/simulation.ts'
import { CosmeticRandom } from '../sim/random/index.ts'
import { Emitter } from './emitter.ts'
import type { Match, MatchEvents, Picture } from './match.ts'
import { makeHandle } from './order-handle.ts'
import { publish } from './publish.ts'

/** How a local game is started. */
export interface LocalOptions<G extends GameShape> {
  /** The same seed gives the same game. */
  readonly seed?: number
  readonly options?: Partial<GameOptions<G>>
  readonly name?: string
  readonly development?: boolean
  /** Makes game code that differs between machines throw. By default in development. */
  readonly guard?: boolean
}

/**
 * Plays alone, at once, with nothing to run or to reach: the same client against a relay in the same
 * process. Going online changes this one line.
 *
 * @example
 * ```ts
 * const match = playLocal(dots, { seed: 1 })
 * match.order('move', { dx: 1, dy: 0 })
 * requestAnimationFrame(function paint(now) {
 *   const { current } = match.advance(now)
 *   draw(current)
 *   requestAnimationFrame(paint)
 * })
 * ```
 */
export function playLocal<G extends GameShape, R>(
  game: Game<G, R>,
  options: LocalOptions<G> = {},
): LocalMatch<G, R> {
  return new LocalMatch(game, options)
}

/** A match against a relay in the same process. */
export class LocalMatch<G extends GameShape, R> implements Match<G, R> {
  readonly #relay: Relay
  readonly #client: Client<G, R>
  readonly #events = new Emitter<MatchEvents>()
  readonly #intervalMs: number
  /** When the newest tick ran, on the caller's clock. */
  #tickAtMs = 0
  #alphaTick = 0
  /** What the caller's clock said last. */
  #advancedMs = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(game: Game<G, R>, options: LocalOptions<G>) {
    if (game.seats.min > 1) {
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        `Cannot play '${game.id}' alone: it needs ${game.seats.min} seats; declare seats: { min: 1, … }`,
      )
    }
    const random = new CosmeticRandom(options.seed ?? 1)
    this.#relay = new Relay({
      randomBytes: (count) => Uint8Array.from({ length: count }, () => random.below(256)),
    })
    this.#client = new Client(game, {
      match: 'local',
      name: options.name ?? 'player',
      seats: 1,
      inputDelay: 1,
      ...(options.options === undefined ? {} : { options: options.options }),
      ...(options.development === undefined ? {} : { development: options.development }),
      ...(options.guard === undefined ? {} : { guard: options.guard }),
    })
    this.#intervalMs = 1_000 / game.tickRate
    const makeChannel = (nowMs: number) => new StreamChannel(nowMs)
    this.#client.handleLinkOpened(makeChannel, 0)
    this.#relay.handleLinkOpened(localLink, makeChannel, 0)
    // Hello, welcome, join, seated: two rounds each way.
    for (let round = 0; round < 3; round++) this.#pump(0)
  }

  get status() {
    return this.#client.status
  }

  get seat(): number | undefined {
    return this.#client.seat
  }

  get member(): number | undefined {
    return this.#client.member
  }

  get room(): RoomView | undefined {
    return this.#client.room
  }

  get cursors() {
    return this.#client.cursors
  }

  get statistics(): ClientStatistics {
    return this.#client.statistics
  }

  get simulation(): Simulation<G, R> {
    return this.#client.simulation as Simulation<G, R>
  }

  order: Match<G, R>['order'] = (name, data) =>
    makeHandle((settle) => {
      this.#client.issue(name, data, settle)
    })

  input: Match<G, R>['input'] = (changes) => this.#client.setInput(changes)

  act: Match<G, R>['act'] = (action) => this.#client.act(action)

  /** Alone there is nobody to wait for. */
  playState(): PlayState {
    return { name: 'active' }
  }

  advance(nowMs: number): Picture<G, R> {
    if (this.#tickAtMs === 0) this.#tickAtMs = nowMs
    // A clock that was set back: nothing is due before the machines know of it.
    if (nowMs < this.#advancedMs) this.#relay.handleTime(nowMs)
    this.#advancedMs = nowMs
    // Nothing is said before a tick is due, so that it sees what is held and ordered by then.
    for (let rounds = 0; rounds < roundsMax && !this.#isClosed; rounds++) {
      const dueMs = this.#relay.wakeAtMs()
      if (dueMs > nowMs) break
      // Each tick at its own time: few frames per second must not make a slow game.
      const atMs = Math.max(dueMs, nowMs - debtMsMax)
      this.#pump(atMs)
      if (this.simulation.tick === this.#alphaTick) continue
      this.#alphaTick = this.simulation.tick
      this.#tickAtMs = atMs
    }
    const { view, previous, blend, tick } = this.simulation
    const alpha = Math.min(Math.max((nowMs - this.#tickAtMs) / this.#intervalMs, 0), 1)
    return { current: view, previous, blend, alpha, tick }
  }

  on: Match<G, R>['on'] = (type, listener) => this.#events.on(type, listener)

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#client.leave(0)
    this.#drainEvents()
  }

  /**
   * One round: what the client has to say, then at most one sealed tick, then its bundle. The client
   * is asked again only in the next round, so that its turn says what is held then.
   */
  #pump(nowMs: number): void {
    for (let bytes = this.#client.pollPacket(); bytes; bytes = this.#client.pollPacket()) {
      this.#relay.handlePacket(localLink, bytes, nowMs)
    }
    this.#client.handleTime(nowMs)
    this.#relay.handleTime(nowMs)
    for (let output = this.#relay.pollOutput(); output; output = this.#relay.pollOutput()) {
      if (output.type === 'send') this.#client.handlePacket(output.bytes, nowMs)
    }
    this.#client.runTicks(Number.POSITIVE_INFINITY)
    this.#drainEvents()
  }

  #drainEvents(): void {
    for (let event = this.#client.pollEvent(); event; event = this.#client.pollEvent()) {
      this.#publish(event)
    }
  }

  #publish(event: ClientEvent): void {
    publish(this.#events, event, () => this.#client.status)
  }
}

/** The only link that a local relay has. */
const localLink = 1

/** Rounds of one call: more ticks than that are never due at once. */
const roundsMax = 64
