/**
 * Honest matches and a crowd of seeded strangers over real sockets, at a relay in one process and then
 * at one with workers. Loopback only. `--help` says how.
 *
 * The seed decides what each stranger does; when the packets meet is decided by the machine.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { makeSoloKind, workersKind } from './doors/relay-kinds.ts'
import { playStage, type StageResult } from './doors/stage.ts'
import { formatSummary, isGood } from './doors/summary.ts'
import { refuse } from './programs.ts'

const help = `Sends a crowd of seeded strangers to every door of a relay on loopback, beside honest matches.

  npm run doors -- [options]
  npm run doors -- --minutes 2 --seed 5 --relay solo

Options:
  --minutes <n>   how long strangers come, in all: 10 (0.05 to 600)
  --seed <n>      what they do: drawn at random, and printed
  --relay <kind>  solo or workers: both, half of the time each
  --short         without the relay with workers, and without the minute for which seats are kept
  --json          the figures for programs, on the standard output
  --help          this text

Exit code 0: no process ended, no fault was counted, no honest link was cut, all honest hashes agree,
ticks went on, and afterwards every link, match, download and descriptor was free again. 1: something
of that does not hold, and is named, or the options cannot be.
`

const options = readOptions()
if (options.help) {
  process.stdout.write(help)
  process.exit(0)
}

function numberOf(name: 'minutes' | 'seed', min: number, max: number): number {
  const value = Number(options[name])
  if (value >= min && value <= max) return value
  return refuse(`Cannot use --${name} ${options[name]}: it must be a number from ${min} to ${max}`)
}

if (process.platform !== 'linux') refuse('Cannot watch a relay here: it needs /proc of Linux')
const minutes = numberOf('minutes', 0.05, 600)
const seed = options.seed === undefined ? randomInt(1_000_000) : numberOf('seed', 0, 1e9)
const { relay } = options
if (relay !== undefined && relay !== 'solo' && relay !== 'workers') {
  refuse(`Cannot use --relay ${relay}: it must be solo or workers; leave it out for both`)
}
const replay = [
  `npm run doors -- --minutes ${minutes} --seed ${seed}`,
  ...(relay === undefined ? [] : [`--relay ${relay}`]),
  ...(options.short ? ['--short'] : []),
].join(' ')
process.stderr.write(`${replay}\n`)

const solo = await makeSoloKind()
const both = options.short ? [solo] : [solo, workersKind]
const kinds = relay === undefined ? both : relay === 'solo' ? [solo] : [workersKind]
const stages: StageResult[] = []
for (const kind of kinds) {
  const seconds = (minutes * 60) / kinds.length
  process.stderr.write(`${kind.name}, ${Math.round(seconds)} s\n`)
  const quietSeconds = options.short ? 20 : 75
  stages.push(await playStage({ kind, seed, seconds, quietSeconds }))
}
const summary = { seed, minutes, replay, stages }
process.stdout.write(`${options.json ? JSON.stringify(summary) : formatSummary(summary)}\n`)
process.exit(isGood(summary) ? 0 : 1)

function readOptions() {
  try {
    return parseArgs({
      options: {
        minutes: { type: 'string', default: '10' },
        seed: { type: 'string' },
        relay: { type: 'string' },
        short: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    return refuse(`${(error as Error).message.split('. ')[0]}; --help lists the options`)
  }
}
