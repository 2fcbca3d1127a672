import { make, Values } from './elements.ts'
import type { ShownMatch } from './shown-match.ts'

/** Ticks in the picture, and how many of them have run. */
const cellCount = 20
const ranCount = 8

/**
 * The three cursors: up to where the simulation ran, up to where the relay has sealed ticks that are
 * here, and up to where own inputs were sent.
 */
export class CursorPanel {
  readonly element: HTMLElement
  readonly #cells: HTMLElement[] = []
  readonly #values = new Values(
    { simulated: 'Simulated', sealed: 'Sealed', input: 'Input sent for' },
    'wide',
  )

  constructor() {
    const strip = make('div', { className: 'ticks', ariaHidden: 'true' })
    for (let index = 0; index < cellCount; index++) this.#cells.push(make('i'))
    strip.append(...this.#cells)
    for (const [index, name] of ['ran', 'sealed', 'input'].entries()) {
      this.#values.element.children[2 * index]?.prepend(make('span', { className: `key ${name}` }))
    }
    this.element = make(
      'section',
      { id: 'cursors' },
      make('h2', {}, 'Ticks'),
      strip,
      this.#values.element,
    )
  }

  update({ statistics }: ShownMatch): void {
    const { simulatedTick, sealedTick, inputTick } = statistics.cursors
    this.#values.set('simulated', String(simulatedTick))
    this.#values.set('sealed', ahead(sealedTick, simulatedTick))
    this.#values.set('input', ahead(inputTick, simulatedTick))
    for (const [index, cell] of this.#cells.entries()) {
      const tick = simulatedTick + 1 + index - ranCount
      const name =
        tick <= simulatedTick
          ? 'ran'
          : tick <= sealedTick
            ? 'sealed'
            : tick <= inputTick
              ? 'input'
              : ''
      if (cell.className !== name) cell.className = name
    }
  }
}

function ahead(tick: number, simulatedTick: number): string {
  return tick > simulatedTick ? `+${tick - simulatedTick} · ${tick}` : String(tick)
}
