import { UsageError } from '../../base/errors.ts'
import { Client } from '../../client/client.ts'
import { Relay } from '../../relay/relay.ts'
import type { GameShape } from '../../sim/game/context.ts'
import type { Game } from '../../sim/game/define-game.ts'
import type { Simulation } from '../../sim/game/simulation.ts'
import { CosmeticRandom } from '../../sim/random/index.ts'
import { machineTiming } from '../../transport/timing.ts'
import { ClientMatch } from '../match/client-match.ts'
import type { Match } from '../match/match.ts'
import { MatchInside } from '../match/match-inside.ts'
import type { JoinOptions } from '../online/join-match.ts'
import { followVisibility } from '../visibility.ts'
import { LocalLine } from './local-line.ts'

/** How a local game is started: as online, but for what a line and other players need. */
export interface LocalOptions<G extends GameShape>
  extends Pick<
    JoinOptions<G>,
    | 'name'
    | 'options'
    | 'content'
    | 'lobby'
    | 'pace'
    | 'loadsItself'
    | 'development'
    | 'guard'
    | 'timing'
  > {
  /** The same seed gives the same game. */
  readonly seed?: number
  /**
   * Seats of the match; the game's minimum when left out. More than one needs a lobby that does not
   * wait for others, as `lobby: { start: 'by-owner' }`: bots take them, or they stay empty.
   */
  readonly seats?: number
}

/**
 * Plays alone, at once, with nothing to run or to reach: the same client against a relay in the same
 * process. Going online changes this one line.
 *
 * Time is what `advance` is told; a game that asks for no pictures stands still. A lobby goes by the
 * machine's clock, since nobody draws there.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for a match that would wait for other players. What the game's
 * `setup` throws, where there is no lobby in front of it.
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
): Match<G, R, Simulation<G, R>> {
  const { seed = 1, name = 'player', seats = game.seats.min, lobby, pace } = options
  requirePlayable(game.id, seats, lobby?.start ?? 'when-full')
  const random = new CosmeticRandom(seed)
  const relay = new Relay({
    // The one player is in this process: nobody else could come, nor come back.
    keepStates: false,
    randomBytes: (count) => Uint8Array.from({ length: count }, () => random.below(256)),
  })
  const client = new Client<G, R>(game, {
    match: 'local',
    name,
    seats,
    inputDelay: 1,
    ...given({ lobby, pace, content: options.content }),
    ...given({ options: options.options, loadsItself: options.loadsItself }),
    ...given({ development: options.development, guard: options.guard }),
  })
  const inside = new MatchInside(client, options.development)
  let failure: { readonly error?: unknown } | undefined
  const undo = inside.events.on('closed', (closed) => {
    failure = closed
  })
  const line = new LocalLine(inside, relay, options.timing ?? machineTiming)
  undo()
  // Nobody listens yet: a setup that throws throws here.
  if (failure !== undefined && 'error' in failure) throw failure.error
  const match = new ClientMatch(inside, line)
  followVisibility(
    (isHidden) => match.setHidden(isHidden),
    () => match.status === 'closed',
  )
  return match
}

/** Nobody else will ever come. */
function requirePlayable(id: string, seats: number, start: string): void {
  if (seats <= 1 || start !== 'when-full') return
  throw new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot play '${id}' alone: it needs ${seats} seats; declare seats: { min: 1, … }, or give lobby: { start: 'by-owner' } and let bots take them`,
  )
}

/** Without what was left out: an option that is there and `undefined` is another thing. */
function given<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
