import type { SimulationObserver, TickPhase } from './observers.ts'

/** The cost of one part of a tick. */
export interface ScopeTiming {
  /** A phase of the tick, or one of the systems, which together make up the phase `systems`. */
  readonly kind: 'phase' | 'system'
  readonly name: string
  /** The number of ticks in which it ran. */
  readonly count: number
  readonly lastMs: number
  /** Over about the last 32 ticks. */
  readonly meanMs: number
  readonly maxMs: number
}

/** The cost of ticks since measuring began. */
export interface TickTimings {
  readonly ticks: number
  /** Whole ticks: all phases together. */
  readonly lastMs: number
  readonly meanMs: number
  readonly maxMs: number
  /** In the sequence in which they run. */
  readonly scopes: readonly ScopeTiming[]
}

/** Measures the cost of every phase of a tick and every system, with the given clock. */
export class TickTimer implements SimulationObserver {
  readonly #nowMs: () => number
  readonly #phases = new Map<string, Meter>()
  readonly #systems = new Map<string, Meter>()
  readonly #whole = new Meter()
  #phase: Meter | undefined
  #startedMs = 0
  #phaseMs = 0
  #systemMs = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  phaseBegins(phase: TickPhase): void {
    const nowMs = this.#nowMs()
    if (this.#phase === undefined) this.#startedMs = nowMs
    else this.#phase.add(nowMs - this.#phaseMs)
    this.#phase = meterOf(this.#phases, phase)
    this.#phaseMs = nowMs
  }

  systemBegins(): void {
    this.#systemMs = this.#nowMs()
  }

  systemEnds(name: string): void {
    meterOf(this.#systems, name).add(this.#nowMs() - this.#systemMs)
  }

  tickEnds(): void {
    // Measuring began in the middle of this tick.
    if (this.#phase === undefined) return
    const nowMs = this.#nowMs()
    this.#phase.add(nowMs - this.#phaseMs)
    this.#phase = undefined
    this.#whole.add(nowMs - this.#startedMs)
  }

  /** What was measured so far. */
  get timings(): TickTimings {
    const { count, lastMs, meanMs, maxMs } = this.#whole
    const scopes: ScopeTiming[] = []
    for (const [name, meter] of this.#phases) {
      scopes.push({ kind: 'phase', name, ...meter })
      if (name !== 'systems') continue
      for (const [system, own] of this.#systems) {
        scopes.push({ kind: 'system', name: system, ...own })
      }
    }
    return { ticks: count, lastMs, meanMs, maxMs, scopes }
  }
}

/** Repeated measurements of one thing. */
class Meter {
  count = 0
  lastMs = 0
  meanMs = 0
  maxMs = 0

  add(ms: number): void {
    this.count += 1
    this.lastMs = ms
    // The true mean at first, then a moving average.
    this.meanMs += (ms - this.meanMs) / Math.min(this.count, meanTicks)
    if (ms > this.maxMs) this.maxMs = ms
  }
}

/** About a second: long enough to be read, short enough to follow. */
const meanTicks = 32

function meterOf(meters: Map<string, Meter>, name: string): Meter {
  let meter = meters.get(name)
  if (meter === undefined) {
    meter = new Meter()
    meters.set(name, meter)
  }
  return meter
}
