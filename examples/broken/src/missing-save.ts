import { custom, defineGame, order, single, u8, u16 } from 'samestep'

class Forge {
  readonly slots = new Uint8Array(8)
  /** How hot it is. Nobody thought of it when the saving was written. */
  heat = 0
}

/** A forge that keeps its heat for a while, unless the game was loaded in between. */
export const forge = defineGame({
  id: 'broken-missing-save',
  version: 1,
  seats: { min: 1, max: 4 },
  state: {
    forge: custom({
      create: () => new Forge(),
      save: (forge) => forge.slots.slice(), // ✗
      load(bytes, forge) {
        forge.slots.set(bytes)
        return forge
      },
    }),
    yard: single({ swords: u16 }),
  },
  orders: { stoke: order({ coal: u8 }, { maxPerTick: 1 }) },

  step({ state, orders }) {
    const { forge, yard } = state
    for (const { data } of orders) forge.heat += data.coal
    if (forge.heat > 0) forge.heat -= 1
    if (forge.heat > 100) yard.swords += 1 // ✎
  },
})
