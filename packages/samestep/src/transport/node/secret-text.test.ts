import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hideSecrets, isKeyItself, mayBeSecret, showPath, systemProblem } from './secret-text.ts'

const { privateKey } = generateKeyPairSync('ed25519')
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string

test.each([
  ['PEM', pem],
  ['PEM in one line', pem.replaceAll('\n', '')],
  ['32 bytes in base64url', randomBytes(32).toString('base64url')],
  ['32 bytes in base64', `${'aB3+'.repeat(10)}aB3=`],
  ['32 bytes in hex', randomBytes(32).toString('hex')],
  ['a long text', 'x '.repeat(600)],
])('%s is a key and no path', (_, text) => {
  expect([mayBeSecret(text), isKeyItself(text)]).toEqual([true, true])
  expect(showPath(text)).not.toContain(text.slice(0, 12))
})

test.each([
  'udp.key',
  '/etc/letsencrypt/live/relay.example.org/privkey.pem',
  'C:\\ProgramData\\samestep\\udp.key',
  'packages/samestep/dist/some/folder/with/a/name/key',
])('%s is a path, and shown', (path) => {
  expect([mayBeSecret(path), isKeyItself(path)]).toEqual([false, false])
  expect(showPath(path)).toBe(path)
})

test('a path with a long name in it is taken, and not shown', () => {
  const path = '/nix/store/7zq1v0kb3n4ml5x8w2j9r6d0c1f5h3ga-relay-certificates-1/key.pem'
  expect([isKeyItself(path), mayBeSecret(path)]).toEqual([false, true])
})

test('secrets are taken out of any text', () => {
  const key = randomBytes(32).toString('base64url')
  const text = hideSecrets(`unknown option '--tls=${pem}' and '--udp=${key}'`)
  expect(text).toBe("unknown option '--tls=(not shown)\n' and '--udp=(not shown)'")
  expect(hideSecrets(`-----BEGIN PRIVATE KEY-----\n${key}`)).toBe('(not shown)')
})

test('what the system says is told without the path', () => {
  let problem: unknown
  try {
    readFileSync('/no/such/file')
  } catch (error) {
    problem = error
  }
  expect(systemProblem(problem)).toBe('ENOENT: no such file or directory')
  expect(systemProblem('text')).toBe('it cannot be used')
})
