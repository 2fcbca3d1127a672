/** A port over real sockets that break, and come back. */
import { createSocket, type Socket } from 'node:dgram'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Connection } from '../connection.ts'
import { Recorder, until } from '../testing/recorder.ts'
import { dialUdp, listenUdp, type UdpListener, type UdpTrouble } from './index.ts'
import { reopenMsMin } from './limits.ts'
import { parseUdpUrl } from './udp-url.ts'

/** Every socket that was made, in sequence. */
const made = vi.hoisted(() => ({ sockets: [] as Socket[] }))
vi.mock('node:dgram', async (original) => {
  const real = await original<typeof import('node:dgram')>()
  const createSocket = (options: never) => {
    const socket = real.createSocket(options)
    made.sockets.push(socket)
    return socket
  }
  return { ...real, createSocket }
})

let listener: UdpListener
let troubles: UdpTrouble[]
let faults: unknown[]
let ends: (() => void)[] = []
afterEach(async () => {
  for (const end of ends) end()
  ends = []
  made.sockets.length = 0
  await listener.close()
})

/** A listener and a client that speak with each other; the first socket is the listener's. */
async function open(accept: (connection: Connection) => void = () => {}) {
  const accepted: Connection[] = []
  troubles = []
  faults = []
  listener = await listenUdp(
    (connection) => {
      accepted.push(connection)
      accept(connection)
    },
    {
      onTrouble: (trouble) => troubles.push(trouble),
      onFault: (error) => faults.push(error),
    },
  )
  const dialled = await dialUdp(listener.url)()
  ends.push(() => dialled.close(1000, ''))
  await until(() => accepted.length === 1, 'a connection')
  return { connection: accepted[0]!, dialled, socket: made.sockets[0]! }
}

/** Sends until it is heard: what is sent while the port is closed is lost. */
async function speak(from: Recorder, to: Recorder, byte: number): Promise<void> {
  await until(() => {
    from.send(Uint8Array.of(byte))
    return to.packets.some(([first]) => first === byte)
  }, `packet ${byte}`)
}

describe('a port that breaks', () => {
  test.each([
    ['receives an error', (socket: Socket) => socket.emit('error', { code: 'EBADF' })],
    ['is closed by somebody else', (socket: Socket) => socket.close()],
  ])('because its socket %s is opened again, and sessions go on', async (_, breakSocket) => {
    const { connection, dialled, socket } = await open()
    const [a, b] = [new Recorder(dialled), new Recorder(connection)]
    await speak(a, b, 1)
    breakSocket(socket)
    await speak(a, b, 2)
    await speak(b, a, 3)
    expect([a.ends, b.ends, faults]).toEqual([[], [], []])
    expect(troubles.map(({ type }) => type)).toEqual(['broken', 'reopened'])
    expect([listener.counters.get('broken'), listener.counters.get('reopened')]).toEqual([1, 1])
    expect(made.sockets.at(-1)!.address().port).toBe(parseUdpUrl(listener.url).port)
  })

  test('waits while the system does not give it back', async () => {
    const { connection, dialled, socket } = await open()
    const [a, b] = [new Recorder(dialled), new Recorder(connection)]
    await speak(a, b, 1)
    const { port } = parseUdpUrl(listener.url)
    // Takes the port in the moment in which it is free.
    const thief = createSocket('udp4')
    await new Promise<void>((resolve) => {
      socket.once('close', () => thief.bind(port, '127.0.0.1', resolve))
      socket.close()
    })
    await until(() => troubles.some(({ type }) => type === 'unavailable'), 'the word of it')
    expect(troubles).toContainEqual({ type: 'unavailable', code: 'EADDRINUSE', retryMs: 200 })
    await new Promise<void>((resolve) => thief.close(() => resolve()))
    await speak(a, b, 2)
    expect([a.ends, b.ends]).toEqual([[], []])
  })

  test('can be closed meanwhile, and does not come back', async () => {
    listener = await listenUdp(() => {}, { onTrouble: (trouble) => troubles.push(trouble) })
    troubles = []
    made.sockets[0]!.close()
    await until(() => troubles.length === 1, 'the word of it')
    await listener.close()
    await listener.freed
    await new Promise((resolve) => setTimeout(resolve, 2 * reopenMsMin))
    expect(made.sockets).toHaveLength(1)
  })
})

test('datagrams that cannot be sent are lost, counted and told now and then', async () => {
  const { connection, dialled, socket } = await open()
  const [a, b] = [new Recorder(dialled), new Recorder(connection)]
  const { send } = socket
  const failing = (...args: unknown[]) => {
    const onSent = args.at(-1) as (error: unknown) => void
    onSent(Object.assign(new Error('no way'), { code: 'ENETUNREACH' }))
  }
  socket.send = failing as typeof send
  for (let count = 0; count < 3_000; count++) b.send(Uint8Array.of(1))
  expect(listener.counters.get('error.ENETUNREACH')).toBe(3_000)
  expect(troubles).toEqual([{ type: 'unsent', code: 'ENETUNREACH', count: 1 }])
  socket.send = send
  await speak(b, a, 2)
  expect([a.ends, b.ends]).toEqual([[], []])
})

describe('what our own code throws', () => {
  test('while it takes a connection ends that one, and is told', async () => {
    const { dialled } = await open(() => {
      throw new Error('ours')
    })
    const a = new Recorder(dialled)
    expect((await a.ended()).code).toBe(4001)
    expect(faults).toEqual([new Error('ours')])
  })

  test('while it hears a packet or an end goes no further', async () => {
    const { connection, dialled } = await open()
    connection.open({
      handlePacket: () => {
        throw new Error('a packet')
      },
      handleClosed: () => {
        throw new Error('an end')
      },
    })
    const a = new Recorder(dialled)
    a.send(Uint8Array.of(1))
    expect((await a.ended()).code).toBe(4001)
    await until(() => faults.length === 2, 'both faults')
    expect(faults).toEqual([new Error('a packet'), new Error('an end')])
  })
})
