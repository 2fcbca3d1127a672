export type { Simulated, SimulateOptions } from './assertions.ts'
export {
  assertConverges,
  assertDeterministic,
  assertPure,
  assertReloads,
  CheckError,
  simulate,
} from './assertions.ts'
export { checkAsync } from './async-check.ts'
export type { Cause, CauseId } from './causes.ts'
export { causeIds } from './causes.ts'
export type { CheckResult, OrderCount } from './check-game.ts'
export { checkGame } from './check-game.ts'
export type { CheckOptions, CheckProgress, PlayedMatch } from './check-options.ts'
export type { Diagnosis, Place } from './diagnose.ts'
export type { PackedMatch, Parting } from './elsewhere.ts'
export { explainParting, packMatches, playElsewhere, recordMatch } from './elsewhere.ts'
export type { Explore, ExploreContext, Suggestion } from './explorer.ts'
export type { CheckFailure } from './failure-text.ts'
export type { GameGraphs, ModuleValue, ModuleVariable } from './game-graphs.ts'
export type { CheckId, LaneId } from './lane.ts'
export { checkIds, checkTitles } from './lane.ts'
export type { Draw } from './lane-world.ts'
export type { AmbientUse } from './machine.ts'
export type { Factor } from './machine-state.ts'
export type {
  BytesItem,
  EventItem,
  InputItem,
  MatchScript,
  MatchScriptItem,
  OrderItem,
  TickItem,
} from './match-script.ts'
export { makeBundle } from './match-script.ts'
export type { ReplayOptions } from './replay-check.ts'
export { replayCheck } from './replay-check.ts'
export type { Reproduction, ReproductionItem } from './reproduction.ts'
export { readReproduction } from './reproduction.ts'
export type { Script, ScriptItem } from './script.ts'
