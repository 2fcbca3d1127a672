import { maskBits, receivedPacketsMax } from '../limits.ts'
import { expand16, firstOf } from './sequence.ts'

const wordsMax = receivedPacketsMax / 32

/**
 * Which packets of the other side arrived: refuses doubles and what is too old to know, and gives
 * the acknowledgement that every packet carries.
 *
 * The first packet that arrives begins the count. Nothing says that it was the first one sent.
 */
export class ReceiveWindow {
  // `private` instead of `#` for the reason given in BitWriter.
  /** -1 before anything arrived. */
  private newestNumber = -1
  private newestAtMs = 0
  private maskBefore = 0
  /** One bit for each of the newest numbers, at the place of their low bits. */
  private readonly words = new Uint32Array(wordsMax)

  /** Whether anything arrived, so that there is something to acknowledge. */
  get hasAny(): boolean {
    return this.newestNumber >= 0
  }

  /** The newest number that arrived; what an acknowledgement names. */
  get newest(): number {
    return this.newestNumber
  }

  /** Which of the 32 numbers before it arrived: bit 0 is the one right before. Signed. */
  get mask(): number {
    return this.maskBefore
  }

  /** How long the newest packet has been here. */
  heldMs(nowMs: number): number {
    return nowMs - this.newestAtMs
  }

  /** The number that the bits of a packet stand for. */
  expand(low: number): number {
    return this.hasAny ? expand16(low, this.newestNumber) : firstOf(low)
  }

  /** Whether a packet of this number may still come, for the first time. */
  isNew(number: number): boolean {
    const behind = this.newestNumber - number
    if (!this.hasAny || behind < 0) return true
    if (behind >= receivedPacketsMax) return false
    return (this.words[(number >>> 5) % wordsMax]! & (1 << (number & 31))) === 0
  }

  /** Notes the arrival of a packet for which {@link isNew} holds. */
  add(number: number, nowMs: number): void {
    const ahead = this.hasAny ? number - this.newestNumber : receivedPacketsMax
    if (ahead > 0) {
      this.forgetBefore(number, ahead)
      if (ahead > maskBits || !this.hasAny) this.maskBefore = 0
      else
        this.maskBefore = (ahead === maskBits ? 0 : this.maskBefore << ahead) | (1 << (ahead - 1))
      this.newestNumber = number
      this.newestAtMs = nowMs
    } else if (-ahead <= maskBits) {
      this.maskBefore |= 1 << (-ahead - 1)
    }
    this.words[(number >>> 5) % wordsMax]! |= 1 << (number & 31)
  }

  /** Clears the places of the numbers after the newest one, up to `number`. */
  private forgetBefore(number: number, ahead: number): void {
    if (ahead >= receivedPacketsMax) {
      this.words.fill(0)
      return
    }
    for (let next = number - ahead + 1; next <= number; next++) {
      this.words[(next >>> 5) % wordsMax]! &= ~(1 << (next & 31))
    }
  }
}
