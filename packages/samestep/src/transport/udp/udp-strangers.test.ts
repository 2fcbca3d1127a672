/** Whole handshakes by the hundred: what one address may have of them, and what is left for others. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import type { Connection } from '../connection.ts'
import { strangersPerBlockMax } from '../node/websocket-limits.ts'
import { until } from '../testing/recorder.ts'
import { dialUdp, listenUdp } from './index.ts'
import { handshakeBudget, handshakeMs, repeatBudget } from './limits.ts'
import { seededBytes, serverAddress, UdpWorld } from './testing/udp-world.ts'
import { UdpClient } from './udp-client.ts'
import { kinds, type UdpAddress } from './udp-format.ts'
import { parseUdpUrl } from './udp-url.ts'

/** How many Diffie-Hellmans anybody has computed. */
const work = vi.hoisted(() => ({ agreements: 0 }))
vi.mock('node:crypto', async (original) => {
  const real = await original<typeof import('node:crypto')>()
  const diffieHellman: typeof real.diffieHellman = (keys) => {
    work.agreements++
    return real.diffieHellman(keys)
  }
  return { ...real, diffieHellman }
})

const attacker = (port: number) => ({ address: '192.0.2.66', port })

describe('strangers of one address', () => {
  test('have so many places until they join, and who waits gets in when one is free', () => {
    const world = new UdpWorld()
    world.joins = false
    for (let port = 1; port <= 24; port++) world.addClient({}, attacker(port))
    world.run(1_000)
    expect(world.accepted.length).toBe(strangersPerBlockMax)
    expect(world.server.counters.get('drop.group')).toBeGreaterThan(0)
    world.server.markKnown(world.accepted[0]!)
    world.server.markKnown(world.accepted[0]!)
    world.server.close(world.accepted[1]!, { code: 1000, reason: '' }, world.nowMs)
    world.run(handshakeMs - 1_001)
    expect(world.accepted.length).toBe(strangersPerBlockMax + 2)
    expect(world.server.strangerCount).toBe(strangersPerBlockMax)
  })

  test('keep their places for as long as their sessions last, and not longer', () => {
    const world = new UdpWorld(1, { silenceMsMax: 20_000 })
    world.joins = false
    for (let port = 1; port <= strangersPerBlockMax; port++) world.addClient({}, attacker(port))
    world.run(handshakeMs * 2)
    expect([world.server.halfOpenCount, world.server.strangerCount]).toEqual([
      0,
      strangersPerBlockMax,
    ])
    world.isLost = () => true
    world.run(20_000)
    expect([world.server.sessionCount, world.server.strangerCount]).toEqual([0, 0])
  })

  test('may be another number', () => {
    const world = new UdpWorld(1, { strangersPerAddress: 3 })
    world.joins = false
    for (let port = 1; port <= 9; port++) world.addClient({}, attacker(port))
    world.run(1_000)
    expect(world.accepted.length).toBe(3)
  })
})

describe('T-04: a flood of whole handshakes', () => {
  let seed = 1

  /** Comes in and leaves at once, again and again, within one moment. */
  const churn = (world: UdpWorld, address: string, times: number): void => {
    for (let port = 1; port <= times; port++) {
      const random = seededBytes(seed++, address)
      const options = { server: serverAddress, serverKey: world.publicKey, protocol: 1, random }
      handshakeNow(world, new UdpClient(options, world.nowMs), { address, port })
    }
  }

  test('of one address is computed so often in a second, although each leaves at once', () => {
    const world = new UdpWorld()
    // Hellos have a limit of their own, which is the same within 100 ms.
    for (let round = 0; round < 3; round++) {
      churn(world, '192.0.2.66', 40)
      world.run(200)
    }
    expect(world.server.counters.get('accepted')).toBe(handshakeBudget.perAddress)
    expect(world.server.counters.get('drop.handshakes')).toBeGreaterThan(0)
    world.run(handshakeBudget.windowMs)
    churn(world, '192.0.2.66', 40)
    expect(world.server.counters.get('accepted')).toBe(2 * handshakeBudget.perAddress)
    world.run(handshakeMs)
    expect([world.server.sessionCount, world.server.strangerCount]).toEqual([0, 0])
  })

  test('of some addresses leaves a share to those who want one', () => {
    const world = new UdpWorld()
    // Within one window: a dozen addresses want everything.
    for (let host = 1; host <= 12; host++) churn(world, `192.0.2.${host}`, 40)
    const taken = world.server.counters.get('accepted')
    expect(taken).toBeLessThanOrEqual(handshakeBudget.total - handshakeBudget.reserved + 24)
    expect(world.server.counters.get('drop.handshakes')).toBeGreaterThan(0)
    const honest = Array.from({ length: 20 }, (_, at) =>
      world.addClient({}, { address: `198.51.100.${100 + at}`, port: 7 }),
    )
    world.run(100)
    expect(honest.every(({ session }) => session?.state === 'open')).toBe(true)
  })

  test('costs no Diffie-Hellman above the budget, and its own honest clients get in behind it', () => {
    const world = new UdpWorld()
    const clients = Array.from({ length: 120 }, (_, at) =>
      world.addClient({}, { address: '192.0.2.66', port: 1 + at }),
    )
    work.agreements = 0
    world.run(900)
    // Four of ours for each, and two of the client's.
    expect(work.agreements).toBeLessThanOrEqual(6 * handshakeBudget.perAddress)
    world.run(handshakeMs - 901)
    const open = clients.filter(({ session }) => session?.state === 'open').length
    expect(open).toBe(120)
  })

  test('over real sockets: one address gets its places, another one a link at once', async () => {
    const accepted: Connection[] = []
    const listener = await listenUdp((connection) => accepted.push(connection))
    const { port, key } = parseUdpUrl(listener.url)
    const sockets = await Promise.all(
      Array.from({ length: 40 }, () => openStranger('127.0.0.2', port, key!)),
    )
    await until(() => listener.counters.get('drop.group') > 20, 'strangers without a place')
    const honest = await dialUdp(listener.url)()
    honest.open({ handlePacket() {}, handleClosed() {} })
    honest.send(Uint8Array.of(1))
    const ofUs = () => accepted.filter(({ remote }) => remote.startsWith('127.0.0.1:'))
    await until(() => ofUs().length === 1, 'the honest one')
    expect(accepted.length).toBe(strangersPerBlockMax + 1)
    honest.close(1000, '')
    for (const { socket, timer } of sockets) {
      clearInterval(timer)
      socket.close()
    }
    for (const connection of accepted) connection.close(1000, '')
    await listener.close()
  })
})

test('a repeated INIT of XX is answered so often in 100 ms, whatever it asks for', () => {
  const world = new UdpWorld()
  world.isLost = ({ bytes }) => bytes[0] === kinds.accept
  world.addStranger()
  world.run(40)
  const init = world.log.find(({ bytes }) => bytes[0] === kinds.init)!
  let answers = 0
  for (let round = 0; round < 500; round++) answers += world.poke(init.bytes, init.from).length
  expect(answers).toBeLessThanOrEqual(repeatBudget.perAddress)
  expect(world.server.counters.get('drop.flood')).toBeGreaterThan(400)
  world.run(100)
  expect(world.poke(init.bytes, init.from).length).toBe(1)
})

test('a FINISH with a good key and a bad rest is computed so often in 100 ms', () => {
  const world = new UdpWorld()
  world.isLost = ({ bytes }) => bytes[0] === kinds.finish
  const stranger = world.addStranger()
  world.run(60)
  const finish = Uint8Array.from(world.log.find(({ bytes }) => bytes[0] === kinds.finish)!.bytes)
  finish[finish.length - 1]! ^= 1
  work.agreements = 0
  for (let round = 0; round < 500; round++) world.poke(finish, stranger.address)
  expect(work.agreements).toBeLessThanOrEqual(repeatBudget.perAddress)
  world.isLost = () => false
  world.run(1_000)
  expect(world.accepted.length).toBe(1)
})

/** Lets a client and the server of a world speak until both are silent, without time passing. */
function handshakeNow(world: UdpWorld, client: UdpClient, from: UdpAddress): void {
  for (let step = 0; step < 6; step++) {
    for (let next = client.pollOutput(); next; next = client.pollOutput()) {
      if (next.type !== 'transmit') continue
      for (const { bytes } of world.poke(next.bytes, from)) {
        client.handleDatagram(bytes, serverAddress, world.nowMs)
      }
    }
    if (step === 3) client.close({ code: 1000, reason: '' }, world.nowMs)
  }
}

/** A client of another address of this machine, which never joins. */
async function openStranger(
  host: string,
  port: number,
  serverKey: Uint8Array,
): Promise<{ readonly socket: Socket; readonly timer: ReturnType<typeof setInterval> }> {
  const socket = createSocket('udp4')
  socket.bind(0, host)
  await once(socket, 'listening')
  const server = { address: '127.0.0.1', port }
  const random = seededBytes(socket.address().port)
  const client = new UdpClient({ server, serverKey, protocol: 1, random }, performance.now())
  const drain = () => {
    for (let next = client.pollOutput(); next; next = client.pollOutput()) {
      if (next.type === 'transmit') socket.send(next.bytes, port, '127.0.0.1')
    }
  }
  socket.on('message', (bytes, from) => {
    client.handleDatagram(new Uint8Array(bytes), from, performance.now())
    drain()
  })
  const timer = setInterval(() => {
    client.handleTime(performance.now())
    drain()
  }, 20)
  drain()
  return { socket, timer }
}
