import { findCause } from '../../desync/doctor/live-cause.ts'
import type { ComparedPair, DesyncFile } from '../../desync/report-file.ts'
import type { FoundPlace, FoundWrite } from '../../desync/search/pair-finding.ts'
import { entriesBefore } from '../../desync/search/write-search.ts'
import { namesOf } from '../../desync/seat-names.ts'
import { verdictOf } from '../../desync/verdict.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { toHex } from '../../sim/hash/hex.ts'
import { entryText, placeText, writeText } from './entry-text.ts'
import { startOf } from './start.ts'
import { timelineLines, timelineOf } from './timeline.ts'
import { toldLines } from './told-lines.ts'

/** The report for programs: as it is, with the verdict and the causes in words. Bytes are left out. */
export function jsonOf(file: DesyncFile, game?: Game): object {
  const { fingerprint, config, pairs, culprits, sides, record: _, ...rest } = file
  return {
    ...rest,
    fingerprint: toHex(fingerprint),
    config: { ...config, options: toHex(config.options) },
    verdict: verdictOf(culprits),
    pairs: pairs.map((pair) => ({ ...pair, cause: causeOf(pair) })),
    sides: sides.map(({ state, ...side }) => ({
      ...side,
      state: state && { tick: state.tick, bytes: state.bytes },
    })),
    timeline: timelineOf(file, game),
    start: startOf(file),
  }
}

function causeOf({ finding, seats: [a, b] }: ComparedPair) {
  return findCause(finding, [namesOf(a), namesOf(b)])
}

/** The report for people. */
export function textOf(file: DesyncFile, game?: Game): string {
  const { tick, agreedTick, groups, culprits, config, pairs, savedBy, sides } = file
  const isSure = agreedTick === tick - 1 || pairs.some(({ finding }) => finding.isExact)
  const writer = savedBy === undefined ? 'relay' : `the client of seat ${savedBy}`
  const lines = [
    `Desync at tick ${tick}${isSure ? '' : ' or before'}`,
    '',
    `  match        ${file.matchName} (${file.matchId}), ${config.seats} seats, ${config.tickRate} ticks per second`,
    `  game         ${file.gameId} version ${file.gameVersion}, fingerprint ${toHex(file.fingerprint).slice(0, 16)}…`,
    `  seed         ${file.seed}`,
    `  written by   ${writer}, ${file.engine}`,
    `  who agrees   ${groups.map(namesOf).join(' | ')}`,
    `  verdict      ${culprits.length === 0 ? 'undecided: no strict majority' : `${namesOf(culprits)} ${culprits.length === 1 ? 'differs' : 'differ'} from the majority`}`,
  ]
  for (const { seats, machine } of sides) {
    if (machine !== '') lines.push(`  machine      ${namesOf(seats)}: ${machine}`)
  }
  const isMachineTold = sides.some(({ machine }) => machine !== '')
  for (const pair of pairs) lines.push('', ...pairLines(pair, isMachineTold))
  if (file.told !== undefined) lines.push('', ...toldLines(file.told))
  else if (pairs.length === 0) lines.push('', 'Nobody could explain how the machines diverged.')
  const timeline = timelineOf(file, game)
  if (timeline !== undefined) lines.push('', ...timelineLines(timeline, tick))
  return [...lines, '', againLine(file)].join('\n')
}

/** How the tick can be run again, or what is missing for it. */
function againLine(file: DesyncFile): string {
  const start = startOf(file)
  if (start.kind === 'none') return `  again        cannot be rerun: ${start.why}`
  return `  again        npx samestep desync reproduce <this file> ./game.ts reruns tick ${file.tick} from ${start.text}`
}

function pairLines(pair: ComparedPair, isMachineTold: boolean): string[] {
  const { finding, seats } = pair
  const [a, b] = [namesOf(seats[0]), namesOf(seats[1])] as const
  const lines = [`${a} and ${b}`, '']
  finding.reruns.forEach((rerun, side) => {
    if (rerun?.machine && !isMachineTold)
      lines.push(`  machine      ${[a, b][side]}: ${rerun.machine}`)
  })
  if (finding.place !== undefined) lines.push(...placeLines(finding.place, finding.tick, [a, b]))
  const more = finding.leafCount - 1
  if (more > 0)
    lines.push(
      `  also         ${more} more leaves of the state: ${finding.leaves.slice(1, 4).join(', ')}`,
    )
  if (finding.write !== undefined) lines.push(...writeLines(finding.write, [a, b]))
  if (finding.areWritesSame) lines.push('  writes       all the same when the tick is rerun')
  finding.outside.forEach((outside, side) => {
    if (outside === undefined) return
    const who = [a, b][side]
    for (const { part, row, field, expected, found } of outside.places) {
      const place = placeText(part, row, field)
      lines.push(`  not by step  ${place} on ${who}: ${found} instead of ${expected}`)
    }
    const label = outside.readsBeside ? 'not saved' : 'not twice'
    if (outside.unstable) lines.push(`  ${label}    ${who}: ${entryText(outside.unstable)}`)
  })
  const cause = causeOf(pair)
  if (cause !== undefined)
    lines.push(`  cause        ${cause.id}: ${cause.text}`, `  advice       ${cause.advice}`)
  return lines
}

/** The first write that differs, and a diff of the writes around it. */
function writeLines(write: FoundWrite, sides: readonly [string, string]): string[] {
  const lines = [`  first write  number ${write.index} of the tick`]
  write.sides.forEach((entry, side) => {
    lines.push(
      `    ${sides[side]}: ${entry === undefined ? 'makes no more writes' : entryText(entry)}`,
    )
  })
  const [mine, theirs] = write.excerpts
  if (mine.length + theirs.length === 0) return lines
  lines.push(`  diff         - ${sides[0]}, + ${sides[1]}`)
  const first = Math.max(write.index - entriesBefore, write.blockStart)
  for (let at = 0; at < Math.max(mine.length, theirs.length); at++) {
    const [a, b] = [mine[at], theirs[at]].map((entry) => entry && writeText(entry))
    const number = first + at
    if (a === b) {
      lines.push(`      ${number} ${a}`)
      continue
    }
    if (a !== undefined) lines.push(`    - ${number} ${a}`)
    if (b !== undefined) lines.push(`    + ${number} ${b}`)
  }
  return lines
}

function placeLines(
  { part, row, field, tick, values }: FoundPlace,
  badTick: number,
  sides: readonly [string, string],
): string[] {
  const later = tick === badTick ? '' : `, after tick ${tick}`
  const lines = [`  where        ${placeText(part, row, field)}${later}`]
  values?.forEach((value, side) => {
    lines.push(`    ${sides[side]}: ${value ?? 'no such value'}`)
  })
  return lines
}
