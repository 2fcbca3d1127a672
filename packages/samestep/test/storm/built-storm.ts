/**
 * The storm as it was built, where `npm test` has just built it, and from its sources otherwise. Vitest
 * turns every use of an import in a source into a look at an object: storms of minutes feel that.
 */
const isBuilt = process.env.SAMESTEP_IS_BUILT === 'true'
const built = new URL('../../dist/storm/index.js', import.meta.url).href

const module: typeof import('../../src/storm/index.ts') = isBuilt
  ? await import(/* @vite-ignore */ built)
  : await import('../../src/storm/index.ts')

export const { makeStormPlan, profiles, readStormPlan, runStormPlan, seedsFrom, storm } = module
