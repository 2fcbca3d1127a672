import type { Prng } from '../../base/prng.ts'
import type { MatchHistory } from '../../record/index.ts'
import { MatchHistories, scanRecord } from '../../record/index.ts'

/**
 * Where a relay dies (F-16): at the time that was drawn, in the middle of whatever it does next.
 *
 *     call ──► record ──► match events, sends …
 *           │     │              └ some of them are out
 *           │     └ torn at any byte: nothing of it was heard by anybody
 *           └ nothing was written
 */
type Death =
  | { readonly name: 'writing'; readonly share: number }
  | { name: 'sending'; left: number }

/** The disk of a relay that dies now and then, and how it does. */
export class CrashFault {
  readonly #prng: Prng
  readonly #everyMs: number
  #pieces: Uint8Array[] = []
  #nextAtMs: number
  #death: Death | undefined
  #isDead = false
  /** How often it died. */
  count = 0

  constructor(prng: Prng, perMinute: number) {
    this.#prng = prng
    this.#everyMs = 60_000 / perMinute
    this.#nextAtMs = this.#draw(0)
  }

  /** Whether it died, and does nothing any more. */
  get isDead(): boolean {
    return this.#isDead
  }

  /** It lives on for good. */
  stop(): void {
    this.#nextAtMs = Number.POSITIVE_INFINITY
    this.#death = undefined
  }

  /** A call begins: it may be the last one. */
  beginCall(worldMs: number): void {
    if (worldMs < this.#nextAtMs || this.#isDead) return
    const isWriting = this.#prng.chance(0.5)
    this.#death = isWriting
      ? { name: 'writing', share: this.#prng.below(1_001) / 1_000 }
      : { name: 'sending', left: this.#prng.below(6) }
    this.#nextAtMs = this.#draw(worldMs)
  }

  /** The call is over. Whoever should have died in it, and found nothing to do, dies now. */
  endCall(): void {
    if (this.#death !== undefined) this.#die()
  }

  /** Writes, or as much of it as death leaves time for. */
  append(bytes: Uint8Array): void {
    if (this.#isDead) return
    const death = this.#death
    if (death?.name !== 'writing') {
      this.#pieces.push(bytes.slice())
      return
    }
    this.#pieces.push(bytes.slice(0, Math.floor(bytes.byteLength * death.share)))
    this.#die()
  }

  /** Whether one more thing can still be done. */
  mayDo(): boolean {
    const death = this.#death
    if (death?.name === 'sending' && !this.#isDead && death.left-- === 0) this.#die()
    return !this.#isDead
  }

  /** Another process begins: what the files say, and how long nobody was there. */
  revive(): readonly MatchHistory[] {
    const histories = new MatchHistories()
    histories.startFile()
    scanRecord(this.#pieces, (item) => histories.add(item))
    this.#pieces = []
    this.#isDead = false
    return [...histories.byId.values()].filter(({ end }) => end === undefined)
  }

  /** How long it takes until another process is there. */
  drawDownMs(): number {
    return this.#prng.below(3_000)
  }

  #die(): void {
    this.#death = undefined
    this.#isDead = true
    this.count += 1
  }

  #draw(fromMs: number): number {
    return fromMs + this.#everyMs * (0.2 + this.#prng.below(1_600) / 1_000)
  }
}
