import { formatPlain } from '../table.ts'
import type { StageResult } from './stage.ts'

/** A run in figures. */
export interface DoorsSummary {
  readonly seed: number
  readonly minutes: number
  /** The command that does the same again. */
  readonly replay: string
  readonly stages: readonly StageResult[]
}

/** Whether nothing was wrong. */
export function isGood({ stages }: DoorsSummary): boolean {
  return stages.every(({ faults }) => faults.length === 0)
}

/** For people. */
export function formatSummary(summary: DoorsSummary): string {
  const heading = ['relay', 'seconds', 'acts', 'orders', 'longest gap', 'memory', 'links', 'faults']
  const rows = summary.stages.map((stage) => [
    stage.relay,
    String(stage.seconds),
    String(Object.values(stage.acts).reduce((sum, count) => sum + count, 0)),
    String(stage.executed),
    `${stage.longestGapMs} ms`,
    `+${stage.growthMib} MiB`,
    `${stage.idle?.links ?? '?'} → ${stage.rest?.links ?? '?'}`,
    String(stage.faults.length),
  ])
  const acts = new Map<string, number>()
  for (const [act, count] of summary.stages.flatMap((stage) => Object.entries(stage.acts))) {
    acts.set(act, (acts.get(act) ?? 0) + count)
  }
  const lines = summary.stages.flatMap(({ relay, faults, recent }) =>
    faults.length === 0
      ? []
      : [
          `${relay}:`,
          ...faults.map((fault) => `  ${fault}`),
          `  before that: ${recent.join(', ')}`,
        ],
  )
  return [
    `${summary.minutes} minutes, seed ${summary.seed}`,
    '',
    formatPlain([heading, ...rows]),
    '',
    formatPlain([['act', 'times'], ...[...acts].map(([act, count]) => [act, String(count)])]),
    '',
    ...lines,
    isGood(summary) ? 'Good.' : `Not good. Again: ${summary.replay}`,
  ].join('\n')
}
