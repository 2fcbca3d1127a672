/** Downloads that never end by themselves, and what they leave behind: nothing. */
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { RawClient } from '../transport/testing/raw-websocket.ts'
import { until } from '../transport/testing/recorder.ts'
import { StaticPages } from './pages/static-pages.ts'
import type { RelayServer } from './relay-server.ts'
import { startRelay } from './start-relay.ts'

/** More than the buffers of both ends take. */
const fileBytes = 16_000_000

/** Downloads that one address may have at once. */
const share = 64

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-test-'))
  writeFileSync(join(folder, 'large.bin'), Buffer.alloc(fileBytes))
  writeFileSync(join(folder, 'small.txt'), 'small')
})
afterAll(() => rmSync(folder, { recursive: true }))

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** A client that reads nothing beyond what comes by itself. */
async function dial(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

const large = 'GET /large.bin HTTP/1.1\r\nHost: a\r\n\r\n'

/** Whether this process has the large file open: where the system tells. */
function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').filter((name) => isLarge(name)).length
  } catch {
    return 0
  }
}

function isLarge(name: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${name}`).endsWith('large.bin')
  } catch {
    // It was closed in between.
    return false
  }
}

describe('on the port of a relay', () => {
  let relay: RelayServer
  beforeEach(async () => {
    relay = await startRelay({ port: 0, udp: false, webrtc: false, log: false, pages: folder })
  })
  afterEach(() => relay.close())

  const load = async () => (await fetch(`${relay.urls.http}/large.bin`)).arrayBuffer()

  test('many in one segment and a reset leave no file open and no place taken', async () => {
    for (let round = 0; round < 3; round++) {
      const socket = await dial(relay.port)
      socket.write(large.repeat(200))
      await once(socket, 'readable')
      socket.resetAndDestroy()
    }
    await until(() => openFiles() === 0, 'files that are closed')
    const sizes = await Promise.all([load(), load()])
    expect(sizes.map(({ byteLength }) => byteLength)).toEqual([fileBytes, fileBytes])
    expect((await relay.status()).counters.faults).toBe(0)
  })

  test('one before an upgrade in the same segment ends, and so does its connection', async () => {
    const client = new RawClient(relay.port)
    client.socket.write(large)
    client.upgrade()
    await until(() => client.socket.bytesRead > fileBytes, 'the file')
    await until(() => client.bytes.subarray(-300).includes('HTTP/1.1 101'), 'the upgrade')
    client.destroy()
    await until(() => openFiles() === 0, 'files that are closed')
  })

  test('one for a client that offers another protocol comes whole', async () => {
    const client = new RawClient(relay.port)
    client.upgrade({ Upgrade: 'h2c' }, '/large.bin')
    await until(() => client.isClosed, 'the end')
    expect(client.status).toBe(200)
    expect(client.bytes.length - client.head.length - 4).toBe(fileBytes)
  })

  test('of one address are its share at most, and another gets its own', async () => {
    const readers: Socket[] = []
    for (let at = 0; at < share; at++) {
      const socket = await dial(relay.port)
      socket.write(large)
      await once(socket, 'readable')
      readers.push(socket)
    }
    const refused = await fetch(`${relay.urls.http}/small.txt`)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    const other = await dial(relay.port, '127.0.0.2')
    other.write('GET /small.txt HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(other, 'readable')
    expect(other.read().toString()).toMatch(/^HTTP\/1\.1 200 /)
    for (const socket of readers) socket.destroy()
    await until(() => openFiles() === 0, 'files that are closed')
    expect((await fetch(`${relay.urls.http}/small.txt`)).status).toBe(200)
  })
})

test('behind other answers that never get out, end with their socket', async () => {
  const pages = await StaticPages.open(folder)
  let answered = 0
  // A server of Node alone: all responses but the first have no socket, and hear nothing of its end.
  const server = createServer((request, response) => {
    void pages.answer(request, response).then(() => answered++)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = await dial((server.address() as AddressInfo).port)
  socket.write(large.repeat(10))
  await until(() => pages.downloads === 10, 'ten downloads')
  socket.resetAndDestroy()
  await until(() => pages.downloads === 0 && openFiles() === 0, 'the end of all')
  expect(answered).toBe(10)
  server.close()
})
