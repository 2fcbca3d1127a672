import { Command, InvalidArgumentError } from 'commander'
import type { DebugLevel } from '../../client/debug/debug-level.ts'
import { isDebugLevel } from '../../client/debug/debug-level.ts'
import type { DesyncReport } from '../../desync/report.ts'
import type { LevelOptions } from '../../driver/debug/level-switch.ts'
import { describeDesync } from '../../driver/match/desync-line.ts'
import type { Match, MatchEndReason } from '../../driver/match/match.ts'
import { JoinError } from '../../driver/online/join-error.ts'
import { joinMatch } from '../../driver/online/join-match.ts'
import { saveDebugFiles } from '../../server/debug-files.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { hideSecrets } from '../../transport/node/secret-text.ts'
import { loadGame } from '../game/load-game.ts'
import { whole } from '../numbers.ts'

/** Flags of `samestep witness`, as commander gives them. */
interface WitnessFlags {
  readonly match: string
  readonly name: string
  readonly token?: string
  readonly export?: string
  readonly timeout: number
  readonly debugLevel: DebugLevel
  readonly debugFolder: string
  readonly json?: true
}

/** `samestep witness`. */
export function makeWitnessCommand(): Command {
  return new Command('witness')
    .description(
      'Runs your game next to the players of a match, reports state hashes, and sends its state to newcomers',
    )
    .argument('<url>', 'the relay, such as ws://localhost:7777')
    .argument('<game>', 'file that exports your game (.js, or .ts)')
    .requiredOption('--match <name>', 'name of the match; waits until the match exists')
    .option('--name <name>', 'name that others see', 'witness')
    .option('--token <text>', 'a token with the role witness, or the variable SAMESTEP_TOKEN')
    .option('--export <name>', 'which export of the file is the game, if there are several')
    .option('--timeout <seconds>', 'how long to wait for the match; 0 for ever', whole, 60)
    .option('--debug-level <level>', 'how closely to check every tick, from 0 to 4', debugLevel, 0)
    .option('--debug-folder <folder>', 'folder for the files of the debug level', 'samestep-debug')
    .option('--json', 'print events as lines of JSON')
    .addHelpText('after', help)
    .configureOutput({ outputError: (text, write) => write(hideSecrets(text)) })
    .action(runWitness)
}

const help = `
A witness has no seat and cannot act in the room. The relay admits it only with permission: a token from
"samestep token --role witness", or "samestep relay --witnesses anyone". In a match created with
referee: 'witness', it has a vote when players disagree about the state.

Examples:
  npx samestep witness ws://localhost:7777 ./game.ts --match friday
  npx samestep witness wss://play.example ./game.ts --match final --token "$TOKEN" --json
  npx samestep witness ws://localhost:7777 ./game.ts --match friday --debug-level 4

Debug levels: 1 writes an order log, a record of every tick; 2 runs every tick twice, with all writes
traced, and checks derived data; 3 writes a snapshot every 10 s; 4 loads a shadow from a snapshot before
every tick. Each level includes those below it. Findings are printed as faults, with their lines.

Exit code 0 if the match ended and all machines agreed, or the witness was stopped (SIGINT, SIGTERM); 1 if
machines disagreed or a debug level found something; 2 for invalid options or an invalid game; 3 if the
relay did not admit it or removed it.`

/** What is said, as a line for people or for programs. */
type Say = (event: string, about: object, text: string) => void

async function runWitness(url: string, gameFile: string, flags: WitnessFlags): Promise<void> {
  const game = (await loadGame(gameFile, flags.export)) as Game
  const say: Say = (event, about, text) => {
    const line = flags.json ? JSON.stringify({ event, ...about }) : text
    process.stdout.write(`${hideSecrets(line)}\n`)
  }
  const stop = new AbortController()
  const handleSignal = () => stop.abort()
  process.on('SIGINT', handleSignal)
  process.on('SIGTERM', handleSignal)
  try {
    const match = await enter(game, url, flags, stop.signal, say)
    if (match !== undefined) process.exitCode = await watch(match, flags, stop.signal, say)
  } catch (error) {
    if (!(error instanceof JoinError)) throw error
    if (error.reason === 'aborted') return
    say('failed', { reason: error.reason, message: error.message }, error.message)
    process.exitCode = 3
  } finally {
    process.off('SIGINT', handleSignal)
    process.off('SIGTERM', handleSignal)
  }
}

/** Joins the match, and waits for it as long as it is not there. */
async function enter(
  game: Game,
  url: string,
  flags: WitnessFlags,
  signal: AbortSignal,
  say: Say,
): Promise<Match<GameShape, unknown> | undefined> {
  const token = flags.token ?? process.env.SAMESTEP_TOKEN
  const endMs = flags.timeout === 0 ? Number.POSITIVE_INFINITY : Date.now() + flags.timeout * 1_000
  const { match, name } = flags
  for (let isTold = false; !signal.aborted; isTold = true) {
    const timeoutMs = endMs - Date.now()
    const role = 'witness'
    const options = { url, match, name, role, signal, timeoutMs, ...debugOptions(flags) } as const
    try {
      return await joinMatch(game, token === undefined ? options : { ...options, token })
    } catch (error) {
      const isMissing = error instanceof JoinError && error.reason === 'no-match'
      if (!isMissing || Date.now() + retryMs >= endMs) throw error
      if (!isTold) say('waiting', { match }, `Waiting for the match ${match}`)
    }
    await pause(retryMs, signal)
  }
  return undefined
}

/** Files are made when there is a level that makes them. */
function debugOptions({ debugLevel, debugFolder }: WitnessFlags): LevelOptions {
  if (debugLevel === 0) return {}
  return { debugLevel, debug: { save: saveDebugFiles(debugFolder) } }
}

function debugLevel(text: string): DebugLevel {
  const level = Number(text)
  if (text !== '' && isDebugLevel(level)) return level
  throw new InvalidArgumentError('Write a level from 0 to 4.')
}

/** Stays until the match is over. Gives the exit code. */
function watch(
  match: Match<GameShape, unknown>,
  flags: WitnessFlags,
  signal: AbortSignal,
  say: Say,
): Promise<number> {
  let desyncs = 0
  let findings = 0
  say('witnessing', { match: flags.match, member: match.member }, `Witness of ${flags.match}`)
  return new Promise((resolve) => {
    match.on('desync', (desync: DesyncReport) => {
      desyncs += 1
      const { tick, agreedTick, groups, isSpectator } = desync
      say('desync', { tick, agreedTick, groups, isSelf: isSpectator }, describeDesync(desync))
    })
    match.on('fault', ({ tick, where, name, error, finding }) => {
      if (finding !== undefined) findings += 1
      const message = error instanceof Error ? error.message : String(error)
      say('fault', { tick, where, name, message, finding }, `Tick ${tick}: ${message}`)
    })
    match.on('closed', ({ reason, message }) => {
      const { simulatedTick } = match.cursors
      const about = { reason, message, tick: simulatedTick, desyncs, findings }
      say('ended', about, `Ended at tick ${simulatedTick}: ${message} (${reason})`)
      resolve(desyncs + findings > 0 ? 1 : isUsualEnd(reason) ? 0 : 3)
    })
    const leave = () => match.close()
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
  })
}

/** Whether a match ended as matches do. */
function isUsualEnd(reason: MatchEndReason): boolean {
  return reason === 'match-over' || reason === 'left'
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
}

/** How soon a match is asked for again that is not there yet: well within what a relay allows. */
const retryMs = 1_000
