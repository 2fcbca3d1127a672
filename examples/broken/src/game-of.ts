import type { Game } from 'samestep'

/** The game that a module exports. */
export function gameOf(module: object): Game {
  return Object.values(module).find((value) => 'fingerprint' in value) as Game
}
