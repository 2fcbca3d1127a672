/** `udp://relay.example:7777/#key=…`: where a relay is, and who it must be. */
import { isIPv6 } from 'node:net'
import { UsageError } from '../../base/errors.ts'
import { keyBytes } from './limits.ts'

/** What a URL says. */
export interface UdpTarget {
  /** A name or an address, IPv6 without brackets. */
  readonly host: string
  readonly port: number
  /** The relay's public key, if the URL tells it. The part behind # never travels. */
  readonly key: Uint8Array | undefined
}

/** Reads a URL. Throws `SS_BAD_ARGUMENT` for anything else. */
export function parseUdpUrl(url: string): UdpTarget {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const port = Number(parsed?.port)
  const isPlain = parsed?.search === '' && parsed.username === '' && parsed.password === ''
  if (parsed?.protocol !== 'udp:' || parsed.hostname === '' || !(port > 0) || !isPlain) {
    throw badUrl(url, 'it must be a URL such as udp://relay.example:7777/#key=…, with a port')
  }
  if (parsed.pathname !== '' && parsed.pathname !== '/') throw badUrl(url, 'it must have no path')
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1')
  return { host, port, key: parseKey(url, parsed.hash) }
}

/** Writes a URL. */
export function formatUdpUrl({ host, port, key }: UdpTarget): string {
  const fragment = key === undefined ? '' : `#key=${Buffer.from(key).toString('base64url')}`
  return `udp://${formatHostPort(host, port)}/${fragment}`
}

/** `1.2.3.4:567` or `[::1]:567`. */
export function formatHostPort(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`
}

function parseKey(url: string, hash: string): Uint8Array | undefined {
  if (hash === '') return undefined
  const text = /^#key=([\w-]{43})$/.exec(hash)?.[1]
  const key = text === undefined ? undefined : Buffer.from(text, 'base64url')
  // 43 characters have two bits more than a key: only one spelling of each key counts.
  if (key?.length === keyBytes && key.toString('base64url') === text) return Uint8Array.from(key)
  throw badUrl(url, 'behind # it must have key= and a public key, 43 characters of base64url')
}

function badUrl(url: string, must: string): UsageError {
  return new UsageError('SS_BAD_ARGUMENT', `Cannot use ${JSON.stringify(url)}: ${must}`)
}
