import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RelayProcess } from '../../../packages/samestep/src/server/testing/relay-process.ts'
import { OldMatch } from './old-match.ts'
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

test('a spectator opens a match that has run for 20 minutes, and sees it live within 4 s', async () => {
  const old = await OldMatch.open('old', 20 * 60_000, stage.pages)
  try {
    expect(old.match.simulation.matchTick).toBeGreaterThan(20 * 60 * 30 - 100)
    const openedMs = old.nowMs
    const page = await stage.openAt(`${old.url}/?watch&name=Eve#match=old`)
    await untilActive(page)
    expect(old.nowMs - openedMs).toBeLessThan(4_000)
    const tick = await tickOf(page)
    expect(old.match.simulation.matchTick - tick).toBeLessThan(30)
    expect(await read(page, 'match.seat ?? -1')).toBe(-1)
    await until(page, `match.simulation.matchTick > ${tick + 60}`)
    const seen = await tickOf(page)
    expect(await read(page, `match.simulation.syncHashAt(${seen - 10})`)).toBe(
      old.match.simulation.syncHashAt(seen - 10),
    )
    await page.close()
    expect(stage.complaints).toEqual([])
  } finally {
    old.close()
  }
}, 120_000)

test('a relay that is killed and started again goes on with the match of two pages', async () => {
  const journal = mkdtempSync(join(tmpdir(), 'dots-journal-'))
  const start = async (port: number) => {
    const flags = ['--pages', stage.pages, '--journal', journal, '--udp', 'off', '--json']
    const relay = new RelayProcess(['--port', String(port), ...flags])
    return { relay, ...(await relay.started()) }
  }
  const first = await start(0)
  let last = first
  try {
    const open = (name: string) => stage.openAt(`${first.urls.http}/?name=${name}#match=crash`)
    const left = await open('Ada')
    await until(left, 'match.room !== undefined')
    const right = await open('Bo')
    for (const page of [left, right]) await until(page, 'match.simulation.matchTick > 60')
    const seats = [await read(left, 'match.seat'), await read(right, 'match.seat')]
    first.relay.kill('SIGKILL')
    await first.relay.ended()
    const tick = Math.max(await tickOf(left), await tickOf(right))
    last = await start(first.port)
    await expectSameHashes(left, right, tick + 60)
    expect([await read(left, 'match.seat'), await read(right, 'match.seat')]).toEqual(seats)
    for (const page of [left, right]) {
      await untilActive(page)
      await page.close()
    }
    // Browsers tell of every dial that fails.
    const isDialled = (line: string) => /WebSocket connection|ERR_CONNECTION/.test(line)
    expect(stage.complaints.filter((line) => !isDialled(line))).toEqual([])
  } finally {
    last.relay.kill('SIGKILL')
    await last.relay.ended()
    rmSync(journal, { recursive: true })
  }
}, 120_000)
