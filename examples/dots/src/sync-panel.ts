import { make } from './elements.ts'
import type { ShownMatch } from './shown-match.ts'

/** One hash per second is slow enough to compare two windows by eye. */
const shownEveryTicks = 30

/** What the relay says about the hashes of all players. */
interface Comparison {
  readonly comparedTick?: number
  readonly mismatches?: number
}

/**
 * Sync health: whether everybody's machine has computed the same, as the relay compares it, and the
 * own hash as colours that must be the same in every window.
 */
export class SyncPanel {
  readonly element: HTMLElement
  readonly #pill = make('span', { className: 'pill' })
  readonly #glyph = make('div', { className: 'glyph', ariaHidden: 'true' })
  readonly #tick = make('span')
  readonly #hash = make('span')
  #shownTick = -1

  constructor() {
    for (let cell = 0; cell < 8; cell++) this.#glyph.append(make('i'))
    this.element = make(
      'section',
      { id: 'sync' },
      make('h2', {}, 'Sync', this.#pill),
      this.#glyph,
      make('p', { className: 'hash' }, this.#tick, this.#hash),
      make(
        'p',
        { className: 'small' },
        'A hash of the whole state: the same colours in every window.',
      ),
    )
  }

  update({ simulation, statistics, seat }: ShownMatch): void {
    this.#showHealth((statistics.match ?? {}) as Comparison, simulation.seats === 1)
    const tick = simulation.matchTick - (simulation.matchTick % shownEveryTicks)
    const hash = simulation.syncHashAt(tick)
    if (tick === this.#shownTick || hash === undefined) return
    this.#shownTick = tick
    // For tests, and for whoever looks with the browser's own tools.
    Object.assign(this.element.dataset, { tick: String(tick), hash, seat: String(seat) })
    this.#tick.textContent = `tick ${tick}`
    this.#hash.textContent = hash.replace(/(.{4})(?=.)/g, '$1 ')
    for (const [index, cell] of [...this.#glyph.children].entries()) {
      const hue = Number.parseInt(hash.slice(2 * index, 2 * index + 2), 16) * 1.40625
      ;(cell as HTMLElement).style.background = `hsl(${hue} 65% 55%)`
    }
  }

  #showHealth({ comparedTick, mismatches }: Comparison, isAlone: boolean): void {
    const isKnown = comparedTick !== undefined && mismatches !== undefined
    const isGood = isKnown && mismatches === 0 && comparedTick > 0
    const isBad = isKnown && mismatches > 0
    this.#pill.className = `pill ${isBad ? 'bad' : isGood ? 'good' : ''}`
    this.#pill.textContent = isBad
      ? 'out of sync'
      : isGood
        ? `in sync, tick ${comparedTick}`
        : isAlone
          ? 'alone'
          : 'not compared yet'
  }
}
