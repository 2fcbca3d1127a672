export type { BatchFailure, BatchOptions, BatchProgress, BatchResult } from './batch.ts'
export {
  defaultProfiles,
  runBatch as storm,
  runBatchSteps as stormSteps,
  seedsFrom,
  sometimesExpected,
} from './batch.ts'
export { injectedId } from './checks/desync-checks.ts'
export type { FaultId, FaultOp } from './engine/faults/fault-op.ts'
export type {
  PlanFailure,
  ShrinkProgress,
  ShrinkResult,
  ShrinkStage,
} from './engine/faults/shrink.ts'
export type { Profile } from './engine/plan.ts'
export { profiles, writePlan as writeStormPlan } from './engine/plan.ts'
export type { CoverageReport } from './engine/sometimes.ts'
export { Violation } from './engine/violation.ts'
export { toyGame } from './games/toy-game.ts'
export type { AttackKind } from './plan/attack-kinds.ts'
export { attackKinds } from './plan/attack-kinds.ts'
export type { StormAttacker } from './plan/draw-attackers.ts'
export type { StormNode } from './plan/storm-node.ts'
export type { StormKnobs, StormPlan, StormPlanOptions } from './plan/storm-plan.ts'
export { makeStormPlan, readStormPlan } from './plan/storm-plan.ts'
export type { StormResult, StormRunOptions } from './run-storm.ts'
export { runStormPlan } from './run-storm.ts'
export type { ShrinkStormOptions } from './shrink-storm.ts'
export { shrinkStorm } from './shrink-storm.ts'
