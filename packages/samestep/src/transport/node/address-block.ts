/** Addresses of strangers: what belongs to one of them, and which of them a proxy speaks for. */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'
import { UsageError } from '../../base/errors.ts'

/**
 * What one stranger has: an IPv4 address, or an IPv6 network of 56 bits, which is what a home gets.
 * Limits per address count by it. Anything else is its own block.
 */
export function addressBlock(address: string): string {
  const plain = plainAddress(address)
  if (!isIPv6(plain)) return plain
  const groups = expandIpv6(plain)
  const [a = 0, b = 0, c = 0, d = 0] = groups
  return `${[a, b, c, d & 0xff00].map((group) => group.toString(16)).join(':')}::/56`
}

/** Without zone, and as IPv4 where an IPv6 socket took an IPv4 connection (`::ffff:1.2.3.4`). */
export function plainAddress(address: string): string {
  const zone = address.indexOf('%')
  const bare = zone < 0 ? address : address.slice(0, zone)
  if (!isIPv6(bare)) return bare
  const groups = expandIpv6(bare)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (!isMapped) return bare
  const [high = 0, low = 0] = groups.slice(6)
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}

/** The eight groups of an IPv6 address in any of its spellings. */
function expandIpv6(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const front = groupsOf(head)
  if (tail === undefined) return front
  const back = groupsOf(tail)
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back]
}

function groupsOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!isIPv4(group)) return Number.parseInt(group, 16)
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}

/** Whether only this machine can reach a listener at `host`. */
export function isLoopback(host: string): boolean {
  const plain = plainAddress(host.replace(/^\[|\]$/g, ''))
  return plain === 'localhost' || plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'))
}

/** Proxies whose word about a stranger's address counts. */
export class TrustedProxies {
  readonly #list = new BlockList()
  readonly #isEmpty: boolean

  /** Addresses (`10.0.0.7`) and networks (`10.0.0.0/8`). Throws `SS_BAD_ARGUMENT` for another text. */
  constructor(entries: readonly string[]) {
    this.#isEmpty = entries.length === 0
    for (const entry of entries) this.#add(entry)
  }

  /**
   * Who the stranger is. From the end of `X-Forwarded-For`, because everybody can write its begin:
   * as long as a trusted proxy says so, its word counts.
   */
  addressOf(socketAddress: string, forwardedFor: string | undefined): string {
    let address = plainAddress(socketAddress)
    const hops = forwardedFor === undefined ? [] : forwardedFor.split(',')
    while (this.has(address)) {
      const hop = withoutPort(hops.pop()?.trim() ?? '')
      // A trusted proxy that says nothing, or nonsense, is itself the best address there is.
      if (isIP(hop) === 0) break
      address = plainAddress(hop)
    }
    return address
  }

  /** Where a request comes from, as far as it can be believed. */
  addressOfRequest({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    const forwarded = headers['x-forwarded-for']
    const text = Array.isArray(forwarded) ? forwarded.join(',') : forwarded
    return this.addressOf(socket.remoteAddress ?? '', text)
  }

  /** Whether this is the address of such a proxy. */
  has(address: string): boolean {
    // Asked for every connection, and most relays have none.
    if (this.#isEmpty) return false
    const plain = plainAddress(address)
    const version = isIP(plain)
    return version !== 0 && this.#list.check(plain, version === 4 ? 'ipv4' : 'ipv6')
  }

  #add(entry: string): void {
    const [address = '', bits, ...rest] = entry.split('/')
    const version = isIP(address)
    const bitsMax = version === 4 ? 32 : 128
    const prefix = bits === undefined ? bitsMax : Number(bits)
    const isPrefix = /^\d{1,3}$/.test(bits ?? '0') && prefix <= bitsMax
    if (version === 0 || !isPrefix || rest.length > 0) {
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        `Cannot trust the proxy ${JSON.stringify(entry)}: it must be an address such as 10.0.0.7 or a network such as 10.0.0.0/8`,
      )
    }
    this.#list.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/** `1.2.3.4:567` and `[::1]:567` without their ports, as some proxies write them. */
export function withoutPort(hop: string): string {
  if (hop.startsWith('[')) return hop.slice(1, Math.max(1, hop.indexOf(']')))
  const colon = hop.indexOf(':')
  return colon >= 0 && colon === hop.lastIndexOf(':') ? hop.slice(0, colon) : hop
}
