import { readFileSync, writeFileSync } from 'node:fs'
import { Command, InvalidArgumentError, Option } from 'commander'
import { UsageError } from '../base/errors.ts'
import type {
  CheckFailure,
  CheckId,
  CheckOptions,
  Draw,
  Explore,
  PlayedMatch,
} from '../check/index.ts'
import {
  checkGame,
  checkIds,
  checkTitles,
  readReproduction,
  recordMatch,
  replayCheck,
} from '../check/index.ts'
import type { Game } from '../sim/game/define-game.ts'
import { answerElsewhere, checkElsewhere, elsewhereMatchesMax } from './check-elsewhere.ts'
import type { CheckReport } from './check-report.ts'
import { makeReport, progressText, reportText } from './check-report.ts'
import type { Module } from './load-game.ts'
import { findGame, loadFreshModule, loadModule } from './load-game.ts'
import { ProgressLine } from './progress-line.ts'

/** What the command line of `check` says. */
export type CheckFlags = {
  readonly ticks?: number
  readonly seats?: number
  readonly seed?: number
  readonly only?: readonly CheckId[]
  readonly skip?: readonly CheckId[]
  readonly allocationMax?: number
  readonly export?: string
  readonly replay?: string
  readonly out?: string
  readonly elsewhere?: string
  readonly here?: true
  readonly json?: true
}

/** `samestep check`. */
export function makeCheckCommand(): Command {
  return new Command('check')
    .description(
      'Plays your game by chance, on two machines at once, saved and loaded in every tick, drawn for other viewers, and names the line where anything differs that must not',
    )
    .argument('<game>', 'file that exports your game (.js, or .ts)')
    .option('--ticks <n>', 'how many ticks to play', whole, 5_000)
    .option('--seats <n>', 'seats of each match; 4 when left out, if the game allows it', whole)
    .option('--seed <n>', 'the same seed gives the same orders', whole, 7)
    .option('--only <ids>', 'the only checks to make, with commas between', checks)
    .option('--skip <ids>', 'checks to leave out, with commas between', checks)
    .option('--allocation-max <bytes>', 'the most bytes that a tick may allocate', whole)
    .option('--export <name>', 'which export of the file is the game, if there are several')
    .option('--replay <file>', 'plays a reproduction again, in place of chance')
    .option('--out <file>', 'where to write the reproduction of a failure')
    .option('--here', 'do not play the matches again in another process')
    .option('--json', 'print one JSON report instead of text')
    .addOption(new Option('--elsewhere <file>').hideHelp())
    .addHelpText('after', help)
    .action(runCheckCommand)
}

const help = `
The file may also export
  explore({ state, seat, tick, random })  an order that makes sense now: { type, data }, or { input }
  draw(picture, seat)                     what a screen would do with match.advance(now)
  allocationBytesMax                      the most bytes that a tick may allocate

Checks:
${checkIds.map((id) => `  ${id.padEnd(11)} ${checkTitles[id]}`).join('\n')}

Examples:
  npx samestep check ./game.ts
  npx samestep check ./game.ts --ticks 100000 --seats 8 --seed 1
  npx samestep check ./game.ts --replay check-failure-reload-7.json

Exit code 1 when a check failed. What shows it is then saved to check-failure-….json.`

/** Runs the command; sets the exit code. */
export async function runCheckCommand(gameFile: string, flags: CheckFlags): Promise<void> {
  // Lines of a file that was translated are of no use to anybody.
  process.setSourceMapsEnabled?.(true)
  if (flags.elsewhere !== undefined) {
    await answerElsewhere(gameFile, flags.export, flags.elsewhere)
    return
  }
  const module = await loadModule(gameFile)
  const game = findGame(gameFile, module, flags.export)
  const fresh = findGame(gameFile, await loadFreshModule(gameFile), flags.export)
  if (flags.replay === undefined) check(gameFile, flags, module, game, fresh)
  else replay(gameFile, flags, flags.replay, { game, fresh, draw: drawOf(module) })
}

function check(gameFile: string, flags: CheckFlags, module: Module, game: Game, fresh: Game): void {
  const startMs = performance.now()
  const elapsed = () => performance.now() - startMs
  const line = new ProgressLine(process.stderr, 0)
  const matches: PlayedMatch[] = []
  const result = checkGame(game, {
    ...optionsOf(flags, module),
    fresh,
    heapBytes: () => process.memoryUsage().heapUsed,
    onProgress: (progress) => line.show(() => progressText(progress, elapsed()), elapsed()),
    onMatch: (match) => {
      if (matches.length < elsewhereMatchesMax) matches.push(match)
    },
  })
  const checkedMs = elapsed()
  const goesElsewhere = result.ok && flags.here !== true && isWanted(flags, 'elsewhere')
  if (goesElsewhere) line.show(() => 'once more in another process', Number.POSITIVE_INFINITY)
  const failure = goesElsewhere
    ? checkElsewhere(game, gameFile, flags.export, matches)
    : result.failure
  line.clear()
  const saved = failure === undefined ? undefined : save(gameFile, flags, failure, result.seed)
  const more = { failure: saved, isElsewhereChecked: goesElsewhere }
  print(makeReport(result, checkedMs, more), flags)
}

function isWanted({ only, skip }: CheckFlags, check: CheckId): boolean {
  return (only === undefined || only.includes(check)) && skip?.includes(check) !== true
}

function optionsOf(flags: CheckFlags, module: Module): CheckOptions {
  const { explore, allocationBytesMax } = module
  const { ticks, seats, seed, only, skip } = flags
  const bound = flags.allocationMax ?? (allocationBytesMax as number | undefined)
  return {
    ...(ticks === undefined ? {} : { ticks }),
    ...(seats === undefined ? {} : { seats }),
    ...(seed === undefined ? {} : { seed }),
    ...(only === undefined ? {} : { only }),
    ...(skip === undefined ? {} : { skip }),
    explore: typeof explore === 'function' ? (explore as Explore) : undefined,
    draw: drawOf(module),
    allocationBytesMax: bound,
  }
}

function drawOf({ draw }: Module): Draw | undefined {
  return typeof draw === 'function' ? (draw as Draw) : undefined
}

type Loaded = { readonly game: Game; readonly fresh: Game; readonly draw: Draw | undefined }

function replay(gameFile: string, flags: CheckFlags, file: string, loaded: Loaded): void {
  const { game, fresh, draw } = loaded
  const reproduction = readJson(file) as { readonly check?: CheckId }
  const failure =
    reproduction.check === 'elsewhere'
      ? replayElsewhere(gameFile, flags, game, reproduction)
      : replayCheck(game, reproduction, { draw, fresh })
  if (failure === undefined) {
    process.stdout.write(
      flags.json === true ? '{ "ok": true }\n' : `${file}: nothing differs any more.\n`,
    )
    return
  }
  process.exitCode = 1
  const command = againText(gameFile, flags, file)
  process.stdout.write(
    flags.json === true
      ? `${JSON.stringify({ ok: false, failure }, undefined, 2)}\n`
      : `${failure.text}\n  again    ${command}\n`,
  )
}

function replayElsewhere(
  gameFile: string,
  flags: CheckFlags,
  game: Game,
  reproduction: unknown,
): CheckFailure | undefined {
  const { script } = readReproduction(game, reproduction)
  return checkElsewhere(game, gameFile, flags.export, [recordMatch(game, script)])
}

function readJson(file: string): unknown {
  const text = readFileSync(file, 'utf8')
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError('SS_BAD_ARGUMENT', `Cannot read ${file}: it is not JSON`)
  }
}

function save(
  gameFile: string,
  flags: CheckFlags,
  failure: CheckFailure,
  seed: number,
): NonNullable<CheckReport['failure']> {
  const file = flags.out ?? `check-failure-${failure.check}-${seed}.json`
  writeFileSync(file, `${JSON.stringify(failure.reproduction, undefined, 2)}\n`)
  return { ...failure, file, replay: againText(gameFile, flags, file) }
}

function againText(gameFile: string, flags: CheckFlags, file: string): string {
  const name = flags.export === undefined ? '' : ` --export ${flags.export}`
  return `npx samestep check ${gameFile} --replay ${file}${name}`
}

function print(report: CheckReport, flags: CheckFlags): void {
  if (!report.ok) process.exitCode = 1
  const text = flags.json === true ? JSON.stringify(report, undefined, 2) : reportText(report)
  process.stdout.write(`${text}\n`)
}

function whole(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new InvalidArgumentError('It must be a whole number from 0.')
  }
  return value
}

function checks(text: string): readonly CheckId[] {
  const ids = text.split(',').map((id) => id.trim() as CheckId)
  const stranger = ids.find((id) => !checkIds.includes(id))
  if (stranger === undefined) return ids
  throw new InvalidArgumentError(`'${stranger}' is not one of ${checkIds.join(', ')}.`)
}
