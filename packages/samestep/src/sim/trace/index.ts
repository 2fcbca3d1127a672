export { callSiteText } from '../../base/call-site-text.ts'
export type { CallSite, CallSiteResolver } from './call-site.ts'
export type { TraceOptions } from './trace.ts'
export { createTrace, Trace } from './trace.ts'
export type { TraceEntry, TraceKind, TracePlace } from './trace-entry.ts'
export type {
  TraceAnswer,
  TraceComparison,
  TraceQuestion,
  TraceSource,
  TraceVerdict,
} from './trace-search.ts'
export { answerTrace, compareTraces, TraceSearch } from './trace-search.ts'
