import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Connection } from '../../src/transport/connection.ts'
import { Recorder, until } from '../../src/transport/testing/recorder.ts'
import { AbsentRtc } from '../../src/transport/webrtc/node/absent-rtc.ts'
import { openRtcDoor, type RtcDoor } from '../../src/transport/webrtc/node/rtc-signalling.ts'
import { findUdpPort } from '../../src/transport/webrtc/testing/rtc-stage.ts'
import { BrowserStage, call } from './stage.ts'

let stage: BrowserStage
let door: RtcDoor
const accepted: Connection[] = []

beforeAll(async () => {
  stage = await BrowserStage.open()
  // The options of a real server: one UDP port, one address.
  door = await openRtcDoor((connection) => accepted.push(connection), {
    bindAddress: '127.0.0.1',
    udpPort: await findUdpPort(),
    origins: [stage.url],
  })
  door.attach(stage.server)
})

afterAll(async () => {
  await stage.close()
  await door.close()
  for (const connection of accepted) connection.close(1000, '')
  await until(() => door.openCount === 0, 'the end of all peers')
})

test('a browser and a relay in Node exchange ticks and reliable packets, and the end', async () => {
  const tab = await stage.openTab()
  const told = await call(tab, 'dialWebrtc', 'relay', stage.url)
  expect(told).toEqual({
    kind: 'datagram',
    transport: 'webrtc',
    packetBytesMax: 1_200,
    remote: new URL(stage.url).host,
  })
  await until(() => accepted.length === 1, 'the accepted end')
  const [connection] = accepted
  expect(connection!.remote).toMatch(/^127\.0\.0\.1:\d+$/)
  const recorder = new Recorder(connection!)
  recorder.onPacket = (bytes) => {
    if (bytes[0]! >= 0x20) recorder.send(bytes.slice())
  }
  const times = await call(tab, 'ping', 'relay', 30, 1_200)
  expect(times).toHaveLength(30)
  for (let number = 0; number < 200; number++) {
    await call(tab, 'send', 'relay', [1, number])
    recorder.send(Uint8Array.of(0, number))
  }
  const sequence = Array.from({ length: 200 }, (_, number) => number)
  const reliable = () => recorder.packets.filter(([first]) => first === 1)
  await until(() => reliable().length === 200, 'all reliable packets')
  expect(reliable().map(([, number]) => number)).toEqual(sequence)
  await expect
    .poll(async () => (await call(tab, 'packets', 'relay')).filter(([first]) => first === 0))
    .toEqual(sequence.map((number) => [0, number]))
  recorder.close(4009, 'match over')
  await expect.poll(() => call(tab, 'end', 'relay')).toEqual({ code: 4009, reason: 'match over' })
  await recorder.ended()
  expect(recorder.violations).toBe(0)
  await tab.close()
})

test.each(['closed', 'left'] as const)(
  'a tab that is %s ends its connection on the relay at once',
  async (how) => {
    const count = accepted.length
    const tab = await stage.openTab()
    await call(tab, 'dialWebrtc', 'relay', stage.url)
    await until(() => accepted.length > count, 'the accepted end')
    const recorder = new Recorder(accepted.at(-1)!)
    if (how === 'closed') await tab.close({ runBeforeUnload: true })
    else await tab.goto('about:blank')
    expect((await recorder.ended()).code).toBe(1006)
    await tab.close()
  },
)

test('two browsers connect directly, over a pipe that the page provides', async () => {
  const [left, right] = [await stage.openTab(), await stage.openTab()]
  await left.exposeFunction('sendToOtherPage', (bytes: number[]) =>
    call(right, 'receiveSignal', bytes),
  )
  await right.exposeFunction('sendToOtherPage', (bytes: number[]) =>
    call(left, 'receiveSignal', bytes),
  )
  await Promise.all([
    call(left, 'connectPeers', 'other', 'initiator'),
    call(right, 'connectPeers', 'other', 'acceptor'),
  ])
  await call(left, 'send', 'other', [1, 2, 3])
  await expect.poll(() => call(right, 'packets', 'other')).toEqual([[1, 2, 3]])
  await call(right, 'send', 'other', [4, 5, 6])
  await expect.poll(() => call(left, 'packets', 'other')).toEqual([[4, 5, 6]])
  await call(left, 'close', 'other', 4016, 'left')
  await expect.poll(() => call(right, 'end', 'other')).toEqual({ code: 4016, reason: 'left' })
  await expect.poll(() => call(left, 'end', 'other')).toEqual({ code: 4016, reason: 'left' })
  await Promise.all([left.close(), right.close()])
})

test('a browser that gets no WebRTC uses the fallback, and says why', async () => {
  const tab = await stage.openTab()
  // Nobody listens there; the browser says only that it failed.
  const refused = await call(tab, 'dialBest', 'http://127.0.0.1:9', 3_000)
  expect(refused).toEqual({
    transport: 'fallback',
    told: ['webrtc', 'websocket', 'SS_CONNECT_REJECTED'],
  })
  // Too little time for anything.
  const late = await call(tab, 'dialBest', stage.url, 1)
  expect(late).toEqual({
    transport: 'fallback',
    told: ['webrtc', 'websocket', 'SS_CONNECT_TIMEOUT'],
  })
  expect(await call(tab, 'dialBest', stage.url, 20_000)).toEqual({ transport: 'webrtc', told: [] })
  await tab.close()
})

test('a relay without WebRTC says so: the fallback comes at once, and the console stays clean', async () => {
  const absent = new AbsentRtc({}, (error) => expect.unreachable(String(error)))
  const server = createServer()
  server.on('upgrade', (request, socket, head) => absent.handleUpgrade(request, socket, head))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const tab = await stage.openTab()
  const lines: string[] = []
  tab.on('console', (message) => lines.push(message.text()))
  tab.on('pageerror', (error) => lines.push(error.message))
  // So patient that waiting for it would end the test.
  expect(await call(tab, 'dialBest', url, 600_000)).toEqual({
    transport: 'fallback',
    told: ['webrtc', 'websocket', 'SS_CONNECT_REJECTED'],
  })
  expect(lines).toEqual([])
  await tab.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
