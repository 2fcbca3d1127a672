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
    .description('Reads desync reports from a relay or from report.save()')
    .addCommand(makeShow())
    .addCommand(makeReproduce())
}

function makeShow(): Command {
  return new Command('show')
    .description('Shows a desync report: when, where, who, which line, and why')
    .argument('<file>', 'the file, such as one in the --desyncs folder of a relay')
    .option('--game <file>', 'the file of the game, to show orders by name and with their fields')
    .option('--export <name>', 'which game, where the file exports several')
    .option(
      '--source-maps <folder>',
      'the build folder with source maps, to show lines of the sources',
    )
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
Examples:
  npx samestep desync show desyncs/4f1c_0000000042.desync --game ./game.ts
  npx samestep desync show desyncs/4f1c_0000000042.desync --source-maps dist

Exit code 2 for a file that cannot be read or is not a report.`,
    )
    .action(showDesync)
}

function makeReproduce(): Command {
  return new Command('reproduce')
    .description(
      'Reruns the bad tick of a report on this machine, and says whether the desync happens here',
    )
    .argument('<file>', 'the report')
    .argument('<game>', 'the file of the game, from the same build')
    .option('--export <name>', 'which game, where the file exports several')
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
Example:
  npx samestep desync reproduce desyncs/4f1c_0000000042.desync ./game.ts

Exit code 0 if this machine agrees with the seats that are not blamed. 1 if the desync happens here: this
machine agrees with the blamed seats, with nobody, or gives a different result each time. 2 if the tick
cannot be rerun; the output says why.`,
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
    `Tick ${tick}, rerun on this machine: ${tick - fromTick} ticks from ${from}`,
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
    return [`  ${name} ${isKnown ? 'the same' : 'unknown: they reported no state'}`]
  }
  const when =
    differsAt < tick ? `differs from tick ${differsAt} on, before the bad tick` : 'differs'
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
  if (!isStable) return 'It happens here: the tick gives two results when it runs twice.'
  const like = compared.filter(({ differsAt, isKnown }) => isKnown && differsAt === undefined)
  const names = like.map(({ seats }) => namesOf(seats)).join(' and ')
  if (like.length === 0) return 'This machine computes a state that no seat had.'
  if (happens) return `It happens here too: this machine computes the same as ${names}.`
  return `It does not happen here: this machine computes the same as ${names}.`
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
