export { InvariantError } from './base/assert.ts'
export type { UsageErrorCode, WireErrorCode } from './base/errors.ts'
export { UsageError, WireError } from './base/errors.ts'
export type { HistogramView } from './base/histogram.ts'
export { histogramStepsMs } from './base/histogram.ts'
export type { Cursors } from './client/events.ts'
export type { MatchAction } from './client/membership/match-action.ts'
export type { OrderEnd } from './client/outbox/order-outbox.ts'
export type { Blame } from './client/status/blame.ts'
export type { ClientStatus } from './client/status/client-status.ts'
export type { MatchStats, PlayState, RoomView } from './client/status/play-state.ts'
export type { Presence, PresenceChange } from './client/status/presence-changes.ts'
export type { ClientStatistics, LineStatistics } from './client/status/statistics.ts'
export type { DesyncReport, DesyncVerdict } from './desync/index.ts'
export type { HeadlessEnd, HeadlessOptions } from './driver/headless/run-headless.ts'
export { runHeadless } from './driver/headless/run-headless.ts'
export type { RunJobsOptions } from './driver/jobs/run-jobs-in.ts'
export { runJobsIn } from './driver/jobs/run-jobs-in.ts'
export type { ServeJobsOptions } from './driver/jobs/serve-jobs.ts'
export { serveJobs } from './driver/jobs/serve-jobs.ts'
export type { LocalMatch, LocalOptions } from './driver/local/play-local.ts'
export { playLocal } from './driver/local/play-local.ts'
export type { MatchFault } from './driver/match/fault-log.ts'
export type {
  IssuedOrder,
  Match,
  MatchEndReason,
  MatchEvents,
  OrderEvent,
  OrderHandle,
  OrderOptions,
  Picture,
} from './driver/match/match.ts'
export type { JoinProgress } from './driver/online/await-seat.ts'
export type { JoinFailure } from './driver/online/join-error.ts'
export { JoinError } from './driver/online/join-error.ts'
export type { JoinOptions } from './driver/online/join-match.ts'
export { joinMatch } from './driver/online/join-match.ts'
export type { WorkerJoinOptions } from './driver/worker/join-match-in-worker.ts'
export { joinMatchInWorker } from './driver/worker/join-match-in-worker.ts'
export type { ServeOptions } from './driver/worker/serve-match.ts'
export { serveMatch } from './driver/worker/serve-match.ts'
export type { ThreadPort } from './driver/worker/thread-port.ts'
export type { LaneStats, LanesStats } from './link/lane-stats.ts'
export type { Burst, PathConditions, PathPatch } from './netem/conditions.ts'
export { parseConditions } from './netem/conditions-text.ts'
export type { PathStats } from './netem/path.ts'
export type { FixedField } from './sim/fixed.ts'
export { fixed } from './sim/fixed.ts'
export type { Bundle, LeaveReason, SealedOrder, SystemEvent } from './sim/game/bundle.ts'
export { emptyBundle, relaySeat, spectatorOf, spectatorSeat } from './sim/game/bundle.ts'
export type { ContentManifest } from './sim/game/content.ts'
export { foldContent, hashContent } from './sim/game/content.ts'
export type {
  ApplyContext,
  GameInput,
  GameOptions,
  GameOrder,
  GameShape,
  GameState,
  SetupContext,
  StepContext,
  System,
  ValidateContext,
} from './sim/game/context.ts'
export { system } from './sim/game/context.ts'
export type { Game } from './sim/game/define-game.ts'
export { defineGame } from './sim/game/define-game.ts'
export type { GameDefinition, ShapeOf, Verdict } from './sim/game/definition.ts'
export type { DerivedDeclaration } from './sim/game/derived.ts'
export { derived } from './sim/game/derived.ts'
export type { Fingerprint } from './sim/game/fingerprint.ts'
export type { SnapshotMatch } from './sim/game/match-section.ts'
export type { SimulationView } from './sim/game/mirror.ts'
export type { SimulationObserver, TickPhase } from './sim/game/observers.ts'
export type { OrderData, OrderDeclaration, OrderRules } from './sim/game/order.ts'
export { order } from './sim/game/order.ts'
export type { Fault, OrderOutcome, SystemHash, TickReport } from './sim/game/report.ts'
export type { Batch } from './sim/game/schedule.ts'
export { batch, isDue, isTurnOf, runBatch } from './sim/game/schedule.ts'
export type { SimulationOptions } from './sim/game/simulation.ts'
export { createSimulation, Simulation } from './sim/game/simulation.ts'
export { SleepList, sleepList } from './sim/game/sleep-list.ts'
export type { RestoreOptions } from './sim/game/snapshots.ts'
export { loadSnapshot, readSnapshotMatch, saveSnapshot } from './sim/game/snapshots.ts'
export type { ScopeTiming, TickTimings } from './sim/game/tick-timer.ts'
export { TickTimer } from './sim/game/tick-timer.ts'
export type { CellMisfit } from './sim/guard/cell-misfit.ts'
export type { LeafDifference } from './sim/hash/diff.ts'
export { diffTrees } from './sim/hash/diff.ts'
export type { LeafProof } from './sim/hash/proof.ts'
export { proveLeaf, verifyLeaf } from './sim/hash/proof.ts'
export type { StateHash, SyncHash } from './sim/hash/tree.ts'
export type {
  Job,
  JobDefinition,
  JobExecutor,
  JobFields,
  JobQueueState,
  JobTicket,
} from './sim/jobs/job.ts'
export { defineJob, jobQueue } from './sim/jobs/job.ts'
export { JobRunner, jobRunner } from './sim/jobs/job-runner.ts'
export * as dmath from './sim/math/dmath/index.ts'
export type { FixedVector } from './sim/math/fixed.ts'
export { CosmeticRandom, Random, SyncedCosmetic, syncedCosmetic } from './sim/random/index.ts'
export type {
  AnyField,
  BoolField,
  BytesField,
  Field,
  FloatField,
  IntField,
  Json,
  ListField,
  MapField,
  OneOfField,
  OptionalField,
  RecordOf,
  RefField,
  RetiredField,
  SetField,
  StructField,
  TextField,
  ValueOf,
} from './sim/schema/index.ts'
export {
  bool,
  bytes,
  f32,
  f64,
  i8,
  i16,
  i32,
  list,
  map,
  oneOf,
  optional,
  range,
  ref,
  seat,
  set,
  struct,
  text,
  u8,
  u16,
  u32,
} from './sim/schema/index.ts'
export { SnapshotBuffer } from './sim/snapshot/buffer.ts'
export type { SnapshotEncoding } from './sim/snapshot/format.ts'
export type { CustomDeclaration, CustomLeaf, CustomOptions } from './sim/state/custom.ts'
export { custom } from './sim/state/custom.ts'
export type { GridOptions } from './sim/state/grid.ts'
export { SpatialGrid } from './sim/state/grid.ts'
export type { Difference, PartDeclaration } from './sim/state/part.ts'
export type { DeepReadonly, PlainDeclaration } from './sim/state/plain.ts'
export { plain } from './sim/state/plain.ts'
export type { BlendMode } from './sim/state/previous.ts'
export { lerp, lerpAngle } from './sim/state/previous.ts'
export type { QueueDeclaration, WorkQueue } from './sim/state/queue.ts'
export { queue } from './sim/state/queue.ts'
export type { Single, SingleDeclaration, SingleView } from './sim/state/single.ts'
export { single } from './sim/state/single.ts'
export type { TableDeclaration } from './sim/state/table.ts'
export { table } from './sim/state/table.ts'
export type { Table, TableReader, TableView } from './sim/state/table-rows.ts'
export type { ConditionerOptions } from './transport/conditioner/conditioner.ts'
export { Conditioner } from './transport/conditioner/conditioner.ts'
export { ConnectError } from './transport/connect-error.ts'
export type {
  Accept,
  Connection,
  ConnectionEnd,
  ConnectionHandler,
  Dial,
  Listener,
} from './transport/connection.ts'
export type { Timing } from './transport/timing.ts'
export type { RoomAction } from './wire/room-actions.ts'
