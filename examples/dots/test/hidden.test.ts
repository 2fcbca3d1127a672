import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DotsStage, expectSameHashes, read, until } from './stage.ts'

/** How long the tab is hidden; `npm run test:hidden` takes a minute. */
const hiddenMs = Number(process.env.SAMESTEP_HIDDEN_SECONDS ?? 10) * 1_000

/** Ticks of two seconds: who comes back is in the game again before the match has gone on further. */
const returnTicksMax = 60

let stage: DotsStage

beforeAll(async () => {
  stage = await DotsStage.open()
}, 60_000)

afterAll(() => stage?.close())

/** Notes, in the page, how far the match was when the tab was seen again, and when it was in step. */
const watchReturn = `globalThis.returned = new Promise((resolve) => {
  addEventListener('visibilitychange', function listen() {
    if (document.visibilityState !== 'visible') return
    removeEventListener('visibilitychange', listen)
    const shownTick = match.cursors.sealedTick
    requestAnimationFrame(function look() {
      const { sealedTick, simulatedTick } = match.cursors
      const isInStep = sealedTick - simulatedTick <= match.statistics.bufferTargetTicks + 3
      if (match.playState().name === 'active' && isInStep) resolve({ shownTick, sealedTick })
      else requestAnimationFrame(look)
    })
  })
})`

/** Timers of ten milliseconds that come in one second: about one in a tab that is hidden. */
const timersPerSecond = `new Promise((resolve) => {
  const untilMs = performance.now() + 1000
  let count = 0
  setTimeout(function again() {
    count += 1
    if (performance.now() < untilMs) setTimeout(again, 10)
    else resolve(count)
  }, 10)
})`

async function openTwo(name: string, query: string): Promise<[Page, Page]> {
  const hidden = await stage.openWindow(`?name=Ada${query}#match=${name}`)
  await until(hidden, 'match.room !== undefined')
  const visible = await stage.openWindow(`?name=Bo${query}#match=${name}`)
  for (const page of [hidden, visible]) await until(page, 'match.simulation.matchTick > 30')
  return [hidden, visible]
}

test.concurrent.each([
  ['websocket', ''],
  ['webrtc', '&transport=webrtc'],
])(
  `a tab over %s that was hidden for ${hiddenMs / 1_000} s is active again within 2 s`,
  async (name, query) => {
    const [hidden, visible] = await openTwo(name, query)
    // Without the zero, this would wait for the promise.
    await hidden.evaluate(`${watchReturn}; 0`)
    const front = await hidden.browserContext().newPage()
    await front.bringToFront()
    await until(hidden, "document.visibilityState === 'hidden'")
    expect(await hidden.evaluate(timersPerSecond)).toBeLessThan(5)
    expect(await read(hidden, 'match.playState().name')).toBe('hidden')
    const fromTick = await read<number>(visible, 'match.simulation.matchTick')
    await new Promise((resolve) => setTimeout(resolve, hiddenMs))
    // Nobody waited for it: the match went on, at about its pace.
    const toTick = await read<number>(visible, 'match.simulation.matchTick')
    expect(toTick - fromTick).toBeGreaterThan((hiddenMs / 1_000) * 30 * 0.5)
    await front.close()
    await hidden.bringToFront()
    const { shownTick, sealedTick } = await read<{ shownTick: number; sealedTick: number }>(
      hidden,
      'returned',
    )
    expect(sealedTick - shownTick).toBeLessThanOrEqual(returnTicksMax)
    expect(shownTick).toBeGreaterThanOrEqual(toTick - returnTicksMax)
    await expectSameHashes(hidden, visible, sealedTick + 30)
    expect(stage.complaints).toEqual([])
    for (const page of [hidden, visible]) await page.close({ runBeforeUnload: true })
  },
  hiddenMs + 120_000,
)
