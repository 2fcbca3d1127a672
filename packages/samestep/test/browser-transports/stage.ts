import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import { type Browser, chromium, type Page as Tab } from 'playwright-core'
import { chromiumOptions } from '../../../../tools/chromium.ts'
import type { Page } from './page.ts'

/** The bundled page: must not need anything of Node. */
async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'warning',
  })
  const [output] = outputFiles
  if (output === undefined) throw new Error('Cannot bundle the page: esbuild gave no file')
  return output.text
}

/** Chromium, and a server that gives out the page. */
export class BrowserStage {
  readonly server: Server
  readonly url: string
  readonly #browser: Browser

  private constructor(server: Server, browser: Browser) {
    this.server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    this.#browser = browser
  }

  static async open(): Promise<BrowserStage> {
    const script = await bundlePage()
    const server = createServer((request, response) => {
      const isScript = request.url === '/page.js'
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
      response.end(isScript ? script : '<!doctype html><script src="/page.js"></script>')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new BrowserStage(server, await chromium.launch(chromiumOptions()))
  }

  /** A new tab with the page. Tabs of one stage share an origin and a profile. */
  async openTab(): Promise<Tab> {
    const [context = await this.#browser.newContext()] = this.#browser.contexts()
    const tab = await context.newPage()
    await tab.goto(this.url)
    return tab
  }

  async close(): Promise<void> {
    await this.#browser.close()
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }
}

/** Calls a function of the page in a tab. */
export async function call<Name extends keyof Page>(
  tab: Tab,
  name: Name,
  ...args: Parameters<Page[Name]>
): Promise<Awaited<ReturnType<Page[Name]>>> {
  const expression = `samestepPage[${JSON.stringify(name)}](...${JSON.stringify(args)})`
  return (await tab.evaluate(expression)) as Awaited<ReturnType<Page[Name]>>
}
