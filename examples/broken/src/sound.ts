/**
 * Sound games: those of the other folders, one on bitECS and one on Rapier's deterministic build.
 * Nothing may be found in them, however long.
 */
import type { Game } from 'samestep'
import { battle } from '../../battle/src/game.ts'
import { sandbox } from '../../sand/src/game.ts'
import { tag } from '../../tag/src/game.ts'
import { cratesGame } from './sound/crates.ts'
import { herdGame } from './sound/herd.ts'
import { marketGame } from './sound/market.ts'

/** A sound game, options that keep a tick short, and how many ticks a test has time for. */
export type Sound = { readonly game: Game; readonly options: object; readonly testTicks: number }

export const soundGames: readonly Sound[] = [
  { game: battle as unknown as Game, options: { unitsPerSeat: 40 }, testTicks: 1_000 },
  { game: tag as unknown as Game, options: {}, testTicks: 3_000 },
  { game: sandbox as unknown as Game, options: {}, testTicks: 1_000 },
  { game: marketGame as unknown as Game, options: {}, testTicks: 1_000 },
  { game: herdGame as unknown as Game, options: {}, testTicks: 1_000 },
  { game: cratesGame as unknown as Game, options: {}, testTicks: 400 },
]
