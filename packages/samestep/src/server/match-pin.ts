/** Which worker a match belongs to: always the same, whoever asks, without asking anybody. */

/** The match that a request is for, by the `match` of its query. */
export function matchOf(url: string | undefined): string | undefined {
  const query = url === undefined ? -1 : url.indexOf('?')
  if (url === undefined || query < 0) return undefined
  return new URLSearchParams(url.slice(query + 1)).get('match') ?? undefined
}

/** The worker of a match, from 0. FNV-1a: short names spread well, and it needs nothing. */
export function workerOf(match: string, workers: number): number {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(match)) hash = Math.imul(hash ^ byte, 0x01000193)
  // The low bits of this hash are its weakest: mix before taking the remainder.
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x2c1b3c6d)
  return ((hash ^ (hash >>> 12)) >>> 0) % workers
}
