import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeAll, read, readHashes, readSeen, until, WorkerStage, watchAda } from './stage.ts'

let stage: WorkerStage

beforeAll(async () => {
  stage = await WorkerStage.open()
}, 60_000)

afterAll(() => stage?.close())

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

/** How long the tab is hidden; `npm run test:hidden` takes a minute. */
const hiddenMs = Number(process.env.SAMESTEP_HIDDEN_SECONDS ?? 10) * 1_000

test(
  `a tab that is hidden for ${hiddenMs / 1_000} s never falls behind when a worker plays, and nobody is told`,
  async () => {
    const pages = await stage.openTwo('hidden')
    const [ada, bo] = pages
    await bo.evaluate(watchAda)
    const front = await ada.browserContext().newPage()
    await front.bringToFront()
    await until(ada, "document.visibilityState === 'hidden'")
    expect(await ada.evaluate(timersPerSecond)).toBeLessThan(5)
    const fromTick = await read<number>(bo, 'match.simulation.matchTick')
    await new Promise((resolve) => setTimeout(resolve, hiddenMs))
    const toTick = await read<number>(bo, 'match.simulation.matchTick')
    expect(toTick - fromTick).toBeGreaterThan((hiddenMs / 1_000) * 30 * 0.5)
    const { behind, presences } = await readSeen(bo)
    expect(Math.max(...behind)).toBeLessThan(45)
    expect(presences).not.toContain('hidden')
    expect(presences).not.toContain('lagging')
    // Hidden as it is, the page has the newest picture: there is nothing to catch up with.
    expect(await read(ada, 'match.playState().name')).toBe('active')
    expect(await read<number>(ada, 'match.simulation.matchTick')).toBeGreaterThanOrEqual(
      toTick - 30,
    )
    expect(await ada.evaluate("match.order('jump', {}).settled")).toMatchObject({
      result: 'executed',
    })
    await front.close()
    await ada.bringToFront()
    const tick = (await read<number>(bo, 'match.simulation.matchTick')) + 5
    expect(await readHashes(ada, tick)).toEqual(await readHashes(bo, tick))
    expect(stage.complaints).toEqual([])
    await closeAll(pages)
  },
  hiddenMs + 120_000,
)
