import type { BitWriter } from '../../../base/bit-writer.ts'
import type { Channel } from '../../../link/channel.ts'
import { bundlesHeadBytesMax, streamPacketBytesMax } from '../../../wire/limits.ts'
import { writeRelayBundles } from '../../../wire/ticks/relay-bundles.ts'
import type { BundleLog } from './bundle-log.ts'
import type { TickCursor, TickPath } from './tick-path.ts'
import { fittingCount } from './tick-path.ts'

/** Sends ticks over a stream, which loses nothing: each tick once. */
export class TickStream implements TickPath {
  readonly #cursor: TickCursor
  readonly #channel: Channel

  constructor(cursor: TickCursor, channel: Channel) {
    this.#cursor = cursor
    this.#channel = channel
  }

  send(log: BundleLog, writer: BitWriter, nowMs: number): void {
    const cursor = this.#cursor
    const { control } = cursor
    // A client that confirms nothing is sent no more.
    const last = Math.min(log.lastFor(cursor.ackedTick), cursor.visibleTick)
    while (cursor.sentTick < last) {
      const first = cursor.sentTick + 1
      const count = fittingCount(log, first, last, streamBundleBytesMax)
      if (first === log.sealedTick && !control.isUnsent) {
        this.#channel.sendTick(log.newestMessage(writer), nowMs, true)
      } else {
        writer.reset()
        const news = control.isUnsent ? control.take(nowMs) : undefined
        writeRelayBundles(writer, first, count, log.bundleAt, news)
        this.#channel.sendTick(writer.view(), nowMs)
      }
      cursor.sentTick += count
    }
  }
}

/** Bytes of bundles that one packet of a stream carries besides its head. */
const streamBundleBytesMax = streamPacketBytesMax - bundlesHeadBytesMax
