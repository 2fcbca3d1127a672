/**
 * Every setting of a relay, once: what the config file, the environment, the command line, the help
 * and `docs/operating.md` know about it comes from here.
 */
import { isIP } from 'node:net'
import * as v from 'valibot'
import { parseConditions } from '../../netem/conditions-text.ts'
import { TrustedProxies } from '../../transport/node/address-block.ts'
import { testedNodeMajors } from '../../transport/node/turbo/tested-nodes.ts'
import { UpgradeGuard } from '../../transport/node/upgrade-guard.ts'
import { matchSettings } from './match-settings.ts'
import type { Setting } from './setting-kinds.ts'
import {
  accepted,
  asList,
  asNumber,
  fileSetting,
  path,
  port,
  text,
  whole,
  words,
} from './setting-kinds.ts'
import { tokenSettings } from './token-settings.ts'
import { parseUdpKey } from './udp-key.ts'

const portOrOff = v.union([v.literal(false), v.strictObject({ port })])
const asPort = (value: string): unknown =>
  value === 'off' ? false : /^\d+$/.test(value) ? { port: Number(value) } : value

/** Logs of a relay, from silent to chatty. */
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const

/** All settings, in the sequence in which people look for them. */
export const settings: readonly Setting[] = [
  {
    key: 'host',
    flag: '--host <address>',
    env: 'SAMESTEP_HOST',
    what: 'address to listen on; 0.0.0.0 or :: for all interfaces',
    allowed: 'an address or a name of this machine, such as 127.0.0.1 or 0.0.0.0',
    initial: '127.0.0.1',
    schema: v.pipe(text, v.regex(/^[^\s/]+$/)),
    fromText: (value) => value,
  },
  {
    key: 'port',
    flag: '--port <number>',
    env: 'SAMESTEP_PORT',
    what: 'TCP port for WebSocket and pages; 0 for any free port',
    allowed: 'a whole number from 0 to 65535',
    initial: '7777',
    schema: port,
    fromText: asNumber,
  },
  {
    key: 'publicUrl',
    flag: '--public-url <url>',
    env: 'SAMESTEP_PUBLIC_URL',
    what: 'public address of the relay, if it is behind a proxy',
    allowed: 'a URL such as https://relay.example, without a path, a query or a password',
    initial: 'where it listens',
    schema: v.pipe(
      text,
      v.check((url) => URL.canParse(url) && /^https?:\/\/[^/?#@]+\/?$/.test(url)),
    ),
    // A password in it is as secret as any other.
    isSecret: true,
    fromText: (value) => value,
  },
  {
    key: 'tls.certificateFile',
    flag: '--tls-certificate-file <file>',
    env: 'SAMESTEP_TLS_CERTIFICATE_FILE',
    what: 'certificate in PEM; with --tls-key-file it enables wss:// and https://',
    allowed: 'the path of a file',
    initial: 'none',
    schema: path,
    fromText: (value) => value,
  },
  {
    key: 'tls.keyFile',
    flag: '--tls-key-file <file>',
    env: 'SAMESTEP_TLS_KEY_FILE',
    what: 'key of the certificate, in PEM',
    allowed: 'the path of a file',
    initial: 'none',
    schema: path,
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
    what: 'origins whose pages may connect, separated by commas; or any',
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
    what: 'proxies whose X-Forwarded-For is trusted, separated by commas',
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
    allowed: 'a port from 0 to 65535 (in a file {"port": 7777}), or off',
    initial: 'the number of the TCP port',
    schema: portOrOff,
    fromText: asPort,
  },
  {
    key: 'udp.secretKeyFile',
    flag: '--udp-key-file <file>',
    env: 'SAMESTEP_UDP_KEY_FILE',
    what: 'secret key by which UDP clients recognise this relay after a restart; created if missing',
    allowed: 'the path of a file that only its owner may read',
    initial: 'none: a new key at every start',
    schema: path,
    fromText: (value) => value,
  },
  {
    key: 'udp.secretKey',
    flag: '--udp-key <key>',
    env: 'SAMESTEP_UDP_KEY',
    what: 'the key itself, for systems that keep secrets in the environment; other users can see a command line',
    allowed: '32 secret random bytes as 43 characters of base64url',
    initial: 'none',
    schema: v.pipe(
      text,
      v.check((value) => parseUdpKey(value) !== undefined),
    ),
    isSecret: true,
    fromText: (value) => value,
  },
  fileSetting(
    {
      key: 'udp.ticketKeyFile',
      flag: '--udp-ticket-key-file <file>',
      env: 'SAMESTEP_UDP_TICKET_KEY_FILE',
      what: 'key of connect tickets, which UDP clients then need; created if missing',
      initial: 'none: no ticket is needed',
    },
    'the path of a file that only its owner may read',
  ),
  {
    key: 'webrtc',
    flag: '--webrtc <port|off>',
    env: 'SAMESTEP_WEBRTC',
    what: 'UDP port for browsers over WebRTC; needs the package node-datachannel',
    allowed: 'a port from 0 to 65535 (in a file {"port": 7778}), or off',
    initial: 'off',
    schema: portOrOff,
    fromText: asPort,
  },
  {
    key: 'webrtc.publicAddress',
    flag: '--webrtc-address <address>',
    env: 'SAMESTEP_WEBRTC_ADDRESS',
    what: 'address that browsers use for WebRTC, if the relay is behind NAT or a proxy',
    allowed: 'an IPv4 or IPv6 address such as 203.0.113.7',
    initial: 'the address at which they reached the relay',
    schema: v.pipe(
      text,
      v.check((value) => isIP(value) !== 0),
    ),
    fromText: (value) => value,
  },
  {
    key: 'pages',
    flag: '--pages <folder>',
    env: 'SAMESTEP_PAGES',
    what: 'folder of files to serve, such as your built game',
    allowed: 'the path of a folder',
    initial: 'none: a page that says how to join',
    schema: path,
    fromText: (value) => value,
  },
  {
    key: 'journal',
    flag: '--journal <folder|off>',
    env: 'SAMESTEP_JOURNAL',
    what: 'folder in which matches are kept, so that they continue when the relay restarts after a crash',
    allowed: 'the path of a folder of its own, or off',
    initial: 'journal in the state directory of a service (STATE_DIRECTORY); off without one',
    schema: v.union([v.literal(false), path]),
    fromText: (value) => (value === 'off' ? false : value),
  },
  {
    key: 'recoveryKeyFile',
    flag: '--recovery-key-file <file|off>',
    env: 'SAMESTEP_RECOVERY_KEY_FILE',
    what: 'secret key for what clients keep, so that another relay can continue their matches if this one is lost; created if missing',
    allowed: 'the path of a file that only its owner may read, or off',
    initial: 'recovery.key in the state directory of a service (STATE_DIRECTORY); off without one',
    schema: v.union([v.literal(false), path]),
    fromText: (value) => (value === 'off' ? false : value),
  },
  {
    key: 'desyncs',
    flag: '--desyncs <folder>',
    env: 'SAMESTEP_DESYNCS',
    what: 'folder for desync reports, the newest hundred; `samestep desync show` prints one',
    allowed: 'the path of a folder',
    initial: 'none: desyncs are logged',
    schema: path,
    fromText: (value) => value,
  },
  ...matchSettings,
  ...tokenSettings,
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
    key: 'turbo',
    flag: '--turbo [yes|no]',
    env: 'SAMESTEP_TURBO',
    what: "use Node's internals and let the thread sleep, for less CPU per player",
    allowed: 'true or false (yes or no)',
    initial: `yes for samestep relay on Node ${testedNodeMajors.join(', ')}; otherwise no`,
    schema: v.boolean(),
    fromText: (value) => words.get(value) ?? value,
  },
  {
    key: 'gatherMs',
    flag: '--gather-ms <number>',
    env: 'SAMESTEP_GATHER_MS',
    what: 'milliseconds for which packets may gather before they are read',
    allowed: 'a number from 0 (read each at once) to 5',
    initial: '0.5 with turbo on Linux, otherwise 0',
    schema: v.pipe(v.number(), v.minValue(0), v.maxValue(5)),
    fromText: (value) => (/^\d+(\.\d+)?$/.test(value) ? Number(value) : value),
  },
  {
    key: 'conditions',
    flag: '--conditions <text>',
    env: 'SAMESTEP_CONDITIONS',
    what: 'degrade every connection, to try your game on a bad network',
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
    what: 'log level',
    allowed: `one of ${logLevels.join(', ')}, or off`,
    initial: 'info',
    schema: v.union([v.literal(false), v.picklist(logLevels)]),
    fromText: (value) => (value === 'off' ? false : value),
  },
]
