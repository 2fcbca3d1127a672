/** Connections on their way to a worker: no byte is lost, and none is forgotten in the count. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { makeClientFrame, RawClient } from '../../transport/testing/raw-websocket.ts'
import { until } from '../../transport/testing/recorder.ts'
import { closeCodes } from '../../wire/codes.ts'
import type { RelayServer, RelayServerOptions } from '../relay-server.ts'
import { startRelay } from '../start-relay.ts'

/** A relay with two workers, for the tests beside the call, and the clients that came to it. */
function relayWith(limits: RelayServerOptions) {
  const clients: RawClient[] = []
  let relay: RelayServer
  beforeAll(async () => {
    // Workers run from the source here, as this test does.
    vi.stubEnv('NODE_OPTIONS', '--import tsx')
    relay = await startRelay({ port: 0, log: false, workers: 2, ...limits })
  }, 30_000)
  afterAll(async () => {
    for (const client of clients) client.destroy()
    await relay.close()
    vi.unstubAllEnvs()
  })
  return { clients, relay: () => relay }
}

/** A first packet that the relay answers by closing with 4001, if it hears it. */
const firstPacket = makeClientFrame(2, Uint8Array.of(0xff, 0xff, 0xff))

describe('what a client says first', () => {
  const { clients, relay } = relayWith({ strangersPerAddress: 1_000, connectionsPerAddress: 1_000 })

  /** Some hundreds in groups, so that workers are busy while sockets come. */
  const rush = async (speak: (client: RawClient, at: number) => void) => {
    const codes: number[] = []
    for (let group = 0; group < 7; group++) {
      const some = Array.from({ length: 30 }, (_, at) => {
        const client = new RawClient(relay().port)
        client.socket.setNoDelay(true)
        client.upgrade({}, `/?match=${group}-${at}`)
        speak(client, at)
        return client
      })
      clients.push(...some)
      codes.push(...(await Promise.all(some.map((client) => client.closed()))))
    }
    return codes.filter((code) => code !== closeCodes['bad-message'])
  }

  test('right behind its request is heard', async () => {
    expect(await rush(({ socket }) => socket.write(firstPacket))).toEqual([])
  })

  test('in the moment of the answer is heard', async () => {
    const speak = ({ socket }: RawClient) => socket.once('data', () => socket.write(firstPacket))
    expect(await rush(speak)).toEqual([])
  })

  test('some time around the hand-over is heard', async () => {
    const speak = ({ socket }: RawClient, at: number) =>
      socket.once('connect', () => setTimeout(() => socket.write(firstPacket), at % 12))
    expect(await rush(speak)).toEqual([])
  })
})

describe('limits of connections with workers', () => {
  const { clients, relay } = relayWith({ connectionsMax: 10, connectionsPerAddress: 7 })

  const open = async (host: string): Promise<RawClient> => {
    const client = new RawClient(relay().port, '127.0.0.1', host)
    clients.push(client)
    client.upgrade({}, `/?match=${clients.length}`)
    await client.answered()
    return client
  }
  /** The status that somebody gets who comes until it is another than before. */
  const eventually = (host: string, status: number) =>
    expect.poll(async () => (await open(host)).status, { timeout: 10_000 }).toBe(status)

  test('hold for one address and for all, until connections end or their worker does', async () => {
    const first: RawClient[] = []
    for (let count = 0; count < 7; count++) first.push(await open('127.0.0.1'))
    expect(first.map(({ status }) => status)).toEqual(new Array(7).fill(101))
    expect((await open('127.0.0.1')).status).toBe(429)
    for (let count = 0; count < 3; count++) expect((await open('127.0.0.2')).status).toBe(101)
    expect((await open('127.0.0.3')).status).toBe(503)
    first[0]!.destroy()
    await eventually('127.0.0.3', 101)
    expect((await open('127.0.0.3')).status).toBe(503)
    expect((await open('127.0.0.1')).status).toBe(503)
    const { refused } = (await relay().status()).counters
    expect(refused['connections-per-address']).toBe(1)
    expect(refused['connections-max']).toBeGreaterThanOrEqual(3)
    // The connections of a worker that dies count no more, for all and for their addresses.
    const workers = (await relay().status()).workers!
    const [busiest] = workers.toSorted((a, b) => b.links - a.links)
    process.kill(busiest!.pid, 'SIGKILL')
    await eventually('127.0.0.3', 101)
    expect((await relay().status()).counters.faults).toBe(0)
    await until(() => first.filter(({ isClosed }) => isClosed).length > 1, 'the end of some')
  }, 30_000)

  test('health tells no process ids', async () => {
    const { workers } = await (await fetch(`${relay().urls.http}/health`)).json()
    expect(workers).toHaveLength(2)
    expect(workers[0]).toHaveProperty('links')
    expect(workers[0]).not.toHaveProperty('pid')
  })
})
