export type { Simulated, SimulateOptions } from './assertions.ts'
export {
  assertConverges,
  assertDeterministic,
  assertPure,
  assertReloads,
  CheckError,
  simulate,
} from './assertions.ts'
export type { Cause, CauseId } from './causes/causes.ts'
export { causeIds } from './causes/causes.ts'
export type { Diagnosis, Place } from './causes/diagnose.ts'
export type { GameGraphs, ModuleValue, ModuleVariable } from './causes/game-graphs.ts'
export type { CheckResult, OrderCount } from './check-game.ts'
export { checkGame } from './check-game.ts'
export type { CheckOptions, CheckProgress, PlayedMatch } from './check-options.ts'
export type { CheckFailure } from './failure-text.ts'
export type { PackedMatch, Parting } from './lanes/elsewhere.ts'
export { explainParting, packMatches, playElsewhere, recordMatch } from './lanes/elsewhere.ts'
export type { CheckId, LaneId } from './lanes/lane.ts'
export { checkIds, checkTitles } from './lanes/lane.ts'
export type { Draw } from './lanes/lane-world.ts'
export type { AmbientUse } from './machine/machine.ts'
export type { Factor } from './machine/machine-state.ts'
export { checkAsync } from './rules/async-check.ts'
export type { ReplayOptions } from './rules/replay-check.ts'
export { replayCheck } from './rules/replay-check.ts'
export type { Explore, ExploreContext, Suggestion } from './scripts/explorer.ts'
export type {
  BytesItem,
  EventItem,
  InputItem,
  MatchScript,
  MatchScriptItem,
  OrderItem,
  TickItem,
} from './scripts/match-script.ts'
export { makeBundle } from './scripts/match-script.ts'
export type { Reproduction, ReproductionItem } from './scripts/reproduction.ts'
export { readReproduction } from './scripts/reproduction.ts'
export type { Script, ScriptItem } from './scripts/script.ts'
