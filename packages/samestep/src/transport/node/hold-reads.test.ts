import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../testing/recorder.ts'
import { holdReads } from './hold-reads.ts'

let server: Server
let client: Socket
let socket: Socket
beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  ;[socket] = (await once(server, 'connection')) as [Socket]
})
afterEach(() => {
  client.destroy()
  socket.destroy()
  server.close()
})

test('what was read already is given, and nothing is read any more', async () => {
  client.write('before')
  await until(() => socket.readableLength === 6, 'the first bytes')
  expect(holdReads(socket)?.toString()).toBe('before')
  client.write('behind')
  // What a stream does by itself when it has room.
  socket.read(0)
  // Long enough for the loop to read, if it did.
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 2))
  expect([socket.readableLength, socket.bytesRead]).toEqual([0, 6])
})

test('a socket that cannot be stopped is told apart', () => {
  const { _handle: handle } = socket as unknown as { _handle: { readStop: unknown } }
  handle.readStop = undefined
  expect(holdReads(socket)).toBeUndefined()
  socket.destroy()
  expect(holdReads(socket)).toBeUndefined()
})
