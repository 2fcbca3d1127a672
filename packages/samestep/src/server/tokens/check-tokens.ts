/** Signed tokens (JWT): whoever issues them decides who joins, and the relay asks nobody. */
import type { JWTPayload } from 'jose'
import * as v from 'valibot'
import type { Authorize, JoinDecision, JoinRequest } from '../authorize.ts'
import type { TokenClaims } from './token-claims.ts'
import { tokenClaims } from './token-claims.ts'
import type { JoseKey, TokenKeyOptions } from './token-keys.ts'
import { readTokenKey } from './token-keys.ts'
import { UsedTokens } from './used-tokens.ts'

/** The key that tokens are checked with, and who needs one. */
export interface TokenOptions extends TokenKeyOptions {
  /** The required audience of tokens (`aud`); not checked by default. */
  readonly audience?: string
  /** Whether every join needs a token. Defaults to true. */
  readonly required?: boolean
}

/** An `authorize` function that checks signed tokens. */
export interface TokenCheck extends Authorize {
  /**
   * Reloads the key from its file, for new joins. Throws `SS_BAD_ARGUMENT` if it is unusable, and keeps the
   * old one.
   */
  reload(): void
}

/** How far the clock of whoever issues tokens may be off (T-14). */
const skewSeconds = 60

/**
 * Makes an `authorize` option for {@link startRelay}: it admits clients that have a token signed by the
 * right key, for that match, that has not expired. `docs/operating.md` lists the claims. Throws
 * `SS_BAD_ARGUMENT` for unusable keys.
 */
export function checkTokens(options: TokenOptions): TokenCheck {
  let prepared = prepareKey(options)
  const { audience, required = true } = options
  const used = new UsedTokens()
  const check = async (request: JoinRequest): Promise<JoinDecision> => {
    if (request.token === undefined) {
      return required ? { refused: 'this relay wants a token, and you gave none' } : {}
    }
    const { jose, joseKey, algorithms } = await prepared
    let payload: JWTPayload
    try {
      const limits = { algorithms: [...algorithms], clockTolerance: skewSeconds }
      const whom = audience === undefined ? {} : { audience }
      const rules = { ...limits, ...whom, requiredClaims: ['exp'] }
      const verified = await jose.jwtVerify(request.token, joseKey as Uint8Array, rules)
      payload = verified.payload
    } catch (error) {
      // Whatever is wrong with a stranger's token is nobody's fault here.
      const isExpired = error instanceof jose.errors.JWTExpired
      return { refused: isExpired ? 'your token has expired' : 'your token is not valid here' }
    }
    const claims = v.safeParse(tokenClaims, payload)
    if (!claims.success)
      return { refused: 'your token says something that this relay does not know' }
    return admit(claims.output, request, used)
  }
  const reload = () => {
    prepared = prepareKey(options)
  }
  return Object.assign(check, { reload })
}

/** Reads a key now, so that what is wrong with it is told at once, and loads what uses it. */
function prepareKey(options: TokenOptions) {
  const { key, algorithms } = readTokenKey(options)
  const prepared = import('jose').then((jose) => {
    const joseKey: JoseKey =
      'jwks' in key ? jose.createLocalJWKSet(key.jwks) : (key as Exclude<JoseKey, () => unknown>)
    return { jose, joseKey, algorithms }
  })
  // Whoever asks for it hears of it.
  prepared.catch(() => {})
  return prepared
}

function admit(claims: TokenClaims, request: JoinRequest, used: UsedTokens): JoinDecision {
  const { sub, match, name, role, seat, team, create, limits, jti, exp } = claims
  const matches = typeof match === 'string' ? [match] : match
  if (matches !== undefined && !matches.some((each) => each.normalize('NFC') === request.match)) {
    return { refused: 'your token is for another match' }
  }
  if (jti !== undefined) {
    const forgetAtMs = (exp + skewSeconds) * 1_000
    if (!used.use(jti, request.address, forgetAtMs, Date.now())) {
      return { refused: 'your token was used from another address already' }
    }
  }
  const given = { identity: sub, name: name?.normalize('NFC'), role, seat, team, limits }
  const admittance = Object.entries({ ...given, mayCreate: create })
  return Object.fromEntries(admittance.filter(([, value]) => value !== undefined))
}
