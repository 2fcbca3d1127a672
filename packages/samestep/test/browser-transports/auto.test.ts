import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RelayServer } from '../../src/server/relay-server.ts'
import { startRelay } from '../../src/server/start-relay.ts'
import { findUdpPort } from '../../src/transport/webrtc/testing/rtc-stage.ts'
import { BrowserStage, call } from './stage.ts'

let stage: BrowserStage
const relays: RelayServer[] = []

beforeAll(async () => {
  stage = await BrowserStage.open()
})

afterAll(async () => {
  await stage.close()
  for (const relay of relays) await relay.close()
})

async function start(webrtc: { readonly port: number } | false): Promise<string> {
  const relay = await startRelay({ port: 0, log: 'off', origins: [stage.url], webrtc })
  relays.push(relay)
  return relay.url
}

test('a page begins over WebSocket and moves to WebRTC by itself, and no order is lost or doubled', async () => {
  const tab = await stage.openTab()
  const url = await start({ port: await findUdpPort() })
  expect(await call(tab, 'join', url)).toBe('websocket')
  let orders = 0
  const play = async (count: number) => {
    orders += count
    return call(tab, 'play', count)
  }
  // Not faster than a player may give orders, or the relay refuses some.
  await expect
    .poll(() => play(2), { timeout: 30_000, interval: 100 })
    .toEqual({ executed: 2, counted: expect.any(Number), transports: ['webrtc'] })
  expect(await play(5)).toEqual({ executed: 5, counted: orders, transports: ['webrtc'] })
  await tab.close()
})

test('with a relay without WebRTC a page stays on WebSocket, and the console stays clean', async () => {
  const tab = await stage.openTab()
  const lines: string[] = []
  tab.on('console', (message) => lines.push(message.text()))
  tab.on('pageerror', (error) => lines.push(error.message))
  expect(await call(tab, 'join', await start(false))).toBe('websocket')
  for (let count = 0; count < 40; count++) await call(tab, 'play', 1)
  expect(await call(tab, 'play', 1)).toMatchObject({ counted: 41, transports: [] })
  expect(lines).toEqual([])
  await tab.close()
})
