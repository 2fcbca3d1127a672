import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { TogetherOptions } from './test-world.ts'
import { TestWorld } from './test-world.ts'

/**
 * Plays a whole match in one process, for tests of a game: the real relay and clients, over simulated
 * connections that are as bad as the test wants, in virtual time that passes only when the test says so.
 * The same seed and the same calls give the same match, and a minute of it takes some milliseconds.
 *
 * Resolves when all players have joined. Rejects like `joinMatch`.
 *
 * @example
 * ```ts
 * const world = await playTogether(dots, { players: 3, seed: 1 })
 * world.matches[0].order('move', { dx: 1, dy: 0 })
 * world.lines[2].set({ latencyMs: 200, jitterMs: 50, loss: 0.05 })
 * await world.advance(10_000)
 * world.expectInSync()
 * world.close()
 * ```
 */
export async function playTogether<G extends GameShape, R>(
  game: Game<G, R>,
  options: TogetherOptions<G> = {},
): Promise<TestWorld<G, R>> {
  const { players = 2 } = options
  const world = new TestWorld(game, { seats: players, ...options })
  for (let player = 0; player < players; player++) await world.join()
  return world
}
