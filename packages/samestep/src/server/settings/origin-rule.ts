/** Which pages may connect (T-20). Programs that are no browsers name no page, and are not asked. */
import { isLoopback } from '../../transport/node/address-block.ts'

/** What the rule is made from. */
export interface OriginOptions {
  readonly origins: readonly string[] | 'any' | undefined
  /** Where the relay listens. */
  readonly host: string
  readonly port: number
  readonly isSecure: boolean
  readonly publicUrl: string | undefined
}

/**
 * Makes the rule. The relay's own pages may always connect. They are known by where the relay listens
 * and by its public address, never by what a request says of its host: a name of an attacker that
 * leads here would pass for our own.
 */
export function makeOriginRule(options: OriginOptions): (origin: string | undefined) => boolean {
  const { origins, host, port, isSecure, publicUrl } = options
  const allowed = new Set(typeof origins === 'object' ? origins : [])
  const isLocal = isLoopback(host)
  for (const name of isLocal ? [host, 'localhost', '127.0.0.1', '[::1]'] : [host]) {
    const url = `${isSecure ? 'https' : 'http'}://${bracketed(name)}:${port}`
    if (URL.canParse(url)) allowed.add(new URL(url).origin)
  }
  if (publicUrl !== undefined) allowed.add(new URL(publicUrl).origin)
  const isOpenToLocal = origins === undefined && isLocal
  return (origin) => {
    if (origin === undefined || origins === 'any' || allowed.has(origin)) return true
    return isOpenToLocal && isLocalPage(origin)
  }
}

/** A page of this machine, on whatever port a developer's server has. */
function isLocalPage(origin: string): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, hostname, origin: spelled } = new URL(origin)
  return /^https?:$/.test(protocol) && spelled === origin && isLoopback(hostname)
}

/** As it stands in a URL. */
export function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}
