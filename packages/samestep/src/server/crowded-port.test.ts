/** One address, or a crowd, that takes all it can get; and those who still have to get in. */
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { RawClient } from '../transport/testing/raw-websocket.ts'
import { until } from '../transport/testing/recorder.ts'
import type { RelayServer, RelayServerOptions } from './relay-server.ts'
import { startRelay } from './start-relay.ts'
import { TestPlayer } from './testing/player.ts'

const closers: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function start(options: RelayServerOptions): Promise<RelayServer> {
  const relay = await startRelay({ port: 0, udp: false, webrtc: false, log: false, ...options })
  closers.push(() => relay.close())
  return relay
}

async function join(relay: RelayServer, match: string): Promise<TestPlayer> {
  const player = new TestPlayer(relay.url, { match })
  closers.push(() => player.stop())
  await until(() => player.ticks > 0, `a tick of ${match}`)
  return player
}

function knock(relay: RelayServer, lines: Record<string, string> = {}): RawClient {
  const client = new RawClient(relay.port).upgrade(lines)
  closers.push(() => client.destroy())
  return client
}

/** Everything that a request with exactly these bytes gets, from one of this machine's addresses. */
function ask(relay: RelayServer, bytes: string, localAddress = '127.0.0.1'): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port: relay.port, host: '127.0.0.1', localAddress })
    closers.push(() => void socket.destroy())
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
    socket.write(bytes)
  })
}

const health = 'GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

test('with all WebSockets taken a further one gets 503, and health is still told', async () => {
  const relay = await start({ connectionsMax: 4 })
  const players: TestPlayer[] = []
  for (const match of ['a', 'b', 'c', 'd']) players.push(await join(relay, match))
  // Connections that only wait take nothing away either.
  for (let at = 0; at < 50; at++) {
    const socket = connect(relay.port, '127.0.0.1').on('error', () => {})
    closers.push(() => void socket.destroy())
  }
  const refused = knock(relay)
  expect(await refused.answered()).toBe(503)
  await until(() => refused.isClosed, 'the end of it')
  expect(refused.bytes.toString()).toContain('connections-max')
  expect(await ask(relay, health)).toContain('"links":4')
  expect((await relay.status()).counters.refused).toMatchObject({ 'connections-max': 1 })
  players[0]!.stop()
  await until(() => players[0]!.ends.length > 0, 'one end')
  const late = await join(relay, 'late')
  expect(late.ends).toEqual([])
})

test('one address has so many WebSockets until they are closed, and another one its own', async () => {
  const trustedProxies = ['127.0.0.1']
  const relay = await start({ connectionsPerAddress: 2, trustedProxies })
  const from = (address: string) => knock(relay, { 'X-Forwarded-For': address })
  const [first, second] = [from('203.0.113.7'), from('203.0.113.7')]
  expect([await first.answered(), await second.answered()]).toEqual([101, 101])
  const third = from('203.0.113.7')
  expect(await third.answered()).toBe(429)
  await until(() => third.isClosed, 'the end of it')
  expect(third.bytes.toString()).toContain('connections-per-address')
  expect(await from('203.0.113.8').answered()).toBe(101)
  expect((await relay.status()).counters.refused).toMatchObject({ 'connections-per-address': 1 })
  first.socket.resetAndDestroy()
  await until(() => first.isClosed, 'one end')
  let status = 429
  for (let tries = 0; status === 429 && tries < 100; tries++) {
    status = await from('203.0.113.7').answered()
  }
  expect(status).toBe(101)
  // The proxy itself is not counted.
  for (let at = 0; at < 4; at++) expect(await knock(relay).answered()).toBe(101)
})

test('a connection that joined still counts for its address', async () => {
  const relay = await start({ connectionsPerAddress: 1 })
  await join(relay, 'a')
  expect(await knock(relay).answered()).toBe(429)
})

test('an upgrade that is no proper handshake gives its place back', async () => {
  const relay = await start({ connectionsPerAddress: 1, connectionsMax: 1 })
  for (let at = 0; at < 5; at++) {
    const client = knock(relay, { 'Sec-WebSocket-Key': 'short' })
    expect(await client.answered()).toBe(400)
    await until(() => client.isClosed, 'the end of it')
  }
  let status = 0
  for (let tries = 0; status !== 101 && tries < 100; tries++) status = await knock(relay).answered()
  expect(status).toBe(101)
})

test('health is told to clients that offer another protocol, and before an upgrade behind it', async () => {
  const relay = await start({})
  const offer =
    'GET /health HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nHost: a\r\nHTTP2-Settings: AAEAAEAA\r\nUpgrade: h2c\r\n\r\n'
  const answer = await ask(relay, offer)
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(answer).toContain('"status":"ok"')
  const client = new RawClient(relay.port)
  closers.push(() => client.destroy())
  client.socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n')
  client.upgrade()
  const statuses = () => [...client.bytes.toString('latin1').matchAll(/HTTP\/1\.1 (\d+)/g)]
  await until(() => statuses().length === 2, 'two answers')
  expect(statuses().map(([, status]) => status)).toEqual(['200', '101'])
})

test('thousands of requests at once neither stop a match nor are answered', async () => {
  const relay = await start({})
  const player = await join(relay, 'm')
  const answers = await Promise.all(
    ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'].map((address) =>
      ask(relay, 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(60_000), address),
    ),
  )
  for (const answer of answers) expect(answer.split('"status"').length).toBeLessThanOrEqual(2)
  const before = player.ticks
  await until(() => player.ticks > before + 10, 'more ticks')
  expect(player.ends).toEqual([])
  expect((await relay.status()).counters.faults).toBe(0)
})

test('an origin hidden behind junk is not let in', async () => {
  const relay = await start({ origins: ['https://game.example'] })
  const junk = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`X-${at}`, 'y']))
  const client = knock(relay, { ...junk, Origin: 'https://evil.example' })
  expect(await client.answered()).toBe(431)
})
