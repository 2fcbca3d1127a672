import type { GameShape } from '../../sim/game/definition/context.ts'
import type { MatchInside } from './match-inside.ts'

/** Runs a match's ticks when its pacer says that they are due. */
export class TickPlayer<G extends GameShape, R> {
  readonly #inside: MatchInside<G, R>
  readonly #meterMs: () => number
  #plannedMs = Number.NEGATIVE_INFINITY

  /** `meterMs` is the clock that measures the cost of ticks. */
  constructor(inside: MatchInside<G, R>, meterMs: () => number) {
    this.#inside = inside
    this.#meterMs = meterMs
  }

  /** The time of the last plan, as the client counts time. It never goes back. */
  get plannedMs(): number {
    return this.#plannedMs
  }

  /** Runs due ticks until their time is used up; then the next frame is more urgent. */
  run(timeMs: number): void {
    const { client } = this.#inside
    if (client.running === undefined) return
    const { pacer, simulation, inbox } = client.running
    this.#plannedMs = timeMs
    const due = pacer.plan(timeMs, simulation.matchTick, inbox.receivedTick)
    const startedMs = this.#meterMs()
    const budgetMs = pacer.deadlineMs - timeMs
    let count = 0
    let tookMs = 0
    try {
      while (count < due && (count === 0 || tookMs < budgetMs)) {
        if (client.runTicks(1) === 0) break
        count += 1
        tookMs = this.#meterMs() - startedMs
      }
    } finally {
      if (count > 0) pacer.noteRan(count, tookMs)
      if (due > 0) this.#inside.handleRan?.()
    }
  }
}
