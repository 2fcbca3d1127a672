import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestPlayer } from '../../server/testing/player.ts'
import { RelayProcess } from '../../server/testing/relay-process.ts'
import { until } from '../../transport/testing/recorder.ts'
import { cliArgs } from '../testing/cli-args.ts'

let folder = ''
let key = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-test-'))
  key = join(folder, 'key.pem')
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  writeFileSync(key, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 })
  writeFileSync(join(folder, 'key.pub.pem'), publicKey.export({ format: 'pem', type: 'spki' }))
})

afterAll(() => rmSync(folder, { recursive: true }))

function run(...args: readonly string[]) {
  const argv = [...cliArgs, 'token', ...args]
  return spawnSync(process.execPath, argv, { encoding: 'utf8' })
}

test('a token of samestep token opens a relay that checks its key, for that match alone', async () => {
  const { status, stdout, stderr } = run('--match', 'friday', '--name', 'Grace', '--key', key)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const token = stdout.trim()
  const flags = ['--port', '0', '--udp', 'off', '--json', '--connections-max', '50']
  const relay = new RelayProcess([...flags, '--token-public-key-file', join(folder, 'key.pub.pem')])
  try {
    const { urls } = await relay.started()
    const ada = new TestPlayer(urls.websocket, { match: 'friday', token })
    await until(() => ada.ticks > 3, 'ticks')
    const bob = new TestPlayer(urls.websocket, { match: 'monday', token })
    await until(() => bob.closed !== undefined, 'a refusal')
    expect(bob.closed?.message).toBe('Cannot let you in: your token is for another match')
    const eve = new TestPlayer(urls.websocket, { match: 'friday' })
    await until(() => eve.closed !== undefined, 'a refusal')
    expect(eve.closed?.reason).toBe('auth')
    for (const player of [ada, bob, eve]) player.stop()
  } finally {
    relay.kill()
  }
  expect(relay.stdout + relay.stderr).not.toContain(token)
}, 60_000)

test('SIGHUP reads the key again: new tokens open the relay, old ones no longer, and a bad file changes nothing', async () => {
  const [publicKey, nextKey] = [join(folder, 'rotating.pub.pem'), join(folder, 'next.pem')]
  const next = generateKeyPairSync('ed25519')
  writeFileSync(nextKey, next.privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 })
  writeFileSync(publicKey, readFileSync(join(folder, 'key.pub.pem')))
  const [old, fresh] = [key, nextKey].map((file) => run('--key', file).stdout.trim())
  const flags = ['--port', '0', '--udp', 'off', '--json', '--connections-max', '50']
  const relay = new RelayProcess([...flags, '--token-public-key-file', publicKey])
  const isLogged = (text: string) => relay.lines.some(({ msg }) => msg === text)
  try {
    const { urls } = await relay.started()
    const join = (token: string | undefined) =>
      new TestPlayer(urls.websocket, { match: 'friday', seats: 2, token: token as string })
    const ada = join(old)
    await until(() => ada.seat === 0, 'a seat')
    writeFileSync(publicKey, next.publicKey.export({ format: 'pem', type: 'spki' }))
    relay.kill('SIGHUP')
    await until(() => isLogged('token key reloaded'), 'the new key')
    const late = join(old)
    await until(() => late.closed !== undefined, 'a refusal')
    expect(late.closed?.message).toBe('Cannot let you in: your token is not valid here')
    writeFileSync(publicKey, 'no key')
    relay.kill('SIGHUP')
    await until(
      () => isLogged('cannot reload the token key; the old one stays in use'),
      'a complaint',
    )
    const bob = join(fresh)
    await until(() => bob.ticks > 3 && ada.ticks > 3, 'a match with both')
    for (const player of [ada, bob, late]) player.stop()
  } finally {
    relay.kill()
  }
}, 60_000)

test('--json prints the claims too; mistakes end it with 2 and a sentence', () => {
  const good = run('--key', key, '--seat', '3', '--id', 'account 7', '--minutes', '5', '--json')
  const { token, claims } = JSON.parse(good.stdout) as { token: string; claims: { exp: number } }
  expect(token.split('.')).toHaveLength(3)
  expect(claims).toMatchObject({ seat: 3, sub: 'account 7' })
  const failures = [
    [['--key', join(folder, 'none.pem')], /^Cannot read the key .*none.pem: ENOENT/],
    [['--key', key, '--seat', 'x'], /^Cannot use --seat x: it must be a number\n$/],
    [['--key', key, '--seat', '64'], /^Cannot make the token: seat: /],
    [['--key', key, '--match', ''], /^Cannot make the token: no match can be called that/],
    [['--key', key, '--minutes', '0'], /^Cannot make the token: it must be good for a second/],
    [[], /required option '--key <file>'/],
  ] as const
  for (const [args, sentence] of failures) {
    const { status, stdout, stderr } = run(...args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(sentence)
  }
  expect(run('--help').stdout).toContain(
    'npx samestep token --match friday --name Ada --key key.pem',
  )
}, 60_000)
