import { createServer } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { bothPaths } from '../testing/both-paths.ts'
import { Door } from '../testing/door.ts'
import { makeClientFrame, type RawClient } from '../testing/raw-websocket.ts'
import { pauseMs, until } from '../testing/recorder.ts'
import { makeGuardedServer } from './http-server.ts'
import { listenWebSocket, type WebSocketListenOptions } from './websocket-server.ts'

const doors: Door[] = []
afterEach(async () => {
  for (const door of doors.splice(0)) await door.close()
})
async function openDoor(options: WebSocketListenOptions = {}): Promise<Door> {
  const door = await Door.open(options)
  doors.push(door)
  return door
}

const [text, binary, ping, pong, more] = [1, 2, 9, 10, 0] as const

describe('T-20: pages of strangers', () => {
  const origins = ['https://game.example', 'http://localhost:5173']

  test.each(['https://game.example', 'http://localhost:5173'])(
    '%s is on the list and comes in',
    async (origin) => {
      const door = await openDoor({ origins })
      expect(await door.knock().upgrade({ Origin: origin }).answered()).toBe(101)
    },
  )

  test.each([
    'https://game.example.evil.com',
    'https://evil.com/https://game.example',
    'http://game.example',
    'https://game.example:8443',
    'https://game.example/',
    'HTTPS://GAME.EXAMPLE',
    'https://sub.game.example',
    'http://localhost.evil.com:5173',
    'http://localhost:51730',
    'null',
    '',
    'https://game.example, https://evil.com',
  ])('%s is not on the list: 403 before any upgrade', async (origin) => {
    const door = await openDoor({ origins })
    expect(await door.knock().upgrade({ Origin: origin }).answered()).toBe(403)
    expect(door.accepted).toEqual([])
    expect(door.listener.counters).toMatchObject({ accepted: 0, refused: { origin: 1 } })
  })

  test('two origins in one request are none', async () => {
    const door = await openDoor({ origins })
    const client = door.knock()
    const lines = { Origin: 'https://game.example\r\nOrigin: https://evil.com' }
    expect(await client.upgrade(lines).answered()).toBe(403)
  })

  test('programs that are no browsers send none, and come in; without a list no page does', async () => {
    const door = await openDoor()
    expect(await door.knock().upgrade().answered()).toBe(101)
    expect(
      await door
        .knock()
        .upgrade({ Origin: `http://localhost:${door.port}` })
        .answered(),
    ).toBe(403)
  })

  test('pages without an origin come in only when the list says so, all pages only by the word any', async () => {
    const sandboxed = await openDoor({ origins: ['null'] })
    expect(await sandboxed.knock().upgrade({ Origin: 'null' }).answered()).toBe(101)
    expect(await sandboxed.knock().upgrade({ Origin: 'https://a.example' }).answered()).toBe(403)
    const open = await openDoor({ origins: 'any' })
    expect(await open.knock().upgrade({ Origin: 'https://a.example' }).answered()).toBe(101)
    expect(await open.knock().upgrade({ Origin: 'null' }).answered()).toBe(101)
  })

  test('version 8 of the protocol, which names its origin elsewhere, is refused', async () => {
    const door = await openDoor({ origins })
    const lines = { 'Sec-WebSocket-Version': '8', 'Sec-WebSocket-Origin': 'https://evil.com' }
    const client = door.knock().upgrade(lines)
    expect(await client.answered()).toBe(426)
    expect(client.head).toContain('Sec-WebSocket-Version: 13')
  })

  test.each([
    ['https://game.example/', '"https://game.example"'],
    ['https://game.example:443', '"https://game.example"'],
    ['game.example', 'such as "https://game.example"'],
    ['*', 'such as "https://game.example"'],
    ['file:///', 'such as "https://game.example"'],
  ])(
    'a list with %s is refused at the start, because it would match nothing',
    async (origin, advice) => {
      const opening = Door.open({ origins: [origin] })
      await expect(opening).rejects.toMatchObject({ code: 'SS_BAD_ARGUMENT' })
      await expect(opening).rejects.toThrow(
        `${JSON.stringify(origin)}: it must be spelled as browsers do, ${advice}`,
      )
    },
  )
})

test('T-21: cookies and other credentials of the request reach nobody', async () => {
  const door = await openDoor()
  const { connection } = await door.enter({ Cookie: 'session=secret', Authorization: 'Basic eDp5' })
  expect(JSON.stringify(connection)).not.toContain('secret')
  expect(connection.remote).toBe('127.0.0.1')
})

describe('T-22: requests that never end', () => {
  test('the limits are those of the list', () => {
    const server = makeGuardedServer()
    expect(server).toMatchObject({
      headersTimeout: 5_000,
      requestTimeout: 5_000,
      keepAliveTimeout: 5_000,
      // One more, to know of it.
      maxHeadersCount: 65,
      maxRequestsPerSocket: 1_000,
    })
    expect(Reflect.get(server, 'connectionsCheckingInterval')).toBe(100)
    expect(Reflect.get(server, 'maxHeaderSize')).toBe(8_192)
  })

  test('whoever dribbles, sends nothing, or stops before the end is let go; then others come in', async () => {
    const door = await openDoor({ requestMsMax: 300 })
    const clients = Array.from({ length: 60 }, () => door.knock())
    const dribble = setInterval(() => {
      for (const client of clients.slice(0, 30)) if (!client.isClosed) client.socket.write('G')
    }, 50)
    for (const client of clients.slice(30, 50))
      client.socket.write('GET / HTTP/1.1\r\nHost: a\r\nX')
    await until(() => clients.every(({ isClosed }) => isClosed), 'the end of all of them')
    clearInterval(dribble)
    expect(door.accepted).toEqual([])
    expect(await door.knock().upgrade().answered()).toBe(101)
  })

  test('a body that never comes is not waited for', async () => {
    const door = await openDoor({ requestMsMax: 300, onRequest: () => {} })
    const client = door.knock()
    client.socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nx')
    await until(() => client.isClosed, 'the end of it')
    expect(client.status).toBe(408)
  })

  test.each([
    [9_000, 431],
    [7_000, 101],
  ])('a head with a line of %i bytes is answered with %i', async (size, status) => {
    const door = await openDoor()
    const client = door.knock().upgrade({ 'X-Long': 'x'.repeat(size) })
    expect(await client.answered()).toBe(status)
  })

  test('64 lines are read, and of more none counts: what is behind them cannot be hidden', async () => {
    const door = await openDoor({ origins: ['https://game.example'] })
    const junk = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, 'y']))
    const own = door.knock().upgrade({ Origin: 'https://game.example' })
    expect(await own.answered()).toBe(101)
    // An upgrade has five lines of its own.
    const most = { ...junk(64 - 5 - 1), Origin: 'https://evil.com' }
    expect(await door.knock().upgrade(most).answered()).toBe(403)
    for (const count of [64 - 5, 64, 200]) {
      const lines = { ...junk(count), Origin: 'https://evil.com' }
      const client = door.knock().upgrade(lines)
      expect(await client.answered()).toBe(431)
      await until(() => client.isClosed, 'the end of it')
    }
    expect(door.accepted).toHaveLength(1)
  })

  test.each([
    ['\0\0\0\0\r\n\r\n', 400],
    ['GET / HTTP/9.9\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n', 400],
    [
      'POST / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\r\n',
      405,
    ],
    [
      'GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\r\n',
      426,
    ],
    [
      'GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n\r\n',
      400,
    ],
  ])('%j is answered with %d, and costs nobody anything', async (bytes, status) => {
    const door = await openDoor()
    const client = door.knock()
    client.socket.write(bytes)
    expect(await client.answered()).toBe(status)
    await until(() => client.isClosed, 'the end of it')
    expect(await door.knock().upgrade().answered()).toBe(101)
  })

  test.each(bothPaths)('a reset at any moment hurts nobody ($path)', async ({ turbo }) => {
    const door = await openDoor({ turbo })
    for (let count = 0; count < 20; count++) {
      const client = door.knock().upgrade(count % 2 === 0 ? {} : { Origin: 'https://evil.com' })
      if (count % 3 === 0) await client.answered()
      client.socket.resetAndDestroy()
    }
    expect(await door.knock().upgrade().answered()).toBe(101)
  })
})

describe.each(bothPaths)('T-23: messages too large, cut up or compressed ($path)', ({ turbo }) => {
  test('64 KiB arrive, one byte more is closed with 1009 before it was read', async () => {
    const door = await openDoor({ turbo })
    const { client, inside } = await door.enter()
    client.write(binary, new Uint8Array(65_536))
    await inside.heard(new Uint8Array(65_536))
    // Only the head: the length alone is enough.
    client.socket.write(makeClientFrame(binary, new Uint8Array(65_537)).subarray(0, 14))
    expect(await client.closed()).toBe(1009)
    client.destroy()
    expect(await inside.ended()).toMatchObject({ code: 1009 })
  })

  test('a length beyond all numbers is closed with 1009', async () => {
    const door = await openDoor({ turbo })
    const { client } = await door.enter()
    const head = Buffer.from([0x82, 0xff, ...new Array(8).fill(0xff), 1, 2, 3, 4])
    client.socket.write(head)
    expect(await client.closed()).toBe(1009)
  })

  test('64 fragments are one message, 65 are closed with 1008, and so are endless empty ones', async () => {
    const door = await openDoor({ turbo })
    const first = await door.enter()
    const send = (client: RawClient, count: number, size: number) => {
      for (let at = 0; at < count; at++) {
        const payload = new Uint8Array(size).fill(at)
        client.write(at === 0 ? binary : more, payload, at === count - 1)
      }
    }
    send(first.client, 64, 2)
    await until(() => first.inside.packets.length === 1, 'the message')
    expect(first.inside.packets[0]?.length).toBe(128)
    send(first.client, 65, 2)
    expect(await first.client.closed()).toBe(1008)
    const second = await door.enter()
    send(second.client, 100, 0)
    expect(await second.client.closed()).toBe(1008)
  })

  test('a frame in more than 256 pieces is closed with 1008', async () => {
    const door = await openDoor({ turbo })
    const { client, inside } = await door.enter()
    client.socket.setNoDelay(true)
    const frame = makeClientFrame(binary, new Uint8Array(60_000))
    client.socket.write(frame.subarray(0, 8))
    for (let at = 8; at < 400 && client.closeCode === 0; at++) {
      client.socket.write(frame.subarray(at, at + 1))
      await pauseMs(1)
    }
    expect(await client.closed()).toBe(1008)
    client.destroy()
    expect(await inside.ended()).toMatchObject({ code: 1008 })
  })

  test.each([
    'permessage-deflate',
    'permessage-deflate; client_max_window_bits, permessage-deflate',
    'x-webkit-deflate-frame',
    'constructor',
    '__proto__',
    'hasOwnProperty; toString=1',
    'permessage-deflate; __proto__=1; constructor',
    ',,,;;;===',
    '"',
    'a'.repeat(7_000),
  ])('no extension is ever agreed on: %s', async (offer) => {
    const door = await openDoor({ turbo })
    const client = door.knock().upgrade({ 'Sec-WebSocket-Extensions': offer })
    expect([101, 400]).toContain(await client.answered())
    expect(client.head.toLowerCase()).not.toContain('sec-websocket-extensions')
    expect(({} as { client_max_window_bits?: string }).client_max_window_bits).toBeUndefined()
  })

  test('a compressed frame is an error of protocol', async () => {
    const door = await openDoor({ turbo })
    const { client, inside } = await door.enter({
      'Sec-WebSocket-Extensions': 'permessage-deflate',
    })
    const frame = makeClientFrame(binary, Uint8Array.of(1, 2, 3))
    frame[0]! |= 0x40
    client.socket.write(frame)
    expect(await client.closed()).toBe(1002)
    client.destroy()
    expect((await inside.ended()).code).toBe(1002)
  })

  test.each([
    ['not masked', Buffer.from([0x82, 0x01, 0x05])],
    ['of an unknown kind', makeClientFrame(3, Uint8Array.of(1))],
    ['a ping of 126 bytes', makeClientFrame(ping, new Uint8Array(126))],
    ['a continuation of nothing', makeClientFrame(more, Uint8Array.of(1))],
    ['a close with half a code', makeClientFrame(8, Uint8Array.of(3))],
    ['a close with a code that nobody may send', makeClientFrame(8, Uint8Array.of(3, 238))],
  ])('a frame %s is closed with 1002', async (_, frame) => {
    const door = await openDoor({ turbo })
    const { client, inside } = await door.enter()
    client.socket.write(frame)
    expect(await client.closed()).toBe(1002)
    client.destroy()
    expect((await inside.ended()).code).toBe(1002)
    expect(inside.packets).toEqual([])
  })
})

describe.each(bothPaths)('T-24: what is no packet ($path)', ({ turbo }) => {
  test.each([
    ['text', text, Buffer.from('hello')],
    ['text that is no UTF-8', text, Uint8Array.of(0xff, 0xc0, 0x80)],
    ['no text at all', text, new Uint8Array(0)],
    ['an empty packet', binary, new Uint8Array(0)],
  ])('%s is closed with 4001', async (_, opcode, payload) => {
    const door = await openDoor({ turbo })
    const { client, inside } = await door.enter()
    client.write(opcode, payload)
    client.write(binary, Uint8Array.of(1))
    expect(await client.closed()).toBe(4001)
    client.destroy()
    expect((await inside.ended()).code).toBe(4001)
    expect(inside.packets).toEqual([])
  })
})

describe.each(bothPaths)('T-25: floods of pings ($path)', ({ turbo }) => {
  test('ten at once are answered with their own bytes, the eleventh is closed with 4002', async () => {
    const door = await openDoor({ turbo })
    const { client, inside } = await door.enter()
    const payload = (number: number): Uint8Array => new Uint8Array(12 * number).fill(number)
    for (let number = 0; number < 10; number++) client.write(ping, payload(number))
    await until(() => client.frames.length === 10, 'ten pongs')
    expect(client.frames).toEqual(
      Array.from({ length: 10 }, (_, number) => ({
        opcode: pong,
        payload: Buffer.from(payload(number)),
      })),
    )
    // Far more than a stall of the machine could let the allowance grow by meanwhile.
    for (let number = 0; number < 300; number++) client.write(ping, payload(1))
    expect(await client.closed()).toBe(4002)
    client.destroy()
    expect((await inside.ended()).code).toBe(4002)
  })

  test('pongs that nobody asked for are the same flood', async () => {
    const door = await openDoor({ turbo })
    const { client } = await door.enter()
    for (let number = 0; number < 1_000; number++) client.write(pong, new Uint8Array(125))
    expect(await client.closed()).toBe(4002)
  })
})

describe.each(bothPaths)('T-26: readers that do not read ($path)', ({ turbo }) => {
  test('more than 1 MiB waiting is closed with 4006 at once, and nobody waits for it', async () => {
    const door = await openDoor({ turbo })
    const { client, inside, connection } = await door.enter()
    client.socket.pause()
    const packet = new Uint8Array(65_536)
    let sent = 0
    // The kernel takes some megabytes before anything waits here.
    while (connection.backlogBytes <= 1_048_576 && sent++ < 2_000) connection.send(packet)
    const backlog = connection.backlogBytes
    for (let count = 0; count < 100; count++) connection.send(packet)
    expect(connection.backlogBytes).toBeLessThan(backlog + 1_000)
    expect(await inside.ended()).toMatchObject({ code: 4006 })
  })

  test('more than 256 KiB for two seconds is closed with 4006, although nothing more is sent', async () => {
    const door = await openDoor({ turbo })
    const { client, inside, connection } = await door.enter()
    client.socket.pause()
    const packet = new Uint8Array(4_096)
    while (connection.backlogBytes <= 262_144) connection.send(packet)
    await pauseMs(0)
    expect(inside.ends).toEqual([])
    expect(await inside.ended()).toMatchObject({ code: 4006 })
  })

  test('one that catches up in time stays, and one that reads late hears why it was closed', async () => {
    const door = await openDoor({ farewellMsMax: 60_000, turbo })
    const { client, inside, connection } = await door.enter()
    client.socket.pause()
    const packet = new Uint8Array(4_096)
    while (connection.backlogBytes <= 300_000) connection.send(packet)
    client.socket.resume()
    await until(() => connection.backlogBytes === 0, 'an empty backlog')
    await pauseMs(300)
    expect(inside.ends).toEqual([])
    client.socket.pause()
    while (connection.backlogBytes <= 1_048_576) connection.send(new Uint8Array(65_536))
    client.socket.resume()
    expect(await client.closed()).toBe(4006)
  })
})

describe('T-27: many from one address', () => {
  test.each(bothPaths)('the 17th gets 429 till one is known or gone ($path)', async ({ turbo }) => {
    const door = await openDoor({ turbo })
    const inside = []
    for (let count = 0; count < 16; count++) inside.push(await door.enter())
    expect(await door.knock().upgrade().answered()).toBe(429)
    expect(door.listener.counters.refused['address-full']).toBe(1)
    inside[0]?.connection.markKnown?.()
    inside[0]?.connection.markKnown?.()
    expect(await door.knock().upgrade().answered()).toBe(101)
    expect(await door.knock().upgrade().answered()).toBe(429)
    inside[1]?.client.destroy()
    await inside[1]?.inside.ended()
    expect(await door.knock().upgrade().answered()).toBe(101)
    // Known first, gone later: it made room once.
    inside[0]?.client.destroy()
    await inside[0]?.inside.ended()
    expect(await door.knock().upgrade().answered()).toBe(429)
  })

  test('nobody is believed about its address, unless its proxy is trusted', async () => {
    const door = await openDoor({ strangersPerAddress: 1 })
    const first = await door.enter({ 'X-Forwarded-For': '203.0.113.1' })
    expect(first.connection.remote).toBe('127.0.0.1')
    expect(await door.knock().upgrade({ 'X-Forwarded-For': '203.0.113.2' }).answered()).toBe(429)

    const behind = await openDoor({ strangersPerAddress: 1, trustedProxies: ['127.0.0.0/8'] })
    const a = await behind.enter({ 'X-Forwarded-For': '203.0.113.1' })
    // A stranger can write what it likes at the begin; the proxy appends the truth.
    const b = await behind.enter({ 'X-Forwarded-For': '203.0.113.1, 203.0.113.2' })
    expect([a.connection.remote, b.connection.remote]).toEqual(['203.0.113.1', '203.0.113.2'])
    const lines = { 'X-Forwarded-For': '9.9.9.9, 203.0.113.2' }
    expect(await behind.knock().upgrade(lines).answered()).toBe(429)
  })
})

describe('T-29: plain connections that others can reach', () => {
  test.each(['0.0.0.0', '::', '192.0.2.1', 'relay.example'])(
    '%s without encryption is refused at the start',
    async (host) => {
      const opening = Door.open({ host })
      await expect(opening).rejects.toMatchObject({ code: 'SS_INSECURE' })
      await expect(opening).rejects.toThrow(`Cannot listen at ${host} without encryption`)
    },
  )

  test('it is done when asked for, and told', async () => {
    const open = await openDoor({ host: '0.0.0.0', insecure: true })
    expect(open.listener.isInsecure).toBe(true)
    expect(await open.knock().upgrade().answered()).toBe(101)
    const here = await openDoor({ host: 'localhost' })
    expect(here.listener.isInsecure).toBe(false)
  })

  test('a given server is held to the same', async () => {
    const server = createServer()
    await expect(listenWebSocket(() => {}, { server })).rejects.toThrow('does not listen')
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
    await expect(listenWebSocket(() => {}, { server })).rejects.toMatchObject({
      code: 'SS_INSECURE',
    })
    expect(server.listenerCount('upgrade')).toBe(0)
    server.close()
  })
})

describe('one port for pages and connections', () => {
  test('pages are answered by the given function, upgrades by us, other paths by nobody', async () => {
    const door = await openDoor({
      path: '/play',
      onRequest: (_, response) => response.end('healthy'),
    })
    expect(door.listener.url).toBe(`ws://127.0.0.1:${door.port}/play`)
    const page = await fetch(`http://127.0.0.1:${door.port}/health`)
    expect(await page.text()).toBe('healthy')
    expect(await door.knock().upgrade({}, '/play').answered()).toBe(101)
    expect(await door.knock().upgrade({}, '/play?match=a').answered()).toBe(101)
    expect(await door.knock().upgrade({}, '/player').answered()).toBe(404)
    expect(await door.knock().upgrade({}, '/').answered()).toBe(404)
  })

  test('without a function for pages, a page is told what this port speaks', async () => {
    const door = await openDoor()
    const page = await fetch(`http://127.0.0.1:${door.port}/`)
    expect([page.status, await page.text()]).toEqual([426, 'This port speaks WebSocket\n'])
  })

  test('two listeners share a given server by path; closing one leaves the other and the server', async () => {
    const server = makeGuardedServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const games = await openDoor({ server, path: '/play' })
    const admin = await openDoor({ server, path: '/admin' })
    expect(await games.knock().upgrade({}, '/play').answered()).toBe(101)
    expect(await games.knock().upgrade({}, '/admin').answered()).toBe(101)
    expect([games.accepted.length, admin.accepted.length]).toEqual([1, 1])
    await games.listener.close()
    expect(await admin.knock().upgrade({}, '/admin').answered()).toBe(101)
    expect(await admin.knock().upgrade({}, '/play').answered()).toBe(404)
    expect(games.recorders[0]?.ends).toEqual([])
    server.close()
  })

  test.each(bothPaths)('a closed listener takes nobody; others stay ($path)', async ({ turbo }) => {
    const door = await openDoor({ turbo })
    const { client, inside } = await door.enter()
    await door.listener.close()
    const late = door.knock().upgrade()
    await until(() => late.isClosed, 'a refusal')
    expect(late.status).toBe(0)
    client.write(binary, Uint8Array.of(5))
    await inside.heard(Uint8Array.of(5))
  })

  test('a port that is taken is said so', async () => {
    const door = await openDoor()
    const opening = Door.open({ port: door.port })
    await expect(opening).rejects.toMatchObject({ code: 'SS_CANNOT_LISTEN' })
    await expect(opening).rejects.toThrow(/EADDRINUSE/)
  })
})
