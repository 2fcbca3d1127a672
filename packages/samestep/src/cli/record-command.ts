import { closeSync, openSync, readSync } from 'node:fs'
import { Command } from 'commander'
import type { MatchOverview, RecordOverview } from '../record/index.ts'
import { overviewOf } from '../record/index.ts'

/** What the command line of `record show` says. */
export type RecordFlags = { readonly json?: true }

/** `samestep record`. */
export function makeRecordCommand(): Command {
  const show = new Command('show')
    .description('Shows the contents of a record: matches, ticks, members, gaps, and damage')
    .argument('<file>', 'the file, such as one in the journal folder of a relay')
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
Example:
  npx samestep record show journal/00000001.ssrc

Exit code 0 for a complete record; 1 for a truncated or damaged one, of which everything before the
damage is shown; 2 if the file cannot be read.`,
    )
    .action(showRecord)
  return new Command('record')
    .description('Reads records, the match histories that a relay writes to its journal')
    .addCommand(show)
}

/** Runs the command; sets the exit code. */
export function showRecord(file: string, { json }: RecordFlags): void {
  const overview = overviewOf(piecesOf(file))
  if (overview.torn !== undefined) process.exitCode = 1
  const text = json ? JSON.stringify(overview) : textOf(file, overview)
  process.stdout.write(`${text}\n`)
}

const pieceBytes = 65_536

/** The bytes of a file, piece by piece: it may be larger than memory. */
function* piecesOf(file: string): Generator<Uint8Array> {
  const descriptor = openSync(file, 'r')
  try {
    const piece = new Uint8Array(pieceBytes)
    for (;;) {
      const length = readSync(descriptor, piece)
      if (length === 0) return
      yield piece.subarray(0, length)
    }
  } finally {
    closeSync(descriptor)
  }
}

function textOf(file: string, { matches, bytes, wholeBytes, torn }: RecordOverview): string {
  const size = `${file}: ${count(matches.length, 'match', 'matches')}, ${bytes} bytes`
  const damage = torn && [
    '',
    `Torn at byte ${wholeBytes}: ${torn.bytes} bytes are lost (${torn.code}).`,
    `  ${torn.message}`,
  ]
  return [size, ...matches.flatMap(matchLines), ...(damage ?? [])].join('\n')
}

function matchLines(match: MatchOverview): string[] {
  const { game, lastTick, firstTick, tickRate } = match
  const seconds = Math.round((lastTick - firstTick + 1) / tickRate)
  const ticks = firstTick === 0 ? 'none' : `${firstTick} to ${lastTick} (${seconds} s)`
  const gaps = match.gaps.map(
    ({ firstTick, lastTick, why }) => `${firstTick} to ${lastTick} ${why}`,
  )
  const waiting = `${count(match.waitingOrders, 'order', 'orders')}, ${count(match.waitingEvents, 'event', 'events')}`
  return [
    '',
    `Match ${match.name} (${match.id}), ${game.id} version ${game.version}, ${match.seats} seats`,
    `  state    ${match.end === undefined ? `${match.phase ?? 'unknown'}, without an end` : `ended: ${match.end}`}`,
    `  ticks    ${ticks}`,
    ...(gaps.length > 0 ? [`  missing  ${gaps.join(', ')}`] : []),
    `  waiting  ${waiting}`,
    ...Object.entries(match.content).map(
      ([name, hash]) => `  file     ${name} ${hash.slice(0, 8)}`,
    ),
    ...match.members.map(({ id, name, seat, role, nextOrder }) => {
      const place = seat === undefined ? role : `seat ${seat}, ${nextOrder} orders`
      return `  member   ${id} ${name}: ${place}`
    }),
    `  entries  ${Object.entries(match.entries)
      .map(([name, number]) => `${name} ${number}`)
      .join(', ')}`,
  ]
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}
