/**
 * A newcomer's walk through the template `lobby`: two players and a spectator meet by link, talk, get
 * ready, play, reload, pause and come to an end. Each step is seen on the pages, and photographed.
 */
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'

/** What one step may take on a slow machine. */
const stepMs = 60_000

/** Walks; throws with the step that failed. Screenshots go to `folder`. */
export async function walkLobby(browser: Browser, url: string, folder: string): Promise<void> {
  const complaints: string[] = []
  const open = async (address: string) => {
    const context = await browser.newContext({ viewport: { width: 1_100, height: 900 } })
    const page = await context.newPage()
    page.setDefaultTimeout(stepMs)
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(address)
    return page
  }
  const photograph = (page: Page, name: string) =>
    page.screenshot({ path: join(folder, `lobby-${name}.png`) })

  const ada = await open(url)
  await photograph(ada, '1-name')
  await introduce(ada, 'Ada')
  await see(ada, '#card', /Waiting for another player/)
  await photograph(ada, '2-waiting')

  const bo = await open(await ada.locator('#play-link').inputValue())
  await introduce(bo, 'Bo')
  const cleo = await open(await ada.locator('#watch-link').inputValue())
  await introduce(cleo, 'Cleo')
  await see(ada, '#members', /Ada.*Bo.*Cleo.*spectator/s)
  await see(cleo, '#card', /0 of 2 are ready/)

  await say(ada, 'Hello <b>Bo</b>')
  await see(bo, '#lines', /Ada: Hello <b>Bo<\/b>/)
  await say(cleo, 'I only watch')
  await see(ada, '#lines', /Cleo: I only watch/)

  await ada.click('#ready')
  await see(bo, '#card', /1 of 2 are ready/)
  await photograph(bo, '3-ready')
  await bo.click('#ready')
  for (const page of [ada, bo, cleo]) await see(page, '#status', /^playing$/)

  await ada.locator('canvas').click({ position: { x: 300, y: 300 } })
  await photograph(cleo, '4-watching')
  await bo.reload()
  await see(bo, '#status', /^playing$/)
  await see(bo, '#members', /Bo.*you/s)
  await photograph(bo, '5-reloaded')

  await ada.click('#pause')
  for (const page of [ada, bo, cleo]) await see(page, '#status', /^paused by Ada$/)
  await photograph(ada, '6-paused')
  await ada.click('#pause')
  await see(bo, '#status', /^playing$/)

  await playToTheEnd(ada)
  for (const page of [ada, bo, cleo]) await see(page, '#card', /(Ada|Bo) wins/)
  await photograph(bo, '7-end')
  if (complaints.length > 0) throw new Error(`The pages complained:\n${complaints.join('\n')}`)
  for (const page of [ada, bo, cleo]) await page.context().close()
}

async function introduce(page: Page, name: string): Promise<void> {
  await page.fill('input[name=name]', name)
  await page.click('#card button')
}

async function say(page: Page, text: string): Promise<void> {
  await page.fill('#chat input', text)
  await page.press('#chat input', 'Enter')
}

/** Waits until an element's text matches. */
async function see(page: Page, selector: string, text: RegExp): Promise<void> {
  try {
    await page.locator(selector).filter({ hasText: text }).waitFor({ timeout: stepMs })
  } catch {
    const shown = await page.locator(selector).textContent()
    throw new Error(`${selector} of ${await page.title()} shows '${shown}', not ${text}`)
  }
}

/**
 * Sends the dots up and down the field, one strip after the other, until somebody has won: each time far
 * enough that they arrive, or they would hover in the middle for ever.
 */
async function playToTheEnd(page: Page): Promise<void> {
  const box = await page.locator('canvas').boundingBox()
  const size = box?.width ?? 0
  for (let round = 0; round < 40; round++) {
    if (/wins/.test((await page.locator('#card').textContent()) ?? '')) return
    const strip = 0.06 + (Math.floor(round / 2) % 8) * 0.125
    const position = { x: size * strip, y: size * (round % 4 < 2 ? 0.05 : 0.95) }
    await page.locator('canvas').click({ position, force: true })
    // From strip to strip it is a step, from edge to edge the whole way.
    await page.waitForTimeout(round % 2 === 0 ? 1_500 : 6_500)
  }
}
