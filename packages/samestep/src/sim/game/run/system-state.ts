/**
 * The state of a match according to its events: its ticks, its speed, and which seats have players.
 */
import type { SystemEvent } from './bundle.ts'

/** The cells of the engine's own part of the state: see `systemPart`. */
export type SystemCells = { -readonly [K in keyof Fields]: Fields[K] }

interface Fields {
  readonly tick: number
  readonly pausedTicks: number
  readonly paused: boolean
  readonly speedPercent: number
  readonly inputDelay: number
  readonly presentLo: number
  readonly presentHi: number
}

/** Reads and writes these cells. They are part of the state, so this class holds nothing itself. */
export class SystemState {
  readonly #cells: SystemCells

  constructor(cells: SystemCells) {
    this.#cells = cells
  }

  /** The game's own clock: the ticks that ran. It stands still in a pause. */
  get tick(): number {
    return this.#cells.tick - this.#cells.pausedTicks
  }

  /** The number of the bundle that ran last; it also increases in a pause. */
  get matchTick(): number {
    return this.#cells.tick
  }

  get isPaused(): boolean {
    return this.#cells.paused
  }

  get speedPercent(): number {
    return this.#cells.speedPercent
  }

  get inputDelay(): number {
    return this.#cells.inputDelay
  }

  isPresent(seat: number): boolean {
    const word = seat < 32 ? this.#cells.presentLo : this.#cells.presentHi
    return ((word >>> (seat & 31)) & 1) === 1
  }

  /** Begins a bundle: applies its events. A paused one does not advance the game's tick. */
  begin(matchTick: number, events: readonly SystemEvent[]): void {
    const cells = this.#cells
    cells.tick = matchTick
    for (const event of events) this.#handleEvent(event)
    // What is due at a tick must not be overdue when the match resumes.
    if (cells.paused) cells.pausedTicks += 1
  }

  #handleEvent(event: SystemEvent): void {
    const cells = this.#cells
    switch (event.type) {
      case 'join':
        this.#setPresent(event.seat, true)
        return
      case 'leave':
        this.#setPresent(event.seat, false)
        return
      case 'pause':
        cells.paused = true
        return
      case 'resume':
        cells.paused = false
        return
      case 'speed':
        cells.speedPercent = event.percent
        return
      case 'delay':
        cells.inputDelay = event.ticks
        return
      case 'hand-over':
        // Who plays a seat is not part of the state: the game knows seats, and the room knows members.
        return
    }
  }

  #setPresent(seat: number, isPresent: boolean): void {
    const cells = this.#cells
    const word = seat < 32 ? 'presentLo' : 'presentHi'
    const bit = 1 << (seat & 31)
    cells[word] = (isPresent ? cells[word] | bit : cells[word] & ~bit) >>> 0
  }
}
