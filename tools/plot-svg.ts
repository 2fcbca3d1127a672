/**
 * Line plots as SVG text: stacked panels over one time axis, without dependencies. The picture carries
 * its own style for light and dark surroundings; series differ in colour and in dashes, so that nobody
 * has to tell them apart by colour alone; title and description are there for who does not see it.
 */

/** One line. Values that are no finite number leave a gap. */
export type Series = {
  readonly name: string
  readonly x: readonly number[]
  readonly y: readonly number[]
  /** Whether a value holds until the next one, as counts and settings do. */
  readonly isStepped?: boolean
}

/** Lines that share a scale. */
export type LinePanel = {
  readonly title: string
  readonly series: readonly Series[]
  /** The scale covers at least this. */
  readonly yMin?: number
  readonly yMax?: number
  readonly heightPx?: number
}

/** Which state each of some things was in, as coloured bars. */
export type StatePanel = {
  readonly title: string
  readonly rows: readonly {
    readonly name: string
    readonly x: readonly number[]
    readonly states: readonly string[]
  }[]
}

/** A whole picture. */
export type Plot = {
  readonly title: string
  /** What there is to see in it, in a sentence or two. */
  readonly description: string
  readonly xLabel: string
  readonly panels: readonly (LinePanel | StatePanel)[]
  /** Times at which something happened, drawn through all panels. */
  readonly marks?: readonly { readonly x: number; readonly label: string }[]
  readonly widthPx?: number
  /** Begins all ids, so that several pictures can stand in one page. */
  readonly idPrefix?: string
}

const margin = { left: 64, right: 20, top: 76, bottom: 46, between: 44 } as const
const panelHeightPx = 120
const stateRowPx = 22

/** Of Okabe and Ito, for colour-blind eyes; each dark enough on white, and another one for black. */
const colours: readonly (readonly [light: string, dark: string])[] = [
  ['#0063a3', '#5cb8f5'],
  ['#b84a00', '#ff9d4d'],
  ['#00785a', '#3ddbb0'],
  ['#a3458a', '#e69ccf'],
  ['#6b5900', '#e6d24a'],
  ['#444c56', '#c3cad3'],
]
const dashes = ['none', '7 3', '2 3', '9 3 2 3', '4 2', '1 2'] as const

/** Bars of states: the usual one is pale, so that the others are seen. */
const stateColours: readonly (readonly [light: string, dark: string])[] = [
  ['#d5e8d4', '#2d4a36'],
  ['#f6c6a0', '#8a4b1c'],
  ['#a9cdf0', '#1f5687'],
  ['#d9d9de', '#4a4d55'],
  ['#f0a8a8', '#8f2f36'],
  ['#dcc6ee', '#5c3f7d'],
]

/** The picture as a complete SVG document. */
export function renderPlot(plot: Plot): string {
  const { widthPx = 900, idPrefix = 'plot' } = plot
  const scale = makeScale(extentOfX(plot), margin.left, widthPx - margin.right)
  const states = [...new Set(plot.panels.flatMap((panel) => statesIn(panel)))]
  const parts: string[] = []
  let top: number = margin.top
  for (const panel of plot.panels) {
    const height = heightOf(panel)
    parts.push(
      isStates(panel)
        ? drawStates(panel, scale, top, states)
        : drawLines(panel, scale, top, height, widthPx),
    )
    top += height + margin.between
  }
  const bottom = top - margin.between
  const heightPx = bottom + margin.bottom
  const ids = `${idPrefix}-title ${idPrefix}-desc`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${widthPx} ${heightPx}" width="${widthPx}" height="${heightPx}" role="img" aria-labelledby="${ids}" class="${idPrefix}">`,
    `<title id="${idPrefix}-title">${escapeXml(plot.title)}</title>`,
    `<desc id="${idPrefix}-desc">${escapeXml(plot.description)}</desc>`,
    `<style>${makeStyle(idPrefix)}</style>`,
    `<rect class="ground" width="${widthPx}" height="${heightPx}"/>`,
    `<text class="headline" x="${margin.left}" y="24">${escapeXml(plot.title)}</text>`,
    drawMarks(plot, scale, bottom),
    ...parts,
    drawXAxis(plot.xLabel, scale, bottom, widthPx),
    '</svg>',
    '',
  ].join('\n')
}

/** Round numbers that divide a range into about `count` parts. */
export function niceTicks(from: number, to: number, count: number): number[] {
  const rough = (to - from) / Math.max(count, 1)
  if (!(rough > 0)) return [from]
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5].find((factor) => power * factor >= rough * (1 - 1e-9)) ?? 10)
  const ticks: number[] = []
  for (let index = Math.ceil(from / step - 1e-9); index * step <= to + step * 1e-9; index++) {
    // Of 3 × 0.1 nobody wants to read 0.30000000000000004.
    ticks.push(Number((index * step).toPrecision(12)))
  }
  return ticks
}

/** Text as XML carries it. Characters that XML cannot carry at all become a question mark. */
export function escapeXml(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids exactly these.
    /[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu,
    (char) => entities[char] ?? '?',
  )
}

const entities: { readonly [char: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

type Scale = { readonly from: number; readonly to: number; at(value: number): number }

function makeScale([from, to]: readonly [number, number], start: number, end: number): Scale {
  const span = to - from || 1
  return { from, to, at: (value) => start + ((value - from) / span) * (end - start) }
}

function isStates(panel: LinePanel | StatePanel): panel is StatePanel {
  return 'rows' in panel
}

function statesIn(panel: LinePanel | StatePanel): string[] {
  return isStates(panel) ? panel.rows.flatMap(({ states }) => states) : []
}

function heightOf(panel: LinePanel | StatePanel): number {
  return isStates(panel) ? panel.rows.length * stateRowPx : (panel.heightPx ?? panelHeightPx)
}

function extentOfX({ panels }: Plot): readonly [number, number] {
  const all = panels.flatMap((panel) =>
    (isStates(panel) ? panel.rows : panel.series).map(({ x }) => x),
  )
  return extentOf(all) ?? [0, 1]
}

function extentOf(lists: readonly (readonly number[])[]): readonly [number, number] | undefined {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const list of lists) {
    for (const value of list) {
      if (!Number.isFinite(value)) continue
      if (value < least) least = value
      if (value > most) most = value
    }
  }
  return least <= most ? [least, most] : undefined
}

/** Whole parts of the scale above and below, so that no line touches the frame by accident. */
function extentOfY(panel: LinePanel): readonly [number, number] {
  const [least, most] = extentOf(panel.series.map(({ y }) => y)) ?? [0, 1]
  const from = Math.min(least, panel.yMin ?? least)
  const to = Math.max(most, panel.yMax ?? most)
  if (from === to) return [from - 1, to + 1]
  const ticks = niceTicks(from, to, 4)
  const step = (ticks[1] ?? to) - (ticks[0] ?? from)
  return [Math.floor(from / step + 1e-9) * step, Math.ceil(to / step - 1e-9) * step]
}

function drawLines(panel: LinePanel, x: Scale, top: number, height: number, width: number): string {
  const y = makeScale(extentOfY(panel), top + height, top)
  const lines = niceTicks(y.from, y.to, 4).map((tick) => {
    const at = px(y.at(tick))
    return `<path class="grid" d="M${px(x.at(x.from))} ${at}H${px(x.at(x.to))}"/><text class="tick" x="${margin.left - 8}" y="${at}" dy="0.32em" text-anchor="end">${tick}</text>`
  })
  const paths = panel.series.map(
    (series, index) =>
      `<path class="line s${index % colours.length}" d="${pathOf(series, x, y)}"><title>${escapeXml(series.name)}</title></path>`,
  )
  return `<g>\n${drawTitle(panel.title, top)}\n${[...lines, ...paths].join('\n')}\n${drawLegend(panel.series, top, width)}\n</g>`
}

function drawTitle(title: string, top: number): string {
  return `<text class="title" x="${margin.left}" y="${top - 10}">${escapeXml(title)}</text>`
}

/** From the right, so that it stays clear of the title. A single line is named by the title. */
function drawLegend(series: readonly Series[], top: number, width: number): string {
  if (series.length < 2) return ''
  const entries: string[] = []
  let right = width - margin.right
  for (const [index, { name }] of [...series.entries()].reverse()) {
    // Close enough to the width of the text for spacing: no fonts are measured here.
    const textPx = name.length * 6.6
    const left = right - textPx
    entries.unshift(
      `<path class="line s${index % colours.length}" d="M${px(left - 30)} ${top - 14}h24"/><text class="legend" x="${px(left)}" y="${top - 10}">${escapeXml(name)}</text>`,
    )
    right = left - 46
  }
  return entries.join('\n')
}

function drawStates(panel: StatePanel, x: Scale, top: number, known: readonly string[]): string {
  const rows = panel.rows.map(({ name, x: times, states }, row) => {
    const y = top + row * stateRowPx
    const bars: string[] = []
    for (let from = 0; from < states.length; ) {
      let to = from + 1
      while (to < states.length && states[to] === states[from]) to += 1
      const [left, right] = [x.at(times[from] ?? x.from), x.at(times[to] ?? x.to)]
      const state = states[from] ?? ''
      const colour = known.indexOf(state) % stateColours.length
      const label = right - left > state.length * 7 ? state : ''
      bars.push(
        `<rect class="b${colour}" x="${px(left)}" y="${y}" width="${px(Math.max(right - left, 1))}" height="${stateRowPx - 4}"><title>${escapeXml(state)}</title></rect><text class="state" x="${px((left + right) / 2)}" y="${y + 13}" text-anchor="middle">${escapeXml(label)}</text>`,
      )
      from = to
    }
    return `<text class="tick" x="${margin.left - 8}" y="${y + 9}" dy="0.32em" text-anchor="end">${escapeXml(name)}</text>${bars.join('')}`
  })
  return `<g>\n${drawTitle(panel.title, top)}\n${rows.join('\n')}\n</g>`
}

function drawMarks({ marks = [] }: Plot, x: Scale, bottom: number): string {
  return marks
    .map(({ x: value, label }) => {
      const at = px(x.at(value))
      return `<path class="mark" d="M${at} ${margin.top - 20}V${bottom}"/><text class="marked" x="${at}" y="${margin.top - 24}" text-anchor="middle">${escapeXml(label)}</text>`
    })
    .join('\n')
}

function drawXAxis(label: string, x: Scale, bottom: number, width: number): string {
  const ticks = niceTicks(x.from, x.to, 10).map((tick) => {
    const at = px(x.at(tick))
    return `<path class="grid" d="M${at} ${bottom}v5"/><text class="tick" x="${at}" y="${bottom + 19}" text-anchor="middle">${tick}</text>`
  })
  const middle = px((margin.left + width - margin.right) / 2)
  ticks.push(
    `<path class="axis" d="M${px(x.at(x.from))} ${bottom}H${px(x.at(x.to))}"/><text class="legend" x="${middle}" y="${bottom + 38}" text-anchor="middle">${escapeXml(label)}</text>`,
  )
  return ticks.join('\n')
}

/**
 * The line, as no screen shows more of it: in each column of pixels its first, least, most and last
 * value, in their sequence. A minute of samples at 60 per second stays a few kilobytes.
 */
function pathOf({ x: xs, y: ys, isStepped = false }: Series, x: Scale, y: Scale): string {
  const kept = thinOut(xs, ys, x)
  let path = ''
  let [lastY, isDown] = ['', false]
  for (const index of kept) {
    const value = ys[index] as number
    if (!Number.isFinite(value) || !Number.isFinite(xs[index] as number)) {
      isDown = false
      continue
    }
    const [atX, atY] = [px(x.at(xs[index] as number)), px(y.at(value))]
    if (!isDown) path += `M${atX} ${atY}`
    else if (isStepped) path += lastY === atY ? `H${atX}` : `H${atX}V${atY}`
    else path += `L${atX} ${atY}`
    lastY = atY
    isDown = true
  }
  return path
}

function thinOut(xs: readonly number[], ys: readonly number[], x: Scale): number[] {
  const kept: number[] = []
  for (let from = 0; from < ys.length; ) {
    const column = Math.floor(x.at(xs[from] as number))
    let [to, least, most] = [from, from, from]
    for (; to < ys.length && Math.floor(x.at(xs[to] as number)) === column; to++) {
      if ((ys[to] as number) < (ys[least] as number)) least = to
      if ((ys[to] as number) > (ys[most] as number)) most = to
      // A gap is kept: a line must not be drawn over it.
      if (!Number.isFinite(ys[to] as number)) kept.push(to)
    }
    // A column that is no number belongs to no other.
    to = Math.max(to, from + 1)
    kept.push(from, least, most, to - 1)
    from = to
  }
  return [...new Set(kept)].sort((a, b) => a - b)
}

function px(value: number): string {
  return String(Math.round(value * 10) / 10)
}

function makeStyle(prefix: string): string {
  const rules = (shade: 0 | 1): string => {
    const [ground, text, faint, grid] =
      shade === 0
        ? ['#ffffff', '#1c2128', '#57606a', '#dfe3e8']
        : ['#14171c', '#e6e9ee', '#a2abb6', '#333a44']
    return [
      `.${prefix} .ground{fill:${ground}}`,
      `.${prefix} .title,.${prefix} .legend,.${prefix} .marked{stroke:${ground}}`,
      `.${prefix} text{fill:${text}}.${prefix} .tick,.${prefix} .legend,.${prefix} .marked{fill:${faint}}`,
      `.${prefix} .grid{stroke:${grid}}.${prefix} .axis,.${prefix} .mark{stroke:${faint}}`,
      ...colours.map((pair, index) => `.${prefix} .s${index}{stroke:${pair[shade]}}`),
      ...stateColours.map((pair, index) => `.${prefix} .b${index}{fill:${pair[shade]}}`),
    ].join('')
  }
  return [
    `.${prefix} text{font:12px system-ui,sans-serif}.${prefix} .headline{font-size:16px;font-weight:600}`,
    `.${prefix} .title{font-weight:600}.${prefix} .state,.${prefix} .marked{font-size:11px}`,
    // A rim in the colour of the ground keeps text readable where a mark runs through it.
    `.${prefix} text{paint-order:stroke;stroke-width:5px;stroke-linejoin:round}`,
    `.${prefix} path{fill:none}.${prefix} .line{stroke-width:1.75;stroke-linejoin:round}`,
    `.${prefix} .mark{stroke-dasharray:3 4;opacity:.7}`,
    ...dashes.map((dash, index) => `.${prefix} .s${index}{stroke-dasharray:${dash}}`),
    rules(0),
    `@media (prefers-color-scheme:dark){${rules(1)}}`,
  ].join('')
}
