import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RelayProcess } from '../../../packages/samestep/src/server/testing/relay-process.ts'
import { bundleDots } from '../../../tools/dots-page.ts'
import { makeLongMatch } from './long-match.ts'
import { DotsStage, expectSameHashes, read, textOf, until } from './stage.ts'

let stage: DotsStage
let folder = ''
let pages = ''

beforeAll(async () => {
  stage = await DotsStage.open()
  folder = mkdtempSync(join(tmpdir(), 'dots-rejoin-'))
  pages = await bundleDots(join(folder, 'pages'))
}, 60_000)

afterAll(async () => {
  await stage?.close()
  rmSync(folder, { recursive: true, force: true })
})

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

test('a spectator opens a match that has run for twenty minutes, and is live', async () => {
  const long = await makeLongMatch(20, pages)
  try {
    const startMs = performance.now()
    const page = await stage.openAt(`${long.url}/?watch&name=Eve#match=long`)
    await untilActive(page)
    const tookMs = Math.round(performance.now() - startMs)
    process.stdout.write(`live after ${tookMs} ms in a match of 20 minutes\n`)
    const tick = await tickOf(page)
    expect(tick).toBeGreaterThanOrEqual(20 * 60 * 30)
    expect(await read(page, 'match.seat')).toBeNull()
    await until(page, `match.simulation.matchTick >= ${tick + 30}`)
    const at = tick + 20
    const [ada] = long.players
    expect(await read(page, `match.simulation.syncHashAt(${at})`)).toBe(
      ada?.simulation.syncHashAt(at),
    )
    await page.close()
    expect(stage.complaints).toEqual([])
  } finally {
    await long.close()
  }
}, 240_000)

test('[F-16] a relay that is killed and started again goes on with the match of two pages', async () => {
  const flags = ['--udp', 'off', '--pages', pages, '--journal', join(folder, 'journal'), '--json']
  const first = new RelayProcess(['--port', '0', ...flags])
  const { port, urls } = await first.started()
  const left = await stage.openAt(`${urls.http}/?name=Ada#match=killed`)
  await until(left, 'match.room !== undefined')
  const right = await stage.openAt(`${urls.http}/?name=Bo#match=killed`)
  for (const page of [left, right]) await until(page, 'match.simulation.matchTick > 60')
  first.kill('SIGKILL')
  await first.ended()
  const tick = await tickOf(left)
  const second = new RelayProcess(['--port', String(port), ...flags])
  try {
    await second.started()
    await expectSameHashes(left, right, tick + 90)
    expect(await read(left, 'match.seat')).toBe(0)
    expect(await read(right, 'match.seat')).toBe(1)
    for (const page of [left, right]) await untilActive(page)
  } finally {
    for (const page of [left, right]) await page.close()
    second.kill()
    await second.ended()
    // The browser says that it lost its sockets: no fault of the page.
    stage.complaints.length = 0
  }
}, 120_000)
