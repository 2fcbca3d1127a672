import { defineGame, single, u16 } from 'samestep'

declare const process: { readonly env: { readonly [name: string]: string | undefined } }

/** Handy while one writes the game, and forgotten afterwards. */
const isEasy = process.env.EASY_MODE === '1' // ✗

/** Rats that bite. */
export const rats = defineGame({
  id: 'broken-import-env',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { rats: single({ bites: u16 }) },

  step({ state, tick }) {
    if (!isEasy || tick % 2 === 0) state.rats.bites += 1 // ✎
  },
})
