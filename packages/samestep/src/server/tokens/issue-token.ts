/** Makes tokens: for trying a relay out, and for a backend that has no library of its own. */
import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { UsageError } from '../../base/errors.ts'
import { checkMatchName, checkName } from '../../wire/text-form.ts'
import type { TokenClaims } from './token-claims.ts'
import { tokenClaims } from './token-claims.ts'
import { readSigningKey } from './token-keys.ts'

/** The claims of a token, and how long it is valid. */
export interface TokenContent extends Omit<TokenClaims, 'exp' | 'jti'> {
  /** How long the token is valid. */
  readonly seconds: number
  readonly audience?: string
}

/** A token and its claims. */
export interface IssuedToken {
  readonly token: string
  readonly claims: Readonly<Record<string, unknown>>
}

/** Signs a token with a key from a file: an Ed25519 private key in PEM, or a secret. */
export async function issueToken(keyFile: string, content: TokenContent): Promise<IssuedToken> {
  const { key, algorithm } = readSigningKey(keyFile)
  const { seconds, audience, ...rest } = content
  const now = Math.floor(Date.now() / 1_000)
  const given = { ...rest, aud: audience, jti: randomUUID(), iat: now, exp: now + seconds }
  const claims = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  )
  check(claims, content)
  const { SignJWT } = await import('jose')
  const token = await new SignJWT(claims).setProtectedHeader({ alg: algorithm }).sign(key)
  return { token, claims }
}

function check(claims: object, { match, name, seconds }: TokenContent): void {
  const { issues } = v.safeParse(tokenClaims, claims)
  const [issue] = issues ?? []
  if (issue !== undefined) throw cannot(`${v.getDotPath(issue) ?? 'a claim'}: ${issue.message}`)
  for (const each of match === undefined ? [] : [match].flat()) {
    const fault = checkMatchName(each.normalize('NFC'))
    if (fault !== undefined) throw cannot(`no match can be called that (${fault})`)
  }
  const fault = name === undefined ? undefined : checkName(name.normalize('NFC'))
  if (fault !== undefined) throw cannot(`no player can be called that (${fault})`)
  if (!Number.isInteger(seconds) || seconds < 1)
    throw cannot('it must be good for a second or more')
}

function cannot(problem: string): UsageError {
  return new UsageError('SS_BAD_ARGUMENT', `Cannot make the token: ${problem}`)
}
