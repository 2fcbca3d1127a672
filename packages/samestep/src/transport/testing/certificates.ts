/**
 * Two certificates for `localhost`, signed by themselves, valid for a hundred years, with their keys:
 * for tests only, and secret to nobody.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TlsFiles } from '../node/tls-files.ts'

/** A certificate and its key, in PEM. */
export interface Certificate {
  readonly certificate: string
  readonly key: string
}

/** Two of them, so that one can replace the other. */
export const certificates: readonly [Certificate, Certificate] = [
  {
    certificate: `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUYBgifUs8CVJ18bH6RqhmpedH710wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNjAwNDY1OVoYDzIxMjYxMDIz
MDA0NjU5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASab79LlKgCjj9UpP6RiP/bfDVDx6FIr1oaX7SNA9CKbBMngEer9gyO
3+CzMo17B+dnWW4+eIc4BPvNAjh6NNAho2kwZzAdBgNVHQ4EFgQU3/xT9IBm+4d9
Vu5sF06kZueEVEkwHwYDVR0jBBgwFoAU3/xT9IBm+4d9Vu5sF06kZueEVEkwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIgC+o8ebCzkTDKgWTH6/kc+/LApg0ueZr0F87xnhi/imACIQDnRuYCtXrf
BfO/OH0V3l40BKgo9Ey+sWS64QH8t9aQlw==
-----END CERTIFICATE-----
`,
    key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgv1ZeynQ+nIEZHb/j
DAV7cNCB7RQQFIKP6dS08412YnmhRANCAASab79LlKgCjj9UpP6RiP/bfDVDx6FI
r1oaX7SNA9CKbBMngEer9gyO3+CzMo17B+dnWW4+eIc4BPvNAjh6NNAh
-----END PRIVATE KEY-----
`,
  },
  {
    certificate: `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUWquqUTf5CLUwctFPNnlafPFdtHQwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNjAwNDY1OVoYDzIxMjYxMDIz
MDA0NjU5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASRQGq+ZOEyJNSg8EsTRNpFCPO5XlSdRl+qtG7QToJ1RnXxuZfzH43H
LwA32Q6j9xeLWWbcU4pCtRbs+Rk/uosDo2kwZzAdBgNVHQ4EFgQU1IO1BJ6zgDJ9
tWvxueJRIzpWDM8wHwYDVR0jBBgwFoAU1IO1BJ6zgDJ9tWvxueJRIzpWDM8wDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIgMdhfFNvUU4tFfIUDsBYCkqlpvBDR7iQgQDvZ5YykxmQCIQDdJEYX/7DC
RK5hDEv4IoOafW5gbkdWpHqpHKqwwUPyVg==
-----END CERTIFICATE-----
`,
    key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg08moN4gA1P1D7ACb
wc0YewiKtFVpai+Mg/gep7jVMGGhRANCAASRQGq+ZOEyJNSg8EsTRNpFCPO5XlSd
Rl+qtG7QToJ1RnXxuZfzH43HLwA32Q6j9xeLWWbcU4pCtRbs+Rk/uosD
-----END PRIVATE KEY-----
`,
  },
]

/** Certificate files in a folder of their own. */
export class CertificateFolder {
  readonly #path = mkdtempSync(join(tmpdir(), 'certificate-'))
  readonly files: TlsFiles = {
    certificateFile: join(this.#path, 'certificate.pem'),
    keyFile: join(this.#path, 'key.pem'),
  }

  write({ certificate, key }: Certificate): void {
    writeFileSync(this.files.certificateFile, certificate)
    writeFileSync(this.files.keyFile, key)
  }

  remove(): void {
    rmSync(this.#path, { recursive: true })
  }
}
