import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { chromiumOptions } from '../../../../tools/chromium.ts'
import type { RelayServer } from '../../src/server/relay-server.ts'
import { startRelay } from '../../src/server/start-relay.ts'
import { Bundle } from './bundle.ts'

/** What puppeteer adds so that hidden tabs behave as if they were not: here they are to behave. */
const unthrottling = [
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
]

/** A relay that serves the page, and a real Chromium to open it in. */
export class WorkerStage {
  readonly relay: RelayServer
  /** What no page should ever say. */
  readonly complaints: string[] = []
  readonly #browser: Browser
  readonly #bundle: Bundle

  private constructor(relay: RelayServer, browser: Browser, bundle: Bundle) {
    this.relay = relay
    this.#browser = browser
    this.#bundle = bundle
  }

  static async open(): Promise<WorkerStage> {
    const bundle = await Bundle.make()
    const relay = await startRelay({ port: 0, pages: bundle.folder, log: false })
    const { executablePath = '', args = [] } = chromiumOptions()
    const browser = await puppeteer.launch({
      executablePath,
      args,
      headless: true,
      ignoreDefaultArgs: unthrottling,
    })
    return new WorkerStage(relay, browser, bundle)
  }

  /** A window of its own, so that several are visible at once. */
  async openWindow(query: string): Promise<Page> {
    const context = await this.#browser.createBrowserContext()
    const page = await context.newPage()
    page.on('pageerror', (error) => this.complaints.push(String(error)))
    await page.goto(`${this.relay.urls.http}/?${query}`)
    return page
  }

  /** Two players of one match that runs: the first in a worker, or as the query says. */
  async openTwo(match: string, first = 'worker=match-worker'): Promise<[Page, Page]> {
    const left = await this.openWindow(`match=${match}&name=Ada&${first}`)
    await until(left, 'match.room !== undefined')
    const right = await this.openWindow(`match=${match}&name=Bo`)
    for (const page of [left, right]) await until(page, 'match.simulation.matchTick > 30')
    return [left, right]
  }

  async close(): Promise<void> {
    await this.#browser.close()
    await this.relay.close()
    this.#bundle.remove()
  }
}

/** A value of what the page has put into its console. */
export async function read<T>(page: Page, expression: string): Promise<T> {
  return (await page.evaluate(`globalThis.match && (${expression})`)) as T
}

/** Waits until something about the page's match is true. */
export async function until(page: Page, expression: string, timeout = 30_000): Promise<void> {
  const condition = `globalThis.match && (${expression})`
  await page.waitForFunction(condition, { timeout, polling: 50 })
}

/** The hashes of the 21 ticks up to this one, once the page has them. */
export async function readHashes(page: Page, tick: number): Promise<string[]> {
  await until(page, `match.simulation.matchTick >= ${tick}`)
  const at = `match.simulation.syncHashAt(${tick} - 20 + index) ?? ''`
  return read<string[]>(page, `Array.from({ length: 21 }, (_, index) => ${at})`)
}

/** Closes tabs as people do. */
export async function closeAll(pages: readonly Page[]): Promise<void> {
  for (const page of pages) await page.close({ runBeforeUnload: true })
}

/** Notes, in the other player's page, how far the relay ever sees Ada behind, and what she is. */
export const watchAda = `globalThis.seen = { behind: [], presences: new Set() }
match.on('stats', ({ seats }) => seen.behind.push(seats.find(({ seat }) => seat === 0).behindTicks))
match.on('room', ({ members }) => seen.presences.add(members[0].presence))
0`

/** What was noted. */
export const readSeen = (page: Page) =>
  read<{ behind: number[]; presences: string[] }>(
    page,
    '({ behind: seen.behind, presences: [...seen.presences] })',
  )
