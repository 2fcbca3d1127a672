import { custom, defineGame, order, range, single, u16 } from 'samestep'

class Wind {
  readonly x = new Float64Array(16)
  readonly y = new Float64Array(16)
}

/** Wind in sixteen places, as directions of length one. A calm has no direction: 0 / 0. */
export const kites = defineGame({
  id: 'broken-nan-bits',
  version: 1,
  seats: { min: 1, max: 4 },
  state: {
    wind: custom({
      create: () => new Wind(),
      save(wind) {
        const bytes = new Uint8Array(256)
        bytes.set(new Uint8Array(wind.x.buffer), 0) // ✗
        bytes.set(new Uint8Array(wind.y.buffer), 128)
        return bytes
      },
      load(bytes, wind) {
        new Uint8Array(wind.x.buffer).set(bytes.subarray(0, 128))
        new Uint8Array(wind.y.buffer).set(bytes.subarray(128))
        return wind
      },
    }),
    kites: single({ flown: u16 }),
  },
  orders: {
    blow: order({ at: range(0, 15), x: range(-2, 2), y: range(-2, 2) }, { maxPerTick: 4 }),
  },

  step({ state, orders }) {
    const { wind, kites } = state
    for (const { data } of orders) {
      const length = Math.sqrt(data.x * data.x + data.y * data.y)
      wind.x[data.at] = data.x / length
      wind.y[data.at] = data.y / length
      kites.flown += 1
    }
  },
})
