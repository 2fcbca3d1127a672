import { describe, expect, test } from 'vitest'
import type { Plot } from './plot-svg.ts'
import { escapeXml, niceTicks, renderPlot } from './plot-svg.ts'

const small: Plot = {
  title: 'Two lines',
  description: 'One rises, one steps.',
  xLabel: 'seconds',
  widthPx: 284,
  panels: [
    {
      title: 'Values',
      heightPx: 100,
      series: [
        { name: 'rising', x: [0, 1, 2], y: [0, 5, 10] },
        { name: 'stepping', x: [0, 1, 2], y: [0, 0, 10], isStepped: true },
      ],
    },
    {
      title: 'States',
      rows: [{ name: 'a', x: [0, 1, 2], states: ['active', 'active', 'slow'] }],
    },
  ],
}

/** The `d` of every data line, without legends. */
function linesOf(svg: string): string[] {
  return [...svg.matchAll(/<path class="line s\d" d="([^"]*)"><title>/g)].map(
    (match) => match[1] ?? '',
  )
}

/** Throws unless every tag is closed in its turn, as XML wants it. */
function checkTags(svg: string): void {
  const open: string[] = []
  const text = svg.replace(/<[^<>]*>/g, (tag) => {
    const name = /^<\/?([a-z]+)/.exec(tag)?.[1] ?? ''
    expect(tag).toMatch(/^<(?:\/[a-z]+|[a-z]+(?: [a-zA-Z:-]+="[^"<]*")*\/?)>$/)
    if (tag.startsWith('</')) expect(open.pop()).toBe(name)
    else if (!tag.endsWith('/>')) open.push(name)
    return ''
  })
  expect(open).toEqual([])
  expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;|quot;|#39;)/)
}

describe('a plot', () => {
  const svg = renderPlot(small)

  test('draws every line over the whole width, with the scale of its panel', () => {
    expect(linesOf(svg)).toEqual(['M64 176L164 126L264 76', 'M64 176H164H264V76'])
  })

  test('draws states as bars, each as long as it lasted, and never without a width', () => {
    expect(svg).toContain(
      '<rect class="b0" x="64" y="220" width="200" height="18"><title>active</title>',
    )
    expect(svg).toContain(
      '<rect class="b1" x="264" y="220" width="1" height="18"><title>slow</title>',
    )
  })

  test('is as large as its panels', () => {
    expect(svg).toContain('viewBox="0 0 284 288" width="284" height="288"')
  })

  test('is well-formed', () => {
    checkTags(svg)
  })

  test('has a name and a description for who does not see it', () => {
    expect(svg).toContain('role="img" aria-labelledby="plot-title plot-desc"')
    expect(svg).toContain('<title id="plot-title">Two lines</title>')
    expect(svg).toContain('<desc id="plot-desc">One rises, one steps.</desc>')
  })

  test('has styles for light and dark that touch nothing outside of it', () => {
    const style = /<style>(.*)<\/style>/.exec(svg)?.[1] ?? ''
    expect(style).toContain('@media (prefers-color-scheme:dark)')
    const selectors = style.replaceAll(/@media [^{]*\{/g, '').match(/[^{}]+(?=\{)/g) ?? []
    for (const selector of selectors.flatMap((list) => list.split(','))) {
      expect(selector).toMatch(/^\.plot /)
    }
  })

  test('can stand beside another one in a page', () => {
    const other = renderPlot({ ...small, idPrefix: 'second' })
    expect(other).toContain('id="second-title"')
    expect(other).not.toContain('plot-title')
  })

  test('names its lines in a legend, a single one by its panel', () => {
    expect(svg.match(/class="legend"/g)).toHaveLength(3)
    const one = {
      ...small,
      panels: [{ title: 'A', series: [{ name: 'a', x: [0, 1], y: [0, 1] }] }],
    }
    expect(renderPlot(one).match(/class="legend"/g)).toHaveLength(1)
  })

  test('carries any text as text', () => {
    const evil = `</svg><script>alert("1")</script> & 'x' \u0007 \ud800`
    const hostile = renderPlot({
      ...small,
      title: evil,
      description: evil,
      xLabel: evil,
      marks: [{ x: 1, label: evil }],
      panels: [
        { title: evil, series: [1, 2].map(() => ({ name: evil, x: [0, 1], y: [0, 1] })) },
        { title: evil, rows: [{ name: evil, x: [0, 1], states: [evil, evil] }] },
      ],
    })
    checkTags(hostile)
    expect(hostile).not.toContain('<script')
    expect(hostile).toContain('&lt;/svg&gt;&lt;script&gt;')
  })
})

describe('a line', () => {
  const draw = (x: number[], y: number[]) =>
    linesOf(
      renderPlot({
        ...small,
        panels: [{ title: 'A', heightPx: 100, series: [{ name: 'a', x, y }] }],
      }),
    )[0]

  test('has a gap where there is no number', () => {
    expect(draw([0, 1, 2, 3, 4], [0, 10, Number.NaN, 10, 0])).toBe('M64 176L114 76M214 76L264 176')
    expect(draw([0, 1, 2], [0, Number.POSITIVE_INFINITY, 10])).toBe('M64 176M264 76')
  })

  test('of many points keeps every peak and stays small', () => {
    const x = Array.from({ length: 100_000 }, (_, index) => index)
    const y = x.map((index) => (index === 54_321 ? 100 : index === 12_345 ? -100 : index % 2))
    const path = draw(x, y) ?? ''
    expect(path.length).toBeLessThan(20_000)
    expect(path).toMatch(/ 76L/)
    expect(path).toMatch(/ 176L/)
  })

  test('that is level, or not there at all, is drawn all the same', () => {
    expect(draw([0, 1], [5, 5])).toBe('M64 126L264 126')
    expect(draw([], [])).toBe('')
    checkTags(renderPlot({ ...small, panels: [] }))
  })
})

describe('niceTicks', () => {
  test.each([
    [0, 10, 5, [0, 2, 4, 6, 8, 10]],
    [0, 1, 4, [0, 0.5, 1]],
    [0.9, 1.3, 4, [0.9, 1, 1.1, 1.2, 1.3]],
    [-400, 400, 4, [-400, -200, 0, 200, 400]],
    [0, 89.9, 10, [0, 10, 20, 30, 40, 50, 60, 70, 80]],
    [3, 3, 4, [3]],
  ])('from %d to %d in %i parts', (from, to, count, ticks) => {
    expect(niceTicks(from, to, count)).toEqual(ticks)
  })
})

test('escapeXml leaves letters of every script alone', () => {
  expect(escapeXml('Ω → ü 漢 😀\n\t')).toBe('Ω → ü 漢 😀\n\t')
})
