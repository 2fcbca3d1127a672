import { Command, Option } from 'commander'
import { UsageError } from '../../base/errors.ts'
import { hideSecrets } from '../../transport/node/secret-text.ts'
import type { Role } from '../../wire/codes.ts'
import { roles } from '../../wire/codes.ts'

/** Flags of `samestep token`, as commander gives them. */
interface TokenFlags {
  readonly key: string
  readonly match?: string
  readonly name?: string
  readonly id?: string
  readonly role?: Role
  readonly seat?: string
  readonly team?: string
  readonly create?: true
  readonly minutes: string
  readonly audience?: string
  readonly json?: true
}

/** `samestep token`. */
export function makeTokenCommand(): Command {
  return new Command('token')
    .description('Makes a signed token for a relay that requires one')
    .requiredOption('--key <file>', 'Ed25519 private key in PEM (EdDSA), or a secret (HS256)')
    .option('--match <name>', 'the only match that it is valid for (default: any)')
    .option('--name <name>', 'name of the player (default: chosen by the player)')
    .option(
      '--id <text>',
      'identity of the player: has one place in a match, and kicks apply to it',
    )
    .addOption(new Option('--role <role>', 'role of the player').choices([...roles]))
    .option('--seat <number>', 'seat of the player')
    .option('--team <number>', 'team of the player')
    .option('--create', 'allow the player to create the match')
    .option('--minutes <number>', 'how long it is valid', '60')
    .option('--audience <text>', 'audience (--token-audience of the relay)')
    .option('--json', 'print the token and its claims as one line of JSON')
    .addHelpText('after', help)
    .configureOutput({ outputError: (text, write) => write(hideSecrets(text)) })
    .action(runTokenCommand)
}

const help = `
Examples:
  openssl genpkey -algorithm ed25519 -out key.pem && chmod 600 key.pem
  openssl pkey -in key.pem -pubout -out key.pub.pem
  npx samestep relay --token-public-key-file key.pub.pem
  npx samestep token --match friday --name Ada --key key.pem

The game passes it to joinMatch(game, { url, match: 'friday', token }). Every token has an id (jti), which
binds it to the first address that uses it.

Exit code 0 with a token, 2 for invalid options.`

async function runTokenCommand(flags: TokenFlags): Promise<void> {
  // Here, not above: other commands need nothing of it.
  const { issueToken } = await import('../../server/tokens/issue-token.ts')
  const { match, name, id, role, create, audience } = flags
  try {
    const { token, claims } = await issueToken(flags.key, {
      ...(match === undefined ? {} : { match }),
      ...(name === undefined ? {} : { name }),
      ...(id === undefined ? {} : { sub: id }),
      ...(role === undefined ? {} : { role }),
      ...(flags.seat === undefined ? {} : { seat: numberOf('seat', flags.seat) }),
      ...(flags.team === undefined ? {} : { team: numberOf('team', flags.team) }),
      ...(create === undefined ? {} : { create }),
      ...(audience === undefined ? {} : { audience }),
      seconds: Math.round(numberOf('minutes', flags.minutes) * 60),
    })
    process.stdout.write(`${flags.json ? JSON.stringify({ token, claims }) : token}\n`)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const { code, message } = error
    const line = flags.json ? JSON.stringify({ event: 'failed', code, message }) : message
    process.stderr.write(`${hideSecrets(line)}\n`)
    process.exitCode = 2
  }
}

function numberOf(flag: string, text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  throw new UsageError('SS_BAD_ARGUMENT', `Cannot use --${flag} ${text}: it must be a number`)
}
