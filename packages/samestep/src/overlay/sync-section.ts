import type { DesyncReport } from '../desync/report.ts'
import { make, makeSection, setText } from './elements.ts'
import type { OverlayMatch } from './overlay-match.ts'
import { simulationOf } from './overlay-match.ts'

/** A new hash about every second can be compared between two windows by eye. */
const shownEveryTicks = 30

/**
 * Whether all machines have computed the same state, as the relay compares it; the own hash as colours
 * that must be the same in every window; and what is known of a desync.
 */
export class SyncSection {
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
    this.element = makeSection(
      'sync',
      ['Sync', this.#pill],
      this.#glyph,
      make('p', { className: 'hash' }, this.#tick, this.#hash),
      this.#desync,
    )
    this.element.title = 'A hash of the whole state: the same colours on every machine'
  }

  update(match: OverlayMatch): void {
    this.#showDesync(match.statistics.desync)
    this.#showHealth(match)
    const simulation = simulationOf(match)
    if (simulation === undefined) return
    const tick = simulation.matchTick - (simulation.matchTick % shownEveryTicks)
    const hash = simulation.syncHashAt(tick)
    if (tick === this.#shownTick || hash === undefined) return
    this.#shownTick = tick
    // For tests, and for the browser's own tools.
    Object.assign(this.element.dataset, { tick: String(tick), hash })
    setText(this.#tick, `tick ${tick}`)
    setText(this.#hash, hash.replace(/(.{4})(?=.)/g, '$1 '))
    for (const [index, cell] of [...this.#glyph.children].entries()) {
      const hue = Number.parseInt(hash.slice(2 * index, 2 * index + 2), 16) * 1.40625
      ;(cell as HTMLElement).style.background = `hsl(${hue} 65% 55%)`
    }
  }

  #showHealth(match: OverlayMatch): void {
    const { match: stats, desync } = match.statistics
    const comparedTick = stats?.comparedTick ?? 0
    // A later tick on which all agree: whoever differed has taken over the state of the others.
    const isHealed = desync?.reaction === 'resync' && comparedTick > desync.tick
    const isBad = !isHealed && (desync !== undefined || (stats?.mismatches ?? 0) > 0)
    const isGood = !isBad && comparedTick > 0
    this.#pill.className = `pill ${isBad ? 'bad' : isGood ? 'good' : ''}`
    const unknown = simulationOf(match)?.seats === 1 ? 'alone' : 'not compared yet'
    const known = isBad ? 'out of sync' : `in sync, tick ${comparedTick}`
    setText(this.#pill, isBad || isGood ? known : unknown)
  }

  /** Told in stages: who differs, then where, then why. */
  #showDesync(report: DesyncReport | undefined): void {
    if (report === this.#shownReport) return
    this.#shownReport = report
    const lines = report === undefined ? [] : describeDesync(report)
    this.#desync.replaceChildren(...lines.map((line) => make('p', {}, line)))
    this.#desync.dataset.stage = report?.stage ?? ''
  }
}

/** What is known of a desync, a line each. */
function describeDesync(report: DesyncReport): string[] {
  const { tick, groups, verdict, place, writes, cause, reaction } = report
  const sides = groups.map(seatsText).join(' against ')
  const who =
    verdict.kind === 'culprit'
      ? `${seatsText(verdict.seats)} differs from most`
      : 'nobody can tell who is right'
  const lines = [`Tick ${tick}: ${sides}; ${who}.`]
  if (place !== undefined) {
    const row = place.row === undefined ? '' : `, row ${place.row}`
    lines.push(`Where: ${place.part}.${place.field}${row}.`)
    const values = place.values.map(({ seats, value }) => `${value} at ${seatsText(seats)}`)
    if (values.length > 0) lines.push(`Values: ${values.join('; ')}.`)
  }
  for (const { site, system } of writes) {
    if (site !== undefined) lines.push(`Written by ${system} in ${site.file}:${site.line}.`)
  }
  if (cause !== undefined) lines.push(`Why: ${cause.text} ${cause.advice}`)
  if (reaction === 'halt') lines.push('The match is halted.')
  if (reaction === 'resync') lines.push('Who differs takes over the state of the others.')
  return lines
}

function seatsText(seats: readonly number[]): string {
  return `seat ${seats.join(' and ')}`
}
