import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { chromiumOptions } from '../../../../tools/chromium.ts'

/** What a game pays at most for the overlay. */
const gzipBytesMax = 8_000

async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: ['node:*'],
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  return outputFiles[0]?.text ?? ''
}

test(`weighs at most ${gzipBytesMax} bytes, compressed`, async () => {
  const entry = join(import.meta.dirname, '..', '..', 'src', 'overlay', 'index.ts')
  const text = await bundle(entry)
  expect(text.length).toBeGreaterThan(0)
  expect(gzipSync(text, { level: 9 }).length).toBeLessThanOrEqual(gzipBytesMax)
})

describe('in Chromium', () => {
  let browser: Browser
  let page: Page
  const complaints: string[] = []

  beforeAll(async () => {
    browser = await chromium.launch(chromiumOptions())
    page = await browser.newPage()
    page.on('pageerror', (error) => complaints.push(String(error)))
    // The rules of a page that knows nothing of the overlay.
    await page.setContent('<style>p, dl, table, button { display: none } i { float: left }</style>')
    const content = await bundle(join(import.meta.dirname, 'page.ts'))
    await page.addScriptTag({ type: 'module', content })
    await page.waitForFunction('globalThis.match?.simulation.matchTick > 0')
  }, 60_000)

  afterAll(() => browser?.close())

  beforeEach(() => page.evaluate('globalThis.overlay?.close()'))

  const show = (match = 'match', options = '{}') =>
    page.evaluate(`globalThis.overlay = showOverlay(${match}, ${options})`).then(() => undefined)
  // Playwright's selectors see into open shadow roots.
  const section = (name: string) => page.locator(`[data-section=${name}]`)

  test('floats over the page, whatever the page looks like, and shows the cursors move', async () => {
    await show()
    const simulated = section('ticks').locator('[data-value=simulated]')
    await simulated.waitFor({ state: 'visible' })
    const before = Number(await simulated.textContent())
    await expect.poll(async () => Number(await simulated.textContent())).toBeGreaterThan(before)
    expect(await section('ticks').locator('.ticks i').count()).toBe(24)
    expect(await section('ticks').locator('.ticks .ran').count()).toBe(8)
    expect(await section('line').locator('.pill').textContent()).toBe('local')
    expect(await section('sync').locator('.pill').textContent()).toBe('alone')
    const box = await page.locator('[data-samestep=overlay]').boundingBox()
    expect(box?.width).toBe(300)
  })

  test('writes names as text', async () => {
    await show()
    await expect
      .poll(() => section('players').locator('tbody td').first().textContent())
      .toBe('<i>Ada</i> (you)')
  })

  test('folds into one line', async () => {
    await show('match', '{ isOpen: false }')
    expect(await section('line').isVisible()).toBe(false)
    await page.locator('main > button').click()
    expect(await section('line').isVisible()).toBe(true)
    expect(await page.locator('main > button').getAttribute('aria-expanded')).toBe('true')
  })

  test('shows what the game threw, once per place, as text', async () => {
    await show()
    expect(await section('faults').isVisible()).toBe(false)
    for (let count = 0; count < 2; count++) {
      await page.evaluate("match.order('fail', {}).settled")
    }
    await expect
      .poll(() => section('faults').locator('p').allTextContents())
      .toEqual([expect.stringMatching(/step.* 2 times so far: Error: the <b>step<\/b> failed$/)])
  })

  test.each([
    [
      "{ name: 'catching-up', progress: 0.4, ticksLeft: 60, leftMs: 900 }",
      'catching up, 40 %',
      0.4,
    ],
    ["{ name: 'downloading', bytes: 250, bytesTotal: 1000 }", 'downloading the match, 25 %', 0.25],
  ])('shows the progress of %s', async (state, text, share) => {
    await show(`pretend(${state})`)
    expect(await page.locator('[role=status]').textContent()).toBe(text)
    expect(await page.locator('progress').evaluate((bar: HTMLProgressElement) => bar.value)).toBe(
      share,
    )
  })

  test('has no progress bar while there is nothing to wait for', async () => {
    await show()
    expect(await page.locator('[role=status]').textContent()).toBe('playing')
    expect(await page.locator('progress').isVisible()).toBe(false)
  })

  test('sliders and buttons change the conditioner, and a stall ends with the overlay', async () => {
    await show()
    expect(await section('conditioner').count()).toBe(0)
    await page.evaluate('overlay.close()')
    await show('match', '{ conditioner }')
    await section('conditioner').locator('input[name=latencyMs]').fill('120')
    expect(await page.evaluate('conditioner.receiving.latencyMs')).toBe(120)
    await section('conditioner').getByText('mobile').click()
    expect(await page.evaluate('conditioner.sending.loss')).toBe(0.02)
    expect(await section('conditioner').locator('output').allTextContents()).toEqual([
      '45 ms',
      '15 ms',
      '2 %',
    ])
    await section('conditioner').getByText('Stall 2 s').click()
    expect(await page.evaluate('conditioner.sending.isClogged')).toBe(true)
    await page.evaluate('overlay.close()')
    expect(await page.evaluate('conditioner.sending.isClogged')).toBe(false)
  })

  test('goes where it is told, and leaves nothing behind', async () => {
    await page.evaluate("document.body.append(document.createElement('aside'))")
    await show('match', "{ parent: document.querySelector('aside') }")
    expect(await page.locator('aside > [data-samestep=overlay]').count()).toBe(1)
    await page.evaluate('overlay.close()')
    expect(await page.locator('[data-samestep=overlay]').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})
