import { lookup } from 'node:dns/promises'
import { UsageError } from '../../base/errors.ts'
import { ConnectError } from '../connect-error.ts'
import type { Dial } from '../connection.ts'
import { isLoopback } from '../node/address-block.ts'
import { type KeyPair, makeKeyPair } from './crypto/x25519.ts'
import { handshakeMs, keyBytes, ticketBytesMax } from './limits.ts'
import { dialAddress } from './udp-attempt.ts'
import { protocolDefault } from './udp-listener.ts'
import { codeOf } from './udp-socket.ts'
import { parseUdpUrl, type UdpTarget } from './udp-url.ts'

/** The options of a UDP dial. */
export interface UdpDialOptions {
  /**
   * 32 secret random bytes by which relays recognise this player; without them it is a new player each
   * time.
   */
  readonly secretKey?: Uint8Array
  /** The connect ticket that a lobby issued. */
  readonly ticket?: Uint8Array
  /**
   * Dials a relay whose key is not in the URL, and trusts whoever answers. A man in the middle can then
   * read and change everything: use it only in a trusted network.
   */
  readonly trustUnknownKey?: boolean
  /** A number that both sides must agree on. Defaults to 1. */
  readonly protocol?: number
  /** How long each address of the relay may take to answer. Defaults to 5 s. */
  readonly timeoutMs?: number
}

/** Addresses of one name that are tried. */
const addressesMax = 4

/**
 * Creates a dialler for a relay at `udp://host:port/#key=…`. Without a key in the URL, only this machine
 * can be dialled, unless `trustUnknownKey` is set. Throws `SS_BAD_ARGUMENT` for any other URL.
 */
export function dialUdp(url: string, options: UdpDialOptions = {}): Dial {
  const target = parseUdpUrl(url)
  const key = checkOptions(url, target, options)
  return async (signal) => {
    if (signal?.aborted) throw ConnectError.aborted(url, signal.reason)
    let failure: unknown
    for (const { address, family } of await findAddresses(url, target.host)) {
      if (signal?.aborted) throw ConnectError.aborted(url, signal.reason)
      try {
        return await dialAddress({
          url,
          family: family === 6 ? 6 : 4,
          server: { address, port: target.port },
          serverKey: target.key,
          key,
          ticket: options.ticket,
          protocol: options.protocol ?? protocolDefault,
          timeoutMs: options.timeoutMs ?? handshakeMs,
          signal,
        })
      } catch (error) {
        if (!(error instanceof ConnectError) || signal?.aborted) throw error
        failure = error
      }
    }
    throw failure
  }
}

async function findAddresses(
  url: string,
  host: string,
): Promise<readonly { readonly address: string; readonly family: number }[]> {
  try {
    return (await lookup(host, { all: true, verbatim: true })).slice(0, addressesMax)
  } catch (cause) {
    const what = `no machine of that name is known (${codeOf(cause)})`
    throw new ConnectError('SS_CONNECT_UNREACHABLE', url, what, { cause })
  }
}

function checkOptions(
  url: string,
  target: UdpTarget,
  options: UdpDialOptions,
): KeyPair | undefined {
  const { secretKey, ticket, trustUnknownKey, timeoutMs = handshakeMs } = options
  const isTrusted = trustUnknownKey === true || isLoopback(target.host)
  if (target.key === undefined && !isTrusted) {
    throw misuse(url, 'the URL has no key; it must end in #key=…, or trustUnknownKey must be set')
  }
  if (secretKey !== undefined && secretKey.length !== keyBytes) {
    throw misuse(url, `the secret key has ${secretKey.length} bytes; it must have ${keyBytes}`)
  }
  if (ticket !== undefined && ticket.length > ticketBytesMax) {
    throw misuse(
      url,
      `the ticket has ${ticket.length} bytes; it must have ${ticketBytesMax} or less`,
    )
  }
  if (!(timeoutMs > 0)) throw misuse(url, `the timeout is ${timeoutMs}; it must be above 0 ms`)
  return secretKey && makeKeyPair(secretKey)
}

function misuse(url: string, what: string): UsageError {
  return new UsageError('SS_BAD_ARGUMENT', `Cannot dial ${url}: ${what}`)
}
