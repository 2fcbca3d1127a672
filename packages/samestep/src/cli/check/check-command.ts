import { Command, InvalidArgumentError, Option } from 'commander'
import type { CheckId } from '../../check/index.ts'
import { checkIds, checkTitles } from '../../check/index.ts'
import { whole } from '../numbers.ts'
import { answerElsewhere } from './check-elsewhere.ts'
import type { CheckFlags } from './check-flags.ts'
import { CheckProgram } from './check-program.ts'
import { printProblem } from './check-report.ts'

/** `samestep check`. */
export function makeCheckCommand(): Command {
  return new Command('check')
    .description(
      'Plays your game with random orders on two machines, reloads it in every tick, and names the line where their states differ',
    )
    .argument('<game>', 'file that exports your game (.js, or .ts)')
    .option('--ticks <n>', 'ticks to play', whole, 5_000)
    .option('--match <n>', 'ticks per match', whole, 1_000)
    .option('--long <n>', 'ticks of one more, longer match; 0 for none', whole, 5_000)
    .option('--seats <n>', 'seats of each match (default: 4, if the game allows it)', whole)
    .option('--seed <n>', 'the same seed gives the same orders', whole, 7)
    .option('--only <ids>', 'run only these checks, separated by commas', checks)
    .option('--skip <ids>', 'skip these checks, separated by commas', checks)
    .option('--allocation-max <bytes>', 'maximum bytes that a tick may allocate', whole)
    .option('--export <name>', 'which export of the file is the game, if there are several')
    .option('--replay <file>', 'replay a reproduction instead of random orders')
    .option('--out <file>', 'where to write the reproduction of a failure')
    .option('--engines', 'also play the matches in other installed engines')
    .option('--limit <seconds>', 'how long one tick may take', whole, 30)
    .option('--here', 'do not repeat the matches in other processes')
    .option('--json', 'print one JSON report instead of text')
    .addOption(new Option('--elsewhere <file>').hideHelp())
    .addHelpText('after', help)
    .action(runCheckCommand)
}

const help = `
The file may also export
  explore({ state, seat, tick, random })  suggests an order: { type, data }, or { input }
  draw(picture, seat)                     draws, as a page does with match.advance(now)
  allocationBytesMax                      maximum bytes that a tick may allocate

Checks:
${checkIds.map((id) => `  ${id.padEnd(11)} ${checkTitles[id]}`).join('\n')}

Examples:
  npx samestep check ./game.ts
  npx samestep check ./game.ts --ticks 100000 --seats 8 --seed 1
  npx samestep check ./game.ts --replay check-failure-reload-7.json

Exit code 1 if a check failed; the reproduction is saved to check-failure-….json. Exit code 2 if
the game cannot be checked: it does not load, its setup throws, or a rule never returns.`

/** Runs the command; sets the exit code. */
export async function runCheckCommand(gameFile: string, flags: CheckFlags): Promise<void> {
  // Lines of a file that was translated are of no use to anybody.
  process.setSourceMapsEnabled?.(true)
  if (flags.elsewhere !== undefined) {
    await answerElsewhere(gameFile, flags.export, flags.elsewhere)
    return
  }
  const program = new CheckProgram(gameFile, flags)
  const fail = (error: unknown): void => {
    process.exitCode = 2
    printProblem(gameFile, error, flags.json === true, program.resolve)
  }
  // What a game leaves running may throw when nobody waits for it any more.
  const failAtOnce = (error: unknown): void => {
    fail(error)
    process.exit(2)
  }
  process.on('uncaughtException', failAtOnce).on('unhandledRejection', failAtOnce)
  try {
    await program.run()
  } catch (error) {
    fail(error)
  } finally {
    process.off('uncaughtException', failAtOnce).off('unhandledRejection', failAtOnce)
    await program.close()
  }
}

function checks(text: string): readonly CheckId[] {
  const ids = text.split(',').map((id) => id.trim() as CheckId)
  const stranger = ids.find((id) => !checkIds.includes(id))
  if (stranger === undefined) return ids
  throw new InvalidArgumentError(`'${stranger}' is not one of ${checkIds.join(', ')}.`)
}
