import { defineGame, single, u16, u32 } from 'samestep'

type Ship = { readonly cargo: { readonly weight: number } | null }

const ships: readonly Ship[] = [{ cargo: { weight: 3 } }, { cargo: null }]

/** A port that keeps a record of what went wrong. */
export const port = defineGame({
  id: 'broken-error-text',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { port: single({ weight: u32, trouble: u16 }) },

  step({ state, tick }) {
    const { port } = state
    try {
      port.weight += (ships[tick % 2]!.cargo as { weight: number }).weight
    } catch (error) {
      port.trouble = (error as Error).message.length // ✗
    }
  },
})
