import { defineGame, i16, table, u8 } from 'samestep'

/** Whose screen this is. */
let watched = 0

/** Ants that take a rest when nobody looks: every player has other ants. */
export const ants = defineGame({
  id: 'broken-viewer-leak',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { ants: table(32, { x: i16, owner: u8 }) },

  setup({ state, seats }) {
    for (let ant = 0; ant < 32; ant++) state.ants.add({ owner: ant % seats })
  },

  step({ state, tick }) {
    const { ants } = state
    for (const row of ants) {
      const isSeen = ants.owner[row] === watched
      if (isSeen || tick % 4 === 0) ants.x[row]! += 1 // ✗
    }
  },
})

/** What a screen would do. */
export function draw(_picture: object, seat: number): void {
  watched = seat
}
