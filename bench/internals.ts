/** What the bench measures that is not part of the public API. */
export { f64 } from '../packages/samestep/src/sim/schema/index.ts'
export { State } from '../packages/samestep/src/sim/state/state.ts'
export { table } from '../packages/samestep/src/sim/state/table.ts'
