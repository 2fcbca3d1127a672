import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lineOfSyntaxError, linesOfKeys } from '../logs/json-lines.ts'
import { checkOptions, readSettings } from './read-settings.ts'
import { settings } from './settings.ts'

describe('settings', () => {
  let folder = ''

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'samestep-test-'))
  })

  afterAll(() => rmSync(folder, { recursive: true }))

  const write = (text: string): string => {
    const path = join(folder, 'relay.json')
    writeFileSync(path, text)
    return path
  }

  /** What is wrong with a config file, with the path left out. */
  const complaint = (text: string): string => {
    try {
      readSettings({ config: write(text) })
    } catch (error) {
      return (error as Error).message.replaceAll(`${folder}/`, '')
    }
    return ''
  }

  test('everything can come from everywhere, and means the same', () => {
    const wanted = {
      host: '0.0.0.0',
      port: 7_000,
      publicUrl: 'https://relay.example',
      tls: { certificateFile: 'c.pem', keyFile: 'k.pem' },
      insecure: true,
      origins: ['https://a.example', 'https://b.example'],
      trustedProxies: ['10.0.0.0/8'],
      udp: { port: 7_001, secretKeyFile: 'udp.key', ticketKeyFile: 'ticket.key' },
      webrtc: { port: 7_002, publicAddress: '203.0.113.7' },
      pages: 'dist',
      journal: 'state/journal',
      recoveryKeyFile: 'state/recovery.key',
      desyncs: 'state/desyncs',
      debugLevel: 2,
      matchesMax: 5,
      matchesPerAddress: 3,
      matchesPerMinute: 30,
      createMatches: 'token',
      witnesses: 'anyone',
      matchLimits: {
        seatsMax: 8,
        spectatorsMax: 0,
        tickRateMax: 60,
        speedPercentMax: 200,
        ticksPerSecondMax: 90,
        optionsBytesMax: 100,
        emptyMsMax: 1_000,
        resyncsMax: 2,
      },
      showDesyncValues: true,
      kickAddresses: true,
      makeUpMs: 500,
      tokens: { publicKeyFile: 'token.pem', audience: 'relay', required: false },
      connectionsMax: 6,
      connectionsPerAddress: 4,
      strangersPerAddress: 7,
      workers: 1,
      turbo: false,
      gatherMs: 0.25,
      conditions: 'latency=80',
      log: false,
    }
    const texts: Record<string, string> = {
      host: '0.0.0.0',
      port: '7000',
      publicUrl: 'https://relay.example',
      'tls.certificateFile': 'c.pem',
      'tls.keyFile': 'k.pem',
      insecure: 'yes',
      origins: 'https://a.example, https://b.example',
      trustedProxies: '10.0.0.0/8',
      udp: '7001',
      'udp.secretKeyFile': 'udp.key',
      'udp.ticketKeyFile': 'ticket.key',
      webrtc: '7002',
      'webrtc.publicAddress': '203.0.113.7',
      pages: 'dist',
      journal: 'state/journal',
      recoveryKeyFile: 'state/recovery.key',
      desyncs: 'state/desyncs',
      debugLevel: '2',
      matchesMax: '5',
      matchesPerAddress: '3',
      matchesPerMinute: '30',
      createMatches: 'token',
      witnesses: 'anyone',
      'matchLimits.seatsMax': '8',
      'matchLimits.spectatorsMax': '0',
      'matchLimits.tickRateMax': '60',
      'matchLimits.speedPercentMax': '200',
      'matchLimits.ticksPerSecondMax': '90',
      'matchLimits.optionsBytesMax': '100',
      'matchLimits.emptyMsMax': '1000',
      'matchLimits.resyncsMax': '2',
      showDesyncValues: 'yes',
      kickAddresses: 'yes',
      makeUpMs: '500',
      'tokens.publicKeyFile': 'token.pem',
      'tokens.audience': 'relay',
      'tokens.required': 'no',
      connectionsMax: '6',
      connectionsPerAddress: '4',
      strangersPerAddress: '7',
      workers: '1',
      turbo: 'no',
      gatherMs: '0.25',
      conditions: 'latency=80',
      log: 'off',
    }
    // A key is given, or its file.
    const others = ['udp.secretKey', 'tokens.jwksFile', 'tokens.secretFile', 'tokens.secret']
    const keys = settings.map(({ key }) => key).filter((key) => !others.includes(key))
    expect(Object.keys(texts).sort()).toEqual(keys.sort())
    const env = Object.fromEntries(settings.map(({ key, env: name }) => [name, texts[key]]))
    expect(readSettings({ config: write(JSON.stringify(wanted)) })).toEqual(wanted)
    expect(readSettings({ env })).toEqual(wanted)
    expect(readSettings({ flags: texts })).toEqual(wanted)
    expect(readSettings({ env: { SAMESTEP_CONFIG: write('{"port": 5}') } })).toEqual({ port: 5 })
  })

  test('flags count more than the environment, and that more than the file', () => {
    const config = write('{"port": 1, "host": "file", "log": "warn"}')
    const env = { SAMESTEP_PORT: '2', SAMESTEP_HOST: 'env', SAMESTEP_LOG: '' }
    const flags = { port: '3' }
    expect(readSettings({ config, env, flags })).toEqual({ port: 3, host: 'env', log: 'warn' })
  })

  test('errors name the line, the key, the value and what is allowed, all of them at once', () => {
    expect(
      complaint(`{
  "host": "127.0.0.1",
  "prot": 7777,
  "port": "7777",
  "tls": { "certificateFile": "c.pem",
           "keyFile": 5 },
  "origins": ["https://game.example/"],
  "udp": 7777,
  "conditions": "latency=a-lot",
  "log": "loud",
  "nonsense": { "host": 1 }
}`),
    ).toBe(
      [
        'Cannot use prot in relay.json, line 3: there is no such setting; did you mean port?',
        'Cannot use port in relay.json, line 4: it is "7777"; it must be a whole number from 0 to 65535 (TCP port for WebSocket and pages; 0 for any free port)',
        'Cannot use tls.keyFile in relay.json, line 6: it is 5; it must be the path of a file (key of the certificate, in PEM)',
        'Cannot use origins in relay.json, line 7: it is ["https://game.example/"]; it must be "any", or a list of origins such as https://game.example (origins whose pages may connect, separated by commas; or any)',
        'Cannot use udp in relay.json, line 8: it is 7777; it must be a port from 0 to 65535 (in a file {"port": 7777}), or off (UDP port for native clients)',
        'Cannot use conditions in relay.json, line 9: it is "latency=a-lot"; it must be conditions such as latency=80,loss=2% or one of good, wifi, mobile, awful (degrade every connection, to try your game on a bad network)',
        'Cannot use log in relay.json, line 10: it is "loud"; it must be one of fatal, error, warn, info, debug, trace, or off (log level)',
        `Cannot use nonsense in relay.json, line 11: there is no such setting; settings are ${settings.map(({ key }) => key).join(', ')}`,
        'Cannot encrypt: tls.keyFile is missing; a certificate and its key go together',
      ].join('\n'),
    )
  })

  test.each([
    ['{"port": 1,}', /^Cannot read relay\.json, line 1: it is not valid JSON/],
    [
      '{\n"port": 1,\n"host": x,\n"log": "info"}',
      /^Cannot read relay\.json, line 3: it is not valid JSON/,
    ],
    ['{\n"port": 1\n"host": 2}', /^Cannot read relay\.json, line 3: it is not valid JSON/],
    ['{"port": 1', /^Cannot read relay\.json, line 1: it is not valid JSON/],
    ['[]', /^Cannot use relay\.json: it must be an object such as/],
    [
      '{"tls": true}',
      /^Cannot use tls in relay\.json, line 1: it must be an object with tls\.cert/,
    ],
    [
      '{"__proto__": {"port": 1}}',
      /^Cannot use __proto__ in relay\.json, line 1: there is no such/,
    ],
  ])('%j is refused', (text, message) => {
    expect(complaint(text)).toMatch(message)
  })

  test('a file that is not there is told by its name', () => {
    expect(() => readSettings({ config: join(folder, 'none.json') })).toThrow(
      /Cannot read the config file .*none\.json: ENOENT/,
    )
  })

  test.each([
    [{ workers: '2', 'tls.certificateFile': 'c', 'tls.keyFile': 'k' }, /let a proxy do TLS/],
    [{ workers: '2', udp: '7777' }, /Cannot use udp with several workers/],
    [{ workers: '2', webrtc: '7777' }, /Cannot use webrtc with several workers/],
    [{ workers: '2', conditions: 'loss=1%' }, /Cannot use conditions with several workers/],
    [{ 'tls.keyFile': 'k' }, /tls\.certificateFile is missing/],
  ])('%j contradicts itself', (flags, message) => {
    expect(() => readSettings({ flags })).toThrow(message)
  })

  test('turning off what workers cannot do is no contradiction', () => {
    expect(readSettings({ flags: { workers: '4', udp: 'off', webrtc: 'off' } })).toEqual({
      workers: 4,
      udp: false,
      webrtc: false,
    })
  })

  test('the address of WebRTC stands beside its port, and must be an address', () => {
    expect(readSettings({ env: { SAMESTEP_WEBRTC_ADDRESS: '2001:db8::1' } })).toEqual({
      webrtc: { publicAddress: '2001:db8::1' },
    })
    const off = { webrtc: 'off', 'webrtc.publicAddress': '203.0.113.7' }
    expect(readSettings({ flags: off })).toEqual({ webrtc: false })
    expect(() => readSettings({ flags: { 'webrtc.publicAddress': 'relay.example' } })).toThrow(
      /Cannot use --webrtc-address: it is "relay\.example"; it must be an IPv4 or IPv6 address/,
    )
  })

  test.each(['https://me:secret@relay.example', 'https://relay.example?key=secret'])(
    'a public address with a secret in it is refused and not shown: %s',
    (publicUrl) => {
      const read = () => readSettings({ flags: { publicUrl } })
      expect(read).toThrow(/^Cannot use --public-url: .* without a path, a query or a password/)
      expect(read).not.toThrow(/secret@|key=/)
    },
  )

  test('the key of UDP stands beside its port, in one object or in several places', () => {
    const secretKey = Buffer.alloc(32, 7).toString('base64url')
    expect(readSettings({ flags: { udp: '7001', 'udp.secretKeyFile': 'k' } })).toEqual({
      udp: { port: 7_001, secretKeyFile: 'k' },
    })
    expect(readSettings({ env: { SAMESTEP_UDP_KEY: secretKey } })).toEqual({ udp: { secretKey } })
    expect(readSettings({ flags: { 'udp.secretKeyFile': 'k', udp: 'off' } })).toEqual({
      udp: false,
    })
    expect(() => checkOptions({ udp: { port: 1, secretKey } })).not.toThrow()
    expect(() => checkOptions({ udp: {} })).toThrow('Cannot use the option udp: it is {}')
    expect(() => checkOptions({ udp: { prot: 1, secretKey } as never })).toThrow(
      'Cannot use the option udp: it is {"prot":1}',
    )
    expect(() => checkOptions({ udp: { secretKey, secretKeyFile: 'k' } })).toThrow(
      'a relay has one key; set only one of them',
    )
    expect(() => readSettings({ flags: { workers: '2', 'udp.secretKeyFile': 'k' } })).toThrow(
      'Cannot use udp with several workers',
    )
  })

  test('a secret that is wrong is not shown', () => {
    expect(() => readSettings({ flags: { 'udp.secretKey': 'hunter2' } })).toThrow(
      /^Cannot use --udp-key: it is something else, which is not shown; it must be 32 secret random bytes as 43 characters of base64url/,
    )
  })

  test('tokens need one key, nobody else who decides, and whoever makes matches needs one of them', () => {
    const wrong = (options: Parameters<typeof checkOptions>[0]) => {
      try {
        checkOptions(options)
      } catch (error) {
        return (error as Error).message
      }
      return ''
    }
    expect(wrong({ tokens: { audience: 'x' } })).toMatch(
      /^Cannot check tokens: there is no key; give one/,
    )
    const secret = 'a secret that is long enough for it'
    expect(wrong({ tokens: { secret, jwksFile: 'a' } })).toMatch(
      /^Cannot check tokens: tokens.jwksFile and tokens.secret are several keys/,
    )
    expect(wrong({ tokens: { secret }, authorize: () => ({}) })).toMatch(
      /^Cannot use tokens and authorize: both decide/,
    )
    expect(wrong({ createMatches: 'token' })).toMatch(/^Cannot use createMatches token: nothing/)
    expect(wrong({ createMatches: 'token', authorize: () => ({}) })).toBe('')
    expect(wrong({ tokens: { secret: 'hunter2' } })).toMatch(
      /tokens.secret: it is something else, which is not shown/,
    )
  })

  test('off is false wherever false is allowed, in files and in programs', () => {
    const off = {
      ...{ udp: 'off', webrtc: 'off', journal: 'off', recoveryKeyFile: 'off', log: 'off' },
    } as const
    const none = { udp: false, webrtc: false, journal: false, recoveryKeyFile: false, log: false }
    expect(readSettings({ config: write(JSON.stringify(off)) })).toEqual(none)
    expect(checkOptions(off as never)).toEqual(none)
    expect(checkOptions(none as never)).toEqual(none)
    expect(() => checkOptions({ port: 'off' as never })).toThrow('a whole number from 0 to 65535')
    expect(() => checkOptions({ log: 'loud' as never })).toThrow(
      'Cannot use the option log: it is "loud"; it must be one of fatal, error, warn, info, debug, trace, or off (log level)',
    )
  })

  test('every setting is in the table of docs/operating.md, as it is', () => {
    const guide = readFileSync(new URL('../../../../../docs/operating.md', import.meta.url), 'utf8')
    for (const { key, flag, env, what, allowed, initial } of settings) {
      const row = [`\`${key}\``, `\`${flag}\``, `\`${env}\``, `${what}: ${allowed}`, initial]
      const text = row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')
      expect(guide).toContain(`| ${text} |`)
    }
  })
})

test('lines of keys are found in any spelling of JSON', () => {
  const lines = linesOfKeys('{"a":1,\n"b" : {\n "c\\"d": [1, {"e":\n2}],\n"f": "g: {"}}')
  expect(Object.fromEntries(lines)).toEqual({ a: 1, b: 2, 'b.c"d': 3, 'b.c"d.e': 3, 'b.f': 5 })
  expect(lineOfSyntaxError('x', 'no error at all')).toBeUndefined()
})

describe('the journal', () => {
  const journalOf = (sources: Parameters<typeof readSettings>[0]) => readSettings(sources).journal

  test('is in the state directory of a service, the first where there are several', () => {
    expect(journalOf({ env: {} })).toBeUndefined()
    expect(journalOf({ env: { STATE_DIRECTORY: '/var/lib/a' } })).toBe('/var/lib/a/journal')
    expect(journalOf({ env: { STATE_DIRECTORY: '/var/lib/a:/var/lib/b' } })).toBe(
      '/var/lib/a/journal',
    )
  })

  test('is where somebody says, or off', () => {
    const env = { STATE_DIRECTORY: '/var/lib/a' }
    expect(journalOf({ env, flags: { journal: 'here' } })).toBe('here')
    expect(journalOf({ env, flags: { journal: 'off' } })).toBe(false)
    expect(journalOf({ env: { ...env, SAMESTEP_JOURNAL: 'off' } })).toBe(false)
  })
})
