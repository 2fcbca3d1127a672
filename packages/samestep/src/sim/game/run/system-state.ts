/**
 * The state of a match according to its events: its ticks, its speed, and which seats have players.
 */
import { assert } from '../../../base/assert.ts'
import type { Cells } from '../../snapshot/section.ts'
import type { SinglePart } from '../../state/single.ts'
import type { TableFields } from '../../state/table-rows.ts'
import type { SystemEvent } from './bundle.ts'

/**
 * Reads and writes the engine's own part of the state: see `systemPart`. This class holds nothing itself.
 * It works on the cells, not on the part's row, because every tick reads some of them many times.
 */
export class SystemState {
  readonly #tick: Cells
  readonly #pausedTicks: Cells
  readonly #paused: Cells
  readonly #speedPercent: Cells
  readonly #inputDelay: Cells
  readonly #presentLo: Cells
  readonly #presentHi: Cells

  constructor(part: SinglePart<TableFields>) {
    const cellsOf = (name: string): Cells => {
      const column = part.columns.find((other) => other.name === name)
      assert(column !== undefined, `The system part has no '${name}'`)
      return column.cells
    }
    this.#tick = cellsOf('tick')
    this.#pausedTicks = cellsOf('pausedTicks')
    this.#paused = cellsOf('paused')
    this.#speedPercent = cellsOf('speedPercent')
    this.#inputDelay = cellsOf('inputDelay')
    this.#presentLo = cellsOf('presentLo')
    this.#presentHi = cellsOf('presentHi')
  }

  /** The game's own clock: the ticks that ran. It stands still in a pause. */
  get tick(): number {
    return this.matchTick - (this.#pausedTicks[0] as number)
  }

  /** The number of the bundle that ran last; it also increases in a pause. */
  get matchTick(): number {
    return this.#tick[0] as number
  }

  get isPaused(): boolean {
    return this.#paused[0] === 1
  }

  get speedPercent(): number {
    return this.#speedPercent[0] as number
  }

  get inputDelay(): number {
    return this.#inputDelay[0] as number
  }

  isPresent(seat: number): boolean {
    const word = seat < 32 ? this.#presentLo[0] : this.#presentHi[0]
    return (((word as number) >>> (seat & 31)) & 1) === 1
  }

  /** Begins a bundle: applies its events. A paused one does not advance the game's tick. */
  begin(matchTick: number, events: readonly SystemEvent[]): void {
    this.#tick[0] = matchTick
    if (events.length > 0) for (const event of events) this.#handleEvent(event)
    // What is due at a tick must not be overdue when the match resumes.
    if (this.isPaused) this.#pausedTicks[0] = (this.#pausedTicks[0] as number) + 1
  }

  #handleEvent(event: SystemEvent): void {
    switch (event.type) {
      case 'join':
        this.#setPresent(event.seat, true)
        return
      case 'leave':
        this.#setPresent(event.seat, false)
        return
      case 'pause':
        this.#paused[0] = 1
        return
      case 'resume':
        this.#paused[0] = 0
        return
      case 'speed':
        this.#speedPercent[0] = event.percent
        return
      case 'delay':
        this.#inputDelay[0] = event.ticks
        return
      case 'hand-over':
        // Who plays a seat is not part of the state: the game knows seats, and the room knows members.
        return
    }
  }

  #setPresent(seat: number, isPresent: boolean): void {
    const word = seat < 32 ? this.#presentLo : this.#presentHi
    const bit = 1 << (seat & 31)
    word[0] = (isPresent ? (word[0] as number) | bit : (word[0] as number) & ~bit) >>> 0
  }
}
