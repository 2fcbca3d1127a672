/** Which worker a match belongs to: always the same, whoever asks, without asking anybody. */
import { createHmac, randomBytes } from 'node:crypto'

/** The match that a request is for, by the `match` of its query. */
export function matchOf(url: string | undefined): string | undefined {
  const query = url === undefined ? -1 : url.indexOf('?')
  if (url === undefined || query < 0) return undefined
  // In the form in which relays take names: another spelling must not lead to another worker.
  return new URLSearchParams(url.slice(query + 1)).get('match')?.normalize('NFC')
}

/** A secret for {@link workerOf}: one for all workers of a relay, another one at every start. */
export function makePinKey(): Uint8Array {
  return Uint8Array.from(randomBytes(32))
}

/**
 * The worker of a match, from 0. Keyed, so that nobody outside can choose names of matches that all
 * meet in one worker, or in that of somebody else's match.
 */
export function workerOf(match: string, workers: number, pinKey: Uint8Array): number {
  return createHmac('sha256', pinKey).update(match).digest().readUInt32LE(0) % workers
}
