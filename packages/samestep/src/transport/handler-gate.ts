/**
 * The promises of {@link Connection} that are the same for every transport, in one place: nothing is
 * heard before `open`, nothing inside of it, nothing after the end, and the end exactly once.
 *
 *     arrive ──► waiting ──open()──► draining (a microtask) ──► heard at once ──end()──► silent
 */
import { copyBytes } from '../base/copy-bytes.ts'
import { Fifo } from '../link/fifo.ts'
import type { ConnectionEnd, ConnectionHandler } from './connection.ts'

/**
 * Bytes that wait for `open`. Everybody opens within the same turn, so this bounds what a bug or a
 * peer that talks too early can pile up: as much as a stream channel holds.
 */
export const waitingBytesMax = 1_048_576

/** Bytes that a waiting packet counts besides its content, so that tiny ones are bounded too. */
const packetChargeBytes = 64

/** Stands between a transport and the handler of one connection. */
export class HandlerGate {
  #handler: ConnectionHandler | undefined
  /** Packets that came before the handler was there; undefined once they were heard. */
  #waiting: Fifo<Uint8Array> | undefined = new Fifo()
  #waitingBytes = 0
  #end: ConnectionEnd | undefined
  #isMuted = false

  /** Whether the end was told, or waits for being told. */
  get isEnded(): boolean {
    return this.#end !== undefined
  }

  /** Whether a packet would be heard at once. */
  get isHearing(): boolean {
    return this.#waiting === undefined && !this.#isMuted && this.#end === undefined
  }

  /**
   * Takes the handler, instead of the one before if there was one. What waited is heard in a microtask,
   * so never inside of this call.
   */
  open(handler: ConnectionHandler): void {
    const isFirst = this.#handler === undefined
    this.#handler = handler
    if (isFirst) queueMicrotask(() => this.#drain())
  }

  /**
   * Passes a packet on, or lets it wait for the handler. False when too much waits already: the
   * packet is lost then, and a stream has to end.
   */
  handlePacket(bytes: Uint8Array): boolean {
    if (this.#isMuted || this.#end !== undefined) return true
    if (this.#waiting === undefined) {
      this.#handler!.handlePacket(bytes)
      return true
    }
    const charge = bytes.length + packetChargeBytes
    if (this.#waitingBytes + charge > waitingBytesMax) return false
    this.#waitingBytes += charge
    this.#waiting.push(copyBytes(bytes))
    return true
  }

  /** From now on no packet is heard, only the end: what a caller of `close` expects. */
  mute(): void {
    this.#isMuted = true
    this.#waiting?.clear()
  }

  /** Tells the end, behind the packets that wait. Only the first call counts. */
  end(end: ConnectionEnd): void {
    if (this.#end !== undefined) return
    this.#end = end
    if (this.#waiting === undefined) this.#handler!.handleClosed(end)
  }

  #drain(): void {
    // A packet that arrives meanwhile stands behind those that wait; `close` empties the queue.
    const waiting = this.#waiting!
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      this.#handler!.handlePacket(next)
    }
    this.#waiting = undefined
    if (this.#end !== undefined) this.#handler!.handleClosed(this.#end)
  }
}
