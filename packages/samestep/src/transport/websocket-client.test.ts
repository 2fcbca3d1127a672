import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { ConnectError } from './connect-error.ts'
import type { Connection } from './connection.ts'
import { listenWebSocket } from './node/websocket-server.ts'
import { describeConnectionContract } from './testing/connection-contract.ts'
import { pauseMs, Recorder, until } from './testing/recorder.ts'
import { makeWebSocketHarness } from './testing/websocket-harness.ts'
import { dialWebSocket } from './websocket-client.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  vi.unstubAllGlobals()
  for (const each of undo.splice(0)) await each()
})

/** A server of bare sockets. */
async function listenBare(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = []
  const server: Server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    onSocket(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  undo.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return `ws://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

async function failureOf(promise: Promise<unknown>): Promise<ConnectError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ConnectError)
  return error as ConnectError
}

describe('a dial that fails says what was tried and what happened', () => {
  test('nothing listens there', async () => {
    const url = await listenBare(() => {})
    await undo.pop()?.()
    const error = await failureOf(dialWebSocket(url)())
    expect(error).toMatchObject({ name: 'ConnectError', code: 'SS_CONNECT_REFUSED', url })
    expect(error.message).toBe(`Cannot connect to ${url}: nothing listens there (ECONNREFUSED)`)
  })

  test('no machine has that name', async () => {
    const error = await failureOf(dialWebSocket('ws://no-such-machine.invalid')())
    expect(error.code).toBe('SS_CONNECT_UNREACHABLE')
  })

  test('nobody answers in time, and the socket is let go', async () => {
    const sockets: Socket[] = []
    const url = await listenBare((socket) => sockets.push(socket))
    const error = await failureOf(dialWebSocket(url, { connectTimeoutMs: 100 })())
    expect(error.code).toBe('SS_CONNECT_TIMEOUT')
    expect(error.message).toBe(`Cannot connect to ${url}: no answer within 100 ms`)
    sockets[0]?.resume()
    await until(() => sockets[0]?.closed === true, 'the end of the socket')
  })

  test('the other end does not want us, and the status says why', async () => {
    const listener = await listenWebSocket(() => {}, { strangersPerAddress: 0 })
    undo.push(() => listener.close())
    const error = await failureOf(dialWebSocket(listener.url)())
    expect(error).toMatchObject({ code: 'SS_CONNECT_REJECTED', status: 429 })
    expect(error.message).toContain('answered with HTTP 429 Too Many Requests')
  })

  test('the other end is a web server, or no server of the web at all, or hangs up', async () => {
    const web = createHttpServer((_, response) => response.end('hello'))
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    undo.push(() => web.close())
    const address = web.address()
    const port = typeof address === 'object' ? address?.port : 0
    const page = await failureOf(dialWebSocket(`ws://127.0.0.1:${port}/`)())
    expect(page).toMatchObject({ code: 'SS_CONNECT_REJECTED', status: 200 })

    const other = await failureOf(
      dialWebSocket(await listenBare((socket) => socket.write('SSH-2.0\r\n')))(),
    )
    expect(other.code).toBe('SS_CONNECT_REJECTED')
    const rude = await failureOf(dialWebSocket(await listenBare((socket) => socket.destroy()))())
    expect(rude.code).toBe('SS_CONNECT_REJECTED')
    const wrongKey =
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n'
    const liar = await failureOf(
      dialWebSocket(await listenBare((socket) => socket.write(wrongKey)))(),
    )
    expect(liar.code).toBe('SS_CONNECT_REJECTED')
  })

  test('the caller changed its mind, before or meanwhile', async () => {
    const url = await listenBare(() => {})
    const dial = dialWebSocket(url)
    const before = await failureOf(dial(AbortSignal.abort('enough')))
    expect(before).toMatchObject({ code: 'SS_CONNECT_ABORTED', cause: 'enough' })
    const controller = new AbortController()
    const meanwhile = failureOf(dial(controller.signal))
    setTimeout(() => controller.abort(), 30)
    expect((await meanwhile).code).toBe('SS_CONNECT_ABORTED')
    const atOnce = new AbortController()
    const same = failureOf(dial(atOnce.signal))
    atOnce.abort()
    expect((await same).code).toBe('SS_CONNECT_ABORTED')
  })

  test('an abort after the connection is there changes nothing', async () => {
    const accepted: Recorder[] = []
    const listener = await listenWebSocket((connection) => accepted.push(new Recorder(connection)))
    undo.push(() => listener.close())
    const controller = new AbortController()
    const a = new Recorder(await dialWebSocket(listener.url)(controller.signal))
    controller.abort()
    a.send(Uint8Array.of(1))
    await until(() => accepted[0]?.packets.length === 1, 'the packet')
    a.close(1000, '')
    await a.ended()
  })

  test.each(['localhost:7777', 'http://localhost', 'wss://a#b', '', 'ws://', 'ftp://a'])(
    '%j is no URL to dial: a mistake of the caller, told at once',
    (url) => {
      expect(() => dialWebSocket(url)).toThrow(expect.objectContaining({ code: 'SS_BAD_ARGUMENT' }))
    },
  )
})

describe('a relay that is none', () => {
  test.each([
    ['text', 'hello'],
    ['an empty message', new Uint8Array(0)],
  ])('%s is closed with 4001', async (_, message) => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    undo.push(() => server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const codes: number[] = []
    server.on('connection', (socket) => {
      socket.on('close', (code) => codes.push(code))
      socket.send(message)
      socket.send(Uint8Array.of(1))
    })
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const a = new Recorder(await dialWebSocket(`ws://127.0.0.1:${port}`)())
    expect((await a.ended()).code).toBe(4001)
    expect(a.packets).toEqual([])
    await until(() => codes.length > 0, 'the close at the other end')
    expect(codes).toEqual([4001])
  })

  test('a message beyond the limit ends the connection', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    undo.push(() => server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    server.on('connection', (socket) => socket.send(new Uint8Array(65_537)))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const a = new Recorder(await dialWebSocket(`ws://127.0.0.1:${port}`)())
    await a.ended()
    expect(a.packets).toEqual([])
  })

  test('a packet right behind the handshake is heard, however late the caller opens', async () => {
    const accepted: Connection[] = []
    const listener = await listenWebSocket((connection) => {
      accepted.push(connection)
      connection.send(Uint8Array.of(1))
      connection.send(Uint8Array.of(2))
    })
    undo.push(() => listener.close())
    const dialed = await dialWebSocket(listener.url)()
    await pauseMs(20)
    const a = new Recorder(dialed)
    await until(() => a.packets.length === 2, 'both packets')
    a.close(1000, '')
    await a.ended()
  })

  test('a close that nobody answers ends after a while all the same', async () => {
    const sockets: Socket[] = []
    const listener = await listenWebSocket(() => {})
    undo.push(() => listener.close())
    // A wall in between that lets everything through until it does not.
    let isDeaf = false
    const url = await listenBare((socket) => {
      const { port } = new URL(listener.url)
      const onward = connect(Number(port), '127.0.0.1')
      sockets.push(onward)
      socket.on('data', (data) => isDeaf || onward.write(data))
      onward.on('data', (data) => isDeaf || socket.write(data))
    })
    const a = new Recorder(await dialWebSocket(url)())
    isDeaf = true
    a.close(4016, 'left')
    expect(await a.ended()).toEqual({ code: 4016, reason: 'left' })
    for (const socket of sockets) socket.destroy()
  })
})

/** Makes this process look like a page for the time of a call. */
async function asPage<T>(WebSocketClass: unknown, action: () => Promise<T>): Promise<T> {
  vi.stubGlobal('document', {})
  vi.stubGlobal('WebSocket', WebSocketClass)
  try {
    return await action()
  } finally {
    vi.unstubAllGlobals()
  }
}

describeConnectionContract("websocket, the platform's own to Node", async () => {
  const harness = await makeWebSocketHarness()
  return { ...harness, openPair: () => asPage(WebSocket, () => harness.openPair()) }
})

describe('in a browser', () => {
  test('a failure says that browsers hide why', async () => {
    const url = await listenBare((socket) => socket.destroy())
    const error = await asPage(WebSocket, () => failureOf(dialWebSocket(url)()))
    expect(error.code).toBe('SS_CONNECT_FAILED')
    expect(error.message).toContain('browsers hide why')
  })

  test('a page that came encrypted cannot dial in plain, and is told so', async () => {
    class Forbidding {
      constructor() {
        throw new Error('SecurityError')
      }
    }
    const error = await asPage(Forbidding, () => failureOf(dialWebSocket('ws://relay.example')()))
    expect(error.code).toBe('SS_CONNECT_INSECURE')
  })

  test('a platform without WebSocket is told so', async () => {
    const error = await asPage(undefined, () => failureOf(dialWebSocket('ws://relay.example')()))
    expect(error.code).toBe('SS_CONNECT_FAILED')
    expect(error.message).toContain('no WebSocket')
  })

  test('a message beyond the limit is refused although the platform took it', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    undo.push(() => server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    server.on('connection', (socket) => socket.send(new Uint8Array(65_537)))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const dialed = await asPage(WebSocket, () => dialWebSocket(`ws://127.0.0.1:${port}`)())
    const a = new Recorder(dialed)
    expect((await a.ended()).code).toBe(4001)
    expect(a.packets).toEqual([])
  })

  test('the bundle holds nothing of Node, and of ws only its empty stand-in', async () => {
    const { metafile, outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL('./websocket-client.ts', import.meta.url))],
      bundle: true,
      write: false,
      minify: true,
      metafile: true,
      format: 'esm',
      platform: 'browser',
      logLevel: 'silent',
    })
    const inputs = Object.keys(metafile.inputs).filter((path) => path.includes('node_modules'))
    expect(inputs.map((path) => path.replace(/^.*node_modules\//, ''))).toEqual(['ws/browser.js'])
    const text = outputFiles[0]?.text ?? ''
    expect(text).not.toMatch(/from\s*"node:|require\("(?:node:|net|tls|http)/)
    expect(text.length).toBeLessThan(10_700)
  })
})
