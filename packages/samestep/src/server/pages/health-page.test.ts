import { expect, test } from 'vitest'
import { addLineNumbers } from '../logs/line-numbers.ts'
import type { RelayStatus } from '../relay-server.ts'
import { HealthPage } from './health-page.ts'

const counters = { accepted: {}, refused: {}, faults: 3, dropped: 0, restarts: 0, troubles: 0 }

function open() {
  const asked: { resolve(matches: number): void; reject(error: Error): void }[] = []
  const clock = { nowMs: 0 }
  const page = new HealthPage(
    () =>
      new Promise<RelayStatus>((resolve, reject) => {
        const answer = (matches: number) =>
          resolve({
            status: 'ok',
            version: '1',
            uptimeSeconds: 0,
            matches,
            links: 0,
            players: 0,
            journal: 'off',
            lines: addLineNumbers([]),
            counters,
          })
        asked.push({ resolve: answer, reject })
      }),
    () => clock.nowMs,
  )
  const matches = async () => JSON.parse((await page.answer()).body.toString()).matches
  return { page, asked, clock, matches }
}

test('whoever asks within 250 ms gets the same answer, and all ask once', async () => {
  const { asked, clock, matches } = open()
  const both = [matches(), matches()]
  asked[0]!.resolve(7)
  expect(await Promise.all(both)).toEqual([7, 7])
  clock.nowMs = 249
  expect(await matches()).toBe(7)
  expect(asked).toHaveLength(1)
  clock.nowMs = 250
  const next = matches()
  asked[1]!.resolve(8)
  expect(await next).toBe(8)
})

test('it tells of faults, troubles and lines, and of no other counters', async () => {
  const { page, asked } = open()
  const answer = page.answer()
  asked[0]!.resolve(1)
  const { status, body } = await answer
  expect(status).toBe(200)
  expect(JSON.parse(body.toString())).toEqual({
    status: 'ok',
    version: '1',
    uptimeSeconds: 0,
    journal: 'off',
    matches: 1,
    links: 0,
    players: 0,
    faults: 3,
    troubles: 0,
    lines: addLineNumbers([]),
  })
})

test('a change that matters, and a failure, are not remembered', async () => {
  const { page, asked, matches } = open()
  const first = matches()
  asked[0]!.reject(new Error('no answer'))
  await expect(first).rejects.toThrow('no answer')
  const second = matches()
  asked[1]!.resolve(1)
  expect(await second).toBe(1)
  page.forget()
  const third = matches()
  asked[2]!.resolve(2)
  expect(await third).toBe(2)
})
