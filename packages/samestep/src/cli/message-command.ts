import { Command } from 'commander'
import { UsageError } from '../base/errors.ts'
import type { Rendered } from '../wire/index.ts'
import { renderMessage } from '../wire/index.ts'
import { whole } from './numbers.ts'

/** What the command line of `message` says. */
export type MessageFlags = {
  readonly tick?: number
  readonly order?: number
  readonly json?: true
}

/** `samestep message`. */
export function makeMessageCommand(): Command {
  return new Command('message')
    .description('Decodes a protocol message from its bytes in hexadecimal')
    .argument('<hex...>', 'the bytes; spaces and colons between them are ignored')
    .option(
      '--tick <n>',
      'a tick near those of the message, of which only the low bits are sent',
      whole,
    )
    .option('--order <n>', 'an order number near those of the message', whole)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
The bytes are those of one message, as in docs/protocol.md: the content of a WebSocket message, or of a
datagram after its link header.

Example:
  npx samestep message 03ca5c585bd91c5d19dc4b0c

Exit code 1 if the bytes are not a message; the output then says where the error is.`,
    )
    .action(showMessage)
}

/** Runs the command; sets the exit code. */
export function showMessage(hex: readonly string[], { tick, order, json }: MessageFlags): void {
  const message = renderMessage(bytesOf(hex.join('')), {
    ...(tick === undefined ? {} : { nearTick: tick }),
    ...(order === undefined ? {} : { nearOrderNumber: order }),
  })
  if ('error' in message) process.exitCode = 1
  process.stdout.write(`${json ? JSON.stringify(message) : textOf(message)}\n`)
}

function textOf(message: Rendered): string {
  return JSON.stringify(message, undefined, 2)
}

function bytesOf(text: string): Uint8Array {
  const digits = text.replace(/[\s:]|0x/gi, '')
  if (!/^([0-9a-f]{2})+$/i.test(digits)) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot show the message: ${digits.length} digits are given; write two hexadecimal digits (0-9, a-f) for each byte`,
    )
  }
  return Uint8Array.from(digits.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}
