import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterEach, describe, expect, test } from 'vitest'
import { CertificateFolder, certificates } from '../testing/certificates.ts'
import { makeClientFrame } from '../testing/raw-websocket.ts'
import { pauseMs, until } from '../testing/recorder.ts'
import { type GuardedServerOptions, makeGuardedServer } from './http-server.ts'
import { Lobby } from './lobby.ts'
import { requestsPerAddressMax, requestsPerConnectionMax } from './websocket-limits.ts'
import { listenWebSocket } from './websocket-server.ts'

type Scheme = 'HTTP' | 'HTTPS'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** What a server has seen, and clients of it. */
class Stage {
  /** Paths of all requests, in the order in which they were parsed. */
  readonly paths: string[] = []
  readonly faults: unknown[] = []
  /** Sockets as the server sees them, encrypted or not. */
  readonly sockets: Socket[] = []
  readonly server: Server
  readonly #scheme: Scheme

  constructor(scheme: Scheme, options: GuardedServerOptions) {
    const folder = new CertificateFolder()
    folder.write(certificates[0])
    this.#scheme = scheme
    const { onRequest = answerOk } = options
    this.server = makeGuardedServer({
      lobby: new Lobby(options),
      onFault: (error) => this.faults.push(error),
      ...options,
      ...(scheme === 'HTTPS' ? { tls: folder.files } : {}),
      onRequest: (request, response) => {
        this.paths.push(request.url!)
        onRequest(request, response)
      },
    })
    this.server.on('connection', (socket: Socket) => this.sockets.push(socket))
    closers.push(() => {
      folder.remove()
      this.server.close()
      this.server.closeAllConnections()
      for (const socket of this.sockets) socket.destroy()
    })
  }

  static async open(scheme: Scheme = 'HTTP', options: GuardedServerOptions = {}): Promise<Stage> {
    const stage = new Stage(scheme, options)
    stage.server.listen(0, '127.0.0.1')
    await once(stage.server, 'listening')
    return stage
  }

  async dial(): Promise<Caller> {
    const { port } = this.server.address() as AddressInfo
    const ca = certificates[0].certificate
    const socket =
      this.#scheme === 'HTTP'
        ? connect(port, '127.0.0.1')
        : connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca })
    closers.push(() => socket.destroy())
    const caller = new Caller(socket)
    await once(socket, this.#scheme === 'HTTP' ? 'connect' : 'secureConnect')
    return caller
  }
}

/** A client that says what a test wants. */
class Caller {
  readonly socket: Socket
  text = ''
  isClosed = false

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (bytes) => {
      this.text += bytes.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.isClosed = true
    })
  }

  /** The status of each answer. */
  get answers(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
  }

  say(...requests: string[]): void {
    this.socket.write(requests.join(''), 'latin1')
  }

  async closed(): Promise<number[]> {
    await until(() => this.isClosed, 'the end of the connection')
    return this.answers
  }
}

const get = (path: string, lines = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${lines}\r\n`

const upgrade = get(
  '/ws',
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n',
)

function answerOk(_: IncomingMessage, response: ServerResponse): void {
  response.end('ok')
}

describe.each<Scheme>(['HTTP', 'HTTPS'])('requests by %s', (scheme) => {
  test('that come before the last one is answered wait for it, in their order', async () => {
    const waiting: ServerResponse[] = []
    const stage = await Stage.open(scheme, { onRequest: (_, response) => waiting.push(response) })
    const caller = await stage.dial()
    caller.say(get('/1'), get('/2'), get('/3'))
    for (const count of [1, 2, 3]) {
      await until(() => waiting.length === count, `request ${count}`)
      await pauseMs(20)
      expect(stage.paths).toEqual(['/1', '/2', '/3'].slice(0, count))
      waiting[count - 1]!.end('ok')
    }
    await until(() => caller.answers.length === 3, 'three answers')
    caller.say(get('/4'))
    await until(() => waiting.length === 4, 'one more')
    expect(stage.faults).toEqual([])
  })

  test('by the thousands get one answer and an end; the rest is never parsed', async () => {
    const stage = await Stage.open(scheme)
    const caller = await stage.dial()
    caller.say(get('/').repeat(60_000))
    await caller.closed()
    expect(stage.paths).toEqual(['/'])
    expect(stage.faults).toEqual([])
  })

  test('behind one that is being answered stay in the kernel', async () => {
    const stage = await Stage.open(scheme, { onRequest: () => {} })
    const caller = await stage.dial()
    caller.say(get('/'))
    await until(() => stage.paths.length === 1, 'a request')
    caller.say(get('/').repeat(400_000))
    await pauseMs(100)
    expect(stage.paths).toHaveLength(1)
    expect(stage.sockets[0]!.bytesRead).toBeLessThan(300_000)
  })

  test('are answered before an upgrade behind them, and nothing behind that is lost', async () => {
    const stage = await Stage.open(scheme)
    const packets: string[] = []
    await listenWebSocket(
      (connection) =>
        connection.open({
          handlePacket: (bytes) => packets.push(Buffer.from(bytes).toString()),
          handleClosed: () => {},
        }),
      { server: stage.server, path: '/ws' },
    )
    const caller = await stage.dial()
    const frame = makeClientFrame(2, Buffer.from('hello')).toString('latin1')
    caller.say(get('/1'), get('/2'), upgrade, frame)
    await until(() => packets.length === 1 && caller.answers.length === 3, 'a packet')
    expect(caller.answers).toEqual([200, 200, 101])
    expect(packets).toEqual(['hello'])
    expect(stage.paths).toEqual(['/1', '/2'])
  })

  test('with another upgrade than ours are answered as if they had none', async () => {
    const stage = await Stage.open(scheme)
    await listenWebSocket(() => {}, { server: stage.server, path: '/ws' })
    const caller = await stage.dial()
    const lines =
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'
    caller.say(get('/health', lines))
    expect(await caller.closed()).toEqual([200])
    expect(caller.text).toContain('Connection: close')
    expect(caller.text).toMatch(/ok$/)
    expect(stage.paths).toEqual(['/health'])
  })

  test('with more than 64 lines are refused', async () => {
    const stage = await Stage.open(scheme)
    const most = await stage.dial()
    most.say(get('/', 'X: y\r\n'.repeat(63)))
    await until(() => most.answers.length === 1, 'an answer')
    expect(most.answers).toEqual([200])
    const many = await stage.dial()
    many.say(get('/', 'X: y\r\n'.repeat(64)))
    expect(await many.closed()).toEqual([431])
    expect(stage.paths).toEqual(['/'])
  })

  test('whose answer breaks off are over, and so is their response', async () => {
    let closed = 0
    const stage = await Stage.open(scheme, {
      onRequest: (_, response) => {
        response.on('close', () => closed++)
        response.write('x'.repeat(8_000_000))
      },
    })
    const caller = await stage.dial()
    caller.socket.pause()
    caller.say(get('/').repeat(100))
    await until(() => stage.paths.length === 1, 'a request')
    caller.socket.destroy()
    await until(() => closed === 1, 'the end of its response')
    expect(stage.paths).toHaveLength(1)
  })

  test('that make our own code throw cost their connection, and the error is told', async () => {
    const stage = await Stage.open(scheme, {
      onRequest: (request, response) => {
        if (request.url === '/bad') throw new Error('a bug')
        response.end('ok')
      },
    })
    const bad = await stage.dial()
    bad.say(get('/bad'), get('/'))
    expect(await bad.closed()).toEqual([])
    expect(stage.faults).toEqual([new Error('a bug')])
    const good = await stage.dial()
    good.say(get('/'))
    await until(() => good.answers.length === 1, 'an answer')
  })
})

test('an upgrade that makes our own code throw costs its connection, and the error is told', async () => {
  const stage = await Stage.open()
  stage.server.on('upgrade', () => {
    throw new Error('a bug')
  })
  const caller = await stage.dial()
  caller.say(upgrade)
  expect(await caller.closed()).toEqual([])
  expect(stage.faults).toEqual([new Error('a bug')])
})

test('an upgrade with more behind it than can be kept is refused', async () => {
  const stage = await Stage.open()
  await listenWebSocket(() => {}, { server: stage.server, path: '/ws' })
  const caller = await stage.dial()
  caller.say(upgrade, 'x'.repeat(20_000))
  await caller.closed()
  expect(caller.answers).not.toContain(101)
})

test('timers run while a crowd of connections asks as fast as it can', async () => {
  const stage = await Stage.open('HTTP', {
    onRequest: (_, response) => {
      const untilMs = performance.now() + 1
      while (performance.now() < untilMs);
      response.end('ok')
    },
  })
  const callers = await Promise.all(Array.from({ length: 60 }, () => stage.dial()))
  // How many requests were answered when a timer ran: one turn's worth in between, never all.
  const steps: number[] = []
  const timer = setInterval(() => steps.push(stage.paths.length), 1)
  for (const caller of callers) caller.say(get('/'))
  await until(() => stage.paths.length === 60, 'all requests')
  clearInterval(timer)
  expect(new Set(steps).size).toBeGreaterThan(10)
})

describe('an address', () => {
  /** Asks one after the other on one connection, until it is closed or all are answered. */
  async function ask(stage: Stage, count: number, lines = ''): Promise<number[]> {
    const { socket } = await stage.dial()
    const statuses: number[] = []
    return new Promise((resolve) => {
      // Answers are so short that each is one segment.
      socket.on('data', (bytes) => {
        statuses.push(Number(/^HTTP\/1\.1 (\d+)/.exec(bytes.toString())?.[1]))
        if (statuses.length < count) socket.write(get('/', lines))
        else socket.destroy()
      })
      socket.on('close', () => resolve(statuses))
      socket.write(get('/', lines))
    })
  }

  test('has so many requests on a connection, and so many in all; then it gets 429', async () => {
    const stage = await Stage.open()
    const first = await ask(stage, requestsPerConnectionMax + 1)
    const second = await ask(stage, requestsPerConnectionMax + 1)
    const third = await ask(stage, requestsPerConnectionMax + 1)
    expect([first.length, second.length]).toEqual(Array(2).fill(requestsPerConnectionMax))
    expect(third).toHaveLength(requestsPerAddressMax - 2 * requestsPerConnectionMax + 1)
    expect(third.pop()).toBe(429)
    expect(new Set([...first, ...second, ...third])).toEqual(new Set([200]))
    expect(stage.paths).toHaveLength(requestsPerAddressMax)
  })

  test('behind a trusted proxy has its own budget, and the proxy none', async () => {
    const stage = await Stage.open('HTTP', { trustedProxies: ['127.0.0.1'] })
    const forwarded = 'X-Forwarded-For: 203.0.113.7\r\n'
    const statuses: number[] = []
    for (let at = 0; at < 3; at++) statuses.push(...(await ask(stage, 700, forwarded)))
    expect(statuses.filter((status) => status === 429)).toHaveLength(2_100 - requestsPerAddressMax)
    expect(await ask(stage, 1, 'X-Forwarded-For: 203.0.113.8\r\n')).toEqual([200])
    expect(await ask(stage, 1)).toEqual([200])
  })
})

describe('what is odd', () => {
  test.each([
    ['an expectation', get('/', 'Expect: miracles\r\n'), [417]],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', [400]],
    ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', []],
    ['a head of small lines', get('/', 'a:\r\n'.repeat(3_000)), [431]],
    ['a body', `${get('/', 'Content-Length: 33\r\n')}${get('/').repeat(9)}`, [200]],
    ['chunks', `${get('/', 'Transfer-Encoding: chunked\r\n')}5\r\nhello\r\n0\r\n\r\n`, [200]],
    ['both lengths', get('/', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'), [400]],
    ['no HTTP', 'HELO relay\r\n\r\n', [400]],
  ])('%s is answered once at most, and closed', async (_, bytes, statuses) => {
    const stage = await Stage.open()
    const caller = await stage.dial()
    caller.say(bytes, get('/'))
    expect(await caller.closed()).toEqual(statuses)
    expect(stage.faults).toEqual([])
  })

  test('empty lines before a request are skipped, and cost nothing', async () => {
    const stage = await Stage.open()
    const caller = await stage.dial()
    caller.say('\r\n'.repeat(2_000), get('/1'), '\r\n\n', get('/2'))
    await until(() => caller.answers.length === 2, 'two answers')
    expect(stage.paths).toEqual(['/1', '/2'])
  })

  test('a head in single bytes, again and again, is a head', async () => {
    const stage = await Stage.open()
    const caller = await stage.dial()
    caller.socket.setNoDelay(true)
    for (const count of [1, 2]) {
      for (const letter of get('/')) {
        caller.say(letter)
        await pauseMs(1)
      }
      await until(() => caller.answers.length === count, 'an answer')
    }
  })

  test('a peer that ends its side behind its request is answered', async () => {
    const stage = await Stage.open()
    const caller = await stage.dial()
    caller.socket.end(get('/'))
    expect(await caller.closed()).toEqual([200])
  })
})
