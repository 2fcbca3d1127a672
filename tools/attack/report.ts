/** Outcomes as a table for people, and as figures for programs. */
import { formatPlain } from '../table.ts'
import type { AttackCase, AttackResult, Measured, Outcome, Promised } from './attack.ts'

/** One attack that was run. */
export interface Ran {
  readonly attack: string
  readonly case: string
  readonly outcome: Outcome
  readonly promises: readonly Promised[]
}

/** Judges an outcome. */
export function judge(attack: string, { title, promises }: AttackCase, outcome: Outcome): Ran {
  return { attack, case: title, outcome, promises: promises(outcome) }
}

/** What was not kept. */
export function broken({ promises }: Ran): readonly string[] {
  return promises.flatMap(({ what, isKept }) => (isKept ? [] : [what]))
}

const heading = [
  'attack',
  'ticks before: p99, max ms',
  'meanwhile: p99, max ms',
  'timer p99 ms',
  'CPU',
  'memory',
  'join',
  'free after',
  'kept',
]

/** One table of all, and below it what was sent and what was not kept. */
export function formatAll(all: readonly Ran[]): string {
  const lines = all.flatMap((ran) => [
    `${ran.attack}, ${ran.case}: ${describe(ran.outcome.did)}`,
    ...broken(ran).map((what) => `  NOT KEPT: ${what}`),
  ])
  return `${formatPlain([heading, ...all.map(rowOf)])}\n\n${lines.join('\n')}`
}

function rowOf(ran: Ran): string[] {
  const { outcome } = ran
  const { before, meanwhile, after, joinMs } = outcome
  const growth = Math.max(meanwhile.peakMib, after.peakMib) - before.peakMib
  const pair = ({ p99, max }: Measured) => `${p99.toFixed(0)}, ${max.toFixed(0)}`
  return [
    `${ran.attack}: ${ran.case}`,
    pair(before),
    pair(meanwhile),
    meanwhile.timerP99.toFixed(0),
    `${Math.round(meanwhile.cpu * 100)} %`,
    `${growth < 0 ? '' : '+'}${growth.toFixed(0)} MiB`,
    joinMs === undefined ? 'not in' : `${(joinMs / 1_000).toFixed(2)} s`,
    `${outcome.restSeconds.toFixed(0)} s`,
    broken(ran).length === 0 ? 'yes' : `NO: ${broken(ran).length}`,
  ]
}

function describe(did: AttackResult): string {
  return Object.entries(did)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}
