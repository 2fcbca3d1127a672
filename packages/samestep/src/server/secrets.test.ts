/** Secrets that stand in the wrong place are recognised, and never repeated by any message. */
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cliArgs } from '../cli/testing/cli-args.ts'
import { checkOptions, readSettings, type SettingSources } from './settings/read-settings.ts'

const key = randomBytes(32).toString('base64url')
const pem = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({
  format: 'pem',
  type: 'pkcs8',
}) as string

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Whether a text has six letters in a row of a secret. */
function leaks(text: string, secret: string): boolean {
  for (let at = 0; at + 6 <= secret.length; at++) {
    const part = secret.slice(at, at + 6)
    if (!/^[-\s]|BEGIN|END|PRIV|KEY/.test(part) && text.includes(part)) return true
  }
  return false
}

function complaint(sources: SettingSources): string {
  try {
    readSettings(sources)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('It was taken')
}

describe('a config file', () => {
  test.each([
    ['a key for a port', `{"udp": "${key}"}`],
    ['a key under a misspelled name', `{"udp": {"secretkey": "${key}"}}`],
    ['half a key under a misspelled name', `{"udp": {"secretkey": "${key.slice(0, 24)}"}}`],
    ['a key for a file', `{"udp": {"secretKeyFile": "${key}"}}`],
    ['a key for a name', `{"${key}": 1}`],
    ['a key elsewhere', `{"log": "${key}"}`],
    ['a key before a missing comma', `{"udp": {"secretKey": "${key}" "port": 1}}`],
    ['a key without its quotes', `{"udp": {"secretKey": ${key}}}`],
    ['a key without its last quote', `{"udp": {"secretKey": "${key}}}`],
    ['PEM for a file', JSON.stringify({ tls: { certificateFile: 'c', keyFile: pem } })],
    ['PEM for a folder', JSON.stringify({ pages: pem })],
  ])('with %s is refused without repeating it', (_, json) => {
    const config = join(folder, 'relay.json')
    writeFileSync(config, json)
    const message = complaint({ config })
    expect(message).toContain('Cannot ')
    expect(leaks(message, key) || leaks(message, pem)).toBe(false)
  })
})

test.each([
  ['--udp', { flags: { udp: key } }],
  ['SAMESTEP_UDP', { env: { SAMESTEP_UDP: key } }],
  ['SAMESTEP_UDP_KEY_FILE', { env: { SAMESTEP_UDP_KEY_FILE: key } }],
  ['SAMESTEP_TLS_KEY_FILE', { env: { SAMESTEP_TLS_KEY_FILE: pem } }],
  ['SAMESTEP_CONFIG', { env: { SAMESTEP_CONFIG: pem } }],
  ['SAMESTEP_CONFIG', { env: { SAMESTEP_CONFIG: key } }],
])('a secret in %s is not repeated', (_, sources) => {
  const message = complaint(sources)
  expect(leaks(message, key) || leaks(message, pem)).toBe(false)
})

test('options of a program are told in the same way', () => {
  const wrong = { tls: { certificateFile: 'c', keyFile: pem }, udp: { secretKeyFile: key } }
  let message = ''
  try {
    checkOptions(wrong)
  } catch (error) {
    message = (error as Error).message
  }
  expect(message).toContain('Cannot use the option tls.keyFile: it is something that may be')
  expect(message).toContain('Cannot use the option udp.secretKeyFile: it is something that may be')
  expect(leaks(message, key) || leaks(message, pem)).toBe(false)
})

test.each(['https://ada:hunter22@relay.example', 'https://relay.example?x', 'https://a.example#x'])(
  'the public address takes no password, query or fragment: %s',
  (publicUrl) => {
    const message = complaint({ flags: { publicUrl } })
    expect(message).toContain('Cannot use --public-url')
    expect(message).not.toContain('hunter22')
  },
)

test('the command line repeats no secret, as text or as JSON, and makes no file of it', () => {
  const run = (flags: readonly string[], env: Readonly<Record<string, string>>) => {
    const args = [...cliArgs, 'relay', '--port', '0', ...flags]
    const options = { cwd: folder, env: { ...process.env, ...env }, encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync(process.execPath, args, options)
    expect(status).toBe(2)
    expect(stderr).not.toBe('')
    expect(leaks(stdout + stderr, key) || leaks(stdout + stderr, pem)).toBe(false)
  }
  run(['--json', '--udp', key], { SAMESTEP_TLS_KEY_FILE: pem, SAMESTEP_UDP_KEY_FILE: key })
  run([`--tls-kee=${pem}`], {})
  run([`--udp-kee=${key}`], {})
  expect(readdirSync(folder)).toEqual([])
}, 30_000)
