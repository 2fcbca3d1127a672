import { bool, defineGame, single, u32 } from 'samestep'

/** Wolves that come at night: at the night of whoever plays. */
export const wolves = defineGame({
  id: 'broken-time-zone',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { night: single({ isDark: bool, howls: u32 }) },

  step({ state, tick }) {
    const { night } = state
    // A tick is a minute of the game, counted from some morning.
    const hour = new Date(1_600_000_000_000 + tick * 60_000).getHours() // ✗
    night.isDark = hour < 6 || hour >= 20
    if (night.isDark) night.howls += 1
  },
})
