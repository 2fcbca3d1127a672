import { closingMsMax, goodbyesMax } from '../limits.ts'

/**
 * The end of a channel, from the side that ends it: waits until the control lane is through, says
 * goodbye until it is confirmed, and gives up after a few times or after {@link closingMsMax}.
 */
export class Farewell {
  readonly code: number
  readonly #giveUpAtMs: number
  #saidCount = 0
  /** The packet that carries the goodbye, while it is in flight. */
  #packet: number | undefined
  #isOver = false

  constructor(code: number, nowMs: number) {
    this.code = code
    this.#giveUpAtMs = nowMs + closingMsMax
  }

  /** Whether a goodbye should go out, once nothing else has to. */
  get isWaiting(): boolean {
    return !this.#isOver && this.#packet === undefined
  }

  get isInFlight(): boolean {
    return this.#packet !== undefined
  }

  /** Whether the channel is closed now. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether goodbye was said at least once. */
  get wasSaid(): boolean {
    return this.#saidCount > 0
  }

  /** The packet that carries the goodbye, if one is in flight. */
  get packet(): number | undefined {
    return this.#packet
  }

  handleTime(nowMs: number): void {
    if (nowMs >= this.#giveUpAtMs) this.#end()
  }

  handleSent(packet: number): void {
    this.#packet = packet
    this.#saidCount++
  }

  handleAcked(packet: number): void {
    if (packet === this.#packet) this.#end()
  }

  handleLost(packet: number): void {
    if (packet !== this.#packet) return
    this.#packet = undefined
    if (this.#saidCount >= goodbyesMax) this.#end()
  }

  wakeAtMs(): number {
    return this.#isOver ? Number.POSITIVE_INFINITY : this.#giveUpAtMs
  }

  #end(): void {
    this.#isOver = true
    this.#packet = undefined
  }
}
