export { InvariantError } from '../../base/assert.ts'
export { callSiteText } from '../../base/call-site-text.ts'
export type { WireErrorCode } from '../../base/errors.ts'
export { WireError } from '../../base/errors.ts'
export type { HistogramView } from '../../base/histogram.ts'
export { histogramStepsMs } from '../../base/histogram.ts'
export type { SnapshotMatch } from '../game/copies/match-section.ts'
export type { RestoreOptions } from '../game/copies/snapshots.ts'
export { loadSnapshot, readSnapshotMatch, saveSnapshot } from '../game/copies/snapshots.ts'
export type { Fingerprint } from '../game/definition/fingerprint.ts'
export type { Bundle, SealedOrder } from '../game/run/bundle.ts'
export { emptyBundle } from '../game/run/bundle.ts'
export type { SimulationObserver, TickPhase } from '../game/run/observers.ts'
export type {
  DebugFinding,
  Fault,
  OrderOutcome,
  SystemHash,
  TickReport,
} from '../game/run/report.ts'
export type { SimulationOptions } from '../game/run/simulation.ts'
export { createSimulation, Simulation } from '../game/run/simulation.ts'
export type { ScopeTiming, TickTimings } from '../game/run/tick-timer.ts'
export { TickTimer } from '../game/run/tick-timer.ts'
export type { CellMisfit } from '../guard/cell-misfit.ts'
export type { LeafDifference } from '../hash/diff.ts'
export { diffTrees } from '../hash/diff.ts'
export type { LeafProof } from '../hash/proof.ts'
export { proveLeaf, verifyLeaf } from '../hash/proof.ts'
export type { StateHash, SyncHash } from '../hash/tree.ts'
export { SnapshotBuffer } from '../snapshot/buffer.ts'
export type { SnapshotEncoding } from '../snapshot/format.ts'
export type { Difference } from '../state/part.ts'
export type { CallSite, CallSiteResolver } from '../trace/call-site.ts'
export type { TraceOptions } from '../trace/trace.ts'
export { createTrace, Trace } from '../trace/trace.ts'
export type { TraceEntry, TraceKind, TracePlace } from '../trace/trace-entry.ts'
export type {
  TraceAnswer,
  TraceComparison,
  TraceQuestion,
  TraceSource,
  TraceVerdict,
} from '../trace/trace-search.ts'
export { answerTrace, compareTraces, TraceSearch } from '../trace/trace-search.ts'
