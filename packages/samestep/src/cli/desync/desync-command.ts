import { Command } from 'commander'
import { namesOf } from '../../desync/seat-names.ts'
import { machineText } from '../../driver/match/machine-text.ts'
import { loadGame } from '../game/load-game.ts'
import { createSourceMapResolver } from '../game/source-map-resolver.ts'
import { entryText } from './entry-text.ts'
import { createFolderResolver } from './folder-maps.ts'
import { readDesync } from './read-desync.ts'
import type { Comparison, Reproduction } from './reproduce.ts'
import { reproduce } from './reproduce.ts'
import { resolveSites } from './resolve-sites.ts'
import { jsonOf, textOf } from './show-desync.ts'

/** What the command line of `desync show` says. */
export type ShowFlags = {
  readonly json?: true
  readonly game?: string
  readonly export?: string
  readonly sourceMaps?: string
}

/** What the command line of `desync reproduce` says. */
export type ReproduceFlags = { readonly json?: true; readonly export?: string }

/** `samestep desync`. */
export function makeDesyncCommand(): Command {
  return new Command('desync')
    .description('Reads the desync reports that a relay keeps or report.save() wrote')
    .addCommand(makeShow())
    .addCommand(makeReproduce())
}

function makeShow(): Command {
  return new Command('show')
    .description('Shows what a report of a desync says: when, where, who, which line, and why')
    .argument('<file>', 'the file, such as one of the folder of samestep relay --desyncs')
    .option(
      '--game <file>',
      'the file of the game: orders are then shown by name, with their fields',
    )
    .option('--export <name>', 'which game, where the file exports several')
    .option(
      '--source-maps <folder>',
      'the folder of the build that was played, with its source maps: lines are then those of the sources',
    )
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
Examples:
  npx samestep desync show desyncs/4f1c_0000000042.desync --game ./game.ts
  npx samestep desync show desyncs/4f1c_0000000042.desync --source-maps dist

Exit code 2 for a file that cannot be read, or is none.`,
    )
    .action(showDesync)
}

function makeReproduce(): Command {
  return new Command('reproduce')
    .description(
      'Runs the bad tick of a report again on this machine, and says whether it happens here',
    )
    .argument('<file>', 'the report')
    .argument('<game>', 'the file of the game, in the build that was played')
    .option('--export <name>', 'which game, where the file exports several')
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
Example:
  npx samestep desync reproduce desyncs/4f1c_0000000042.desync ./game.ts

Exit code 0 when this machine computes what the seats had that nobody blames. 1 when it happens here:
this machine computes what the blamed seats had, what nobody had, or something else each time. 2 when
the tick cannot be run again, and why.`,
    )
    .action(reproduceDesync)
}

/**
 * Prints a report.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for a file that is none.
 */
export async function showDesync(path: string, flags: ShowFlags): Promise<void> {
  const { sourceMaps } = flags
  const read = readDesync(path)
  const file =
    sourceMaps === undefined ? read : resolveSites(read, createFolderResolver(sourceMaps))
  const game = flags.game === undefined ? undefined : await loadGame(flags.game, flags.export)
  print(flags.json ? JSON.stringify(jsonOf(file, game)) : textOf(file, game))
}

/**
 * Runs the bad tick of a report again, and prints how it compares. Sets the exit code.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for a report that cannot be run again, or not with this game.
 */
export async function reproduceDesync(
  path: string,
  gamePath: string,
  flags: ReproduceFlags,
): Promise<void> {
  const file = readDesync(path)
  const game = await loadGame(gamePath, flags.export)
  const found = reproduce(file, game, createSourceMapResolver())
  if (found.happens) process.exitCode = 1
  const machine = machineText()
  print(flags.json ? JSON.stringify({ ...found, machine }) : reproductionText(found, machine))
}

function reproductionText(found: Reproduction, machine: string): string {
  const { tick, fromTick, from, isStable, unstable, compared } = found
  const lines = [
    `Tick ${tick}, run again on this machine: ${tick - fromTick} ticks from ${from}`,
    '',
    `  this machine ${machine}`,
    ...compared.flatMap((each) => comparisonLines(each, tick)),
  ]
  if (!isStable) {
    lines.push(`  not twice    ${unstable === undefined ? 'the writes' : entryText(unstable)}`)
  }
  return [...lines, '', sentenceOf(found)].join('\n')
}

function comparisonLines({ seats, differsAt, isKnown, write }: Comparison, tick: number): string[] {
  const name = namesOf(seats).padEnd(12)
  if (differsAt === undefined) {
    return [`  ${name} ${isKnown ? 'the same' : 'not known: nobody told what they had'}`]
  }
  const when =
    differsAt < tick ? `differs from tick ${differsAt} on, before the bad one` : 'differs'
  if (write === undefined) return [`  ${name} ${when}`]
  const { index, isOrBefore, here, there } = write
  const lines = [
    `  ${name} ${when}, first in write ${index}${isOrBefore ? ' or before' : ''} of the tick`,
    `    here: ${here === undefined ? 'no more writes' : entryText(here)}`,
  ]
  if (there !== undefined) lines.push(`    ${namesOf(seats)}: ${entryText(there)}`)
  return lines
}

function sentenceOf({ happens, isStable, compared }: Reproduction): string {
  if (!isStable) return 'It happens here: run twice, the tick gives two results.'
  const like = compared.filter(({ differsAt, isKnown }) => isKnown && differsAt === undefined)
  const names = like.map(({ seats }) => namesOf(seats)).join(' and ')
  if (like.length === 0) return 'This machine computes what nobody had.'
  if (happens) return `It happens here too: this machine computes what ${names} had.`
  return `It does not happen here: this machine computes what ${names} had.`
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
