import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lineOfSyntaxError, linesOfKeys } from './json-lines.ts'
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
      udp: { port: 7_001, secretKeyFile: 'udp.key' },
      webrtc: false,
      pages: 'dist',
      matchesMax: 5,
      createMatches: 'nobody',
      connectionsMax: 6,
      strangersPerAddress: 7,
      workers: 1,
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
      webrtc: 'off',
      pages: 'dist',
      matchesMax: '5',
      createMatches: 'nobody',
      connectionsMax: '6',
      strangersPerAddress: '7',
      workers: '1',
      gatherMs: '0.25',
      conditions: 'latency=80',
      log: 'off',
    }
    // A key is given, or its file.
    const keys = settings.map(({ key }) => key).filter((key) => key !== 'udp.secretKey')
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
        'Cannot use port in relay.json, line 4: it is "7777"; it must be a whole number from 0 to 65535 (TCP port for WebSocket and pages; 0 for any that is free)',
        'Cannot use tls.keyFile in relay.json, line 6: it is 5; it must be the path of a file (key of the certificate, in PEM)',
        'Cannot use origins in relay.json, line 7: it is ["https://game.example/"]; it must be "any", or a list of origins such as https://game.example (pages that may connect, by origin, with commas between; or any)',
        'Cannot use udp in relay.json, line 8: it is 7777; it must be a port from 0 to 65535 (in a file {"port": 7777}), or off (in a file false) (UDP port for native clients)',
        'Cannot use conditions in relay.json, line 9: it is "latency=a-lot"; it must be conditions such as latency=80,loss=2% or one of good, wifi, mobile, awful (make every connection worse, to see your game on a bad line)',
        'Cannot use log in relay.json, line 10: it is "loud"; it must be one of fatal, error, warn, info, debug, trace, or off (in a file false) (how much to write into the log)',
        `Cannot use nonsense in relay.json, line 11: there is no such setting; settings are ${settings.map(({ key }) => key).join(', ')}`,
        'Cannot encrypt: tls.keyFile is missing; a certificate and its key go together',
      ].join('\n'),
    )
  })

  test.each([
    ['{"port": 1,}', /^Cannot read relay\.json(, line 1)?: it is no JSON/],
    ['{\n"port": 1\n"host": 2}', /^Cannot read relay\.json, line 3: it is no JSON/],
    ['{"port": 1', /^Cannot read relay\.json, line 1: it is no JSON/],
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
      'they are two keys for one relay; give one of them',
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

  test('every setting is in the table of docs/operating.md, as it is', () => {
    const guide = readFileSync(new URL('../../../../docs/operating.md', import.meta.url), 'utf8')
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
