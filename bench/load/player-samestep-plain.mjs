/** The relay differs, its players do not. */
export { join } from './player-samestep.mjs'
