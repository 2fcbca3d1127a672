import { RateMeter } from '../../base/rate-meter.ts'
import type { ChannelStats } from '../../link/channel.ts'

/** How many bytes per second pass over the link of now, each way. */
export class LinkRates {
  readonly #sent = new RateMeter()
  readonly #received = new RateMeter()

  get sentPerSecond(): number {
    return this.#sent.perSecond
  }

  get receivedPerSecond(): number {
    return this.#received.perSecond
  }

  note({ bytesSent, bytesReceived }: ChannelStats, timeMs: number): void {
    this.#sent.note(bytesSent, timeMs)
    this.#received.note(bytesReceived, timeMs)
  }

  /** There is another link, or none. */
  restart(): void {
    this.#sent.restart()
    this.#received.restart()
  }
}
