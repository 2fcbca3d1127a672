import { defineGame, order, range, table, u8 } from 'samestep'

/** Lamps that flash when they are hit. Whoever draws them lets the flash fade. */
export const lamps = defineGame({
  id: 'broken-write-from-render',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { lamps: table(16, { x: u8, flash: u8 }) },
  orders: { hit: order({ lamp: range(0, 15) }, { maxPerTick: 2 }) },

  setup({ state }) {
    for (let lamp = 0; lamp < 16; lamp++) state.lamps.add({ x: 4 * lamp })
  },

  step({ state, orders }) {
    for (const { data } of orders) state.lamps.flash[data.lamp] = 8
  },
})

type Lamps = { lamps: { flash: number[]; [Symbol.iterator](): Iterator<number> } }

/** What a screen would do. */
export function draw({ current }: { current: Lamps }): void {
  const { flash } = current.lamps
  for (const row of current.lamps) {
    if (flash[row]! > 0) flash[row]! -= 1 // ✗
  }
}
