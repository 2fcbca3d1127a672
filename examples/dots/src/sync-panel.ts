import type { DesyncReport } from 'samestep'
import { make, makeButton } from './elements.ts'
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
  readonly #desync = make('div', { className: 'desync', role: 'alert' })
  #shownTick = -1
  #shownReport: DesyncReport | undefined

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
      this.#desync,
    )
  }

  /** Offers to break this machine's state, so that everybody sees what is told of it. */
  offerFlip(flip: () => void): void {
    const button = makeButton('Flip one field', flip, 'flip')
    button.title = 'Changes one number of the state on this machine alone'
    this.element.append(button)
  }

  update({ simulation, statistics, seat }: ShownMatch): void {
    this.#showDesync(statistics.desync)
    const { match = {}, desync } = statistics
    this.#showHealth(match as Comparison, simulation.seats === 1, desync !== undefined)
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

  #showHealth({ comparedTick, mismatches }: Comparison, isAlone: boolean, isTold: boolean): void {
    const isKnown = comparedTick !== undefined && mismatches !== undefined
    const isGood = isKnown && mismatches === 0 && comparedTick > 0
    const isBad = isTold || (isKnown && mismatches > 0)
    this.#pill.className = `pill ${isBad ? 'bad' : isGood ? 'good' : ''}`
    this.#pill.textContent = isBad
      ? 'out of sync'
      : isGood
        ? `in sync, tick ${comparedTick}`
        : isAlone
          ? 'alone'
          : 'not compared yet'
  }

  /** Told in stages: who differs, then where, then why. */
  #showDesync(report: DesyncReport | undefined): void {
    if (report === this.#shownReport) return
    this.#shownReport = report
    const lines = report === undefined ? [] : describeDesync(report)
    this.#desync.replaceChildren(
      ...lines.map((line) => make('p', { className: 'desync-line' }, line)),
    )
    this.#desync.dataset.stage = report?.stage ?? ''
  }
}

/** What is known of a desync, a line each. */
export function describeDesync(report: DesyncReport): string[] {
  const { tick, groups, verdict, place, writes, cause } = report
  const sides = groups.map((seats) => `seat ${seats.join(' and ')}`).join(' against ')
  const who =
    verdict.kind === 'culprit'
      ? `seat ${verdict.seats.join(' and ')} differs from most`
      : 'nobody can tell who is right'
  const row = place?.row === undefined ? '' : `, row ${place.row}`
  const values = place?.values.map(({ seats, value }) => `${value} at seat ${seats.join(', ')}`)
  return [
    `Tick ${tick}: ${sides}; ${who}.`,
    ...(place === undefined ? [] : [`Where: ${place.part}.${place.field}${row}.`]),
    ...(values === undefined || values.length === 0 ? [] : [`Values: ${values.join('; ')}.`]),
    ...writes.flatMap(({ site, system }) =>
      site === undefined ? [] : [`Written by ${system} in ${site.file}:${site.line}.`],
    ),
    ...(cause === undefined ? [] : [`Why: ${cause.text} ${cause.advice}`]),
  ]
}
