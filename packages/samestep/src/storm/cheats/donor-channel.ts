import type { Channel, ChannelMessage, ChannelState, ChannelStats } from '../../link/channel.ts'
import type { MessageName } from '../../wire/messages/messages.ts'
import { messageTypes } from '../../wire/messages/messages.ts'

/** What becomes of what a donor sends of its state. `undefined` for nothing. */
export interface DonorTricks {
  manifest(bytes: Uint8Array): Uint8Array | undefined
  chunk(bytes: Uint8Array): Uint8Array | undefined
}

/** A client's channel on which parts of a state are exchanged behind its back. */
export class DonorChannel implements Channel {
  readonly #channel: Channel
  readonly #tricks: DonorTricks

  constructor(channel: Channel, tricks: DonorTricks) {
    this.#channel = channel
    this.#tricks = tricks
  }

  get kind(): Channel['kind'] {
    return this.#channel.kind
  }

  get state(): ChannelState {
    return this.#channel.state
  }

  get stats(): ChannelStats {
    return this.#channel.stats
  }

  handlePacket(bytes: Uint8Array, nowMs: number): void {
    this.#channel.handlePacket(bytes, nowMs)
  }

  handleTime(nowMs: number): void {
    this.#channel.handleTime(nowMs)
  }

  sendControl(message: Uint8Array, nowMs: number): void {
    const sent = isOf('ClientManifest', message) ? this.#tricks.manifest(message) : message
    if (sent !== undefined) this.#channel.sendControl(sent, nowMs)
  }

  sendTick(message: Uint8Array, nowMs: number, isLasting?: boolean): void {
    this.#channel.sendTick(message, nowMs, isLasting)
  }

  sendBulk(message: Uint8Array, nowMs: number): boolean {
    const sent = isOf('ClientChunk', message) ? this.#tricks.chunk(message) : message
    return sent === undefined || this.#channel.sendBulk(sent, nowMs)
  }

  pollMessage(): ChannelMessage | undefined {
    return this.#channel.pollMessage()
  }

  pollPacket(): Uint8Array | undefined {
    return this.#channel.pollPacket()
  }

  wakeAtMs(): number {
    return this.#channel.wakeAtMs()
  }

  close(code: number, nowMs: number): void {
    this.#channel.close(code, nowMs)
  }
}

function isOf(name: MessageName, message: Uint8Array): boolean {
  return message[0] === messageTypes[name].number
}
