/** What the page's address says: `/?watch#match=friday`. */
export interface Address {
  readonly match: string
  readonly isSpectator: boolean
}

/** Reads the address. A page without a match in it starts one, and puts it there. */
export function readAddress(): Address {
  const named = new URLSearchParams(location.hash.slice(1)).get('match')
  const match = named || crypto.randomUUID().slice(0, 8)
  history.replaceState(null, '', `${location.search}#match=${encodeURIComponent(match)}`)
  return { match, isSpectator: new URLSearchParams(location.search).has('watch') }
}

/** A link to the match, to play or to watch. */
export function linkTo(match: string, how: 'play' | 'watch'): string {
  const url = new URL(location.href)
  url.search = how === 'watch' ? '?watch' : ''
  url.hash = `match=${encodeURIComponent(match)}`
  return url.href
}

/** The relay: beside the dev server while you develop, otherwise the server of the page itself. */
export function relayUrl(): string {
  if (!import.meta.env.DEV) return location.href
  return new URL('/relay', location.href.replace(/^http/, 'ws')).href
}
