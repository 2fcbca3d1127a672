import { UsageError } from '../../base/errors.ts'

/** Where a relay is, and which match is meant. */
export interface RelayAddress {
  /** `ws:`, `wss:` or `udp:`, without a fragment. */
  readonly url: string
  /** What the address names after `#match=`. */
  readonly match: string | undefined
}

/**
 * Reads the address of a relay: `ws://host:7777`, or the join link that people send each other,
 * `http://host:7777/#match=friday`, which is where the page is and the relay behind it.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for what is no such address.
 */
export function readRelayAddress(text: string): RelayAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const protocol = url === undefined ? undefined : protocols[url.protocol]
  if (url === undefined || protocol === undefined) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot reach a relay at ${JSON.stringify(text)}: write an address such as ws://localhost:7777, or the link to a match`,
    )
  }
  if (protocol === 'udp:') {
    // The key of a UDP relay is in the fragment, and is the transport's; the match is not.
    const match = url.searchParams.get('match') ?? undefined
    url.search = ''
    return { url: url.href, match }
  }
  const match = new URLSearchParams(url.hash.slice(1)).get('match') ?? undefined
  url.hash = ''
  if (url.protocol !== protocol) {
    // A page may lie anywhere on its server; the relay behind it answers at the root.
    url.pathname = '/'
    url.search = ''
  }
  return { url: url.href.replace(/^https?:/, protocol), match }
}

/**
 * Reads where to go and which match is meant: the one that is named, or the one of the address.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for what is no address, and where no match is named.
 */
export function readMatchAddress(
  text: string | undefined,
  named: string | undefined,
): MatchAddress {
  const address = text === undefined ? nowhere : readRelayAddress(text)
  // In the form in which the client will ask for it, so that whoever routes by the address agrees.
  const match = (named ?? address.match)?.normalize('NFC')
  if (match !== undefined && match !== '') return { url: address.url, match }
  throw new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot join${text === undefined ? '' : ` at ${text}`}: no match is named; pass match: 'friday', or a link that ends with #match=friday`,
  )
}

/** Where a relay is, and a match on it. */
export interface MatchAddress {
  /** `undefined` where whoever dials knows the way. */
  readonly url: string | undefined
  /** In Unicode's composed form (NFC): two names that look the same are the same. */
  readonly match: string
}

/** The match in the address, so that a relay of several processes knows who is to serve it. */
export function withMatch(address: string, match: string): string {
  const url = new URL(address)
  url.searchParams.set('match', match)
  return url.href
}

const nowhere = { url: undefined, match: undefined }

const protocols: { readonly [protocol: string]: string } = {
  'ws:': 'ws:',
  'wss:': 'wss:',
  'http:': 'ws:',
  'https:': 'wss:',
  'udp:': 'udp:',
}
