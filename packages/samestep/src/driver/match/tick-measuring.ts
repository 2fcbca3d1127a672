import type { SimulationObserver } from '../../sim/game/run/observers.ts'
import type { TickTimings } from '../../sim/game/run/tick-timer.ts'
import { TickTimer } from '../../sim/game/run/tick-timer.ts'

/** What of a simulation is measured. */
interface Observable {
  observe(observer: SimulationObserver): () => void
}

/** Measures the ticks of a match for as long as somebody wants it, over all its simulations. */
export class TickMeasuring {
  readonly #nowMs: () => number
  #timer: TickTimer | undefined
  #wanted = 0
  #simulation: Observable | undefined
  #undo = () => {}

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** What was measured; `undefined` while nobody wants it. */
  get timings(): TickTimings | undefined {
    return this.#timer?.timings
  }

  /** Somebody wants it; gives the undo of that. */
  begin(simulation: Observable | undefined): () => void {
    this.#wanted += 1
    this.#timer ??= new TickTimer(this.#nowMs)
    this.follow(simulation)
    let isWanted = true
    return () => {
      if (!isWanted) return
      isWanted = false
      this.#wanted -= 1
      if (this.#wanted > 0) return
      this.follow(undefined)
      this.#timer = undefined
    }
  }

  /** Another simulation is run from here on: a match may be launched more than once. */
  follow(simulation: Observable | undefined): void {
    if (this.#timer === undefined || simulation === this.#simulation) return
    this.#undo()
    this.#simulation = simulation
    this.#undo = simulation?.observe(this.#timer) ?? (() => {})
  }
}
