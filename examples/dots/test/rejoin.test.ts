import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DotsStage, expectSameHashes, read, textOf, until } from './stage.ts'

let stage: DotsStage

beforeAll(async () => {
  stage = await DotsStage.open()
}, 60_000)

afterAll(() => stage?.close())

/** Later than that, a newcomer gets the state and not all ticks. */
const longTick = 10 * 30 + 30

const tickOf = (page: Page) => read<number>(page, 'match.simulation.matchTick')

async function untilActive(page: Page): Promise<void> {
  await until(page, "match.playState().name === 'active'")
}

test('a page that is reloaded in mid-match is back in play, in the same seat', async () => {
  const left = await stage.openWindow('?name=Ada#match=reload')
  await until(left, 'match.room !== undefined')
  const right = await stage.openWindow('?name=Bo#match=reload')
  for (const page of [left, right]) await until(page, `match.simulation.matchTick > ${longTick}`)
  const seat = await read(right, 'match.seat')
  const score = await read(right, `match.simulation.view.dots.score[${seat}]`)
  await right.reload()
  await untilActive(right)
  expect(await read(right, 'match.seat')).toBe(seat)
  expect(await tickOf(right)).toBeGreaterThan(longTick)
  expect(await read(right, `match.simulation.view.dots.score[${seat}]`)).toBeGreaterThanOrEqual(
    score as number,
  )
  await expectSameHashes(left, right, (await tickOf(left)) + 40)
  expect(await textOf(right, '#scores')).toMatch(/^Ada.*Bo/)
  for (const page of [left, right]) await page.close()
  expect(stage.complaints).toEqual([])
}, 120_000)

test('a friend joins a running match by its link', async () => {
  const opened: Page[] = []
  for (const name of ['Ada', 'Bo', 'Cleo']) {
    opened.push(await stage.openWindow(`?seats=3&name=${name}#match=friend`))
    await until(opened.at(-1) as Page, 'match.room !== undefined')
  }
  const [ada, bo, cleo] = opened as [Page, Page, Page]
  for (const page of opened) await until(page, `match.simulation.matchTick > ${longTick}`)
  const seat = await read(cleo, 'match.seat')
  // She leaves for good, so that there is a seat.
  await cleo.evaluate('match.close()')
  await until(ada, "match.room.members.filter(({ role }) => role === 'player').length === 2")
  const friend = await stage.openWindow('?seats=3&name=Dov#match=friend')
  await untilActive(friend)
  expect(await read(friend, 'match.seat')).toBe(seat)
  expect(friend.url()).toMatch(/#match=friend$/)
  const tick = (await tickOf(ada)) + 40
  for (const other of [ada, bo]) await expectSameHashes(other, friend, tick)
  await friend.keyboard.down('ArrowUp')
  await until(bo, `match.simulation.view.dots.vy[${seat}] < 0`)
  for (const page of [...opened, friend]) await page.close()
  expect(stage.complaints).toEqual([])
}, 120_000)
