/** Settings of signed tokens: by which key they are checked, and who needs one. */
import * as v from 'valibot'
import { secretBytesMin } from '../tokens/token-keys.ts'
import type { Setting } from './setting-kinds.ts'
import { fileSetting, text, words } from './setting-kinds.ts'

/** In the sequence in which people look for them. */
export const tokenSettings: readonly Setting[] = [
  fileSetting({
    key: 'tokens.publicKeyFile',
    flag: '--token-public-key-file <file>',
    env: 'SAMESTEP_TOKEN_PUBLIC_KEY_FILE',
    what: 'Ed25519 public key in PEM for checking tokens (EdDSA); players then need a token to join',
    initial: 'none',
  }),
  fileSetting({
    key: 'tokens.jwksFile',
    flag: '--token-jwks-file <file>',
    env: 'SAMESTEP_TOKEN_JWKS_FILE',
    what: 'the same with a set of keys (JWKS), selected by the kid of a token',
    initial: 'none',
  }),
  fileSetting(
    {
      key: 'tokens.secretFile',
      flag: '--token-secret-file <file>',
      env: 'SAMESTEP_TOKEN_SECRET_FILE',
      what: 'the same with a secret (HS256) shared with the token issuer',
      initial: 'none',
    },
    'the path of a file that only its owner may read',
  ),
  {
    key: 'tokens.secret',
    flag: '--token-secret <text>',
    env: 'SAMESTEP_TOKEN_SECRET',
    what: 'the secret itself, for systems that keep secrets in the environment; other users can see a command line',
    allowed: `a text of at least ${secretBytesMin} bytes`,
    initial: 'none',
    schema: v.pipe(
      text,
      v.check((value) => Buffer.byteLength(value) >= secretBytesMin),
    ),
    isSecret: true,
    fromText: (value) => value,
  },
  {
    key: 'tokens.audience',
    flag: '--token-audience <text>',
    env: 'SAMESTEP_TOKEN_AUDIENCE',
    what: 'required audience of tokens (their claim aud)',
    allowed: 'a text',
    initial: 'anybody',
    schema: text,
    fromText: (value) => value,
  },
  {
    key: 'tokens.required',
    flag: '--token-required [yes|no]',
    env: 'SAMESTEP_TOKEN_REQUIRED',
    what: 'require a token to join; otherwise a token only grants more rights',
    allowed: 'true or false (yes or no)',
    initial: 'yes, if tokens can be checked',
    schema: v.boolean(),
    fromText: (value) => words.get(value) ?? value,
  },
]
