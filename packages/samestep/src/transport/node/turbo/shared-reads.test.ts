import { once } from 'node:events'
import { connect, createServer, type Server, Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { until } from '../../testing/recorder.ts'
import { hearShared, shareReads } from './shared-reads.ts'

const servers: Server[] = []
const clients: Socket[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
  for (const server of servers.splice(0)) server.close()
})

/** Both ends of a connection over loopback. */
async function connected(): Promise<{ client: Socket; accepted: Socket }> {
  const server = createServer({ allowHalfOpen: true })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as { port: number }).port, '127.0.0.1')
  clients.push(client)
  const [accepted] = (await once(server, 'connection')) as [Socket]
  return { client, accepted }
}

/** Hears a socket from now on, and counts its bytes. */
function countHeard(shared: Socket): () => number {
  let bytes = 0
  hearShared(shared, {
    read: (_, byteCount) => {
      bytes += byteCount
    },
  })
  return () => bytes
}

test('all plain sockets read into one buffer, each heard by its own', async () => {
  const pairs = await Promise.all([connected(), connected(), connected()])
  const heard = pairs.map(() => '')
  const buffers = new Set<Buffer>()
  for (const [index, { accepted }] of pairs.entries()) {
    const shared = shareReads(accepted)
    expect(shared).not.toBe(accepted)
    const isHeard = hearShared(shared, {
      read: (buffer, byteCount) => {
        buffers.add(buffer)
        heard[index] += buffer.toString('latin1', 0, byteCount)
      },
    })
    expect(isHeard).toBe(true)
  }
  for (const [index, { client }] of pairs.entries()) client.write(`I am ${index}`)
  await until(() => heard.every((text) => text !== ''), 'all three')
  expect(heard).toEqual(['I am 0', 'I am 1', 'I am 2'])
  expect(buffers.size).toBe(1)
})

test('it can be written to, and ends as any other does', async () => {
  const { client, accepted } = await connected()
  const shared = shareReads(accepted) as Socket
  shared.on('data', () => {})
  shared.write('hello')
  const [bytes] = (await once(client, 'data')) as [Buffer]
  expect(bytes.toString()).toBe('hello')
  const ended = once(shared, 'end')
  const closed = Promise.all([once(shared, 'close'), once(accepted, 'close')])
  client.end()
  await ended
  shared.end()
  await closed
})

test('who destroys one of the two destroys both', async () => {
  const first = await connected()
  const shared = shareReads(first.accepted) as Socket
  first.accepted.destroy()
  await until(() => shared.destroyed && first.client.closed, 'the end of the new one')
  const second = await connected()
  const other = shareReads(second.accepted) as Socket
  other.destroy()
  await until(() => second.accepted.destroyed && second.client.closed, 'the end of the old one')
})

test('while it is paused nothing is read, and nothing is lost', async () => {
  const { client, accepted } = await connected()
  const shared = shareReads(accepted) as Socket
  let bytes = 0
  hearShared(shared, {
    read: (_, byteCount) => {
      bytes += byteCount
      shared.pause()
    },
  })
  const total = 4 * 1_024 * 1_024
  client.write(Buffer.alloc(total))
  await until(() => bytes > 0, 'the first bytes')
  const atPause = bytes
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(bytes).toBe(atPause)
  const heard = countHeard(shared)
  shared.resume()
  await until(() => bytes + heard() === total, 'all bytes')
})

test('what is no plain socket, or has read something already, stays as it is', async () => {
  const pipe = new PassThrough()
  expect(shareReads(pipe)).toBe(pipe)
  expect(hearShared(pipe, { read: () => {} })).toBe(false)
  class Special extends Socket {}
  const special = new Special()
  expect(shareReads(special)).toBe(special)
  const { client, accepted } = await connected()
  client.write('early')
  accepted.pause()
  accepted.read(0)
  await until(() => accepted.readableLength > 0, 'the early bytes')
  expect(shareReads(accepted)).toBe(accepted)
})

test('where Node does not tell how much was read, sockets are heard by their streams', async () => {
  vi.resetModules()
  vi.doMock('./stream-state.ts', () => ({ streamState: undefined }))
  const fresh = await import('./shared-reads.ts')
  vi.doUnmock('./stream-state.ts')
  const { client, accepted } = await connected()
  const shared = fresh.shareReads(accepted)
  let heard = ''
  fresh.hearShared(shared, {
    read: (buffer, byteCount) => {
      heard += buffer.toString('latin1', 0, byteCount)
    },
  })
  client.write('hello')
  await until(() => heard === 'hello', 'the words')
})

test('the end of a socket that is heard directly is heard too', async () => {
  const { client, accepted } = await connected()
  const shared = shareReads(accepted) as Socket
  const heard = countHeard(shared)
  shared.resume()
  const ended = once(shared, 'end')
  client.end('goodbye')
  await ended
  expect(heard()).toBe(7)
  shared.destroy()
})
