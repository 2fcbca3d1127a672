/**
 * Where an error of our own ends. What a stranger sends never throws by itself; if our code does
 * nevertheless, that one connection is closed, the error is told, and everybody else plays on.
 */
import type { Timing } from '../driver/timing.ts'
import type { Channel } from '../link/channel.ts'
import type { LinkSide } from '../link/packet-format.ts'
import type { Connection, ConnectionHandler } from '../transport/connection.ts'
import { closeCodes } from '../wire/codes.ts'

/** A connection whose handler may throw without harm to anybody else. */
export class EdgeConnection implements Connection {
  readonly kind: Connection['kind']
  readonly transport: string
  readonly packetBytesMax: number
  readonly isAuthentic: boolean
  readonly remote: string
  readonly makeChannel?: (side: LinkSide, nowMs: number) => Channel
  readonly #inner: Connection
  readonly #onFault: (error: unknown) => void

  constructor(inner: Connection, onFault: (error: unknown) => void) {
    this.#inner = inner
    this.#onFault = onFault
    this.kind = inner.kind
    this.transport = inner.transport
    this.packetBytesMax = inner.packetBytesMax
    this.isAuthentic = inner.isAuthentic ?? false
    this.remote = inner.remote
    if (inner.makeChannel !== undefined) this.makeChannel = inner.makeChannel.bind(inner)
  }

  get backlogBytes(): number {
    return this.#inner.backlogBytes
  }

  open(handler: ConnectionHandler): void {
    this.#inner.open({
      handlePacket: (bytes) => {
        try {
          handler.handlePacket(bytes)
        } catch (error) {
          this.#fail(error)
        }
      },
      handleClosed: (end) => {
        try {
          handler.handleClosed(end)
        } catch (error) {
          this.#fail(error)
        }
      },
    })
  }

  send(packet: Uint8Array): void {
    try {
      this.#inner.send(packet)
    } catch (error) {
      this.#fail(error)
    }
  }

  close(code: number, reason: string): void {
    this.#inner.close(code, reason)
  }

  markKnown(): void {
    this.#inner.markKnown?.()
  }

  #fail(error: unknown): void {
    this.#inner.close(closeCodes['bad-message'], 'The relay could not go on with you')
    this.#onFault(error)
  }
}

/** Timers whose callbacks may throw without harm to anybody else. */
export function guardTimers(timing: Timing, onFault: (error: unknown) => void): Timing {
  const guard = (callback: () => void) => () => {
    try {
      callback()
    } catch (error) {
      onFault(error)
    }
  }
  const { afterArrivals } = timing
  return {
    nowMs: () => timing.nowMs(),
    schedule: (callback, delayMs) => timing.schedule(guard(callback), delayMs),
    ...(afterArrivals && { afterArrivals: (callback) => afterArrivals(guard(callback)) }),
  }
}
