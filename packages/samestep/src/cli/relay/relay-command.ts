import { Command, Option } from 'commander'
import type { Logger } from 'pino'
import { UsageError } from '../../base/errors.ts'
import type { LogLevel, RelayServer } from '../../server/index.ts'
import { settings } from '../../server/settings/settings.ts'
import { hideSecrets } from '../../transport/node/secret-text.ts'
import { isTestedNode } from '../../transport/node/turbo/tested-nodes.ts'
import type { CliLog } from './relay-log.ts'
import { eventLine, failureLine, relayTable } from './relay-report.ts'

type RelayFlags = Readonly<Record<string, string | boolean>>

/** `samestep relay`. */
export function makeRelayCommand(): Command {
  const command = new Command('relay')
    .description('Runs a relay for any number of matches of any games')
    .option('--config <file>', 'settings from a JSON file')
    .option('--json', 'print one JSON line per event, the log too')
  for (const { flag, what, initial, env } of settings) {
    command.addOption(new Option(flag, `${what} (${env}; default: ${initial})`))
  }
  command.addOption(new Option('--no-journal', 'the same as --journal off'))
  return (
    command
      .addHelpText('after', help)
      // A misspelled flag is repeated with its value, which may be a key.
      .configureOutput({ outputError: (text, write) => write(hideSecrets(text)) })
      .action(runRelayCommand)
  )
}

const help = `
The command line overrides the environment, which overrides the config file. Its keys are
those of startRelay: {"port": 7777, "origins": ["https://game.example"], "udp": {"port": 7777}}

Examples:
  npx samestep relay
  npx samestep relay --pages ./dist
  npx samestep relay --conditions latency=80,loss=2%
  npx samestep relay --host 0.0.0.0 --tls-certificate-file cert.pem --tls-key-file key.pem
  npx samestep relay --config relay.json --workers 4 --udp off --webrtc off

Exit code 0 after SIGTERM or SIGINT, 1 if it cannot run, 2 for invalid settings.`

/** Runs the command until a signal ends it. */
async function runRelayCommand(flags: RelayFlags): Promise<void> {
  const isJson = flags.json === true
  // Here, not above: other commands need nothing of it.
  const { makeCliLog } = await import('./relay-log.ts')
  const { readSettings } = await import('../../server/settings/read-settings.ts')
  const { startRelay } = await import('../../server/start-relay.ts')
  let relay: RelayServer
  let output: CliLog
  try {
    const options = readSettings({ ...sourcesOf(flags), env: process.env })
    output = makeCliLog(options.log as LogLevel | false | undefined, isJson)
    const turbo = options.turbo ?? chooseTurbo(output.log)
    relay = await startRelay({ ...options, turbo, log: output.log })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(hideSecrets(isJson ? failureLine(error) : `${error.message}\n`))
    // A port that is taken is nobody's bad usage; all else is a setting to correct.
    process.exitCode = error.code === 'SS_CANNOT_LISTEN' ? 1 : 2
    return
  }
  if (isJson) output.writeLine(eventLine('started', relay))
  else process.stdout.write(relayTable(relay))
  const code = await untilEnd(relay, output.log)
  if (isJson) output.writeLine(eventLine('stopped', relay))
  await output.flush()
  // A library with threads of its own may hold the process.
  process.exit(code)
}

/** This process is our own, so it may use Node's insides, where they were tested. */
function chooseTurbo(log: Logger): boolean {
  const isTested = isTestedNode()
  if (!isTested) log.debug({ node: process.version }, 'turbo is off: not tested on this Node')
  return isTested
}

function sourcesOf(flags: RelayFlags): { flags: Record<string, string>; config?: string } {
  const given: Record<string, string> = {}
  for (const { key, flag } of settings) {
    const value = flags[new Option(flag).attributeName()]
    if (typeof value === 'string') given[key] = value
    else if (value !== undefined) given[key] = value ? 'yes' : 'off'
  }
  return { flags: given, ...(typeof flags.config === 'string' ? { config: flags.config } : {}) }
}

/** Waits for a signal or for a fault that nobody met, and stops the relay. Gives the exit code. */
function untilEnd(relay: RelayServer, log: Logger): Promise<number> {
  return new Promise((resolve) => {
    let isEnding = false
    const end = (code: number) => {
      // Whoever asks twice does not want to wait.
      if (isEnding) process.exit(1)
      isEnding = true
      relay.close().then(
        () => resolve(code),
        (error: unknown) => {
          log.fatal({ err: error }, 'the relay could not shut down cleanly')
          resolve(1)
        },
      )
    }
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        log.info({ signal }, 'relay is stopping')
        end(0)
      })
    }
    process.on('SIGHUP', () => reload(relay, log))
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => {
        log.fatal({ err: error }, 'uncaught error; the relay stops')
        end(1)
      })
    }
  })
}

/** New files count from now on; a bad one is told, and what was read before goes on. */
function reload(relay: RelayServer, log: Logger): void {
  attempt(() => relay.reloadTls(), 'certificate', log)
  attempt(() => relay.reloadTokens(), 'token key', log)
}

function attempt(read: () => void, what: string, log: Logger): void {
  try {
    read()
    log.info(`${what} reloaded`)
  } catch (error) {
    log.error({ err: error }, `cannot reload the ${what}; the old one stays in use`)
  }
}
