import { ticksIn } from '../../wire/limits.ts'
import { SampleWindow } from './sample-window.ts'

/** How far is looked back: over so many ticks that a few outliers do not count. */
const windowMs = 2_130
const windowTicksMin = 32

/** Draws that are looked back on: about as long, at 60 per second. */
const windowDraws = 128

/** One call may stand for this many ticks: a long catch-up must not be all that is remembered. */
const ticksPerNoteMax = 8

/** How often a report is due: what players see of each other is refreshed once per second (LAG-09). */
const reportEveryMs = 1_000

/** Draws per second that a player is left with, however busy the simulation is (SMO-05). */
export const fpsMin = 5

/** A report says no more than that: ten times too slow is hopeless, and the number travels. */
export const loadPercentMax = 1_000

/**
 * How busy the game keeps this machine. A load is the time that a tick takes as a share of the time
 * that it may take **at normal speed**: 100 means that the machine just keeps up. It does not depend on
 * the speed of the match, so a relay that changes the speed does not chase its own changes.
 *
 *     simPercent    p95 of the tick cost / tick interval
 *     drawPercent   what drawing needs at the least: the mean draw, `fpsMin` times per second
 *     loadPercent   both: simulation and drawing share one thread (LAG-05)
 */
export class LoadMeter {
  readonly #intervalMs: number
  readonly #windowTicks: number
  readonly #ticks: SampleWindow
  readonly #draws = new SampleWindow(windowDraws)
  #reportAtMs = Number.NEGATIVE_INFINITY
  #loadPercent = 0

  constructor(tickRate: number) {
    this.#intervalMs = 1_000 / tickRate
    this.#windowTicks = Math.max(ticksIn(windowMs, tickRate), windowTicksMin)
    this.#ticks = new SampleWindow(this.#windowTicks)
  }

  /** Whether enough ticks ran to judge by: the first ones are slow on every machine. */
  get hasSettled(): boolean {
    return this.#ticks.count >= this.#windowTicks / 2
  }

  /** What one tick costs, as 95 % of them do not exceed it. */
  get tickMs(): number {
    return this.#ticks.percentile(0.95)
  }

  /** What one tick usually costs. */
  get typicalTickMs(): number {
    return this.#ticks.percentile(0.5)
  }

  /** What one picture usually costs. */
  get drawMs(): number {
    return this.#draws.percentile(0.5)
  }

  get simPercent(): number {
    return (this.tickMs * 100) / this.#intervalMs
  }

  get drawPercent(): number {
    return (this.drawMs * fpsMin) / 10
  }

  /** As of the last report. */
  get loadPercent(): number {
    return this.#loadPercent
  }

  /** Notes that `count` ticks took `costMs` together. */
  noteTicks(count: number, costMs: number): void {
    if (count <= 0) return
    const each = Math.max(costMs, 0) / count
    const times = Math.min(count, ticksPerNoteMax)
    for (let time = 0; time < times; time++) this.#ticks.add(each)
  }

  /** Notes what one picture took. */
  noteDraw(costMs: number): void {
    this.#draws.add(Math.max(costMs, 0))
  }

  /** A new {@link loadPercent} once per second; `undefined` in between. */
  takeReport(nowMs: number): number | undefined {
    if (nowMs < this.#reportAtMs) return undefined
    this.#reportAtMs = nowMs + reportEveryMs
    const percent = Math.round(this.simPercent + this.drawPercent)
    this.#loadPercent = Math.min(percent, loadPercentMax)
    return this.#loadPercent
  }
}
