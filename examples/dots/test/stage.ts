import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import type { RelayServer } from 'samestep/server'
import { startRelay } from 'samestep/server'
import { expect } from 'vitest'
import { chromiumOptions } from '../../../tools/chromium.ts'
import { bundleDots } from '../../../tools/dots-page.ts'

/** What puppeteer adds so that hidden tabs behave as if they were not: here they are to behave. */
const unthrottling = [
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
]

/** The example as `npm start` serves it, and a real Chromium to open it in. */
export class DotsStage {
  readonly relay: RelayServer
  /** What no page should ever say. */
  readonly complaints: string[] = []
  /** The folder of the page. */
  readonly pages: string
  readonly #browser: Browser
  readonly #folder: string

  private constructor(relay: RelayServer, browser: Browser, folder: string) {
    this.relay = relay
    this.pages = join(folder, 'pages')
    this.#browser = browser
    this.#folder = folder
  }

  static async open(): Promise<DotsStage> {
    const folder = mkdtempSync(join(tmpdir(), 'dots-'))
    const pages = await bundleDots(join(folder, 'pages'))
    const relay = await startRelay({ port: 0, webrtc: { port: 0 }, pages, log: false })
    const { executablePath = '', args = [] } = chromiumOptions()
    const browser = await puppeteer.launch({
      executablePath,
      args,
      headless: true,
      ignoreDefaultArgs: unthrottling,
      defaultViewport: { width: 1_200, height: 800 },
    })
    return new DotsStage(relay, browser, folder)
  }

  /** A window of its own, so that several are visible at once. `path` is what follows the address. */
  async openWindow(path: string): Promise<Page> {
    return this.openAt(`${this.relay.urls.http}/${path}`)
  }

  /** The same, at an address of any relay. */
  async openAt(address: string): Promise<Page> {
    const context = await this.#browser.createBrowserContext()
    const page = await context.newPage()
    page.on('pageerror', (error) => this.complaints.push(String(error)))
    page.on('console', (line) => {
      if (['error', 'warn'].includes(line.type())) this.complaints.push(line.text())
    })
    await page.goto(address)
    return page
  }

  async close(): Promise<void> {
    await this.#browser.close()
    await this.relay.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** A value of the match that the page has put into its console. */
export async function read<T>(page: Page, expression: string): Promise<T> {
  return (await page.evaluate(`globalThis.match && (${expression})`)) as T
}

/** Waits until something about the page's match is true. */
export async function until(page: Page, expression: string): Promise<void> {
  await page.waitForFunction(`globalThis.match && (${expression})`, {
    timeout: 30_000,
    polling: 50,
  })
}

/** An expression for an element of the overlay, which has a tree of its own. */
export function inOverlay(selector: string): string {
  return `document.querySelector('[data-samestep=overlay]').shadowRoot.querySelector('${selector}')`
}

/** The text of an element of the overlay. */
export function overlayText(page: Page, selector: string): Promise<string> {
  return page.evaluate(`${inOverlay(selector)}.textContent`) as Promise<string>
}

/** The text of an element. */
export async function textOf(page: Page, selector: string): Promise<string> {
  return page.$eval(selector, (element) => element.textContent ?? '')
}

/** Both have computed the same up to this tick: all hashes that both still remember, one by one. */
export async function expectSameHashes(left: Page, right: Page, tick: number): Promise<void> {
  for (const page of [left, right]) await until(page, `match.simulation.matchTick >= ${tick}`)
  const first = tick - 20
  const hashes = `Array.from({ length: 21 }, (_, index) => match.simulation.syncHashAt(${first} + index) ?? '')`
  const [ours, theirs] = [await read<string[]>(left, hashes), await read<string[]>(right, hashes)]
  expect(ours.filter((hash) => /^[0-9a-f]{16}$/.test(hash))).toHaveLength(21)
  expect(ours).toEqual(theirs)
}
