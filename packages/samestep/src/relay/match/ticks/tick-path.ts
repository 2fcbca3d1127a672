import type { BitWriter } from '../../../base/bit-writer.ts'
import { bundlesPerPacketMax } from '../../../wire/limits.ts'
import type { ClientControl } from '../client-control.ts'
import type { BundleLog } from './bundle-log.ts'

/** How sealed ticks are sent to a client, over one kind of link. */
export interface TickPath {
  /** Sends what the client should have from the log now. */
  send(log: BundleLog, writer: BitWriter, nowMs: number): void
}

/** How far a client has come with the ticks of its match. */
export interface TickCursor {
  /** The newest tick that the client has without a gap. */
  readonly ackedTick: number
  /** The newest tick that was sent over the current link; never less than `ackedTick`. */
  sentTick: number
  /** The newest tick that the client may have now; `Infinity` for everything that is sealed. */
  readonly visibleTick: number
  /** What the client is told besides the ticks. */
  readonly control: ClientControl
}

/** How many bundles from `first` on fit in one packet; 0 if the first alone does not. */
export function fittingCount(
  log: BundleLog,
  first: number,
  last: number,
  bytesMax: number,
): number {
  let bytes = 0
  let count = 0
  while (first + count <= last && count < bundlesPerPacketMax) {
    const length = log.at(first + count).byteLength
    // The length of each takes up to three bytes.
    bytes += length + 3
    if (bytes > bytesMax) break
    count += 1
  }
  return count
}
