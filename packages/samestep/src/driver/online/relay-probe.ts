/**
 * Looks whether something else than a relay is at an address. A page's own server answers a WebSocket
 * with silence, and browsers tell pages nothing: without this look, nobody would find out why.
 *
 * Gives a sentence with the fix, or `undefined` where nothing is known.
 */
export async function probeRelay(
  url: string,
  fetchPage: FetchPage = defaultFetch,
): Promise<string | undefined> {
  const page = new URL(url)
  page.protocol = page.protocol === 'wss:' ? 'https:' : 'http:'
  const { host } = page
  page.search = ''
  page.hash = ''
  // A relay answers this with JSON, also where it serves the page of a game besides.
  page.pathname = '/health'
  try {
    const { headers } = await fetchPage(page.href)
    if (!/^text\/html\b/i.test(headers.get('content-type') ?? '')) return undefined
  } catch {
    // Nothing there, or nothing that this page may look at.
    return undefined
  }
  return `${host} answers with an HTML page: that is the server of a page, not a relay. Give the relay's own address, such as url: 'ws://${page.hostname}:7777', or let the server pass WebSockets on to it (in Vite: server.proxy with ws: true)`
}

/** What of `fetch` is needed here. */
export type FetchPage = (
  url: string,
) => Promise<{ readonly headers: { get(name: string): string | null } }>

const defaultFetch: FetchPage = (url) => fetch(url, { signal: AbortSignal.timeout(probeMsMax) })

/** An answer that takes longer comes too late to be of use. */
const probeMsMax = 3_000
