import type { GameShape } from '../../sim/game/definition/context.ts'
import type { SimulationView } from '../../sim/game/run/simulation-view.ts'
import type { Timing } from '../../transport/timing.ts'
import { machineTiming } from '../../transport/timing.ts'
import type { Match, Picture } from '../match/match.ts'

/** The options of `runHeadless`. */
export interface HeadlessOptions<G extends GameShape, R> {
  /**
   * `paced`, the default, runs ticks at the pace of normal play, and sleeps in between.
   * `as-fast-as-possible` runs a local match as fast as this machine can; the pace of an online match is
   * always set by its relay.
   */
  readonly mode?: 'paced' | 'as-fast-as-possible'
  /** Stop after this tick. Without it, run until the match is over or `signal` is aborted. */
  readonly untilTick?: number
  /**
   * Called after every tick, or after several while the match catches up. Compute bots here. If it throws,
   * the run ends.
   */
  readonly onTick?: (picture: Picture<G, R>) => void
  /** Ends the run, but not the match. */
  readonly signal?: AbortSignal
  /** The clock and the timers; defaults to those of the machine. Pass the same as to the match. */
  readonly timing?: Timing
}

/** How a headless run ended. The match itself is over only if it was `closed`. */
export interface HeadlessEnd {
  readonly reason: 'tick' | 'closed' | 'aborted'
  /** The newest tick that ran. */
  readonly tick: number
}

/**
 * Runs a match without a screen: for testing a game, for bots and witnesses, or for balancing over a
 * thousand matches. It replaces only the drawing loop: lobbies, orders, events and `close` are left to the
 * caller.
 *
 * Resolves with how the run ended. Rejects with whatever `onTick`, or in development the guard, throws.
 *
 * @example
 * ```ts
 * const match = playLocal(game, { seed: 7 })
 * await runHeadless(match, { mode: 'as-fast-as-possible', untilTick: 54_000 })   // half an hour of play
 * console.log(match.simulation.view.score)
 * ```
 */
export async function runHeadless<G extends GameShape, R>(
  match: Match<G, R, SimulationView<G, R>>,
  options: HeadlessOptions<G, R> = {},
): Promise<HeadlessEnd> {
  const { untilTick = Number.POSITIVE_INFINITY, onTick, signal } = options
  const pace = new Pace(match, options)
  let tick = -1
  for (;;) {
    if (match.status === 'closed') return { reason: 'closed', tick: Math.max(tick, 0) }
    if (signal?.aborted) return { reason: 'aborted', tick: Math.max(tick, 0) }
    const picture = match.advance(pace.pictureMs)
    const isRunning = picture.phase === 'running'
    const hasMoved = isRunning && picture.tick !== tick
    if (hasMoved) {
      tick = picture.tick
      // Tick 0 is the setup: nothing has run.
      if (tick > 0) onTick?.(picture)
      if (tick >= untilTick) return { reason: 'tick', tick }
    }
    const waitMs = pace.next(isRunning, hasMoved)
    if (waitMs >= 0) await pace.sleep(waitMs)
  }
}

/** When the next picture is asked for, and with which time. */
class Pace<G extends GameShape, R> {
  readonly #match: Match<G, R, SimulationView<G, R>>
  readonly #timing: Timing
  readonly #signal: AbortSignal | undefined
  readonly #isFast: boolean
  /** The time of the next picture: the machine's, or one that runs ahead of it. */
  pictureMs: number
  /** Until when the thread is not given to others. */
  #sliceEndMs: number
  /** Pictures in a row in which nothing ran. */
  #idle = 0

  constructor(match: Match<G, R, SimulationView<G, R>>, options: HeadlessOptions<G, R>) {
    this.#match = match
    this.#timing = options.timing ?? machineTiming
    this.#signal = options.signal
    this.#isFast = options.mode === 'as-fast-as-possible' && match.transport === 'local'
    this.pictureMs = this.#timing.nowMs()
    this.#sliceEndMs = this.pictureMs + sliceMs
  }

  /** How long to sleep before it; below 0 for not at all. */
  next(isRunning: boolean, hasMoved: boolean): number {
    const nowMs = this.#timing.nowMs()
    this.#idle = hasMoved ? 0 : this.#idle + 1
    if (isRunning && this.#isFast) {
      this.pictureMs += this.#tickMs
      // Nothing runs in a pause, or while a job is computed in another thread, which needs its turn.
      if (this.#idle < idleMax && nowMs < this.#sliceEndMs) return -1
      this.#idle = 0
      return 0
    }
    const stepMs = isRunning ? this.#tickMs : lobbyMs
    // Who is late by more than a few ticks has slept, and goes on from here.
    const dueMs = Math.max(this.pictureMs + stepMs, nowMs - lateMsMax)
    this.pictureMs = dueMs
    return Math.max(dueMs - nowMs, 0)
  }

  async sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = () => {
        cancel()
        this.#signal?.removeEventListener('abort', wake)
        resolve()
      }
      const cancel = this.#timing.schedule(wake, ms)
      this.#signal?.addEventListener('abort', wake)
    })
    this.#sliceEndMs = this.#timing.nowMs() + sliceMs
  }

  /** How long a tick takes at the match's speed. */
  get #tickMs(): number {
    const { game, speedPercent } = this.#match.simulation
    return 100_000 / (game.tickRate * Math.max(speedPercent, 1))
  }
}

/** How long a fast run keeps the thread: others, such as a server's requests, are not to notice. */
const sliceMs = 10

/** Rounding makes that a picture has no tick now and then; more in a row mean that none comes. */
const idleMax = 8

/** In a lobby nothing has to be drawn; it goes by the machine's clock. */
const lobbyMs = 50

/** As a relay that stood still: more than that is not made up. */
const lateMsMax = 200
