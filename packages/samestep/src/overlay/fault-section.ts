import type { MatchFault } from '../driver/match/fault-log.ts'
import { make, makeSection } from './elements.ts'
import type { OverlayMatch } from './overlay-match.ts'

/** Kinds of faults that are listed. A game with more has its first ones to mend. */
const kindsMax = 5

/** What the game's own code threw, one line per place. Hidden while there is nothing. */
export class FaultSection {
  readonly element: HTMLElement
  readonly #list = make('div', { role: 'alert' })
  readonly #lines = new Map<string, HTMLElement>()
  readonly undo: () => void

  constructor(match: OverlayMatch) {
    this.element = makeSection('faults', ['Faults'], this.#list)
    this.element.hidden = true
    this.undo = match.on('fault', (fault) => this.#show(fault))
  }

  #show({ where, name, tick, count, error }: MatchFault): void {
    const place = where === name ? where : `${where} '${name}'`
    let line = this.#lines.get(place)
    if (line === undefined) {
      if (this.#lines.size === kindsMax) return
      line = make('p')
      this.#lines.set(place, line)
      this.#list.append(line)
    }
    const often = count === 1 ? '' : `, ${count} times so far`
    line.textContent = `${place} at tick ${tick}${often}: ${error}`
    this.element.hidden = false
  }
}
