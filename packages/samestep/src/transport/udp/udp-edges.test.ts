import { createSocket, type Socket } from 'node:dgram'
import { EventEmitter } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import type { Connection, Listener } from '../connection.ts'
import { pauseMs, Recorder, until } from '../testing/recorder.ts'
import { UdpCounters } from './counters.ts'
import { receiveErrorsPerSecondMax, socketQueueBytesMax } from './limits.ts'
import { issueTicket } from './ticket.ts'
import type { UdpConnection } from './udp-connection.ts'
import { dialUdp } from './udp-dial.ts'
import { listenUdp } from './udp-listener.ts'
import { type NodeSocket, UdpSocket } from './udp-socket.ts'
import { formatUdpUrl, parseUdpUrl } from './udp-url.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

function keep<T extends Listener>(listener: T): T {
  open.push(listener)
  return listener
}

function keepConnection(connection: Connection): Connection {
  open.push({ close: () => connection.close(1000, '') })
  return connection
}

/** A port of this machine at which nobody answers, though somebody listens. */
async function deafPort(): Promise<Socket> {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  open.push({ close: () => new Promise<void>((resolve) => socket.close(resolve)) })
  return socket
}

describe('dialling', () => {
  test('the key in the URL decides: another relay at the same place is not believed', async () => {
    const listener = keep(await listenUdp(keepConnection))
    const { host, port } = parseUdpUrl(listener.url)
    const key = parseUdpUrl(keep(await listenUdp(keepConnection)).url).key
    const url = formatUdpUrl({ host, port, key })
    await expect(dialUdp(url, { timeoutMs: 400 })()).rejects.toMatchObject({
      code: 'SS_CONNECT_TIMEOUT',
    })
    expect(listener.counters.get('drop.handshake')).toBeGreaterThan(0)
  })

  test('a secret key makes both ends the same tomorrow', async () => {
    const secretKey = new Uint8Array(32).fill(6)
    const accepted: Connection[] = []
    const urls: string[] = []
    for (const _ of [1, 2]) {
      const listener = await listenUdp((connection) => accepted.push(connection), { secretKey })
      const dialed = await dialUdp(listener.url, { secretKey: new Uint8Array(32).fill(8) })()
      await until(() => accepted.length > urls.length, 'a connection')
      urls.push(parseUdpUrl(listener.url).key!.join())
      expect((dialed as UdpConnection).remoteKey.join()).toBe(urls[0])
      dialed.close(1000, '')
      await listener.close()
    }
    expect(urls[0]).toBe(urls[1])
    const [first, second] = accepted as UdpConnection[]
    expect(first!.remoteKey).toEqual(second!.remoteKey)
  })

  test('nothing listens: the dial fails as refused, long before its time', async () => {
    const { port } = (await deafPort()).address()
    await open.pop()!.close()
    const dial = dialUdp(`udp://127.0.0.1:${port}`, { timeoutMs: 60_000 })
    await expect(dial()).rejects.toMatchObject({ code: 'SS_CONNECT_REFUSED' })
  })

  test('nobody answers: timeout', async () => {
    const { port } = (await deafPort()).address()
    const dial = dialUdp(`udp://127.0.0.1:${port}`, { timeoutMs: 100 })
    await expect(dial()).rejects.toMatchObject({ code: 'SS_CONNECT_TIMEOUT' })
  })

  test('an aborted dial ends at once, before and during', async () => {
    const { port } = (await deafPort()).address()
    const dial = dialUdp(`udp://127.0.0.1:${port}`)
    await expect(dial(AbortSignal.abort())).rejects.toMatchObject({ code: 'SS_CONNECT_ABORTED' })
    const controller = new AbortController()
    const during = dial(controller.signal)
    const outcome = expect(during).rejects.toMatchObject({ code: 'SS_CONNECT_ABORTED' })
    await pauseMs(20)
    controller.abort()
    await outcome
    const atOnce = new AbortController()
    const early = expect(dial(atOnce.signal)).rejects.toMatchObject({ code: 'SS_CONNECT_ABORTED' })
    atOnce.abort()
    await early
  })

  test('a name that does not exist is unreachable', async () => {
    const dial = dialUdp('udp://no-such-host.invalid:7777', { trustUnknownKey: true })
    await expect(dial()).rejects.toMatchObject({ code: 'SS_CONNECT_UNREACHABLE' })
  })

  test('T-13 another protocol is rejected, with the close code in the message', async () => {
    const listener = keep(await listenUdp(keepConnection, { protocol: 3 }))
    const outcome = expect(dialUdp(listener.url)()).rejects
    await outcome.toMatchObject({
      code: 'SS_CONNECT_REJECTED',
      message: expect.stringContaining('4004'),
    })
  })

  test('T-14 a ticket opens the door, and the relay reads what it says', async () => {
    const ticketKey = new Uint8Array(32).fill(2)
    const accepted: Connection[] = []
    const listener = keep(
      await listenUdp((connection) => accepted.push(keepConnection(connection)), { ticketKey }),
    )
    const ticket = issueTicket(ticketKey, {
      id: new Uint8Array(16).fill(1),
      expiresAtMs: Date.now() + 60_000,
      data: Uint8Array.of(4, 2),
    })
    keepConnection(await dialUdp(listener.url, { ticket })())
    await until(() => accepted.length === 1, 'a connection')
    expect((accepted[0] as UdpConnection).ticketData).toEqual(Uint8Array.of(4, 2))
    await expect(dialUdp(listener.url, { timeoutMs: 200 })()).rejects.toMatchObject({
      code: 'SS_CONNECT_TIMEOUT',
    })
  })

  test('misuse is told at once', () => {
    const key = `#key=${'A'.repeat(43)}`
    expect(() => dialUdp('udp://relay.example:7777')).toThrow('trustUnknownKey')
    for (const url of [
      'ws://x:1',
      'udp://x',
      'udp://x:0/',
      `udp://x:1/path${key}`,
      'udp://x:1/#key=abc',
      `udp://x:1/?a${key}`,
      `udp://x:1/#key=${'A'.repeat(42)}B`,
      'nonsense',
      `udp://u@x:1/${key}`,
    ]) {
      expect(() => dialUdp(url, { trustUnknownKey: true }), url).toThrow(
        expect.objectContaining({ code: 'SS_BAD_ARGUMENT' }),
      )
    }
    const url = `udp://relay.example:7777/${key}`
    expect(() => dialUdp(url, { secretKey: new Uint8Array(5) })).toThrow('32')
    expect(() => dialUdp(url, { ticket: new Uint8Array(257) })).toThrow('256')
    expect(() => dialUdp(url, { timeoutMs: 0 })).toThrow('0 ms')
    expect(parseUdpUrl('udp://[2001:db8::1]:9/')).toEqual({
      host: '2001:db8::1',
      port: 9,
      key: undefined,
    })
    expect(parseUdpUrl(formatUdpUrl({ host: '::1', port: 9, key: new Uint8Array(32) })).host).toBe(
      '::1',
    )
  })
})

describe('listening', () => {
  test('a port that is taken, an address of nobody, and a bad key are refused', async () => {
    const { port } = (await deafPort()).address()
    await expect(listenUdp(keepConnection, { port })).rejects.toMatchObject({
      code: 'SS_CANNOT_LISTEN',
    })
    await expect(listenUdp(keepConnection, { host: '203.0.113.1' })).rejects.toMatchObject({
      code: 'SS_CANNOT_LISTEN',
    })
    for (const bad of [70_000, -1, 0.5, Number.NaN]) {
      await expect(listenUdp(keepConnection, { port: bad })).rejects.toThrow('65535')
    }
    await expect(listenUdp(keepConnection, { secretKey: new Uint8Array(1) })).rejects.toThrow('32')
    await expect(listenUdp(keepConnection, { ticketKey: new Uint8Array(1) })).rejects.toThrow('32')
  })

  test('after close nobody comes in, those inside stay, and the port is free when the last is gone', async () => {
    const accepted: Connection[] = []
    const listener = await listenUdp((connection) => accepted.push(connection))
    const a = new Recorder(await dialUdp(listener.url)())
    await until(() => accepted.length === 1, 'a connection')
    const b = new Recorder(accepted[0]!)
    await listener.close()
    await expect(dialUdp(listener.url, { timeoutMs: 200 })()).rejects.toMatchObject({
      code: 'SS_CONNECT_TIMEOUT',
    })
    a.send(Uint8Array.of(1))
    await b.heard(Uint8Array.of(1))
    a.close(1000, '')
    await b.ended()
    const { port } = parseUdpUrl(listener.url)
    await pauseMs(10)
    const next = keep(await listenUdp(keepConnection, { port }))
    expect(parseUdpUrl(next.url).port).toBe(port)
  })

  test('over IPv6 as well', async () => {
    const listener = keep(await listenUdp(keepConnection, { host: '::1' }))
    expect(listener.url).toMatch(/^udp:\/\/\[::1\]:/)
    const dialed = keepConnection(await dialUdp(listener.url)())
    expect(dialed.remote).toMatch(/^\[::1\]:/)
  })

  test('garbage from a real socket is counted and changes nothing', async () => {
    const listener = keep(await listenUdp(keepConnection))
    const socket = await deafPort()
    const { port } = parseUdpUrl(listener.url)
    for (const size of [0, 1, 31, 1_231, 1_232, 1_233, 9_000])
      socket.send(new Uint8Array(size).fill(3), port, '127.0.0.1')
    await until(() => [...listener.counters.entries()].some(([, count]) => count >= 3), 'drops')
    expect(
      (await dialUdp(listener.url)()) && listener.counters.get('drop.malformed'),
    ).toBeGreaterThanOrEqual(3)
  })
})

/** A socket of which everything can go wrong. */
class BrokenSocket extends EventEmitter {
  queue = 0
  sent = 0
  closes = 0
  failure: (() => Error) | undefined
  thrown: (() => Error) | undefined

  send(_bytes: Uint8Array, ...rest: unknown[]): void {
    if (this.thrown) throw this.thrown()
    this.sent++
    const onSent = rest.at(-1) as (error: Error | null) => void
    onSent(this.failure?.() ?? null)
  }

  close(onClosed?: () => void): void {
    this.closes++
    onClosed?.()
  }

  unref(): void {}

  getSendQueueSize(): number {
    return this.queue
  }
}

const failure = (code: string) => () => Object.assign(new Error(code), { code })

describe('F-23 sockets that fail', () => {
  const make = () => {
    const broken = new BrokenSocket()
    const counters = new UdpCounters()
    const told: string[] = []
    const socket = new UdpSocket(
      broken as unknown as NodeSocket,
      {
        handleDatagram: () => {},
        handleRefused: () => told.push('refused'),
        handleBroken: (reason) => told.push(`broken ${reason}`),
      },
      counters,
    )
    return { broken, counters, told, socket }
  }

  test.each(['ENOBUFS', 'EAGAIN', 'EMSGSIZE', 'EPERM', 'ENETUNREACH'])(
    '%s loses the datagram and nothing else',
    (code) => {
      const { broken, counters, told, socket } = make()
      broken.failure = failure(code)
      socket.send(Uint8Array.of(1), { address: '192.0.2.1', port: 1 })
      broken.failure = undefined
      broken.thrown = failure(code)
      socket.send(Uint8Array.of(1))
      broken.emit('error', failure(code)())
      expect(counters.get(`error.${code}`)).toBe(3)
      expect(told).toEqual([])
      expect(broken.closes).toBe(0)
    },
  )

  test('a refusal is told, and is no end', () => {
    const { broken, told } = make()
    broken.emit('error', failure('ECONNREFUSED')())
    expect(told).toEqual(['refused'])
    expect(broken.closes).toBe(0)
  })

  test('errors of sending never close the socket, however many', () => {
    const { broken, counters, told, socket } = make()
    broken.failure = failure('ENETUNREACH')
    for (let count = 0; count < 5_000; count++) socket.send(Uint8Array.of(1))
    expect(counters.get('error.ENETUNREACH')).toBe(5_000)
    expect([told, broken.closes]).toEqual([[], 0])
  })

  test('refusals never close the socket: others decide how many there are', () => {
    const { broken, told } = make()
    for (let count = 0; count < 3 * receiveErrorsPerSecondMax; count++) {
      broken.emit('error', failure('ECONNREFUSED')())
    }
    expect([told.length, broken.closes]).toEqual([3 * receiveErrorsPerSecondMax, 0])
  })

  test('errors of receiving without end close the socket instead of spinning', () => {
    const { broken, counters, told, socket } = make()
    for (let count = 0; count < 3 * receiveErrorsPerSecondMax; count++)
      broken.emit('error', failure('EIO')())
    expect(told).toEqual(['broken EIO'])
    expect(broken.closes).toBe(1)
    expect(counters.get('error.EIO')).toBe(3 * receiveErrorsPerSecondMax)
    const before = broken.sent
    socket.send(Uint8Array.of(1))
    socket.close()
    expect([broken.sent, broken.closes, socket.queueBytes]).toEqual([before, 1, 0])
  })

  test('a descriptor that is none any more is told at once, by either direction', () => {
    const receiving = make()
    receiving.broken.emit('error', failure('EBADF')())
    expect(receiving.told).toEqual(['broken EBADF'])
    const sending = make()
    sending.broken.thrown = failure('ERR_SOCKET_DGRAM_NOT_RUNNING')
    sending.socket.send(Uint8Array.of(1))
    sending.socket.send(Uint8Array.of(1))
    expect(sending.told).toEqual(['broken ERR_SOCKET_DGRAM_NOT_RUNNING'])
  })

  test('a full queue of the system loses what comes on top', () => {
    const { broken, counters, socket } = make()
    broken.queue = socketQueueBytesMax + 1
    socket.send(Uint8Array.of(1))
    expect([broken.sent, counters.get('error.queue')]).toEqual([0, 1])
    broken.queue = 0
    socket.send(Uint8Array.of(1))
    expect(broken.sent).toBe(1)
  })

  test('errors that are no errors are survived', () => {
    const { broken, counters } = make()
    for (const nonsense of [undefined, null, 'text', 7, {}]) broken.emit('error', nonsense)
    expect(counters.get('error.unknown')).toBe(5)
  })

  test('T-09 T-10 a router dies under a session and comes back with another port: the session goes on', async () => {
    const accepted: Connection[] = []
    const listener = keep(
      await listenUdp((connection) => accepted.push(keepConnection(connection))),
    )
    const { port, key } = parseUdpUrl(listener.url)
    const router = await openRouter(port)
    const url = formatUdpUrl({ host: '127.0.0.1', port: router.port, key })
    const dialed = keepConnection(await dialUdp(url)())
    const a = new Recorder(dialed)
    await until(() => accepted.length === 1, 'a connection')
    const b = new Recorder(accepted[0]!)
    await router.close()
    // The system says ECONNREFUSED to each of these.
    for (let count = 0; count < 10; count++) {
      a.send(Uint8Array.of(1))
      await pauseMs(3)
    }
    expect([a.ends, b.packets]).toEqual([[], []])
    const before = accepted[0]!.remote
    const again = await openRouter(port, router.port)
    while (accepted[0]!.remote === before) {
      a.send(Uint8Array.of(2))
      await pauseMs(5)
    }
    b.send(Uint8Array.of(3))
    await a.heard(Uint8Array.of(3))
    expect([a.ends, b.ends, listener.counters.get('rebind')]).toEqual([[], [], 1])
    await again.close()
  })
})

/** Forwards datagrams of one client to a port and back, from a port of its own. */
async function openRouter(
  target: number,
  port = 0,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const inside = createSocket('udp4')
  const outside = createSocket('udp4')
  let client = 0
  inside.on('message', (bytes, from) => {
    client = from.port
    outside.send(bytes, target, '127.0.0.1')
  })
  outside.on('message', (bytes) => inside.send(bytes, client, '127.0.0.1'))
  await new Promise<void>((resolve) => inside.bind(port, '127.0.0.1', resolve))
  await new Promise<void>((resolve) => outside.bind(0, '127.0.0.1', resolve))
  return {
    port: inside.address().port,
    async close() {
      await new Promise<void>((resolve) => inside.close(resolve))
      await new Promise<void>((resolve) => outside.close(resolve))
    },
  }
}
