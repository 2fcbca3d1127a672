/** WebRTC of a whole relay: whether it is there, what it tells of the machine, and what clients do. */
import { afterEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { RawClient } from '../transport/testing/raw-websocket.ts'
import { pauseMs, until } from '../transport/testing/recorder.ts'
import { checkCandidate } from '../transport/webrtc/description.ts'
import { dialBest, dialWebrtc } from '../transport/webrtc/index.ts'
import { loadNativePeers } from '../transport/webrtc/node/index.ts'
import { decodeSignalling, encodeSignalling } from '../transport/webrtc/signalling.ts'
import { chromiumOffer } from '../transport/webrtc/testing/descriptions.ts'
import { makeNodeSocket } from '../transport/webrtc/testing/rtc-stage.ts'
import { dialWebSocket } from '../transport/websocket-client.ts'
import type { RelayServer, RelayServerOptions } from './relay-server.ts'
import { startRelay } from './start-relay.ts'
import { TestPlayer } from './testing/player.ts'

const relays: RelayServer[] = []
const players: TestPlayer[] = []

afterEach(async () => {
  for (const player of players.splice(0)) player.stop()
  for (const relay of relays.splice(0)) await relay.close()
  vi.unstubAllEnvs()
})

async function start(options: RelayServerOptions): Promise<RelayServer> {
  const relay = await startRelay({ port: 0, log: false, ...options })
  relays.push(relay)
  return relay
}

/** A player that would rather have WebRTC; `told` are the reasons why it did not get it. */
async function join(port: number, told: string[]): Promise<TestPlayer> {
  const url = `ws://127.0.0.1:${port}`
  const makePeer = await loadNativePeers({ bindAddress: '127.0.0.1' })
  const dial = dialBest(
    [
      { name: 'webrtc', dial: dialWebrtc(url, { makePeer, makeSocket: makeNodeSocket }) },
      { name: 'websocket', dial: dialWebSocket(`${url}/?match=m`) },
    ],
    // So patient that waiting for it would end the test.
    { patienceMs: 600_000, onFallback: ({ error }) => told.push(error.message) },
  )
  const player = new TestPlayer(url, { match: 'm', dial })
  players.push(player)
  return player
}

/** The addresses that a relay names when it is offered a connection. */
async function addressesOf(relay: RelayServer): Promise<string[]> {
  const socket = new WebSocket(`ws://127.0.0.1:${relay.port}/rtc`, 'samestep-rtc-1')
  const addresses: string[] = []
  socket.on('message', (data: Buffer) => {
    const message = decodeSignalling(new Uint8Array(data))
    if (message.type === 'answer') expect(message.sdp).not.toContain('candidate')
    if (message.type === 'candidate') addresses.push(checkCandidate(message.candidate).address)
  })
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send(encodeSignalling({ type: 'offer', sdp: chromiumOffer, proof: new Uint8Array(0) }))
  await until(() => addresses.length > 0, 'a candidate')
  // Others would follow at once: the library knows all interfaces by now.
  await pauseMs(100)
  socket.terminate()
  return addresses
}

test.each([1, 2])(
  'with %i workers WebRTC is off unless it is asked for, and clients are on WebSocket at once',
  async (workers) => {
    // Workers run from the source here, as this test does.
    vi.stubEnv('NODE_OPTIONS', '--import tsx')
    const relay = await start({ workers })
    expect(relay.urls.webrtc).toBe(undefined)
    const told: string[] = []
    const player = await join(relay.port, told)
    await until(() => player.ticks > 3, 'ticks')
    expect(told).toEqual([expect.stringContaining('This relay has no WebRTC')])
    const { counters } = await relay.status()
    expect(counters).toMatchObject({ accepted: { websocket: 1 }, faults: 0 })
  },
)

test('a relay without WebRTC answers strangers at its path, as many as were named', async () => {
  const relay = await start({ udp: false, strangersPerAddress: 2 })
  const headers = { 'Sec-WebSocket-Protocol': 'samestep-rtc-1' }
  const clients = [1, 2, 3].map(() => new RawClient(relay.port).upgrade(headers, '/rtc'))
  const answers = await Promise.all(clients.map((client) => client.answered()))
  expect(answers.sort()).toEqual([101, 101, 429])
  const codes = await Promise.all(clients.map((client) => client.closed()))
  expect(codes.sort()).toEqual([0, 1000, 1000])
  for (const client of clients) client.destroy()
})

test('a relay on all interfaces tells a stranger the one address that it reached, and plays there', async () => {
  const relay = await start({ host: '0.0.0.0', insecure: true, udp: false, webrtc: { port: 0 } })
  expect(await addressesOf(relay)).toEqual(['127.0.0.1'])
  const told: string[] = []
  const player = await join(relay.port, told)
  await until(() => player.ticks > 3, 'ticks')
  expect(told).toEqual([])
  expect((await relay.status()).counters.accepted).toEqual({ webrtc: 1 })
})

test('a public address is told instead', async () => {
  const webrtc = { port: 0, publicAddress: '203.0.113.7' }
  const relay = await start({ host: '0.0.0.0', insecure: true, udp: false, webrtc })
  expect(await addressesOf(relay)).toEqual(['203.0.113.7'])
})
