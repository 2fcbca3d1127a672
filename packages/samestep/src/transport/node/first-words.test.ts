import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { until } from '../testing/recorder.ts'
import { awaitFirstWords, judgeGreeting, judgeHead } from './first-words.ts'

test.each([
  ['one letter', 'G', 'begun'],
  ['lines', 'GET / HTTP/1.1\r\nHost: a\r\n', 'begun'],
  ['a head', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'whole'],
  ['a head and more', 'GET / HTTP/1.1\r\nHost: a\r\n\r\nand more', 'whole'],
  ['a careless head', 'GET / HTTP/1.1\n\n', 'whole'],
  ['no head at all', '\0\0\0\0\r\n\r\n', 'whole'],
  ['8 KiB', 'x'.repeat(8_192), 'begun'],
  ['more than 8 KiB', 'x'.repeat(8_193), 'whole'],
])('in HTTP, %s', (_, text, words) => {
  expect(judgeHead(Buffer.from(text))).toBe(words)
})

test.each<[readonly number[], string]>([
  [[22], 'begun'],
  [[22, 3, 1, 0], 'begun'],
  [[22, 3, 1, 0, 2, 1], 'begun'],
  [[22, 3, 1, 0, 2, 1, 0], 'whole'],
  [[22, 3, 1, 0x40, 0], 'begun'],
  [[22, 3, 1, 0x40, 1], 'none'],
  [[22, 3, 1, 0, 2, 1, 0, 22, 3], 'whole'],
  [[71, 69, 84], 'none'],
  [[21, 3, 1, 0, 2, 1, 0], 'none'],
])('in TLS, the bytes %j are %s', (bytes, words) => {
  expect(judgeGreeting(Buffer.from(bytes))).toBe(words)
})

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A server that waits for a head, and a client of it. */
async function meet() {
  const taken: string[] = []
  let inside: Socket | undefined
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    inside = socket
    awaitFirstWords(socket, judgeHead, () => {
      taken.push('')
      socket.on('data', (bytes) => {
        taken[0] += bytes.toString()
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => {})
  closers.push(() => {
    client.destroy()
    server.close()
  })
  await until(() => inside !== undefined, 'a connection')
  return { client, inside: inside!, taken }
}

test('whoever takes the socket reads all from its first byte, in its order', async () => {
  const { client, inside, taken } = await meet()
  for (const piece of ['GET / HT', 'TP/1.1\r', '\n\r', '\nbody']) {
    expect(taken).toEqual([])
    client.write(piece)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await until(() => taken.length === 1, 'the head')
  client.write(' and more')
  await until(() => taken[0] === 'GET / HTTP/1.1\r\n\r\nbody and more', 'every byte')
  expect(taken).toHaveLength(1)
  expect(inside.listenerCount('end')).toBe(1)
})

test('a half head whose end is said is nobody’s any more', async () => {
  const { client, inside, taken } = await meet()
  client.end('GET / HTTP/1.1\r\n')
  await until(() => inside.destroyed, 'the end')
  expect(taken).toEqual([])
})

test('a connection that breaks off throws nowhere', async () => {
  const { client, inside } = await meet()
  client.resetAndDestroy()
  await until(() => inside.destroyed, 'the end')
})
