#!/usr/bin/env node
import { Command } from 'commander'
import { UsageError } from '../base/errors.ts'
import { engineVersion } from '../sim/game/version.ts'
import { makeCheckCommand } from './check-command.ts'
import { makeContentCommand } from './content-command.ts'
import { makeDesyncCommand } from './desync/desync-command.ts'
import { makeMessageCommand } from './message-command.ts'
import { makeRecordCommand } from './record-command.ts'
import { makeRelayCommand } from './relay-command.ts'
import { makeStormCommand } from './storm-command.ts'
import { makeTokenCommand } from './token-command.ts'
import { makeWitnessCommand } from './witness-command.ts'

const program = new Command('samestep')
  .description('Tools for games made with Samestep, deterministic lockstep netcode')
  .version(engineVersion)
  .addHelpText('after', '\nExample:\n  npx samestep storm ./game.ts --minutes 2')
  .addCommand(makeCheckCommand())
  .addCommand(makeContentCommand())
  .addCommand(makeDesyncCommand())
  .addCommand(makeMessageCommand())
  .addCommand(makeRecordCommand())
  .addCommand(makeRelayCommand())
  .addCommand(makeStormCommand())
  .addCommand(makeTokenCommand())
  .addCommand(makeWitnessCommand())

try {
  await program.parseAsync()
} catch (error) {
  // A developer's mistake is answered with its sentence; everything else is ours, and needs its stack.
  if (!isMistake(error)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}

function isMistake(error: unknown): error is Error {
  if (error instanceof UsageError) return true
  return (error as { readonly code?: unknown }).code === 'ENOENT'
}
