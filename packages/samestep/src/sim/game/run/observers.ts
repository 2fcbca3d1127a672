/**
 * The parts of a tick, in sequence. `previous` keeps the columns that are drawn between ticks; `normalise`
 * brings memory into the form that saving and loading would give it.
 */
export type TickPhase =
  | 'previous'
  | 'inputs'
  | 'derived'
  | 'orders'
  | 'systems'
  | 'normalise'
  | 'hash'

/**
 * Observes a running simulation, for timing and tracing. It must not change the state. If it throws, it is
 * not called again, and `step` throws the error once the tick is complete.
 */
export interface SimulationObserver {
  /** A part of a tick begins, and the previous one ends. In a pause no systems run. */
  phaseBegins?(phase: TickPhase, tick: number): void
  systemBegins?(name: string, tick: number): void
  systemEnds?(name: string, tick: number): void
  /** The tick is complete. */
  tickEnds?(tick: number): void
}

/**
 * The observers of one simulation. Without any, {@link current} is `undefined`, and nothing is called.
 */
export class Observers {
  readonly #observers = new Set<SimulationObserver>()
  #problem: { readonly error: unknown } | undefined
  /** What the simulation calls; `undefined` if there are no observers. */
  current: Required<SimulationObserver> | undefined

  /** Adds an observer, and returns a function that removes it. */
  add(observer: SimulationObserver): () => void {
    this.#observers.add(observer)
    this.current = this.#all
    return () => this.#remove(observer)
  }

  /** Throws what an observer threw during the tick. */
  complain(): void {
    const problem = this.#problem
    this.#problem = undefined
    if (problem !== undefined) throw problem.error
  }

  readonly #all: Required<SimulationObserver> = {
    phaseBegins: (phase, tick) => this.#each((observer) => observer.phaseBegins?.(phase, tick)),
    systemBegins: (name, tick) => this.#each((observer) => observer.systemBegins?.(name, tick)),
    systemEnds: (name, tick) => this.#each((observer) => observer.systemEnds?.(name, tick)),
    tickEnds: (tick) => this.#each((observer) => observer.tickEnds?.(tick)),
  }

  /** Errors are kept until the tick is complete: a tick that only one machine aborts is a desync. */
  #each(tell: (observer: SimulationObserver) => void): void {
    for (const observer of this.#observers) {
      try {
        tell(observer)
      } catch (error) {
        this.#problem ??= { error }
        this.#remove(observer)
      }
    }
  }

  #remove(observer: SimulationObserver): void {
    this.#observers.delete(observer)
    if (this.#observers.size === 0) this.current = undefined
  }
}
