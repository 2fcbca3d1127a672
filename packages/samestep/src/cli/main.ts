#!/usr/bin/env node
import { Command } from 'commander'
import { UsageError } from '../base/errors.ts'
import { engineVersion } from '../sim/game/copies/version.ts'

/** Each is loaded when it is named: a relay need not wait for what storms are made of. */
const commands: { readonly [name: string]: () => Promise<Command> } = {
  check: async () => (await import('./check/check-command.ts')).makeCheckCommand(),
  content: async () => (await import('./content/content-command.ts')).makeContentCommand(),
  desync: async () => (await import('./desync/desync-command.ts')).makeDesyncCommand(),
  message: async () => (await import('./message-command.ts')).makeMessageCommand(),
  record: async () => (await import('./record-command.ts')).makeRecordCommand(),
  relay: async () => (await import('./relay/relay-command.ts')).makeRelayCommand(),
  storm: async () => (await import('./storm/storm-command.ts')).makeStormCommand(),
  token: async () => (await import('./relay/token-command.ts')).makeTokenCommand(),
  witness: async () => (await import('./relay/witness-command.ts')).makeWitnessCommand(),
}

const program = new Command('samestep')
  .description('Tools for games made with Samestep, deterministic lockstep netcode')
  .version(engineVersion)
  .addHelpText('after', '\nExample:\n  npx samestep storm ./game.ts --minutes 2')

const [, , named = ''] = process.argv
// Who names none gets a list of all.
for (const name of Object.hasOwn(commands, named) ? [named] : Object.keys(commands)) {
  const command = await commands[name]!()
  for (const each of [command, ...command.commands]) each.exitOverride(leave)
  program.addCommand(command)
}
program.exitOverride(leave)

try {
  await program.parseAsync()
} catch (error) {
  // A developer's mistake is answered with its sentence; everything else is ours, and needs its stack.
  if (!isMistake(error)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}

/** Words that cannot be understood end every command with 2: 1 is for what a command found out. */
function leave({ exitCode }: { readonly exitCode: number }): never {
  process.exit(exitCode === 0 ? 0 : 2)
}

function isMistake(error: unknown): error is Error {
  if (error instanceof UsageError) return true
  return (error as { readonly code?: unknown }).code === 'ENOENT'
}
