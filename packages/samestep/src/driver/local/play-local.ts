import { UsageError } from '../../base/errors.ts'
import { Client } from '../../client/client.ts'
import { makeRunning } from '../../client/run/make-running.ts'
import { Relay } from '../../relay/relay.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import { CosmeticRandom } from '../../sim/random/index.ts'
import { machineTiming } from '../../transport/timing.ts'
import { ClientMatch } from '../match/client-match.ts'
import type { Match } from '../match/match.ts'
import { matchEngine } from '../match/match-engine.ts'
import { MatchInside } from '../match/match-inside.ts'
import type { JoinOptions } from '../online/join-options.ts'
import { followVisibility } from '../visibility.ts'
import { LocalLine } from './local-line.ts'

/**
 * The options of `playLocal`: those of `joinMatch`, without the ones about connections and other players.
 */
export interface LocalOptions<G extends GameShape>
  extends Pick<
    JoinOptions<G>,
    | 'name'
    | 'options'
    | 'content'
    | 'lobby'
    | 'pace'
    | 'orders'
    | 'loadsItself'
    | 'development'
    | 'guard'
    | 'observer'
    | 'timing'
    | 'debugLevel'
    | 'debug'
  > {
  /** The seed of the match: the same seed gives the same game. */
  readonly seed?: number
  /** The number of seats; defaults to the game's minimum. */
  readonly seats?: number
  /**
   * The number of players at this machine, each with a seat: see `players` of the match. Defaults to the
   * number of seats. In a lobby that is started by a player, such as with `lobby: { start: 'by-owner' }`,
   * it is one: the other seats are taken by bots or stay empty.
   */
  readonly players?: number
}

/** A match that runs in this process, with all its local players. */
export interface LocalMatch<G extends GameShape, R> extends Match<G, R, Simulation<G, R>> {
  /**
   * The match as seen by each local player, by seat: `players[1].order(…)` issues an order of the second
   * player. The first entry is the match itself; advancing it advances all. Each player has a simulation of
   * its own, as on separate machines, so a game that is not deterministic desyncs here too.
   */
  readonly players: readonly Match<G, R, Simulation<G, R>>[]
}

/**
 * Starts a local match at once, without a server: the same client as online, with a relay in the same
 * process. To go online, change only this line.
 *
 * Time passes only with `advance`: a game that does not call it stands still. A lobby uses the machine's
 * clock, because nothing is drawn there.
 *
 * Several people can play at this machine, one after the other or side by side: see `match.players`.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for a match that would wait for other players. Also whatever the
 * game's `setup` throws, if there is no lobby before it.
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
  const { seed = 1, lobby } = options
  const { seats = game.seats.min } = options
  const start = lobby?.start ?? 'when-full'
  const { players = start === 'when-full' ? seats : 1 } = options
  requirePlayable(game.id, seats, players, start)
  const random = new CosmeticRandom(seed)
  const relay = new Relay({
    // The one player is in this process: nobody else could come, nor come back.
    keepStates: false,
    showsDesyncValues: true,
    randomBytes: (count) => Uint8Array.from({ length: count }, () => random.below(256)),
  })
  const { timing = machineTiming } = options
  const first = makePlayer(game, options, 0)
  const others = Array.from({ length: players - 1 }, (_, index) => {
    return makePlayer(game, options, index + 1)
  })
  let failure: { readonly error?: unknown } | undefined
  const undo = first.events.on('closed', (closed) => {
    failure = closed
  })
  const line = new LocalLine([first, ...others], relay, timing)
  undo()
  // Nobody listens yet: a setup that throws throws here.
  if (failure !== undefined && 'error' in failure) throw failure.error
  const match = new FirstMatch(first, line, matchEngine)
  match.players = [
    match,
    ...others.map((each, index) => new ClientMatch(each, line.lineOf(index + 1), matchEngine)),
  ]
  followVisibility(
    (isHidden) => match.setHidden(isHidden),
    () => match.status === 'closed',
  )
  return match
}

/** The match that is handed out. */
class FirstMatch<G extends GameShape, R> extends ClientMatch<G, R> implements LocalMatch<G, R> {
  players: readonly ClientMatch<G, R>[] = []
}

/** A client of this process. What goes wrong is the same for all, and shown once. */
function makePlayer<G extends GameShape, R>(
  game: Game<G, R>,
  options: LocalOptions<G>,
  index: number,
): MatchInside<G, R> {
  const { name = 'player', seats = game.seats.min, lobby, pace, orders } = options
  const { development, guard, timing = machineTiming } = options
  const client = new Client<G, R>(
    game,
    {
      match: 'local',
      name: index === 0 ? name : `${name} ${index + 1}`,
      seats,
      inputDelay: 1,
      isStateReported: false,
      ...given({ lobby, pace, orders, content: options.content }),
      ...given({ options: options.options, development, guard }),
      ...(index === 0
        ? given({ loadsItself: options.loadsItself, observer: options.observer })
        : {}),
    },
    makeRunning,
  )
  return new MatchInside(client, () => timing.nowMs(), {
    development: index === 0 ? development : false,
    match: 'local',
    ...(index === 0 ? given({ debugLevel: options.debugLevel, debug: options.debug }) : {}),
  })
}

/** Nobody else will ever come. */
function requirePlayable(id: string, seats: number, players: number, start: string): void {
  if (!Number.isInteger(players) || players < 1 || players > seats) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot play '${id}' with ${players} players here: its match has ${seats} seats; write a whole number from 1 to ${seats}`,
    )
  }
  if (players === seats || start !== 'when-full') return
  throw new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot play '${id}' with ${players} of ${seats} players: nobody else can join; omit players, or pass lobby: { start: 'by-owner' } and let bots take the other seats`,
  )
}

/** Without what was left out: an option that is there and `undefined` is another thing. */
function given<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
