import type {
  BatchFailure,
  BatchProgress,
  BatchResult,
  StormPlan,
  StormResult,
} from '../../storm/index.ts'
import { injectedId } from '../../storm/index.ts'

/** What a storm may be told to go on for, and what shows that it happened. */
const eventIds = {
  injections: injectedId,
  crashes: 'a relay crashed',
  rejoins: 'a client came back',
} as const

/** How often something happened that a storm may go on for. */
export type EventCounts = { readonly [K in keyof typeof eventIds]: number }

/** Their names. */
export const countedEvents = Object.keys(eventIds) as (keyof EventCounts)[]

/** How often each of them happened. */
export function eventCounts(counts: { readonly [id: string]: number }): EventCounts {
  const { injections, crashes, rejoins } = eventIds
  return {
    injections: counts[injections] ?? 0,
    crashes: counts[crashes] ?? 0,
    rejoins: counts[rejoins] ?? 0,
  }
}

/** What the machine did, for people and for scripts. */
export interface StormReport extends EventCounts {
  readonly ok: boolean
  readonly plans: number
  readonly reruns: number
  readonly simulatedHours: number
  readonly events: number
  readonly eventsPerSecond: number
  readonly coverage: {
    readonly met: number
    readonly known: number
    readonly missing: readonly string[]
  }
  readonly failures: readonly FailureReport[]
}

/** One broken invariant, and how to see it again. */
export interface FailureReport {
  readonly invariant: string
  readonly message: string
  readonly seed: number
  readonly profile: string
  readonly planFile: string
  readonly replay: string
}

const msPerHour = 3_600_000

/** One line of how far a batch is. */
export function progressText(
  progress: BatchProgress,
  elapsedMs: number,
  goals: Partial<EventCounts> = {},
): string {
  const { met, known, counts } = progress.coverage
  const happened = eventCounts(counts)
  const reached = countedEvents.filter((name) => (goals[name] ?? 0) > 0)
  return [
    `${(progress.virtualMs / msPerHour).toFixed(2)} simulated hours`,
    `${progress.plans} plans`,
    `${perSecond(progress.events, elapsedMs)} events/s`,
    `coverage ${met}/${known}`,
    ...reached.map((name) => `${happened[name]} of ${goals[name]} ${name}`),
  ].join(' · ')
}

/** The end of a batch as data. */
export function makeReport(
  result: BatchResult,
  elapsedMs: number,
  failures: readonly FailureReport[],
): StormReport {
  const { met, known, missing } = result.coverage
  return {
    ok: failures.length === 0,
    plans: result.plans,
    reruns: result.reruns,
    simulatedHours: Math.round((result.virtualMs / msPerHour) * 1_000) / 1_000,
    events: result.events,
    eventsPerSecond: perSecond(result.events, elapsedMs),
    ...eventCounts(result.coverage.counts),
    coverage: { met, known, missing },
    failures,
  }
}

/** The end of a batch for a reader. */
export function reportText(report: StormReport): string {
  const { simulatedHours, plans, reruns, events, eventsPerSecond, coverage } = report
  const { injections, crashes, rejoins } = report
  const lines = [
    `${simulatedHours} simulated hours in ${plans} plans, ${events} events, ${eventsPerSecond} per second`,
    `${reruns} plans run twice, with the same trace`,
    // Each of them was told as it must be, or an invariant was violated.
    ...(injections > 0 ? [`${injections} injected desyncs`] : []),
    ...(crashes > 0 ? [`${crashes} relay crashes`] : []),
    ...(rejoins > 0 ? [`${rejoins} rejoins`] : []),
    `${coverage.met} of ${coverage.known} kinds of trouble encountered`,
  ]
  if (coverage.missing.length > 0) lines.push(`not encountered: ${coverage.missing.join(', ')}`)
  lines.push(report.ok ? 'No invariant was violated.' : 'An invariant was violated.')
  return lines.join('\n')
}

/** How to see a failure again, as data. `again` are words that choose the game. */
export function describeFailure(
  { plan, violation }: BatchFailure,
  planFile: string,
  again: string,
): FailureReport {
  return {
    invariant: violation.invariant,
    message: violation.message,
    seed: plan.seed,
    profile: plan.profile,
    planFile,
    replay: `npx samestep storm replay ${planFile}${again}`,
  }
}

/** A failure for a reader: what broke, what came before, and the commands that bring it back. */
export function failureText(
  report: FailureReport,
  trace: readonly string[],
  seedCommand: string,
): string {
  return [
    report.message,
    '',
    'The last events:',
    ...trace.map((line) => `  ${line}`),
    '',
    `Replay         ${report.replay}`,
    `or by seed     ${seedCommand}`,
    `Shrink         ${report.replay.replace('storm replay', 'storm shrink')}`,
  ].join('\n')
}

/** What a replay found, for a reader. */
export function replayText(plan: StormPlan, result: StormResult): string {
  const { violation, virtualMs, events, sealedTicks, traceHash } = result
  const size = `${plan.nodes.length} nodes, ${plan.faults.length} faults, ${plan.attackers.length} attackers`
  return [
    `seed ${plan.seed}, ${plan.profile}: ${size}`,
    `${(virtualMs / 1_000).toFixed(1)} simulated seconds, ${sealedTicks} ticks, ${events} events, trace ${traceHash}`,
    violation === undefined ? 'No invariant was violated.' : violation.message,
  ].join('\n')
}

function perSecond(count: number, elapsedMs: number): number {
  return Math.round(count / Math.max(elapsedMs / 1_000, 0.001))
}
