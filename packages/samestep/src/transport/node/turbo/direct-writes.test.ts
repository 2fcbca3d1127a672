import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { DirectWriter } from './direct-writes.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function connected(): Promise<{ client: Socket; accepted: Socket }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [accepted] = (await once(server, 'connection')) as [Socket]
  closing.push(() => {
    client.destroy()
    accepted.destroy()
    server.close()
  })
  return { client, accepted }
}

/** Counts the writes that go through the stream. */
function countStreamWrites(socket: Socket): () => number {
  let count = 0
  const write = socket.write.bind(socket) as (chunk: Uint8Array) => boolean
  socket.write = ((chunk: Uint8Array) => {
    count += 1
    return write(chunk)
  }) as Socket['write']
  return () => count
}

async function hear(client: Socket, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let heard = 0
  client.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    heard += chunk.length
  })
  client.resume()
  while (heard < bytes) await once(client, 'data')
  return Buffer.concat(chunks)
}

test('while nothing waits, no frame needs the stream', async () => {
  const { client, accepted } = await connected()
  const streamWrites = countStreamWrites(accepted)
  const writer = new DirectWriter(accepted, true)
  const heard = hear(client, 100)
  for (let count = 0; count < 100; count++) writer.write(Uint8Array.of(count))
  expect([...(await heard)]).toEqual(Array.from({ length: 100 }, (_, count) => count))
  expect(streamWrites()).toBe(0)
  expect(writer.backlogBytes).toBe(0)
})

test('frames for a reader that does not read wait, are counted, and keep their sequence', async () => {
  const { client, accepted } = await connected()
  client.pause()
  const writer = new DirectWriter(accepted, true)
  const frameBytes = 4_000
  const frames = 3_000
  for (let count = 0; count < frames; count++) {
    writer.write(new Uint8Array(frameBytes).fill(count % 251))
    // Others write through the stream, and stand where they wrote.
    if (count % 100 === 0) accepted.write(new Uint8Array(10).fill(255))
  }
  expect(writer.backlogBytes).toBeGreaterThan(1_000_000)
  const heard = await hear(client, frames * frameBytes + (frames / 100) * 10)
  let at = 0
  for (let count = 0; count < frames; count++) {
    for (const end = at + frameBytes; at < end; at += frameBytes / 4) {
      if (heard[at] !== count % 251) expect.fail(`Frame ${count} is not where it was written`)
    }
    if (count % 100 !== 0) continue
    expect([...heard.subarray(at, at + 10)]).toEqual(new Array(10).fill(255))
    at += 10
  }
  expect(writer.backlogBytes).toBe(0)
})

test('a socket whose other end is gone is closed, and nothing throws', async () => {
  const { client, accepted } = await connected()
  accepted.on('error', () => {})
  const writer = new DirectWriter(accepted, true)
  writer.write(Uint8Array.of(1))
  client.resetAndDestroy()
  const closed = once(accepted, 'close')
  for (let count = 0; !accepted.destroyed && count < 1_000; count++) {
    writer.write(new Uint8Array(100))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await closed
  expect(() => writer.write(Uint8Array.of(1))).not.toThrow()
})

test('what is no plain socket is written to by its stream', () => {
  const pipe = new PassThrough()
  new DirectWriter(pipe, false).write(Uint8Array.of(1, 2))
  new DirectWriter(pipe, true).write(Uint8Array.of(3))
  expect([...(pipe.read() as Buffer)]).toEqual([1, 2, 3])
  const odd = Object.assign(new PassThrough(), { _handle: { writeBuffer: 'by another name' } })
  new DirectWriter(odd, true).write(Uint8Array.of(4))
  expect([...(odd.read() as Buffer)]).toEqual([4])
})

test('where Node does not tell whether a write waits, frames go through the stream', async () => {
  vi.resetModules()
  vi.doMock('./stream-state.ts', () => ({ streamState: undefined }))
  closing.push(() => vi.doUnmock('./stream-state.ts'))
  const fresh = await import('./direct-writes.ts')
  const { client, accepted } = await connected()
  const streamWrites = countStreamWrites(accepted)
  const writer = new fresh.DirectWriter(accepted, true)
  const heard = hear(client, 3)
  for (const byte of [1, 2, 3]) writer.write(Uint8Array.of(byte))
  expect([...(await heard)]).toEqual([1, 2, 3])
  expect(streamWrites()).toBe(3)
})

test('what is written to a socket that was closed meanwhile is lost, and nothing else happens', async () => {
  const { client, accepted } = await connected()
  const writer = new DirectWriter(accepted, true)
  const heard = hear(client, 1)
  writer.write(Uint8Array.of(1))
  await heard
  accepted.destroy()
  writer.write(Uint8Array.of(2))
  await once(accepted, 'close')
  writer.write(Uint8Array.of(3))
  expect(writer.backlogBytes).toBe(0)
})
