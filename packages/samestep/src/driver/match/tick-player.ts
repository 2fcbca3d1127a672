import type { GameShape } from '../../sim/game/definition/context.ts'
import type { MatchInside } from './match-inside.ts'

/** Runs a match's ticks when they are due, as its pacer says. */
export class TickPlayer<G extends GameShape, R> {
  readonly #inside: MatchInside<G, R>
  readonly #meterMs: () => number
  #plannedMs = Number.NEGATIVE_INFINITY

  /** `meterMs` is the clock by which ticks cost something. */
  constructor(inside: MatchInside<G, R>, meterMs: () => number) {
    this.#inside = inside
    this.#meterMs = meterMs
  }

  /** Up to when ticks were planned, in the client's time. Plans never go back. */
  get plannedMs(): number {
    return this.#plannedMs
  }

  /** Runs what is due, until the time for it is used up; then the next picture is more urgent. */
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
