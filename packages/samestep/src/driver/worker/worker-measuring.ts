import type { TickTimings } from '../../sim/game/run/tick-timer.ts'
import type { PageMessage } from './worker-messages.ts'

/** What ticks cost in a worker, for as long as somebody on its page wants it. */
export class WorkerMeasuring {
  readonly #post: (message: PageMessage) => void
  #wanted = 0
  #timings: TickTimings | undefined

  constructor(post: (message: PageMessage) => void) {
    this.#post = post
  }

  /** What was measured; `undefined` while nobody wants it. */
  get timings(): TickTimings | undefined {
    return this.#timings
  }

  /** Somebody wants it; gives the undo of that. */
  begin(): () => void {
    this.#change(1)
    let isWanted = true
    return () => {
      if (isWanted) this.#change(-1)
      isWanted = false
    }
  }

  /** The worker says what it measured. */
  note(timings: TickTimings | undefined): void {
    if (this.#wanted > 0) this.#timings = timings
  }

  #change(by: 1 | -1): void {
    const was = this.#wanted
    this.#wanted += by
    if (was > 0 === this.#wanted > 0) return
    this.#timings = undefined
    this.#post({ type: 'measure', isWanted: this.#wanted > 0 })
  }
}
