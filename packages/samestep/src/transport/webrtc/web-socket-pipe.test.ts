import { expect, test } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import { pauseMs } from '../testing/recorder.ts'
import type { PlainSocket } from './web-socket-pipe.ts'
import { signallingUrl, WebSocketPipe } from './web-socket-pipe.ts'

test.each([
  ['ws://127.0.0.1:7777', 'ws://127.0.0.1:7777/rtc'],
  ['wss://relay.example/', 'wss://relay.example/rtc'],
  ['wss://example.org/games/relay/?x=1#part', 'wss://example.org/games/relay/rtc?x=1'],
  ['https://relay.example', 'wss://relay.example/rtc'],
  ['http://localhost:5', 'ws://localhost:5/rtc'],
])('signalling for %s is at %s', (url, expected) => {
  expect(signallingUrl(url)).toBe(expected)
})

test.each(['', 'relay.example', 'udp://relay.example', 'ftp://x'])(
  '%j is no URL of a relay',
  (url) => {
    expect(() => signallingUrl(url)).toThrow(UsageError)
  },
)

type Events = {
  open: () => void
  error: () => void
  message: (event: { readonly data: unknown }) => void
  close: (event: { readonly code: number; readonly reason: string }) => void
}

/** A WebSocket that does what the test says. */
class FakeSocket {
  binaryType = ''
  readyState = 0
  readonly sent: Uint8Array[] = []
  readonly closed: (number | undefined)[] = []
  readonly events: Partial<Events> = {}

  send(data: Uint8Array): void {
    this.sent.push(data)
  }

  close(code?: number): void {
    this.closed.push(code)
  }

  addEventListener<Type extends keyof Events>(type: Type, listener: Events[Type]): void {
    this.events[type] = listener
  }
}

/** A pipe over a fake socket, with what it said. */
function open(): { socket: FakeSocket; pipe: WebSocketPipe; heard: unknown[]; listen(): void } {
  const socket = new FakeSocket()
  const pipe = new WebSocketPipe(socket as PlainSocket)
  const heard: unknown[] = []
  const listen = (): void =>
    pipe.open({
      handleMessage: (bytes) => heard.push([...bytes]),
      handleClosed: (reason) => heard.push(reason),
    })
  return { socket, pipe, heard, listen }
}

const bytes = (...values: number[]): { data: ArrayBuffer } => ({
  data: Uint8Array.from(values).buffer,
})

test('what is sent while it opens waits, and goes in sequence', () => {
  const { socket, pipe } = open()
  pipe.send(Uint8Array.of(1))
  pipe.send(Uint8Array.of(2))
  expect(socket.sent).toEqual([])
  socket.readyState = 1
  socket.events.open!()
  pipe.send(Uint8Array.of(3))
  expect(socket.sent).toEqual([Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)])
})

test('what comes before anybody listens waits, and the end behind it', async () => {
  const { socket, heard, listen } = open()
  socket.events.message!(bytes(1))
  socket.events.message!(bytes(2))
  socket.events.close!({ code: 1006, reason: '' })
  listen()
  expect(heard).toEqual([])
  await pauseMs(0)
  expect(heard).toEqual([[1], [2], 'signalling ended with 1006'])
})

test('text instead of bytes ends it, once', async () => {
  const { socket, heard, listen } = open()
  listen()
  await pauseMs(0)
  socket.events.message!({ data: 'hello' })
  socket.events.close!({ code: 1003, reason: 'text' })
  expect(heard).toEqual(['the other side sent text instead of bytes'])
  expect(socket.closed).toEqual([1003])
})

test('after the own close nothing is heard and nothing is said', async () => {
  const { socket, pipe, heard, listen } = open()
  listen()
  pipe.send(Uint8Array.of(4))
  pipe.close()
  pipe.close()
  socket.readyState = 1
  socket.events.open!()
  socket.events.message!(bytes(1))
  socket.events.close!({ code: 1000, reason: '' })
  pipe.send(Uint8Array.of(5))
  await pauseMs(0)
  expect(heard).toEqual([])
  expect(socket.sent).toEqual([])
  expect(socket.closed).toEqual([1000])
})
