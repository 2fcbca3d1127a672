import { make, Values } from './elements.ts'
import type { ShownMatch } from './shown-match.ts'

/** Samples of the graph: at ten a second, the last twelve seconds. */
const samplesMax = 120

/** The graph never shows less than this in full height, so that a good line looks flat. */
const graphMsMin = 40

/** The line to the relay: round trip, delay, buffer, and what carries it. */
export class LinePanel {
  readonly element: HTMLElement
  readonly #transport = make('span', { className: 'pill' })
  readonly #path = document.createElementNS('http://www.w3.org/2000/svg', 'polyline')
  readonly #samples: number[] = []
  readonly #values = new Values({
    rtt: 'RTT',
    jitter: 'Jitter',
    delay: 'Delay',
    hold: 'Hold',
    buffer: 'Buffer',
    margin: 'Margin',
    order: 'Order',
    load: 'Load',
  })

  constructor() {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
    svg.setAttribute('class', 'graph')
    svg.setAttribute('viewBox', `0 0 ${samplesMax - 1} 100`)
    svg.setAttribute('preserveAspectRatio', 'none')
    svg.setAttribute('role', 'img')
    svg.setAttribute('aria-label', 'Round trip over the last twelve seconds')
    const attributes = { fill: 'none', stroke: 'currentColor', 'stroke-width': '1.5' }
    for (const [name, value] of Object.entries(attributes)) this.#path.setAttribute(name, value)
    this.#path.setAttribute('vector-effect', 'non-scaling-stroke')
    svg.append(this.#path)
    this.element = make(
      'section',
      { id: 'line' },
      make('h2', {}, 'Line', this.#transport),
      svg,
      this.#values.element,
    )
  }

  update({ statistics, transport }: ShownMatch): void {
    const { rttMs, jitterMs, inputDelay, holdMs, marginMs, loadPercent, orderMs } = statistics
    // A stream hides how packets vary; how evenly ticks come shows it as well.
    const { arrivalJitterMs } = statistics
    this.#transport.textContent = transport ?? 'no link'
    this.#transport.className = `pill ${transport === undefined ? 'bad' : ''}`
    this.#values.set('rtt', msText(rttMs))
    this.#values.set('jitter', msText(jitterMs ?? arrivalJitterMs))
    this.#values.set('delay', `${inputDelay} ticks`)
    this.#values.set('hold', msText(holdMs))
    this.#values.set('buffer', bufferText(statistics.bufferTicks, statistics.bufferTargetTicks))
    this.#values.set('margin', msText(marginMs))
    this.#values.set('order', orderMs === 0 ? '–' : msText(orderMs))
    this.#values.set('load', `${Math.round(loadPercent)} %`)
    this.#draw(rttMs ?? 0)
  }

  #draw(rttMs: number): void {
    this.#samples.push(rttMs)
    if (this.#samples.length > samplesMax) this.#samples.shift()
    const top = Math.max(graphMsMin, ...this.#samples) * 1.1
    const start = samplesMax - this.#samples.length
    const points = this.#samples.map(
      (sample, index) => `${start + index},${(98 - (96 * sample) / top).toFixed(1)}`,
    )
    this.#path.setAttribute('points', points.join(' '))
  }
}

function bufferText(ticks: number, target: number): string {
  return `${ticks} of ${target.toFixed(1)}`
}

/** A time for people; a dash where it is not known. */
export function msText(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return '–'
  return `${Math.abs(ms) < 9.95 ? ms.toFixed(1) : Math.round(ms)} ms`
}
