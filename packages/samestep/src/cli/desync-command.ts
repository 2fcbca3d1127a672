import { readFileSync, statSync } from 'node:fs'
import { Command } from 'commander'
import { callSiteText } from '../base/call-site-text.ts'
import { UsageError, WireError } from '../base/errors.ts'
import { findCause } from '../desync/cause.ts'
import type { ComparedPair, DesyncFile } from '../desync/report-file.ts'
import { decodeDesyncFile, desyncFileBytesMax } from '../desync/report-file.ts'
import type { FoundPlace } from '../desync/search/pair-finding.ts'
import { namesOf } from '../desync/tell-finding.ts'
import { verdictOf } from '../desync/verdict.ts'
import { toHex } from '../sim/hash/hex.ts'
import type { ProbeEntry } from '../wire/desync-probes.ts'

/** What the command line of `desync show` says. */
export type DesyncFlags = { readonly json?: true }

/** `samestep desync`. */
export function makeDesyncCommand(): Command {
  const show = new Command('show')
    .description('Shows what a report of a desync says: when, where, who, which line, and why')
    .argument('<file>', 'the file, such as one of the folder of samestep relay --desyncs')
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
Example:
  npx samestep desync show desyncs/4f1c_0000000042.desync

Exit code 2 for a file that cannot be read, or is none.`,
    )
    .action(showDesync)
  return new Command('desync')
    .description('Reads the desync reports that a relay keeps')
    .addCommand(show)
}

/**
 * Prints a report.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for a file that is none.
 */
export function showDesync(path: string, { json }: DesyncFlags): void {
  const file = readDesync(path)
  process.stdout.write(`${json ? JSON.stringify(jsonOf(file)) : textOf(file)}\n`)
}

function readDesync(path: string): DesyncFile {
  const bad = (why: string) => new UsageError('SS_BAD_ARGUMENT', `${path}: ${why}`)
  if (statSync(path).size > desyncFileBytesMax) throw bad('too large for a report of a desync')
  try {
    return decodeDesyncFile(new Uint8Array(readFileSync(path)))
  } catch (error) {
    if (error instanceof WireError) throw bad(error.message)
    throw error
  }
}

/** The report for programs: as it is, with the verdict and the causes in words. */
function jsonOf(file: DesyncFile): object {
  const { fingerprint, config, pairs, culprits, ...rest } = file
  return {
    ...rest,
    fingerprint: toHex(fingerprint),
    config: { ...config, options: toHex(config.options) },
    verdict: verdictOf(culprits),
    pairs: pairs.map((pair) => ({ ...pair, cause: causeOf(pair) })),
  }
}

function causeOf({ finding, seats: [a, b] }: ComparedPair) {
  return findCause(finding, [namesOf(a), namesOf(b)])
}

function textOf(file: DesyncFile): string {
  const { tick, agreedTick, groups, culprits, config, pairs } = file
  const isSure = agreedTick === tick - 1 || pairs.some(({ finding }) => finding.isExact)
  const lines = [
    `Desync at tick ${tick}${isSure ? '' : ' or before'}`,
    '',
    `  match        ${file.matchName} (${file.matchId}), ${config.seats} seats, ${config.tickRate} ticks per second`,
    `  game         ${file.gameId} version ${file.gameVersion}, fingerprint ${toHex(file.fingerprint).slice(0, 16)}…`,
    `  seed         ${file.seed}`,
    `  relay        ${file.engine}`,
    `  who agrees   ${groups.map(namesOf).join(' | ')}`,
    `  verdict      ${culprits.length === 0 ? 'undecided: no strict majority' : `${namesOf(culprits)} ${culprits.length === 1 ? 'differs' : 'differ'} from the majority`}`,
  ]
  for (const pair of pairs) lines.push('', ...pairLines(pair))
  if (pairs.length === 0) lines.push('', 'Nobody could say how the machines went apart.')
  return lines.join('\n')
}

function pairLines(pair: ComparedPair): string[] {
  const { finding, seats } = pair
  const [a, b] = [namesOf(seats[0]), namesOf(seats[1])] as const
  const lines = [`${a} and ${b}`, '']
  finding.reruns.forEach((rerun, side) => {
    if (rerun?.machine) lines.push(`  machine      ${[a, b][side]}: ${rerun.machine}`)
  })
  if (finding.place !== undefined) lines.push(...placeLines(finding.place, finding.tick, [a, b]))
  const more = finding.leafCount - 1
  if (more > 0)
    lines.push(
      `  also         ${more} more leaves of the state: ${finding.leaves.slice(1, 4).join(', ')}`,
    )
  if (finding.write !== undefined) {
    lines.push(`  first write  number ${finding.write.index} of the tick`)
    finding.write.sides.forEach((entry, side) => {
      lines.push(
        `    ${[a, b][side]}: ${entry === undefined ? 'makes no more writes' : entryText(entry)}`,
      )
    })
  }
  if (finding.areWritesSame) lines.push('  writes       all the same when the tick is run again')
  finding.outside.forEach((outside, side) => {
    if (outside === undefined) return
    const who = [a, b][side]
    for (const { part, row, field, expected, found } of outside.places) {
      const place = nameOf(part, row, field)
      lines.push(`  not by step  ${place} on ${who}: ${found} instead of ${expected}`)
    }
    if (outside.unstable) lines.push(`  not twice    ${who}: ${entryText(outside.unstable)}`)
  })
  const cause = causeOf(pair)
  if (cause !== undefined)
    lines.push(`  cause        ${cause.id}: ${cause.text}`, `  advice       ${cause.advice}`)
  return lines
}

function placeLines(
  { part, row, field, tick, values }: FoundPlace,
  badTick: number,
  sides: readonly [string, string],
): string[] {
  const later = tick === badTick ? '' : `, after tick ${tick}`
  const lines = [`  where        ${nameOf(part, row, field)}${later}`]
  values?.forEach((value, side) => {
    lines.push(`    ${sides[side]}: ${value ?? 'no such value'}`)
  })
  return lines
}

function nameOf(part: string, row: number | undefined, field: string): string {
  return `${part}.${field}${row === undefined ? '' : `, row ${row}`}`
}

function entryText({
  kind,
  where,
  name,
  part,
  row,
  field,
  before,
  after,
  site,
}: ProbeEntry): string {
  const what =
    kind === 'draw'
      ? `draws from ${field}`
      : `${kind} ${nameOf(part, row, field)}: ${before} to ${after}`
  const line = site === undefined ? '' : `, ${callSiteText(site)}`
  return `${what}, in ${where === 'step' ? name : `${where} ${name}`}${line}`
}
