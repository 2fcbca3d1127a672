import { bytesText, make, makeSection, msText, setText, Values } from './elements.ts'
import type { OverlayMatch } from './overlay-match.ts'

/** Samples in the graph: at ten per second, the last twelve seconds. */
const samplesMax = 120

/** The least full height of the graph, so that a good line looks flat. */
const graphMsMin = 40

const svgSpace = 'http://www.w3.org/2000/svg'

/** One curve of the graph. */
class Curve {
  readonly element = document.createElementNS(svgSpace, 'polyline')
  readonly #samples: number[] = []

  constructor(className: string) {
    this.element.setAttribute('class', className)
  }

  get max(): number {
    return Math.max(...this.#samples)
  }

  add(sample: number): void {
    this.#samples.push(sample)
    if (this.#samples.length > samplesMax) this.#samples.shift()
  }

  draw(topMs: number): void {
    const start = samplesMax - this.#samples.length
    const points = this.#samples.map(
      (sample, index) => `${start + index},${(98 - (96 * sample) / topMs).toFixed(1)}`,
    )
    this.element.setAttribute('points', points.join(' '))
  }
}

/** The line to the relay: round trip and jitter over time, delay, buffer, bytes. */
export class LineSection {
  readonly element: HTMLElement
  readonly #transport = make('span', { className: 'pill' })
  readonly #top = make('small')
  readonly #rtt = new Curve('rtt')
  readonly #jitter = new Curve('jitter')
  readonly #values = new Values({
    rtt: 'RTT',
    jitter: 'Jitter',
    loss: 'Loss',
    delay: 'Delay',
    buffer: 'Buffer',
    hold: 'Hold',
    margin: 'Margin',
    order: 'Order',
    up: 'Up',
    down: 'Down',
    tick: 'Tick cost',
    load: 'Load',
  })

  constructor() {
    const svg = document.createElementNS(svgSpace, 'svg')
    const attributes = {
      viewBox: `0 0 ${samplesMax - 1} 100`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': 'Round trip and jitter over the last twelve seconds',
    }
    for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value)
    svg.append(this.#jitter.element, this.#rtt.element)
    this.#values.element.children[0]?.prepend(make('i', { className: 'key rtt' }))
    this.#values.element.children[2]?.prepend(make('i', { className: 'key jitter' }))
    this.element = makeSection(
      'line',
      ['Line', this.#transport],
      make('div', { className: 'graph' }, svg as Node as HTMLElement, this.#top),
      this.#values.element,
    )
  }

  update({ statistics, transport }: OverlayMatch): void {
    const { line } = statistics
    // A stream hides how packets vary; how evenly ticks arrive shows it as well.
    const jitterMs = statistics.jitterMs ?? statistics.arrivalJitterMs
    setText(this.#transport, transport ?? 'no link')
    this.#transport.className = `pill ${transport === undefined ? 'bad' : ''}`
    this.#values.set('rtt', msText(statistics.rttMs))
    this.#values.set('jitter', msText(jitterMs))
    this.#values.set('loss', `${(statistics.lossShare * 100).toFixed(1)} %`)
    this.#values.set('delay', `${statistics.inputDelay} ticks`)
    this.#values.set(
      'buffer',
      `${statistics.bufferTicks} of ${statistics.bufferTargetTicks.toFixed(1)}`,
    )
    this.#values.set('hold', msText(statistics.holdMs))
    this.#values.set('margin', msText(statistics.marginMs))
    this.#values.set('order', statistics.orderMs === 0 ? '–' : msText(statistics.orderMs))
    this.#values.set('up', `${bytesText(line.sentPerSecond)}/s`)
    this.#values.set('down', `${bytesText(line.receivedPerSecond)}/s`)
    this.#values.set('tick', msText(statistics.tickMs))
    this.#values.set('load', `${Math.round(statistics.loadPercent)} %`)
    this.#rtt.add(statistics.rttMs ?? 0)
    this.#jitter.add(jitterMs)
    const topMs = Math.max(graphMsMin, this.#rtt.max, this.#jitter.max) * 1.1
    setText(this.#top, msText(topMs))
    this.#rtt.draw(topMs)
    this.#jitter.draw(topMs)
  }
}
