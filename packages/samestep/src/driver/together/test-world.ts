import type { DebugLevel } from '../../client/debug/debug-level.ts'
import * as levels from '../../client/debug/level-watch.ts'
import type { ClientOptions } from '../../client/membership/client-options.ts'
import { investigate } from '../../desync/investigate/investigate.ts'
import { encodeDesyncFile } from '../../desync/report-file.ts'
import type { PathPatch } from '../../netem/conditions.ts'
import { Relay } from '../../relay/relay.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import { CosmeticRandom } from '../../sim/random/index.ts'
import { Conditioner } from '../../transport/conditioner/conditioner.ts'
import type { MemoryListener } from '../../transport/memory.ts'
import { listenInMemory } from '../../transport/memory.ts'
import { VirtualTiming } from '../../transport/virtual-timing.ts'
import type { Role } from '../../wire/codes.ts'
import { secretBytes, ticketBytes } from '../../wire/messages/return-proof.ts'
import type { RelayDriverHooks } from '../machines/relay-driver.ts'
import { RelayDriver } from '../machines/relay-driver.ts'
import type { Match } from '../match/match.ts'
import type { InsideOptions } from '../match/match-inside.ts'
import { joinOnline } from '../online/join-online.ts'
import type { JoinOptions } from '../online/join-options.ts'
import type { SessionKeys } from '../online/session-store.ts'
import { requireSync } from './in-sync.ts'

/**
 * The options of `playTogether`: a match, its players and their connections. The options of the match
 * itself are those of `joinMatch`.
 */
export interface TogetherOptions<G extends GameShape>
  extends Omit<
    JoinOptions<G>,
    | 'url'
    | 'match'
    | 'name'
    | 'role'
    | 'transport'
    | 'dial'
    | 'betterDoors'
    | 'iceServers'
    | 'conditioner'
    | 'timing'
    | 'timeoutMs'
    | 'signal'
    | 'ticket'
    | 'retryMs'
    | 'secret'
    | 'remember'
  > {
  /** The number of players; defaults to 2. The match has as many seats, unless `seats` says otherwise. */
  readonly players?: number
  /** The debug level that the relay asks of all clients; defaults to 0. */
  readonly relayDebugLevel?: DebugLevel
  /** The same seed and the same calls give the same match. Defaults to 1. */
  readonly seed?: number
  /** The initial conditions of all connections; defaults to perfect ones. */
  readonly conditions?: PathPatch
  /** Connections like WebSocket (`stream`, the default), which lose nothing, or like UDP. */
  readonly kind?: 'stream' | 'datagram'
}

/** A player or spectator that joins later than the others. */
export interface LatecomerOptions<G extends GameShape = GameShape, R = unknown> {
  readonly name?: string
  readonly role?: Role
  /**
   * The build of the game on this machine, to test what a difference leads to: for instance the same
   * `defineGame` with another `step`. Defaults to the game of the others.
   */
  readonly game?: Game<G, R>
  /** The initial conditions of its connection; defaults to those of the others. */
  readonly conditions?: PathPatch
}

/** A relay and its clients in one process, in virtual time: see `playTogether`. */
export class TestWorld<G extends GameShape, R> {
  readonly #matches: Match<G, R, Simulation<G, R>>[] = []
  readonly #lines: Conditioner[] = []
  /** What each player needs to come back after a reload. */
  readonly #seats: { readonly options: LatecomerOptions<G, R>; readonly keys: SessionKeys }[] = []
  readonly #game: Game<G, R>
  readonly #options: TogetherOptions<G>
  readonly #timing = new VirtualTiming()
  readonly #random: CosmeticRandom
  #relay: RelayDriver
  readonly #door: MemoryListener
  readonly #desyncs: Uint8Array[] = []

  constructor(game: Game<G, R>, options: TogetherOptions<G>) {
    const { seed = 1, kind = 'stream' } = options
    this.#game = game
    this.#options = options
    this.#random = new CosmeticRandom(seed)
    this.#relay = this.#makeRelay()
    this.#door = listenInMemory((connection) => this.#relay.accept(connection), { kind })
  }

  #makeRelay(): RelayDriver {
    const relay = new Relay({
      randomBytes: (count) => this.#randomBytes(count),
      // Everybody in this world is the test's own.
      witnesses: 'anyone',
      showsDesyncValues: true,
      debugLevel: this.#options.relayDebugLevel ?? 0,
      recoveryKey,
      collectsDesyncStates: true,
    })
    const handleMatch: RelayDriverHooks['handleMatch'] = (_, event) => {
      if (event.type === 'desync-report') this.#desyncs.push(encodeDesyncFile(event.file))
    }
    return new RelayDriver(relay, { handleMatch }, this.#timing)
  }

  /** The match as seen by each player, in the sequence in which they joined. */
  get matches(): readonly Match<G, R, Simulation<G, R>>[] {
    return this.#matches
  }

  /** The connection of each player, from the player's side: `lines[1].set({ loss: 0.1 })`. */
  get lines(): readonly Conditioner[] {
    return this.#lines
  }

  /**
   * The desync reports that the relay has completed: those that `samestep relay --desyncs` writes to files
   * for `samestep desync`.
   */
  get desyncs(): readonly Uint8Array[] {
    return this.#desyncs
  }

  /** The virtual time in ms. */
  get nowMs(): number {
    return this.#timing.nowMs()
  }

  /**
   * Lets time pass. Clients run the ticks that arrive, like a program without a screen. A test that wants
   * pictures gets them from `matches[0].advance(world.nowMs)`.
   */
  async advance(ms: number): Promise<void> {
    await this.#timing.pass(ms)
  }

  /**
   * Lets time pass until a condition is true. Throws if that takes longer than `msMax`, by default 10 s.
   */
  async advanceUntil(condition: () => boolean, msMax = untilMsMax): Promise<void> {
    const endMs = this.nowMs + msMax
    while (!condition()) {
      if (this.nowMs >= endMs) {
        throw new Error(`Nothing came of it within ${msMax} ms: ${condition.toString()}`)
      }
      await this.#timing.pass(1)
    }
  }

  /** Lets one more player or spectator join, lets time pass until it has, and adds it to `matches`. */
  async join(options: LatecomerOptions<G, R> = {}): Promise<Match<G, R, Simulation<G, R>>> {
    const keys = { ticket: this.#randomBytes(ticketBytes), secret: this.#randomBytes(secretBytes) }
    return this.#join(this.#matches.length, options, keys)
  }

  /**
   * Reloads the page of a player: its link is lost without a goodbye, its memory is gone, and it joins
   * again as the same player. Returns the new match, which replaces the old one.
   */
  async reload(player: number): Promise<Match<G, R, Simulation<G, R>>> {
    const seat = this.#seats[player]
    if (seat === undefined) throw new RangeError(`There is no player ${player} to load again`)
    this.#lines[player]?.breakConnections()
    this.#matches[player]?.close()
    return this.#join(player, seat.options, seat.keys)
  }

  /**
   * Crashes the relay: its memory is lost, and no client is told. Starts another relay with the same
   * recovery key; the clients reconnect to it by themselves.
   */
  loseRelay(): void {
    const lost = this.#relay
    for (const line of this.#lines) line.breakConnections()
    this.#relay = this.#makeRelay()
    lost.stop()
  }

  async #join(
    number: number,
    options: LatecomerOptions<G, R>,
    keys: SessionKeys,
  ): Promise<Match<G, R, Simulation<G, R>>> {
    const { players: _players, seed = 1, conditions, kind: _kind, ...rules } = this.#options
    const way = options.conditions ?? conditions ?? {}
    const { role = 'player', name = `${role} ${number}` } = options
    const line = new Conditioner({
      timing: this.#timing,
      seed: seed + number,
      sending: way,
      receiving: way,
    })
    const joining = joinOnline(options.game ?? this.#game, {
      ...(rules as Partial<JoinOptions<G>>),
      // Loaded when it is needed, it would come at another time in every run.
      ...({ investigate, levels } satisfies Pick<ClientOptions<G>, 'investigate'> & InsideOptions),
      match: 'together',
      name,
      role,
      ...keys,
      dial: this.#door.dial,
      conditioner: line,
      timing: this.#timing,
      timeoutMs: joinMsMax,
    })
    const match = await this.#finish(joining)
    this.#matches[number] = match
    this.#lines[number] = line
    this.#seats[number] = { options, keys }
    return match
  }

  /**
   * Compares the states of all players after each tick that all of them ran. Players who have left or are
   * in a lobby are ignored.
   *
   * @throws OutOfSyncError with the first tick, two players, and the cells that differ.
   */
  expectInSync(): void {
    const players = this.#matches.flatMap((match, player) => {
      return match.status === 'active' ? [{ player, simulation: match.simulation }] : []
    })
    requireSync(players)
  }

  /** Closes all matches and the relay. */
  close(): void {
    for (const match of this.#matches) match.close()
    this.#relay.stop()
  }

  async #finish<T>(joining: Promise<T>): Promise<T> {
    let isDone = false
    const done = joining.finally(() => {
      isDone = true
    })
    // Whatever comes of it is told below: meanwhile nobody listens.
    done.catch(() => {})
    for (let ms = 0; ms <= joinMsMax && !isDone; ms++) await this.#timing.pass(1)
    return done
  }

  #randomBytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.#random.below(256))
  }
}

/** Under which every relay of a world gives its clients what the next one needs. */
const recoveryKey = new Uint8Array(32).fill(7)

/** How long somebody tries to join: some round trips over the worst of lines. */
const joinMsMax = 30_000

/** How long a test waits for something unless it says otherwise. */
const untilMsMax = 10_000
