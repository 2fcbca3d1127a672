import { afterAll, beforeAll, expect, test } from 'vitest'
import { BrowserStage, call } from './stage.ts'

let stage: BrowserStage

beforeAll(async () => {
  stage = await BrowserStage.open()
})

afterAll(() => stage.close())

test.each([
  ['in the clear', false],
  ['sealed', true],
])('two tabs talk over BroadcastChannel, %s', async (how, seal) => {
  const [host, guest, third] = [await stage.openTab(), await stage.openTab(), await stage.openTab()]
  await call(host, 'listenOnBus', 'guest', how, seal)
  const told = await call(guest, 'dialOnBus', 'host', how, seal)
  expect(told).toMatchObject({ kind: 'datagram', transport: 'broadcast', packetBytesMax: 1_200 })
  await call(third, 'dialOnBus', 'host', how, seal)
  await call(guest, 'send', 'host', [1, 2, 3])
  await expect.poll(() => call(host, 'packets', 'guest')).toEqual([[1, 2, 3]])
  await call(host, 'send', 'guest', [4, 5, 6])
  await expect.poll(() => call(guest, 'packets', 'host')).toEqual([[4, 5, 6]])
  // Everybody hears everything on the bus; nobody else takes it for theirs.
  expect(await call(host, 'packets', 'guest2')).toEqual([])
  expect(await call(third, 'packets', 'host')).toEqual([])
  await call(host, 'close', 'guest', 4009, 'match over')
  await expect.poll(() => call(guest, 'end', 'host')).toEqual({ code: 4009, reason: 'match over' })
  expect((await call(third, 'end', 'host')) ?? null).toBeNull()
  await Promise.all([host.close(), guest.close(), third.close()])
})

test.each([
  ['left', false],
  ['left', true],
  ['closed', false],
  ['closed', true],
])('a tab that is %s says so, sealed: %s', async (how, seal) => {
  const [host, guest] = [await stage.openTab(), await stage.openTab()]
  const bus = `${how} ${seal}`
  await call(host, 'listenOnBus', 'guest', bus, seal)
  await call(guest, 'dialOnBus', 'host', bus, seal)
  if (how === 'left') await guest.goto('about:blank')
  else await guest.close({ runBeforeUnload: true })
  await expect
    .poll(() => call(host, 'end', 'guest'), { timeout: 5_000 })
    .toEqual({ code: 1001, reason: 'page left' })
  await Promise.all([host.close(), guest.close()])
})
