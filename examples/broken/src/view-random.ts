import { defineGame, type Random, single, u8, u32 } from 'samestep'

/** Kept for the sparks, which are only for the eye. */
let dice: Random | undefined

/** A game of dice whose sparks roll the same dice. */
export const craps = defineGame({
  id: 'broken-view-random',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { board: single({ rolled: u8, sum: u32 }) },

  step({ state, tick, random }) {
    dice = random
    if (tick % 10 !== 0) return
    state.board.rolled = random.between(1, 6)
    state.board.sum += state.board.rolled
  },
})

/** What a screen would do. */
export function draw({ tick }: { tick: number }): number {
  if (tick % 7 !== 0 || dice === undefined) return 0
  return dice.below(360) // ✗
}
