import type { Timing } from '../../transport/timing.ts'

/**
 * Notices that another thread has died. A thread that was ended, or that hangs, says nothing, and no
 * platform tells of it; so it is heard when nothing is heard. Silence is counted in wake-ups of our
 * own: a page that hung, or slept, has not listened in that time, and must not blame the other.
 */
export class SilenceWatch {
  readonly #timing: Timing
  readonly #handleLost: () => void
  #beats = 0
  #cancel: () => void

  constructor(timing: Timing, handleLost: () => void) {
    this.#timing = timing
    this.#handleLost = handleLost
    this.#cancel = timing.schedule(this.#beat, beatMs)
  }

  /** For how long nothing was heard; 0 while that is nothing to speak of. */
  get silentMs(): number {
    return this.#beats < beatsNoticed ? 0 : this.#beats * beatMs
  }

  /** Something was heard. */
  noteWord(): void {
    this.#beats = 0
  }

  stop(): void {
    this.#cancel()
  }

  readonly #beat = (): void => {
    this.#beats += 1
    if (this.#beats < beatsMax) this.#cancel = this.#timing.schedule(this.#beat, beatMs)
    else this.#handleLost()
  }
}

/** Ten times as long as a worker is ever silent. */
const beatMs = 1_000

/** From here on a player is told: as the relay warns of players who are silent for so long. */
const beatsNoticed = 3

/** Long enough for a look at a breakpoint, and half of what a relay waits for a silent player. */
const beatsMax = 30
