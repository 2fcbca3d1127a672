import type { Channel, ChannelState } from '../../link/channel.ts'
import { ChannelCounters } from '../../link/channel-counters.ts'
import type { MessageBody, MessageName } from '../../wire/messages/messages.ts'
import { decodeMessage } from '../../wire/messages/messages.ts'
import type { ReceivedBundles } from '../../wire/ticks/relay-bundles.ts'
import { readRelayBundles } from '../../wire/ticks/relay-bundles.ts'

/** Counters that say of a link what a test wants them to. */
class RecordingStats extends ChannelCounters {
  queue = 0

  override get queueMs(): number {
    return this.queue
  }
}

/** A channel to nowhere that remembers what it was given. */
export class RecordingChannel implements Channel {
  readonly kind: 'stream' | 'datagram'
  readonly ticks: Uint8Array[] = []
  readonly controls: Uint8Array[] = []
  readonly state: ChannelState = { name: 'open' }
  readonly stats = new RecordingStats()

  constructor(kind: 'stream' | 'datagram') {
    this.kind = kind
  }

  /** What was sent about ticks since the last call, taken apart. */
  take(nearTick: number): ReceivedBundles[] {
    return this.ticks.splice(0).map((bytes) => readRelayBundles(bytes, nearTick))
  }

  /** What was said in control messages since the last call, of one kind. */
  takeControls<N extends MessageName>(name: N): MessageBody<N>[] {
    const messages = this.controls.splice(0).map((bytes) => decodeMessage(bytes))
    return messages.flatMap((message) =>
      message.name === name ? [message.body as MessageBody<N>] : [],
    )
  }

  sendTick(message: Uint8Array): void {
    this.ticks.push(message.slice())
  }

  sendControl(message: Uint8Array): void {
    this.controls.push(message.slice())
  }

  sendBulk(): boolean {
    return false
  }

  handlePacket(): void {}
  handleTime(): void {}
  close(): void {}

  pollMessage(): undefined {
    return undefined
  }

  pollPacket(): undefined {
    return undefined
  }

  wakeAtMs(): number {
    return Number.POSITIVE_INFINITY
  }
}
