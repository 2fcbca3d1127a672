import { readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type {
  BatchFailure,
  BatchOptions,
  BatchResult,
  Profile,
  ShrinkProgress,
} from '../../storm/index.ts'
import {
  defaultProfiles,
  profiles,
  readStormPlan,
  runStormPlan,
  seedsFrom,
  shrinkStorm,
  writeStormPlan,
} from '../../storm/index.ts'
import { loadGame } from '../game/load-game.ts'
import { whole } from '../numbers.ts'
import { ProgressLine } from '../progress-line.ts'
import { runJobs, serveJob } from './storm-jobs.ts'
import type { EventCounts, FailureReport } from './storm-report.ts'
import {
  countedEvents,
  describeFailure,
  eventCounts,
  failureText,
  makeReport,
  progressText,
  replayText,
  reportText,
} from './storm-report.ts'
import type { Stop } from './storm-steps.ts'
import { stopOnSignal, takeSteps } from './storm-steps.ts'

type StormFlags = {
  readonly minutes: number
  readonly plans?: number
  readonly hours?: number
  readonly seed: number
  readonly profile: Profile | 'all'
  readonly players?: number
  readonly spectators?: number
  readonly injections?: number
  readonly crashes?: number
  readonly rejoins?: number
  readonly export?: string
  readonly jobs: number
  readonly json?: true
  readonly job?: true
}

type PlanFlags = { readonly game?: string; readonly export?: string }

/** Lines of the trace that are shown after a failure: about one screen. */
const traceLines = 30

/** `samestep storm`, with `replay` and `shrink` below it. */
export function makeStormCommand(): Command {
  return new Command('storm')
    .description(
      'Plays your game over thousands of bad networks, with stalling clients and attackers, and checks after every event that no order was lost and nobody is out of sync',
    )
    .argument('[game]', 'file that exports your game (.js, or .ts); default: small built-in games')
    .addOption(new Option('--minutes <n>', 'how long to run').argParser(positive).default(2))
    .option('--plans <n>', 'how many plans to run, instead of --minutes', whole)
    .option('--hours <n>', 'simulated hours of each plan (default: by profile)', positive)
    .option('--seed <n>', 'the first seed; the same seeds give the same storms', whole, 1)
    .addOption(
      new Option('--profile <name>', 'kind of network conditions')
        .choices(['all', ...profiles])
        .default('all'),
    )
    .option('--players <n>', 'players in each match (default: random)', whole)
    .option('--spectators <n>', 'additional spectators in each match', whole)
    .option(
      '--injections <n>',
      'run until this many desyncs were injected, instead of --minutes; 0: inject none, and treat any desync report as a failure',
      whole,
    )
    .option(
      '--crashes <n>',
      'run until the relay crashed this many times, instead of --minutes',
      whole,
    )
    .option(
      '--rejoins <n>',
      'run until players rejoined this many times, instead of --minutes',
      whole,
    )
    .option('--export <name>', 'which export of the file is the game, if there are several')
    .addOption(
      new Option('--jobs <n>', 'how many plans to run at a time, each in a process of its own')
        .argParser(jobCount)
        .default(1),
    )
    .option('--json', 'print one JSON report instead of text')
    .addOption(new Option('--job', 'runs the plans that another process sends').hideHelp())
    .addHelpText('after', stormHelp)
    .action(runStorm)
    .addCommand(makeReplayCommand())
    .addCommand(makeShrinkCommand())
}

function makeReplayCommand(): Command {
  return new Command('replay')
    .description('Replays one plan exactly')
    .argument('<plan>', 'file of a plan')
    .option('--game <file>', 'the game that the plan was found with')
    .option('--export <name>', 'which export of the file is the game, if there are several')
    .option('--trace', 'print every event')
    .addHelpText(
      'after',
      '\nExample:\n  npx samestep storm replay storm-failure-I-04-17.json --trace',
    )
    .action(replay)
}

function makeShrinkCommand(): Command {
  return new Command('shrink')
    .description('Removes from a failing plan everything that the failure does not need')
    .argument('<plan>', 'file of a plan that fails')
    .option('--game <file>', 'the game that the plan was found with')
    .option('--export <name>', 'which export of the file is the game, if there are several')
    .option('--out <file>', 'where to write the small plan (default: next to the large one)')
    .option('--runs <n>', 'maximum number of runs', whole)
    .addHelpText('after', '\nExample:\n  npx samestep storm shrink storm-failure-I-04-17.json')
    .action(shrink)
}

const stormHelp = `
Profiles: sunny (no faults), stormy, churn (players join and leave, lobbies restart), slow
(machines that cannot keep up), hidden (hidden pages), lagswitch and flood (cheaters on a good
network), desync (one machine desyncs in each plan), relay-crash (the relay crashes and restarts),
byzantine (attackers), boundary (counters about to overflow, the largest messages), swizzle
(partitions), radioactive (everything at once), longhaul (hours; not in all).

Ctrl-C ends a storm after the plan that is running, with the report so far.

Examples:
  npx samestep storm ./game.ts --minutes 10
  npx samestep storm ./game.ts --profile radioactive --players 8 --seed 1000
  npx samestep storm --profile desync --injections 1000 --jobs 8
  npx samestep storm --profile relay-crash --crashes 1000
  npx samestep storm --profile longhaul --hours 10 --plans 5 --injections 0
  npx samestep storm --json > storm.json

Exit code 1 if an invariant was violated. The plan is then saved to storm-failure-….json.
2 if the command cannot run, or if a job died.`

async function runStorm(gameFile: string | undefined, flags: StormFlags): Promise<void> {
  const game = await loadIf(gameFile, flags.export)
  if (flags.job) {
    serveJob(gameOption(game))
    return
  }
  const startMs = performance.now()
  const elapsed = () => performance.now() - startMs
  const line = new ProgressLine(process.stderr, 0)
  let counts = eventCounts({})
  const stop = stopOnSignal()
  const options: BatchOptions = {
    ...gameOption(game),
    ...limits(flags, elapsed, () => counts, stop),
    seeds: seedsFrom(flags.seed),
    profiles: flags.profile === 'all' ? defaultProfiles : [flags.profile],
    plan: {
      ...(flags.hours === undefined ? {} : { durationMs: flags.hours * 3_600_000 }),
      ...(flags.players === undefined ? {} : { players: flags.players }),
      ...(flags.spectators === undefined ? {} : { spectators: flags.spectators }),
      ...(flags.injections === 0 ? { isSound: true } : {}),
    },
    onProgress: (progress) => {
      counts = eventCounts(progress.coverage.counts)
      line.show(() => progressText(progress, elapsed(), flags), elapsed())
    },
  }
  const { result, lostJob } = await play(gameFile, flags, options)
  stop.end()
  line.clear()
  const again = gameFlags(gameFile, flags.export)
  const failures = result.failures.map((failure) => saveFailure(failure, again))
  const report = makeReport(result, elapsed(), failures)
  if (flags.json) print(JSON.stringify(report, undefined, 2))
  else print(reportText(report))
  if (stop.signal !== undefined) {
    process.exitCode = 128 + constants.signals[stop.signal]
    if (!flags.json) print(`Stopped by ${stop.signal}; what is above is true up to there.`)
  }
  if (lostJob !== undefined) {
    process.exitCode = 2
    process.stderr.write(`${lostJob}; the report is true up to there.\n`)
  }
  for (const [index, failure] of failures.entries()) {
    process.exitCode = 1
    if (flags.json) continue
    const { plan } = result.failures[index] as BatchFailure
    const { trace } = runStormPlan(plan, { ...gameOption(game), traceLines })
    print(`\n${failureText(failure, trace, seedCommand(gameFile, flags, failure))}`)
  }
}

/** Runs the plans, here or in jobs. `lostJob` says why the storm ended early. */
async function play(
  file: string | undefined,
  { jobs, export: name }: StormFlags,
  options: BatchOptions,
): Promise<{ readonly result: BatchResult; readonly lostJob: string | undefined }> {
  if (jobs === 1) return { result: await takeSteps(options), lostJob: undefined }
  return runJobs(jobs, { file, export: name }, options)
}

function limits(
  flags: StormFlags,
  elapsed: () => number,
  counts: () => EventCounts,
  stop: Stop,
): Pick<BatchOptions, 'plansMax' | 'isOver'> {
  const isStopped = () => stop.signal !== undefined
  if (flags.plans !== undefined) return { plansMax: flags.plans, isOver: isStopped }
  const wanted = countedEvents.filter((name) => (flags[name] ?? 0) > 0)
  const endMs = flags.minutes * 60_000
  const isReached = () =>
    wanted.length === 0
      ? elapsed() >= endMs
      : wanted.every((name) => counts()[name] >= (flags[name] ?? 0))
  return { isOver: () => isStopped() || isReached() }
}

function saveFailure(failure: BatchFailure, again: string): FailureReport {
  const { plan, violation } = failure
  const planFile = `storm-failure-${violation.invariant}-${plan.seed}.json`
  writeFileSync(planFile, writeStormPlan(plan))
  return describeFailure(failure, planFile, again)
}

/** The command that makes the same plan from its seed. */
function seedCommand(
  gameFile: string | undefined,
  { hours, players, spectators, export: name }: StormFlags,
  { seed, profile }: FailureReport,
): string {
  return [
    'npx samestep storm',
    gameFile,
    `--seed ${seed} --profile ${profile} --plans 1`,
    hours === undefined ? undefined : `--hours ${hours}`,
    players === undefined ? undefined : `--players ${players}`,
    spectators === undefined ? undefined : `--spectators ${spectators}`,
    name === undefined ? undefined : `--export ${name}`,
  ]
    .filter((word) => word !== undefined)
    .join(' ')
}

async function replay(
  planFile: string,
  flags: PlanFlags & { readonly trace?: true },
): Promise<void> {
  const plan = readStormPlan(readFileSync(planFile, 'utf8'))
  const game = await loadIf(flags.game, flags.export)
  const lines = flags.trace ? traceLinesMax : traceLines
  const result = runStormPlan(plan, { ...gameOption(game), traceLines: lines })
  if (flags.trace || result.violation !== undefined) print(result.trace.join('\n'))
  print(replayText(plan, result))
  if (result.violation !== undefined) process.exitCode = 1
}

/** All lines of a plan of some minutes; of a longer one the last. */
const traceLinesMax = 1_000_000

async function shrink(
  planFile: string,
  flags: PlanFlags & { readonly out?: string; readonly runs?: number },
): Promise<void> {
  const plan = readStormPlan(readFileSync(planFile, 'utf8'))
  const game = await loadIf(flags.game, flags.export)
  const startMs = performance.now()
  const line = new ProgressLine(process.stderr, 0)
  const small = shrinkStorm(plan, {
    ...gameOption(game),
    ...(flags.runs === undefined ? {} : { runsMax: flags.runs }),
    onProgress: (progress) => line.show(() => shrinkText(progress), performance.now() - startMs),
  })
  line.clear()
  const out = flags.out ?? planFile.replace(/(?:\.json)?$/, '.small.json')
  writeFileSync(out, writeStormPlan(small.plan))
  const { nodes, faults, attackers } = small.plan
  print(
    [
      `${small.failure.invariant} still fails with ${nodes.length} nodes, ${faults.length} faults and ${attackers.length} attackers, after ${small.runs} runs`,
      small.isFinished ? 'Nothing more can be removed.' : 'All runs are used; --runs allows more.',
      `See it  npx samestep storm replay ${out}${gameFlags(flags.game, flags.export)}`,
    ].join('\n'),
  )
}

function shrinkText({ stage, runs, nodes, faults, attackers, knobs }: ShrinkProgress): string {
  return `${stage} · run ${runs} · ${nodes} nodes · ${faults} faults · ${attackers} attackers · ${knobs} knobs`
}

async function loadIf(
  file: string | undefined,
  name: string | undefined,
): Promise<Game | undefined> {
  return file === undefined ? undefined : loadGame(file, name)
}

function gameOption(game: Game | undefined): { readonly game?: Game } {
  return game === undefined ? {} : { game }
}

function gameFlags(file: string | undefined, name: string | undefined): string {
  return `${file === undefined ? '' : ` --game ${file}`}${name === undefined ? '' : ` --export ${name}`}`
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function jobCount(text: string): number {
  const count = whole(text)
  if (count >= 1 && count <= jobsMax) return count
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${jobsMax}.`)
}

/** More processes than any machine has cores. */
const jobsMax = 512

function positive(text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new InvalidArgumentError('It must be a number above 0.')
  return value
}
