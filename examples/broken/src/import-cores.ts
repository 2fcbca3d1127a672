import { defineGame, single, u32 } from 'samestep'

type Host = { readonly navigator?: { readonly hardwareConcurrency?: number } }

/** Weak machines search less deep. */
const depth = Math.min((globalThis as Host).navigator?.hardwareConcurrency ?? 4, 6) // ✗

/** Somebody who looks for a way. */
export const maze = defineGame({
  id: 'broken-import-cores',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { maze: single({ visited: u32 }) },

  step({ state }) {
    state.maze.visited += depth // ✎
  },
})
