import { conditionPresets } from '../netem/conditions-text.ts'
import { make, makeButton, makeSection } from './elements.ts'
import type { OverlayLine } from './overlay-match.ts'

/** Long enough to be felt, short enough that nobody loses a seat. */
const stallMs = 2_000

/** What each slider changes, both directions alike. Far left changes nothing. */
const sliders = [
  { name: 'Latency', key: 'latencyMs', max: 300, step: 5, scale: 1, unit: 'ms' },
  { name: 'Jitter', key: 'jitterMs', max: 100, step: 1, scale: 1, unit: 'ms' },
  { name: 'Loss', key: 'loss', max: 30, step: 1, scale: 100, unit: '%' },
] as const

const presetNames = ['wifi', 'mobile', 'awful'] as const

/** Makes this client's line worse while the match runs, so that a developer feels what players feel. */
export class ConditionerSection {
  readonly element: HTMLElement
  readonly #line: OverlayLine
  readonly #refresh: (() => void)[] = []
  #stallTimer: ReturnType<typeof setTimeout> | undefined

  constructor(line: OverlayLine) {
    this.#line = line
    const presets = presetNames.map((name) =>
      makeButton(name, () => this.#apply(conditionPresets[name])),
    )
    const cut = makeButton('Cut the link', () => line.breakConnections())
    cut.title = 'Breaks the connection; the match reconnects automatically'
    this.element = makeSection(
      'conditioner',
      ['Make this line worse'],
      ...sliders.map((slider) => this.#makeSlider(slider)),
      make(
        'div',
        { className: 'row' },
        ...presets,
        makeButton('Clear', () => this.#apply({})),
        makeButton(`Stall ${stallMs / 1_000} s`, () => this.#stall()),
        cut,
      ),
    )
    this.element.title = 'Each way, in this window only'
  }

  /** A stall that is still on would outlive the buttons that end it. */
  close(): void {
    if (this.#stallTimer !== undefined) this.#unstall()
  }

  #stall(): void {
    clearTimeout(this.#stallTimer)
    this.#line.set({ isClogged: true })
    this.#stallTimer = setTimeout(() => this.#unstall(), stallMs)
  }

  #unstall(): void {
    clearTimeout(this.#stallTimer)
    this.#stallTimer = undefined
    this.#line.set({ isClogged: false })
  }

  #apply(conditions: Parameters<OverlayLine['set']>[0]): void {
    this.#line.reset()
    this.#line.set(conditions)
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
