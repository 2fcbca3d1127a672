import { formatPlain } from '../table.ts'
import type { MemorySample } from './memory.ts'
import { slopePerMinute } from './memory.ts'
import type { SoakResult } from './soak.ts'
import type { Verdict } from './witness.ts'

/** How the players of one transport fared. */
export interface WaySummary {
  readonly way: string
  readonly players: number
  readonly reconnects: number
  readonly breaks: number
  readonly outages: number
  /** Order to execution, in ms, of the typical player: median and 95 %. */
  readonly orderMs: number
  readonly orderP95Ms: number
}

/** A soak in figures. */
export interface SoakSummary extends Verdict {
  readonly seed: number
  readonly clients: number
  readonly minutes: number
  readonly rounds: number
  readonly kills: number
  readonly ticks: number
  readonly relayMismatches: number
  readonly leftOver: number
  readonly errors: readonly string[]
  readonly ways: readonly WaySummary[]
  readonly heapKb: number
  readonly rssKb: number
  /** What the relay's process has more, minute by minute; `null` for a run too short to tell. */
  readonly heapSlopeKbPerMinute: number | null
  /** Of the relay's process at the end of each round, when everybody has left. */
  readonly memory: readonly MemorySample[]
}

/**
 * Caches fill and code is compiled for longer than one thinks, each time by less: only the second half
 * of a run tells what grows, and only if it is long enough.
 */
const settledMinutesMin = 1

/**
 * Growth that is no noise of the collector: a match that is never let go is a megabyte, and eight of
 * them begin in each round of half a minute.
 */
const heapSlopeKbMax = 1_024

/** Puts a result into figures. */
export function summarize(result: SoakResult): SoakSummary {
  const { options, verdict, reports, memory, minutes, ...rest } = result
  const last = memory.at(-1)
  const slope = settledSlope(memory)
  const { rounds, kills, ticks, relayMismatches, leftOver, errors } = rest
  return {
    seed: options.seed,
    clients: options.clients,
    minutes: Math.round(minutes * 100) / 100,
    rounds,
    kills,
    ticks,
    ...verdict,
    relayMismatches,
    leftOver,
    errors,
    ways: [...new Set(reports.map(({ way }) => way))].sort().map((way) => {
      const own = reports.filter((report) => report.way === way)
      const sum = (pick: (report: (typeof own)[number]) => number) =>
        own.reduce((total, report) => total + pick(report), 0)
      return {
        way,
        players: own.length,
        reconnects: sum(({ reconnects }) => reconnects),
        breaks: sum(({ breaks }) => breaks),
        outages: sum(({ outages }) => outages),
        orderMs: median(own.map(({ orderMs }) => orderMs)),
        orderP95Ms: median(own.map(({ orderP95Ms }) => orderP95Ms)),
      }
    }),
    heapKb: Math.round(last?.heapKb ?? 0),
    rssKb: Math.round(last?.rssKb ?? 0),
    heapSlopeKbPerMinute: slope === undefined ? null : Math.round(slope),
    memory,
  }
}

function settledSlope(memory: readonly MemorySample[]): number | undefined {
  const endMinutes = memory.at(-1)?.minutes ?? 0
  const settled = memory.filter(({ minutes }) => minutes >= endMinutes / 2)
  if (endMinutes - (settled[0]?.minutes ?? 0) < settledMinutesMin) return undefined
  return slopePerMinute(settled.map(({ minutes, heapKb }) => ({ minutes, kb: heapKb })))
}

/** What must be zero, by name. */
function faultsOf(summary: SoakSummary): [string, number][] {
  const { lost, doubled, misplaced, unsettled, hashMismatches, relayMismatches } = summary
  return [
    ['orders lost', lost],
    ['orders doubled', doubled],
    ['orders misplaced', misplaced],
    ['orders unsettled', unsettled],
    ['hashes that differ', hashMismatches + relayMismatches],
    ['players dropped', summary.dropped],
    ['left over in the relay', summary.leftOver],
    ['errors', summary.errors.length],
  ]
}

/** Whether everything is as it must be. */
export function isGood(summary: SoakSummary): boolean {
  const isCalm = (summary.heapSlopeKbPerMinute ?? 0) <= heapSlopeKbMax
  const hasPlayed = summary.executed > 0 && summary.ticks > 0
  return isCalm && hasPlayed && faultsOf(summary).every(([, count]) => count === 0)
}

/** For people. */
export function formatSummary(summary: SoakSummary): string {
  const heading = ['way', 'players', 'reconnects', 'breaks', 'outages', 'order ms', 'p95 ms']
  const rows = summary.ways.map((row) =>
    [row.way, row.players, row.reconnects, row.breaks, row.outages]
      .map(String)
      .concat([row.orderMs.toFixed(0), row.orderP95Ms.toFixed(0)]),
  )
  const { clients, minutes, rounds, kills, ticks, executed, refused, seed } = summary
  const slope = summary.heapSlopeKbPerMinute ?? 'too short to tell'
  const lines = [
    `${clients} players, ${minutes} minutes, ${rounds} rounds, ${ticks} ticks sealed, ${kills} processes killed, seed ${seed}`,
    '',
    formatPlain([heading, ...rows]),
    '',
    formatPlain([
      ['what', 'count'],
      ['orders executed', String(executed)],
      ['orders refused', String(refused)],
      ...faultsOf(summary).map(([name, count]) => [name, String(count)]),
      ['heap KiB', String(summary.heapKb)],
      ['heap KiB per minute more', String(slope)],
      ['resident KiB', String(summary.rssKb)],
    ]),
    ...summary.errors.map((error) => `\n${error}`),
    '',
    isGood(summary)
      ? 'Good.'
      : `Not good. Again: npm run soak -- --clients ${clients} --seed ${seed}`,
  ]
  return lines.join('\n')
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
