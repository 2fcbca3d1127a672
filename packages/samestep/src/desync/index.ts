export type { DesyncCause, DesyncCauseId } from './doctor/live-cause.ts'
export type { DesyncPlace, DesyncReport, DesyncWrite } from './report.ts'
export type { DesyncVerdict } from './verdict.ts'
