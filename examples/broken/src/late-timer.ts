import { defineGame, single, u8 } from 'samestep'

declare function setTimeout(work: () => void, ms: number): unknown

/** A bomb with a fuse of two seconds, by the player's clock. */
export const bomb = defineGame({
  id: 'broken-late-timer',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { bomb: single({ lit: u8, burst: u8 }) },

  step({ state, tick }) {
    const { bomb } = state
    if (tick % 40 !== 10) return
    bomb.lit += 1
    setTimeout(() => {
      bomb.burst += 1 // ✗
    }, 2_000)
  },
})
