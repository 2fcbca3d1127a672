export type { DesyncReport } from './report.ts'
export type { DesyncVerdict } from './verdict.ts'
