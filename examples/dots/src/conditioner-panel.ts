import { parseConditions } from 'samestep'
import { make, makeButton } from './elements.ts'
import type { Line } from './line.ts'

/** Long enough to be felt, short enough that nobody is given up. */
const stallMs = 2_000

/** What a slider moves: both directions alike, from its far left, which does nothing. */
const sliders = [
  { name: 'Latency', key: 'latencyMs', max: 300, step: 5, scale: 1, unit: 'ms' },
  { name: 'Jitter', key: 'jitterMs', max: 100, step: 1, scale: 1, unit: 'ms' },
  { name: 'Loss', key: 'loss', max: 30, step: 1, scale: 100, unit: '%' },
] as const

/** Makes this page's line worse while the match runs, to see what it does about it. */
export class ConditionerPanel {
  readonly element: HTMLElement
  readonly #line: Line
  readonly #refresh: (() => void)[] = []

  constructor(line: Line) {
    this.#line = line
    const stall = makeButton(`Stall ${stallMs / 1_000} s`, () => {
      line.set({ isClogged: true })
      setTimeout(() => line.set({ isClogged: false }), stallMs)
    })
    const cut = makeButton('Cut the link', () => line.breakConnections())
    cut.title = 'Breaks the connection; the match reconnects by itself'
    const presets = ['wifi', 'mobile', 'awful'].map((name) =>
      makeButton(name, () => {
        line.reset()
        this.#apply(parseConditions(name).sending)
      }),
    )
    const clear = makeButton('Clear', () => this.#apply({}))
    this.element = make(
      'section',
      { id: 'conditioner' },
      make('h2', {}, 'Make this line worse', make('span', {}, 'each way, this window only')),
      make('div', { className: 'sliders' }, ...sliders.map((slider) => this.#makeSlider(slider))),
      make('div', { className: 'row' }, ...presets, clear, stall, cut),
    )
  }

  #apply(patch: Parameters<Line['set']>[0]): void {
    this.#line.reset()
    this.#line.set(patch)
    for (const refresh of this.#refresh) refresh()
  }

  #makeSlider({ name, key, max, step, scale, unit }: (typeof sliders)[number]): HTMLElement {
    const output = make('output')
    const range = make('input', { type: 'range', min: '0', max: String(max), step: String(step) })
    range.name = key
    const refresh = () => {
      const value = Math.round(this.#line.sending[key] * scale)
      range.value = String(value)
      output.textContent = `${value} ${unit}`
    }
    range.addEventListener('input', () => {
      this.#line.set({ [key]: Number(range.value) / scale })
      refresh()
    })
    this.#refresh.push(refresh)
    refresh()
    return make('label', {}, name, range, output)
  }
}
