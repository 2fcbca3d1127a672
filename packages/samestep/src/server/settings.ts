/**
 * Every setting of a relay, once: what the config file, the environment, the command line, the help
 * and `docs/operating.md` know about it comes from here.
 */
import * as v from 'valibot'
import { UsageError } from '../base/errors.ts'
import { parseConditions } from '../transport/conditioner/conditions-text.ts'
import { TrustedProxies } from '../transport/node/address-block.ts'
import { UpgradeGuard } from '../transport/node/upgrade-guard.ts'
import { parseUdpKey } from './udp-key.ts'

/** One setting. */
export interface Setting {
  /** Its name in the config file and in `startRelay`; a dot goes into an object. */
  readonly key: string
  /** On the command line, with its value. */
  readonly flag: string
  readonly env: string
  /** What it does, for the help. */
  readonly what: string
  /** What a value may be; ends the sentence "it must be …". */
  readonly allowed: string
  /** What holds when nobody says anything, for people. */
  readonly initial: string
  readonly schema: v.GenericSchema
  /** Its value is never shown, not even when it is wrong. */
  readonly isSecret?: boolean
  /** The value that a text of the command line or of the environment stands for. */
  readonly fromText: (text: string) => unknown
}

const whole = (min: number, max: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))
const text = v.pipe(v.string(), v.minLength(1))
const port = whole(0, 65_535)
const portOrOff = v.union([v.literal(false), v.strictObject({ port })])

/** A value that something else of ours can tell to be wrong, by throwing. */
const accepted = <T>(accept: (value: T) => unknown) =>
  v.check<T, string>((value) => {
    try {
      accept(value)
      return true
    } catch (error) {
      if (error instanceof UsageError) return false
      throw error
    }
  }, '')

const asNumber = (value: string): unknown => (/^\d+$/.test(value) ? Number(value) : value)
const asList = (value: string): unknown =>
  value.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
const asPort = (value: string): unknown =>
  value === 'off' ? false : /^\d+$/.test(value) ? { port: Number(value) } : value
const words = new Map<string, unknown>([
  ...(['true', 'yes', '1'] as const).map((word) => [word, true] as const),
  ...(['false', 'no', '0'] as const).map((word) => [word, false] as const),
])

/** Logs of a relay, from silent to chatty. */
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const

/** All settings, in the sequence in which people look for them. */
export const settings: readonly Setting[] = [
  {
    key: 'host',
    flag: '--host <address>',
    env: 'SAMESTEP_HOST',
    what: 'address to listen at; 0.0.0.0 or :: for all of this machine',
    allowed: 'an address or a name of this machine, such as 127.0.0.1 or 0.0.0.0',
    initial: '127.0.0.1',
    schema: v.pipe(text, v.regex(/^[^\s/]+$/)),
    fromText: (value) => value,
  },
  {
    key: 'port',
    flag: '--port <number>',
    env: 'SAMESTEP_PORT',
    what: 'TCP port for WebSocket and pages; 0 for any that is free',
    allowed: 'a whole number from 0 to 65535',
    initial: '7777',
    schema: port,
    fromText: asNumber,
  },
  {
    key: 'publicUrl',
    flag: '--public-url <url>',
    env: 'SAMESTEP_PUBLIC_URL',
    what: 'where players reach it, if a proxy stands in front',
    allowed: 'a URL such as https://relay.example, without a path',
    initial: 'where it listens',
    schema: v.pipe(
      text,
      v.check((url) => URL.canParse(url) && /^https?:\/\/[^/]+\/?$/.test(url)),
    ),
    fromText: (value) => value,
  },
  {
    key: 'tls.certificateFile',
    flag: '--tls-certificate <file>',
    env: 'SAMESTEP_TLS_CERTIFICATE',
    what: 'certificate in PEM; with --tls-key it makes wss:// and https://',
    allowed: 'the path of a file',
    initial: 'none',
    schema: text,
    fromText: (value) => value,
  },
  {
    key: 'tls.keyFile',
    flag: '--tls-key <file>',
    env: 'SAMESTEP_TLS_KEY',
    what: 'key of the certificate, in PEM',
    allowed: 'the path of a file',
    initial: 'none',
    schema: text,
    fromText: (value) => value,
  },
  {
    key: 'insecure',
    flag: '--insecure [yes|no]',
    env: 'SAMESTEP_INSECURE',
    what: 'allow other machines to connect without encryption',
    allowed: 'true or false (yes or no)',
    initial: 'no',
    schema: v.boolean(),
    fromText: (value) => words.get(value) ?? value,
  },
  {
    key: 'origins',
    flag: '--origins <list>',
    env: 'SAMESTEP_ORIGINS',
    what: 'pages that may connect, by origin, with commas between; or any',
    allowed: '"any", or a list of origins such as https://game.example',
    initial: 'its own pages, and on 127.0.0.1 all pages of this machine',
    schema: v.union([
      v.literal('any'),
      v.pipe(
        v.array(text),
        accepted((origins: string[]) => new UpgradeGuard({ origins })),
      ),
    ]),
    fromText: (value) => (value === 'any' ? 'any' : asList(value)),
  },
  {
    key: 'trustedProxies',
    flag: '--trusted-proxies <list>',
    env: 'SAMESTEP_TRUSTED_PROXIES',
    what: 'proxies whose X-Forwarded-For counts, with commas between',
    allowed: 'a list of addresses or networks such as 10.0.0.7 or 10.0.0.0/8',
    initial: 'none',
    schema: v.pipe(
      v.array(text),
      accepted((entries: string[]) => new TrustedProxies(entries)),
    ),
    fromText: asList,
  },
  {
    key: 'udp',
    flag: '--udp <port|off>',
    env: 'SAMESTEP_UDP',
    what: 'UDP port for native clients',
    allowed: 'a port from 0 to 65535 (in a file {"port": 7777}), or off (in a file false)',
    initial: 'the number of the TCP port',
    schema: portOrOff,
    fromText: asPort,
  },
  {
    key: 'udp.secretKeyFile',
    flag: '--udp-key-file <file>',
    env: 'SAMESTEP_UDP_KEY_FILE',
    what: 'secret key by which UDP clients know this relay again after a restart; made if it is missing',
    allowed: 'the path of a file that only its owner may read',
    initial: 'none: another key at every start',
    schema: text,
    fromText: (value) => value,
  },
  {
    key: 'udp.secretKey',
    flag: '--udp-key <key>',
    env: 'SAMESTEP_UDP_KEY',
    what: 'that key itself, for systems that keep secrets in the environment; others can see a command line',
    allowed: '32 secret random bytes as 43 characters of base64url',
    initial: 'none',
    schema: v.pipe(
      text,
      v.check((value) => parseUdpKey(value) !== undefined),
    ),
    isSecret: true,
    fromText: (value) => value,
  },
  {
    key: 'webrtc',
    flag: '--webrtc <port|off>',
    env: 'SAMESTEP_WEBRTC',
    what: 'UDP port for browsers by WebRTC',
    allowed: 'a port from 0 to 65535 (in a file {"port": 7778}), or off (in a file false)',
    initial: 'one above the TCP port, if node-datachannel is installed',
    schema: portOrOff,
    fromText: asPort,
  },
  {
    key: 'pages',
    flag: '--pages <folder>',
    env: 'SAMESTEP_PAGES',
    what: 'folder of files to serve, such as your built game',
    allowed: 'the path of a folder',
    initial: 'none: a page that says how to join',
    schema: text,
    fromText: (value) => value,
  },
  {
    key: 'matchesMax',
    flag: '--matches-max <number>',
    env: 'SAMESTEP_MATCHES_MAX',
    what: 'matches at once',
    allowed: 'a whole number from 1 to 1000000',
    initial: '10000',
    schema: whole(1, 1_000_000),
    fromText: asNumber,
  },
  {
    key: 'createMatches',
    flag: '--create-matches <who>',
    env: 'SAMESTEP_CREATE_MATCHES',
    what: 'who may make a match by being the first to join it',
    allowed: 'anyone or nobody',
    initial: 'anyone',
    schema: v.picklist(['anyone', 'nobody']),
    fromText: (value) => value,
  },
  {
    key: 'connectionsMax',
    flag: '--connections-max <number>',
    env: 'SAMESTEP_CONNECTIONS_MAX',
    what: 'TCP connections at once; keep it below the limit of open files',
    allowed: 'a whole number from 1 to 1000000',
    initial: '16384',
    schema: whole(1, 1_000_000),
    fromText: asNumber,
  },
  {
    key: 'strangersPerAddress',
    flag: '--strangers-per-address <number>',
    env: 'SAMESTEP_STRANGERS_PER_ADDRESS',
    what: 'connections of one address that have not joined yet',
    allowed: 'a whole number from 1 to 1000000',
    initial: '16',
    schema: whole(1, 1_000_000),
    fromText: asNumber,
  },
  {
    key: 'workers',
    flag: '--workers <number>',
    env: 'SAMESTEP_WORKERS',
    what: 'processes that share the matches behind one port',
    allowed: 'a whole number from 1 to 64',
    initial: '1',
    schema: whole(1, 64),
    fromText: asNumber,
  },
  {
    key: 'gatherMs',
    flag: '--gather-ms <number>',
    env: 'SAMESTEP_GATHER_MS',
    what: 'milliseconds for which packets may gather before they are read together',
    allowed: 'a number from 0, which reads each at once, to 5',
    initial: '0.5 on Linux, 0 elsewhere',
    schema: v.pipe(v.number(), v.minValue(0), v.maxValue(5)),
    fromText: (value) => (/^\d+(\.\d+)?$/.test(value) ? Number(value) : value),
  },
  {
    key: 'conditions',
    flag: '--conditions <text>',
    env: 'SAMESTEP_CONDITIONS',
    what: 'make every connection worse, to see your game on a bad line',
    allowed: 'conditions such as latency=80,loss=2% or one of good, wifi, mobile, awful',
    initial: 'none',
    schema: v.pipe(
      v.string(),
      accepted((value: string) => parseConditions(value)),
    ),
    fromText: (value) => value,
  },
  {
    key: 'log',
    flag: '--log <level>',
    env: 'SAMESTEP_LOG',
    what: 'how much to write into the log',
    allowed: `one of ${logLevels.join(', ')}, or off (in a file false)`,
    initial: 'info',
    schema: v.union([v.literal(false), v.picklist(logLevels)]),
    fromText: (value) => (value === 'off' ? false : value),
  },
]
