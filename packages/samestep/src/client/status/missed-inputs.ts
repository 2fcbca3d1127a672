import { ticksIn } from '../../wire/limits.ts'

/**
 * How many of a player's own inputs came too late and were replaced by the match's policy. A player
 * whose line is longer than the input delay may be sees the match run, and no input of his own in it:
 * that must never look like a broken game.
 */
export class MissedInputs {
  /** By tick modulo the window: whether its input was missed. */
  readonly #missed: Uint8Array
  #recent = 0
  #total = 0

  constructor(tickRate: number) {
    this.#missed = new Uint8Array(Math.max(ticksIn(windowMs, tickRate), windowTicksMin))
  }

  /** All there were. */
  get total(): number {
    return this.#total
  }

  /** Of the ticks of the last three seconds. */
  get percent(): number {
    return Math.round((this.#recent * 100) / this.#missed.length)
  }

  /** Whether so many are missed that the player should be told. */
  get isMost(): boolean {
    return 2 * this.#recent >= this.#missed.length
  }

  note(tick: number, isMissed: boolean): void {
    const at = tick % this.#missed.length
    this.#recent += Number(isMissed) - (this.#missed[at] as number)
    this.#missed[at] = Number(isMissed)
    if (isMissed) this.#total += 1
  }

  /** Another seat, or none: what was missed for the old one says nothing about it. */
  restart(): void {
    this.#missed.fill(0)
    this.#recent = 0
  }
}

/** A delay that follows a step is there by half of it, and a far player is told soon; few ticks make no share. */
const windowMs = 3_000
const windowTicksMin = 10
