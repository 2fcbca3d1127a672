import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { Prng } from '../../base/prng.ts'
import { strangersPerBlockMax } from '../node/websocket-limits.ts'
import { NoiseHandshake } from './crypto/noise-handshake.ts'
import { makeKeyPair } from './crypto/x25519.ts'
import { cookieLifeMs, handshakeMs, helloBytes } from './limits.ts'
import {
  clientAddress,
  type Flight,
  seededBytes,
  serverAddress,
  UdpWorld,
} from './testing/udp-world.ts'
import { prologue, readChallenge, writeClientPayload, writeHello, writeInit } from './udp-format.ts'

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
beforeEach(() => {
  work.agreements = 0
})

const here = clientAddress(1)

/** Gets a cookie for an ephemeral key from an address, as an honest client would. */
function getCookie(world: UdpWorld, ephemeral: Uint8Array, from = here): Uint8Array {
  const [answer] = world.poke(writeHello(ephemeral), from)
  return readChallenge(answer!.bytes, ephemeral)!
}

/** A well-formed INIT of IK, made by hand. */
function makeInit(world: UdpWorld, seed: number, from = here, claim = { protocol: 1 }) {
  const random = seededBytes(seed, 'init')
  const localEphemeral = makeKeyPair(random(32))
  const noise = new NoiseHandshake({
    pattern: 'IK',
    role: 'initiator',
    prologue,
    localStatic: makeKeyPair(random(32)),
    localEphemeral,
    remoteStatic: world.publicKey,
  })
  const message = noise.writeMessage(writeClientPayload({ ticket: new Uint8Array(0), ...claim }))!
  const ephemeral = localEphemeral.publicKey
  const init = writeInit('IK', getCookie(world, ephemeral, from), message)
  return { init, message, ephemeral }
}

describe('both patterns lead to a session', () => {
  test.each(['IK', 'XX'] as const)('%s: packets go both ways, and both know who', (pattern) => {
    const world = new UdpWorld()
    const secret = seededBytes(5)(32)
    const key = makeKeyPair(secret)
    const client = pattern === 'IK' ? world.addClient({ key }) : world.addStranger({ key })
    world.run(200)
    const [session] = world.accepted
    expect(client.session?.remoteKey).toEqual(world.publicKey)
    expect(session?.remoteKey).toEqual(key.publicKey)
    client.client.send(Uint8Array.of(1, 2), world.nowMs)
    world.server.send(session!, Uint8Array.of(3, 4), world.nowMs)
    world.run(50)
    expect(world.heardBy(session)).toEqual([Uint8Array.of(1, 2)])
    expect(client.heard).toEqual([Uint8Array.of(3, 4)])
    expect(world.server.halfOpenCount).toBe(0)
  })

  test.each(['IK', 'XX'] as const)('%s: whatever is lost, once, the session begins', (pattern) => {
    for (let lost = 0; lost < 8; lost++) {
      const world = new UdpWorld()
      let count = 0
      world.isLost = () => count++ === lost
      const client = pattern === 'IK' ? world.addClient() : world.addStranger()
      world.run(2_000)
      expect([lost, world.accepted.length, client.failure]).toEqual([lost, 1, undefined])
      world.isLost = () => false
      client.client.send(Uint8Array.of(1), world.nowMs)
      world.run(50)
      expect(world.heardBy(world.accepted[0])).toEqual([Uint8Array.of(1)])
    }
  })

  test.each(['IK', 'XX'] as const)(
    '%s: when three in ten are lost, every dial ends and none is doubled',
    (pattern) => {
      let opened = 0
      for (let seed = 1; seed <= 40; seed++) {
        const world = new UdpWorld(seed * 100)
        const prng = new Prng(seed, 'loss')
        world.isLost = () => prng.chance(0.3)
        const client = pattern === 'IK' ? world.addClient() : world.addStranger()
        world.run(7_000)
        expect(client.session !== undefined || client.failure !== undefined).toBe(true)
        expect(world.accepted.length).toBeLessThanOrEqual(1)
        opened += world.accepted.length
      }
      expect(opened).toBeGreaterThanOrEqual(38)
    },
  )

  test.each(['IK', 'XX'] as const)(
    '%s: once both know of each other, nothing more is said',
    (pattern) => {
      const world = new UdpWorld()
      if (pattern === 'IK') world.addClient()
      else world.addStranger()
      world.run(240)
      const before = world.log.length
      world.run(5_000)
      expect(world.log.length).toBe(before)
    },
  )

  test.each(['IK', 'XX'] as const)(
    '%s: a cookie that got old while answers were lost is renewed',
    (pattern) => {
      const world = new UdpWorld()
      const startMs = world.nowMs
      const isAnswer = ({ from, bytes }: Flight) => from === serverAddress && bytes[0] !== 2
      world.isLost = (flight) => isAnswer(flight) && world.nowMs < startMs + 4_100
      const client = pattern === 'IK' ? world.addClient() : world.addStranger()
      world.run(handshakeMs - 1)
      expect(client.session?.state).toBe('open')
      expect(world.log.filter(({ bytes }) => bytes[0] === 1).length).toBeGreaterThan(1)
    },
  )

  test('nobody answers: the dial ends after its time, with nothing left to do', () => {
    const world = new UdpWorld()
    world.isLost = ({ to }) => to === serverAddress
    const client = world.addClient()
    world.run(handshakeMs - 1)
    expect(client.failure).toBeUndefined()
    world.run(1)
    expect(client.failure).toEqual({ code: undefined })
    expect(client.client.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
    // Retries slow down: 0, 250, 750, 1 750, 2 750, 3 750, 4 750 ms.
    expect(world.log.length).toBe(7)
  })

  test('answers that somebody forges do not keep the real ones from being heard', () => {
    const world = new UdpWorld()
    const client = world.addClient()
    for (const kind of [2, 4, 6, 0x80]) {
      for (const size of [1, 18, 31, 80, 112, 1_232]) {
        client.client.handleDatagram(new Uint8Array(size).fill(kind), serverAddress, world.nowMs)
      }
    }
    world.run(100)
    expect(world.accepted.length).toBe(1)
    expect(client.failure).toBeUndefined()
  })
})

describe('T-01 a hello keeps nothing', () => {
  test('a quarter of a million from random sources leave less than a byte each, and all tables as before', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const world = new UdpWorld()
    const hello = writeHello(new Uint8Array(32).fill(9))
    const prng = new Prng(1, 'sources')
    const flood = (count: number) => {
      for (let index = 0; index < count; index++) {
        hello[2 + (index & 31)] = index & 255
        const word = prng.u32()
        const address = `${word >>> 24}.${(word >>> 16) & 255}.${(word >>> 8) & 255}.${word & 255}`
        world.server.handleDatagram(hello, { address, port: 1 + (word & 0x7fff) }, 1_000)
        // What is answered is the network's, as a socket would have it.
        world.server.pollOutput()
      }
    }
    flood(20_000)
    collect()
    const before = process.memoryUsage().heapUsed
    flood(250_000)
    collect()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(262_144)
    expect([world.server.sessionCount, world.server.halfOpenCount]).toEqual([0, 0])
    expect(world.server.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
    expect(work.agreements).toBe(0)
  })
})

describe('T-02 I-15 nobody unproved gets more than it sent', () => {
  test('a hello shorter than its full size is dropped, at every length', () => {
    const world = new UdpWorld()
    const hello = writeHello(new Uint8Array(32).fill(9))
    for (let size = 0; size < helloBytes; size++) {
      expect(world.poke(hello.subarray(0, size), here)).toEqual([])
    }
    const [answer, ...more] = world.poke(hello, here)
    expect(more).toEqual([])
    expect(answer!.bytes.length).toBeLessThanOrEqual(64)
  })

  test('whatever an address sends without a cookie, it gets at most as many bytes, each time', () => {
    const world = new UdpWorld()
    world.addClient()
    world.run(500)
    const seeds = world.log.map(({ bytes }) => bytes)
    const prng = new Prng(3, 'amplification')
    for (let round = 0; round < 4_000; round++) {
      const bytes = Uint8Array.from(prng.pick(seeds))
      const from = { address: `192.0.2.${1 + prng.below(250)}`, port: 1 + prng.below(65_535) }
      if (prng.chance(0.7)) bytes[prng.below(bytes.length)] = prng.below(256)
      const sent = bytes.subarray(0, prng.chance(0.2) ? prng.below(bytes.length) : bytes.length)
      const answers = world.poke(sent, from).filter(({ to }) => to.address === from.address)
      const total = answers.reduce((sum, answer) => sum + answer.bytes.length, 0)
      expect(total).toBeLessThanOrEqual(sent.length)
    }
  })
})

describe('T-03 cookies at the door', () => {
  test('a stolen or old cookie is dropped without an answer', () => {
    const world = new UdpWorld()
    const { init } = makeInit(world, 1)
    expect(world.poke(init, clientAddress(2))).toEqual([])
    world.run(cookieLifeMs + 1)
    expect(world.poke(init, here)).toEqual([])
    expect(world.server.counters.get('drop.cookie')).toBe(2)
    expect(world.server.halfOpenCount).toBe(0)
  })
})

describe('T-04 nothing dear before a good cookie', () => {
  test('thousands of bad messages compute no Diffie-Hellman', () => {
    const world = new UdpWorld()
    const { init } = makeInit(world, 1)
    work.agreements = 0
    const prng = new Prng(1, 'bad')
    for (let round = 0; round < 5_000; round++) {
      const bad = Uint8Array.from(init)
      // Anything but the message behind the key, which the cookie does not cover.
      bad[1 + prng.below(23 + 32)]! ^= 1 + prng.below(255)
      expect(world.poke(bad, here)).toEqual([])
    }
    expect(work.agreements).toBe(0)
    expect(world.poke(init, here).length).toBe(1)
    expect(work.agreements).toBe(4)
  })

  test('with good cookies, one household computes 16 times in five seconds', () => {
    const world = new UdpWorld()
    const garble = (seed: number, from = here): Uint8Array => {
      const { init } = makeInit(world, seed, from)
      init[init.length - 1]! ^= 1
      return init
    }
    for (let seed = 1; seed <= 40; seed++) {
      expect(world.poke(garble(seed), here)).toEqual([])
      world.run(10)
    }
    expect(world.server.counters.get('drop.handshake')).toBe(strangersPerBlockMax)
    expect(world.server.counters.get('drop.group')).toBe(40 - strangersPerBlockMax)
    const honest = makeInit(world, 41)
    expect(world.poke(honest.init, here)).toEqual([])
    expect(world.poke(makeInit(world, 42, clientAddress(2)).init, clientAddress(2)).length).toBe(1)
    world.run(handshakeMs)
    expect(world.server.halfOpenCount).toBe(0)
    expect(world.poke(makeInit(world, 43).init, here).length).toBe(1)
  })

  test('IPv6 counts by networks of 56 bits', () => {
    const world = new UdpWorld()
    const from = (host: number) => ({
      address: `2001:db8:1:2${host.toString(16).padStart(2, '0')}::1`,
      port: 9,
    })
    for (let seed = 1; seed <= 20; seed++)
      world.poke(makeInit(world, seed, from(seed)).init, from(seed))
    expect(world.server.halfOpenCount).toBe(strangersPerBlockMax)
    const other = { address: '2001:db8:1:300::1', port: 9 }
    expect(world.poke(makeInit(world, 30, other).init, other).length).toBe(1)
  })

  test('handshakes that nobody goes on with are gone after five seconds, and nobody hears of them', () => {
    const world = new UdpWorld()
    for (let index = 0; index < 64; index++) {
      const from = { address: `10.9.${index}.1`, port: 1 + index }
      const { init } = makeInit(world, 1_000 + index, from)
      expect(world.poke(init, from).length).toBe(1)
    }
    expect(world.server.halfOpenCount).toBe(64)
    expect(world.server.sessionCount).toBe(64)
    world.run(handshakeMs)
    expect([world.server.halfOpenCount, world.server.sessionCount]).toEqual([0, 0])
    expect([world.accepted, world.ends]).toEqual([[], []])
    expect(world.server.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
  })

  test('a repeated message is answered with the same bytes for no work, and never twice a session', () => {
    const world = new UdpWorld()
    const { init } = makeInit(world, 1)
    const [first] = world.poke(init, here)
    work.agreements = 0
    const [second] = world.poke(init, here)
    expect(second!.bytes).toEqual(first!.bytes)
    expect(work.agreements).toBe(0)
    expect(world.server.sessionCount).toBe(1)
  })

  test('64 players behind one address come in at once: those who wait are let in by their retries', () => {
    const world = new UdpWorld()
    for (let index = 0; index < 64; index++)
      world.addClient({}, { address: '192.0.2.1', port: 5_000 + index })
    world.run(handshakeMs)
    expect(world.accepted.length).toBe(64)
  })
})

describe('T-05 keys that nobody honest has', () => {
  test('are dropped at the door, with nothing kept but the place in the line', () => {
    const world = new UdpWorld()
    const zero = new Uint8Array(32)
    expect(world.poke(writeInit('XX', getCookie(world, zero), zero), here)).toEqual([])
    const { init } = makeInit(world, 1)
    const cookie = getCookie(world, zero)
    const bad = Uint8Array.from(init)
    bad.set(cookie, 3)
    bad.fill(0, 24, 24 + 32)
    expect(world.poke(bad, here)).toEqual([])
    expect(
      world.server.counters.get('drop.handshake') + world.server.counters.get('drop.repeated'),
    ).toBe(2)
    expect(world.server.sessionCount).toBe(0)
  })

  test('a client that is told such a key for the relay fails and throws nothing', () => {
    const world = new UdpWorld()
    const client = world.addClient({ serverKey: new Uint8Array(32) })
    world.run(10)
    expect(client.failure).toEqual({ code: undefined })
  })
})

describe('T-13 other versions', () => {
  test('of the transport are dropped before anything is proved', () => {
    const world = new UdpWorld()
    const { init } = makeInit(world, 1)
    const hello = writeHello(new Uint8Array(32))
    for (const datagram of [hello, init]) {
      const other = Uint8Array.from(datagram)
      other[1] = 2
      expect(world.poke(other, here)).toEqual([])
    }
    expect(world.server.counters.get('drop.version')).toBe(2)
  })

  test.each(['IK', 'XX'] as const)(
    'of the protocol above are told 4004, encrypted, with %s',
    (pattern) => {
      const world = new UdpWorld()
      const client =
        pattern === 'IK' ? world.addClient({ protocol: 2 }) : world.addStranger({ protocol: 2 })
      world.run(2_000)
      expect(client.failure).toEqual({ code: 4004 })
      expect([client.session, world.accepted, world.ends]).toEqual([undefined, [], []])
      world.run(handshakeMs)
      expect([world.server.sessionCount, world.server.halfOpenCount]).toEqual([0, 0])
    },
  )
})
