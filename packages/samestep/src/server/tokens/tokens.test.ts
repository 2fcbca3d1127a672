import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JoinRequest } from '../authorize.ts'
import { checkTokens } from './check-tokens.ts'
import { issueToken } from './issue-token.ts'
import { UsedTokens } from './used-tokens.ts'

const secret = 'a secret that only we and our issuer know'
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const other = generateKeyPairSync('ed25519')
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-test-'))
  const pem = { format: 'pem' } as const
  write('key.pem', privateKey.export({ ...pem, type: 'pkcs8' }) as string, 0o600)
  write('key.pub.pem', publicKey.export({ ...pem, type: 'spki' }) as string)
  write('other.pem', other.privateKey.export({ ...pem, type: 'pkcs8' }) as string, 0o600)
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1' }
  const second = { ...other.publicKey.export({ format: 'jwk' }), kid: 'k2' }
  write('keys.json', JSON.stringify({ keys: [jwk, second] }))
  write('secret', `${secret}\n`, 0o600)
})

afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, text: string, mode = 0o644): void {
  writeFileSync(join(folder, name), text, { mode })
}

const file = (name: string): string => join(folder, name)

function requestOf(token: string | undefined, changes: Partial<JoinRequest> = {}): JoinRequest {
  return {
    token,
    match: 'friday',
    isNew: true,
    role: 'player',
    name: 'ada',
    gameId: 'count',
    software: undefined,
    address: '10.0.0.1',
    transport: 'websocket',
    ticketData: new Uint8Array(0),
    ...changes,
  }
}

/** A token of any claims, signed by the secret. */
function sign(claims: Record<string, unknown>, seconds = 60, by: string = secret): Promise<string> {
  const exp = Math.floor(Date.now() / 1_000) + seconds
  return new SignJWT({ exp, ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(by))
}

const invalid = { refused: 'your token is not valid here' }

describe('T-14 a signed token', () => {
  test('decides identity, name, role, seat, team, limits and whether it may make the match', async () => {
    const check = checkTokens({ secret })
    const claims = { sub: 'account 7', name: 'Ada', role: 'player', seat: 2, team: 1, create: true }
    const token = await sign({ ...claims, match: 'friday', limits: { seatsMax: 4 } })
    expect(await check(requestOf(token))).toEqual({
      identity: 'account 7',
      name: 'Ada',
      role: 'player',
      seat: 2,
      team: 1,
      mayCreate: true,
      limits: { seatsMax: 4 },
    })
    expect(await check(requestOf(await sign({})))).toEqual({})
  })

  test('is missing, expired, for another match or for another relay: each is told', async () => {
    const check = checkTokens({ secret, audience: 'relay' })
    const aud = 'relay'
    expect(await check(requestOf(undefined))).toEqual({
      refused: 'this relay wants a token, and you gave none',
    })
    expect(await check(requestOf(await sign({ aud }, -61)))).toEqual({
      refused: 'your token has expired',
    })
    expect(await check(requestOf(await sign({ aud }, -50)))).toEqual({})
    expect(await check(requestOf(await sign({ aud, match: ['monday', 'sunday'] })))).toEqual({
      refused: 'your token is for another match',
    })
    expect(await check(requestOf(await sign({ aud: 'shop' })))).toEqual(invalid)
    expect(await check(requestOf(await sign({})))).toEqual(invalid)
  })

  test('without an end, with no signature, another key or another algorithm is not valid', async () => {
    const check = checkTokens({ secret })
    const endless = new SignJWT({}).setProtectedHeader({ alg: 'HS256' })
    const header = Buffer.from('{"alg":"none"}').toString('base64url')
    const body = Buffer.from(`{"exp":${Date.now()}}`).toString('base64url')
    const { token } = await issueToken(file('key.pem'), { seconds: 60 })
    const tokens = [
      await endless.sign(Buffer.from(secret)),
      `${header}.${body}.`,
      (await sign({})).slice(0, -2),
      token,
      'x',
      '',
      '..',
      'é'.repeat(1_000),
    ]
    for (const each of tokens) expect(await check(requestOf(each))).toEqual(invalid)
    // The public key is no secret: it must not pass for one.
    const confused = checkTokens({ publicKeyFile: file('key.pub.pem') })
    expect(await confused(requestOf(await sign({})))).toEqual(invalid)
  })

  test('is checked by the key that its file has now, once that was read again', async () => {
    const path = file('rotating')
    const other = 'n'.repeat(40)
    write('rotating', secret, 0o600)
    const check = checkTokens({ secretFile: path })
    const [old, used] = [await sign({}), await sign({ jti: 'once' })]
    const next = await sign({}, 60, other)
    expect(await check(requestOf(used))).toEqual({})
    expect([await check(requestOf(old)), await check(requestOf(next))]).toEqual([{}, invalid])
    write('rotating', other, 0o600)
    // Nobody has said so yet.
    expect(await check(requestOf(old))).toEqual({})
    check.reload()
    expect([await check(requestOf(old)), await check(requestOf(next))]).toEqual([invalid, {}])
    // A bad file is told, and changes nothing; what was used stays used.
    write('rotating', 'short', 0o600)
    expect(() => check.reload()).toThrow('the secret has 5 bytes')
    expect(await check(requestOf(next))).toEqual({})
    write('rotating', secret, 0o600)
    check.reload()
    expect(await check(requestOf(used, { address: '10.9.9.9' }))).toEqual({
      refused: 'your token was used from another address already',
    })
  })

  test('with an id is good for the first address that uses it', async () => {
    const check = checkTokens({ secret })
    const token = await sign({ jti: 'x' })
    expect(await check(requestOf(token))).toEqual({})
    expect(await check(requestOf(token))).toEqual({})
    expect(await check(requestOf(token, { address: '10.0.0.2' }))).toEqual({
      refused: 'your token was used from another address already',
    })
  })

  test('with claims that cannot be is refused', async () => {
    const check = checkTokens({ secret })
    for (const claims of [{ seat: 64 }, { role: 'owner' }, { limits: { ticks: 1 } }, { sub: '' }]) {
      expect(await check(requestOf(await sign(claims)))).toEqual({
        refused: 'your token says something that this relay does not know',
      })
    }
  })

  test('only gives more rights where it is not required; a bad one is refused all the same', async () => {
    const check = checkTokens({ secret, required: false })
    expect(await check(requestOf(undefined))).toEqual({})
    expect(await check(requestOf('x'))).toEqual(invalid)
    expect(await check(requestOf(await sign({ create: true })))).toEqual({ mayCreate: true })
  })
})

describe('keys', () => {
  test('Ed25519 in PEM and in a set, and a secret in a file, check what was signed with them', async () => {
    const signed = (await issueToken(file('key.pem'), { seconds: 60, name: 'Ada' })).token
    const stranger = (await issueToken(file('other.pem'), { seconds: 60 })).token
    for (const name of ['key.pub.pem', 'key.pem']) {
      const check = checkTokens({ publicKeyFile: file(name) })
      expect(await check(requestOf(signed))).toEqual({ name: 'Ada' })
      expect(await check(requestOf(stranger))).toEqual(invalid)
    }
    const bySecret = (await issueToken(file('secret'), { seconds: 60, name: 'Ada' })).token
    const check = checkTokens({ secretFile: file('secret') })
    expect(await check(requestOf(bySecret))).toEqual({ name: 'Ada' })
    expect(await checkTokens({ secret })(requestOf(bySecret))).toEqual({ name: 'Ada' })
    const byKid = await new SignJWT({ exp: Math.floor(Date.now() / 1_000) + 60, name: 'Eve' })
      .setProtectedHeader({ alg: 'EdDSA', kid: 'k2' })
      .sign(other.privateKey)
    const bySet = checkTokens({ jwksFile: file('keys.json') })
    expect(await bySet(requestOf(byKid))).toEqual({ name: 'Eve' })
    expect(await bySet(requestOf(bySecret))).toEqual(invalid)
  })

  test('that cannot be used are told at the start, and never shown', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    write('rsa.pem', rsa.publicKey.export({ format: 'pem', type: 'spki' }) as string)
    write('short', 'hunter2', 0o600)
    write('open', secret, 0o644)
    write('empty.json', '{"keys": []}')
    const cases = [
      [{ publicKeyFile: file('rsa.pem') }, /it is of the type rsa; it must be an Ed25519 key/],
      [{ publicKeyFile: file('secret') }, /it is none; it must be an Ed25519 key in PEM$/],
      [{ secretFile: file('short') }, /the secret has 7 bytes; it must have at least 32/],
      [{ secretFile: file('nowhere') }, /ENOENT/],
      [{ secretFile: folder }, /it is not a regular file/],
      [{ jwksFile: file('empty.json') }, /it must contain only Ed25519 keys, like \{"keys"/],
      [{ publicKeyFile: '-----BEGIN PUBLIC KEY-----\nabc' }, /looks like a public key/],
      ...(process.platform === 'win32'
        ? []
        : ([[{ secretFile: file('open') }, /its mode is 644.*chmod 600/]] as const)),
    ] as const
    for (const [options, problem] of cases) {
      expect(() => checkTokens(options)).toThrow(problem)
      expect(() => checkTokens(options)).not.toThrow(/hunter2|only we|abc/)
    }
  })
})

test('tokens that were used are forgotten when they have expired, and never sooner', () => {
  const used = new UsedTokens(2)
  expect(used.use('a', 'x', 1_000, 0)).toBe(true)
  expect(used.use('b', 'x', 2_000, 0)).toBe(true)
  expect([used.use('c', 'x', 3_000, 999), used.use('a', 'y', 1_000, 999)]).toEqual([false, false])
  expect([used.use('c', 'x', 3_000, 1_000), used.size]).toEqual([true, 2])
})
