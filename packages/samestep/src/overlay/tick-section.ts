import { make, makeSection, Values } from './elements.ts'
import type { OverlayMatch } from './overlay-match.ts'

/** Ticks in the bar, and how many of them have run. */
const cellCount = 24
const ranCount = 8

/**
 * The three cursors: how far the simulation ran, how far sealed ticks have arrived, and how far own
 * inputs were sent.
 *
 *     ■ ■ ■ ■ ■ ■ ■ ■ ▒ ▒ □ □ □
 *                   │   │     └ input
 *         simulated ┘   └ sealed
 */
export class TickSection {
  readonly element: HTMLElement
  readonly #cells: HTMLElement[]
  readonly #values = new Values({ simulated: 'Simulated', sealed: 'Sealed', input: 'Input' })

  constructor() {
    this.#cells = Array.from({ length: cellCount }, () => make('i'))
    const bar = make('div', { className: 'ticks', ariaHidden: 'true' }, ...this.#cells)
    this.#values.element.className = 'wide'
    for (const [index, name] of ['ran', 'sealed', 'input'].entries()) {
      this.#values.element.children[2 * index]?.prepend(make('i', { className: `key ${name}` }))
    }
    this.element = makeSection('ticks', ['Ticks'], bar, this.#values.element)
  }

  update({ statistics }: OverlayMatch): void {
    const { simulatedTick, sealedTick, inputTick } = statistics.cursors
    this.#values.set('simulated', String(simulatedTick))
    this.#values.set('sealed', ahead(sealedTick, simulatedTick))
    this.#values.set('input', ahead(inputTick, simulatedTick))
    for (const [index, cell] of this.#cells.entries()) {
      const tick = simulatedTick + 1 + index - ranCount
      const isUpTo = (cursor: number) => tick <= cursor
      const name = isUpTo(simulatedTick)
        ? 'ran'
        : isUpTo(sealedTick)
          ? 'sealed'
          : isUpTo(inputTick)
            ? 'input'
            : ''
      if (cell.className !== name) cell.className = name
    }
  }
}

function ahead(tick: number, simulatedTick: number): string {
  return tick > simulatedTick ? `+${tick - simulatedTick} · ${tick}` : String(tick)
}
