import { chromium as playwright } from 'playwright-core'
import puppeteer from 'puppeteer-core'
import { chromiumOptions } from '../../../../tools/chromium.ts'
import type { GroupedDigest } from '../digests/index.ts'
import type { Engine } from './engine.ts'

/** What the two drivers have in common. */
type Page = {
  addScriptTag(options: { content: string }): Promise<unknown>
  evaluate(expression: string): Promise<unknown>
  close(): Promise<void>
}

async function runInPage(page: Page, script: string, count: number) {
  try {
    await page.addScriptTag({ content: script })
    return (await page.evaluate(`samestepDigests(${count})`)) as readonly GroupedDigest[]
  } finally {
    await page.close()
  }
}

/** Chromium without a window. `npm test` has installed it. */
export async function openChromium(): Promise<Engine> {
  const browser = await playwright.launch(chromiumOptions())
  return {
    name: 'Chromium',
    version: browser.version(),
    run: async (script, count) => runInPage(await browser.newPage(), script, count),
    close: () => browser.close(),
  }
}

/** Firefox without a window, by way of puppeteer: playwright drives only its own build of it. */
export async function openFirefox(executablePath: string): Promise<Engine> {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    // The digests keep the page busy for longer than any default patience.
    protocolTimeout: 0,
    // Firefox stops a busy script after ten seconds to ask a person.
    extraPrefsFirefox: { 'dom.max_script_run_time': 0 },
  })
  const version = (await browser.version()).replace(/^.*\//, '')
  return {
    name: 'Firefox',
    version,
    run: async (script, count) => runInPage(await browser.newPage(), script, count),
    close: () => browser.close(),
  }
}
