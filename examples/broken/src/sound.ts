/** The games of the other folders, which are sound: nothing may be found in them, however long. */
import type { Game } from 'samestep'
import { battle } from '../../battle/src/game.ts'
import { sandbox } from '../../sand/src/game.ts'
import { tag } from '../../tag/src/game.ts'

/** A sound game, options that keep a tick short, and how many ticks a test has time for. */
export type Sound = { readonly game: Game; readonly options: object; readonly testTicks: number }

export const soundGames: readonly Sound[] = [
  { game: battle as unknown as Game, options: { unitsPerSeat: 40 }, testTicks: 1_000 },
  { game: tag as unknown as Game, options: {}, testTicks: 3_000 },
  { game: sandbox as unknown as Game, options: {}, testTicks: 1_000 },
]
