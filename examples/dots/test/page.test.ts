import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  DotsStage,
  expectSameHashes,
  inOverlay,
  overlayText,
  read,
  textOf,
  until,
} from './stage.ts'

let stage: DotsStage

beforeAll(async () => {
  stage = await DotsStage.open()
}, 60_000)

afterAll(() => stage?.close())

beforeEach(() => {
  stage.complaints.length = 0
})

type SyncData = { readonly tick?: string; readonly hash?: string }

const linePill = '[data-section=line] .pill'
const syncPill = '[data-section=sync] .pill'

const dotOf = (seat: number) =>
  `[match.simulation.view.dots.x[${seat}], match.simulation.view.dots.y[${seat}]]`

/** Two windows in one match that runs. */
async function openTwo(query: string): Promise<[Page, Page]> {
  // A match of its own: seats of windows that were closed a moment ago may still be kept.
  const own = `${query}#match=two${query.replace(/\W/g, '-')}`
  const left = await stage.openWindow(`?name=Ada${own}`)
  await until(left, 'match.room !== undefined')
  const right = await stage.openWindow(`?name=Bo${own}`)
  for (const page of [left, right]) await until(page, 'match.simulation.matchTick > 5')
  return [left, right]
}

describe.each([
  ['over websocket', 'websocket', ''],
  ['over webrtc', 'webrtc', '&transport=webrtc'],
  ['in workers', 'websocket', '&worker'],
])('two windows %s', (_, transport, query) => {
  let left: Page
  let right: Page

  beforeAll(async () => {
    const opened = await openTwo(query)
    left = opened[0]
    right = opened[1]
  }, 60_000)

  afterAll(async () => {
    for (const page of [left, right]) await page.close({ runBeforeUnload: true })
  })

  test('are two players of one match, over the transport that was asked for', async () => {
    expect(await read(left, 'match.seat')).toBe(0)
    expect(await read(right, 'match.seat')).toBe(1)
    expect(left.url()).toBe(right.url())
    for (const page of [left, right]) {
      expect(await read(page, 'match.transport')).toBe(transport)
      await page.waitForFunction(`${inOverlay(linePill)}.textContent !== 'no link'`)
      expect(await overlayText(page, linePill)).toBe(transport)
      expect(await textOf(page, '#scores')).toMatch(/^Ada.*Bo/)
    }
  })

  test('have the same hash at the same tick, and the relay says so', async () => {
    await expectSameHashes(left, right, 60)
    await left.waitForFunction(`${inOverlay(syncPill)}.textContent.startsWith('in sync')`)
    const shown = () =>
      Promise.all(
        [left, right].map(
          (page) =>
            page.evaluate(
              `({ ...${inOverlay('[data-section=sync]')}.dataset })`,
            ) as Promise<SyncData>,
        ),
      )
    await expect.poll(async () => new Set((await shown()).map(({ tick }) => tick)).size).toBe(1)
    const [ours, theirs] = await shown()
    expect(ours?.hash === theirs?.hash || ours?.tick !== theirs?.tick).toBe(true)
    expect(ours?.hash).toMatch(/^[0-9a-f]{16}$/)
  })

  test('keys of one move its dot in the other', async () => {
    const before = await read<[number, number]>(right, dotOf(0))
    const key = before[1] > 50 * 65_536 ? 'ArrowUp' : 'KeyS'
    await left.keyboard.down(key)
    const direction = key === 'ArrowUp' ? '<' : '>'
    const limit = before[1] + (key === 'ArrowUp' ? -10 : 10) * 65_536
    await until(right, `match.simulation.view.dots.y[0] ${direction} ${limit}`)
    await left.keyboard.up(key)
    await until(
      left,
      'match.simulation.view.dots.vy[0] === 0 || Math.abs(match.simulation.view.dots.vy[0]) < 99',
    )
    await expectSameHashes(left, right, await read(left, 'match.simulation.matchTick'))
  })

  test('a click is an order that happens in both, at one tick', async () => {
    const canvas = await right.$('canvas')
    await canvas?.click({ offset: { x: 100, y: 100 } })
    await right.waitForFunction(
      "/^Pulse at tick/.test(document.querySelector('#toast').textContent)",
    )
    const tick = Number((await textOf(right, '#toast')).split(' ').at(-1))
    const charged = 'match.simulation.view.dots.chargedAt[1]'
    for (const page of [left, right]) {
      await until(page, `match.simulation.matchTick >= ${tick}`)
      expect(await read(page, charged)).toBe(tick + 45)
    }
    // One of the next two is refused by the rules of the game, and the page says why.
    await expect
      .poll(
        async () => {
          await canvas?.click({ offset: { x: 100, y: 100 } })
          return textOf(right, '#toast')
        },
        { timeout: 30_000, interval: 100 },
      )
      .toBe('Still charging')
  })

  test('a line that is made worse by the sliders is felt, and in sync', async () => {
    const setSlider = (name: string, value: number) =>
      left.evaluate(`{
        const slider = ${inOverlay(`input[name=${name}]`)}
        slider.value = ${value}
        slider.dispatchEvent(new Event('input'))
      }`)
    await setSlider('latencyMs', 80)
    await setSlider('jitterMs', 10)
    await setSlider('loss', 5)
    await until(left, 'match.statistics.rttMs >= 160')
    await until(right, 'match.statistics.rttMs < 160')
    await left.waitForFunction(`parseInt(${inOverlay('[data-value=rtt]')}.textContent) >= 160`)
    const tick = await read<number>(left, 'match.cursors.sealedTick')
    await expectSameHashes(left, right, tick + 60)
    await clickButton(left, 'Clear')
    await until(left, 'match.statistics.rttMs < 160')
  })

  test('a stall and a cut are told, and mended', async () => {
    await clickButton(left, 'Stall 2 s')
    await left.waitForFunction("/waiting for/.test(document.querySelector('#state').textContent)")
    await left.waitForFunction("document.querySelector('#state').textContent === 'playing'")
    await clickButton(left, 'Cut the link')
    const tick = await read<number>(right, 'match.cursors.sealedTick')
    await expectSameHashes(left, right, tick + 30)
    await left.waitForFunction("document.querySelector('#state').textContent === 'playing'")
    expect(await read(left, 'match.seat')).toBe(0)
  })

  test('nothing went wrong on the way', () => {
    expect(stage.complaints).toEqual([])
  })
})

async function clickButton(page: Page, text: string): Promise<void> {
  await page.evaluate((wanted) => {
    const roots = [
      document,
      ...[...document.querySelectorAll('*')].flatMap((e) => e.shadowRoot ?? []),
    ]
    const buttons = roots.flatMap((root) => [...root.querySelectorAll('button')])
    buttons.find((button) => button.textContent === wanted)?.click()
  }, text)
}

test('whoever comes alone is told how to get a second player', async () => {
  const page = await stage.openWindow('#match=alone')
  await page.waitForFunction(
    "document.querySelector('#notice').textContent.includes('second player')",
  )
  expect(await textOf(page, '#notice code')).toBe(`${stage.relay.urls.http}/#match=alone`)
  expect(await textOf(page, '#state')).toBe('waiting for players')
  await page.close({ runBeforeUnload: true })
})

test('a third player of a full match waits in the next one, and one who is left is told', async () => {
  const [left, right] = [
    await stage.openWindow('#match=full'),
    await stage.openWindow('#match=full'),
  ]
  for (const page of [left, right]) await until(page, 'match.simulation.matchTick > 0')
  const third = await stage.openWindow('#match=full')
  await until(third, "match.playState().name === 'waiting'")
  expect(third.url()).toMatch(/#match=full\.2$/)
  await right.close({ runBeforeUnload: true })
  await left.waitForFunction("/ left\\. /.test(document.querySelector('#notice').textContent)")
  // The new match is the one where the third waits.
  await Promise.all([left.waitForNavigation(), clickButton(left, 'New match')])
  await until(left, 'match.simulation.matchTick > 0')
  expect(left.url()).toBe(third.url())
  await expectSameHashes(left, third, 30)
  for (const page of [left, third]) await page.close({ runBeforeUnload: true })
  expect(stage.complaints).toEqual([])
})

test('one window is enough for a match of one seat', async () => {
  const page = await stage.openWindow('?seats=1')
  await until(page, 'match.simulation.matchTick > 10')
  await page.waitForFunction("document.querySelector('#state').textContent === 'playing'")
  expect(await textOf(page, '#notice')).toBe('')
  await page.close({ runBeforeUnload: true })
})

let matches = 0

/** Three windows of one match; in the second one a field is flipped, and all are told. */
async function flipInOneOfThree(query: string): Promise<Page[]> {
  const pages: Page[] = []
  const match = `flipped-${matches++}`
  onTestFinished(async () => {
    // Those of a test that passed are gone by now.
    for (const page of pages) await page.close().catch(() => {})
  })
  for (const name of ['Ada', 'Bo', 'Cleo']) {
    pages.push(await stage.openWindow(`?seats=3&name=${name}${query}#match=${match}`))
    await until(pages.at(-1) as Page, 'match.room !== undefined')
  }
  for (const page of pages) await until(page, 'match.simulation.matchTick > 30')
  const culprit = pages[1] as Page
  const seat = await read<number>(culprit, 'match.seat')
  const flippedAtMs = performance.now()
  await clickButton(culprit, 'Flip one field')
  for (const page of pages) {
    await page.waitForFunction(`${inOverlay('.desync')}.dataset.stage === 'traced'`)
  }
  const tookMs = performance.now() - flippedAtMs
  console.log(`all three panels explain it ${tookMs.toFixed(0)} ms after the click`)
  for (const page of pages) {
    const shown = await overlayText(page, '.desync')
    expect(shown).toContain(`seat ${seat} differs from most`)
    expect(shown).toContain(`Where: dots.score, row ${seat}.`)
    expect(shown).toMatch(/^Tick \d+: .*Why: /)
  }
  return pages
}

test('a window that flips a field is told apart in all three, with tick, field and cause', async () => {
  const pages = await flipInOneOfThree('')
  for (const page of pages) {
    expect(await overlayText(page, syncPill)).toBe('out of sync')
    const rows = await overlayText(page, '[data-section=players] tbody')
    expect(rows.match(/differs/g)).toHaveLength(1)
  }
  for (const page of pages) await page.close({ runBeforeUnload: true })
  // The console has a line about it, which is no complaint here.
  stage.complaints.length = 0
})

test('with resync, it takes over the state of the others, and all three play on in sync', async () => {
  const pages = await flipInOneOfThree('&desync=resync')
  const [first, second, third] = pages as [Page, Page, Page]
  const tick = await read<number>(first, 'match.cursors.sealedTick')
  for (const page of pages) {
    await page.waitForFunction(`/^in sync/.test(${inOverlay(syncPill)}.textContent)`)
  }
  await until(second, `match.status === 'active' && match.simulation.matchTick > ${tick + 90}`)
  const laterTick = await read<number>(second, 'match.simulation.matchTick')
  await expectSameHashes(first, second, laterTick + 30)
  await expectSameHashes(second, third, laterTick + 30)
  for (const page of pages) await page.close({ runBeforeUnload: true })
  stage.complaints.length = 0
})
