import { beforeEach, describe, expect, test, vi } from 'vitest'
import { Prng } from '../../base/prng.ts'
import { closeCodes } from '../../wire/codes.ts'
import { replayWindowPackets } from '../replay-window.ts'
import { PacketOpener, PacketSealer } from './crypto/packet-cipher.ts'
import {
  goodbyeLifeMs,
  phasePacketsMax,
  rekeyMs,
  rekeyPackets,
  silenceMsDefault,
} from './limits.ts'
import { heard, openWorld, say, seededBytes, serverAddress, UdpWorld } from './testing/udp-world.ts'
import { readHead, writeReset } from './udp-format.ts'

/** Every key and nonce that anything was ever encrypted with in this process. */
const ledger = vi.hoisted(() => ({ used: new Set<string>(), repeats: 0, count: 0 }))
vi.mock('node:crypto', async (original) => {
  const real = await original<typeof import('node:crypto')>()
  const createCipheriv = (
    algorithm: 'chacha20-poly1305',
    key: Uint8Array,
    nonce: Uint8Array,
    options: { authTagLength: number },
  ) => {
    const entry = `${Buffer.from(key).toString('latin1')}${Buffer.from(nonce).toString('latin1')}`
    // Both ends derive the next key with the one nonce that no packet can have.
    const isRekey = nonce.subarray(4).every((byte) => byte === 255)
    if (ledger.used.has(entry) && !isRekey) ledger.repeats++
    ledger.used.add(entry)
    ledger.count++
    return real.createCipheriv(algorithm, key, nonce, options)
  }
  return { ...real, createCipheriv }
})
beforeEach(() => {
  ledger.used.clear()
  ledger.repeats = 0
  ledger.count = 0
})

const key = new Uint8Array(32).fill(3)

describe('T-06 forged packets', () => {
  test('are dropped at every damaged bit, and the window does not move', () => {
    const { world, client } = openWorld()
    world.isLost = () => true
    const packet = say(world, client, 1)
    const later = say(world, client, 2)
    world.isLost = () => false
    const { address } = client
    for (let bit = 0; bit < packet.length * 8; bit++) {
      const forged = Uint8Array.from(packet)
      forged[bit >> 3]! ^= 1 << (bit & 7)
      world.poke(forged, address)
    }
    // A number of the far future, which must not make all others old.
    const future = Uint8Array.from([
      0x80 | 5,
      ...packet.subarray(1, 5),
      1,
      1,
      1,
      1,
      1,
      9,
      ...packet.subarray(6),
    ])
    expect(readHead(future, true)?.sequence).toBeGreaterThan(2 ** 40)
    world.poke(future, address)
    expect(heard(world)).toEqual([])
    expect(world.server.counters.get('drop.forged')).toBeGreaterThan(100)
    world.poke(packet, address)
    world.poke(later, address)
    expect(heard(world)).toEqual([1, 2])
    expect(world.ends).toEqual([])
  })
})

describe('T-07 replayed packets', () => {
  test.each([0, 2 ** 31 - 1, 2 ** 31 + 1, 2 ** 32 - 1, 2 ** 53 - 3_000])(
    'count once, from number %i on',
    (firstSequence) => {
      const sealer = new PacketSealer(key, 0, { firstSequence })
      const opener = new PacketOpener(key)
      const packets = Array.from(
        { length: 2_200 },
        (_, index) =>
          sealer.seal(
            { isControl: false, ackPhase: 0, sessionId: undefined },
            Uint8Array.of(index & 255, index >> 8),
            0,
          )!,
      )
      const open = (index: number): number | string => {
        const bytes = packets[index]!
        const plain = opener.open(bytes, readHead(bytes, false)!)
        return typeof plain === 'string' ? plain : plain[0]! + plain[1]! * 256
      }
      expect(readHead(packets[0]!, false)?.sequence).toBe(firstSequence)
      expect(open(0)).toBe(0)
      expect(open(0)).toBe('replay')
      expect(open(replayWindowPackets)).toBe(replayWindowPackets)
      expect(open(1)).toBe(1)
      expect(open(1)).toBe('replay')
      expect(open(2_199)).toBe(2_199)
      expect(open(2)).toBe('replay')
      expect(open(2_199 - replayWindowPackets)).toBe('replay')
      expect(open(2_199 - replayWindowPackets + 1)).toBe(2_199 - replayWindowPackets + 1)
      for (let index = 0; index < 2_200; index++) {
        const isNew = index > 2_199 - replayWindowPackets + 1 && index < 2_199
        expect(open(index)).toBe(isNew ? index : 'replay')
      }
    },
  )

  test('the last number of all is used, and then the session ends instead of counting wrong', () => {
    const { world, client } = openWorld(1, { firstSequence: 2 ** 53 - 4 })
    // Numbers 2⁵³−4 and, with a goodbye of the key's age in between, up to 2⁵³−1.
    for (let index = 1; index <= 5; index++) client.client.send(Uint8Array.of(index), world.nowMs)
    world.run(50)
    expect(heard(world)).toEqual([1, 2, 3])
    expect(client.ends).toEqual([{ code: 1006, reason: 'numbers used up' }])
    expect(ledger.repeats).toBe(0)
  })
})

describe('T-08 I-18 no key and nonce twice', () => {
  test('over sessions, goodbyes, lost handshakes, moves, new keys and a restarted relay', () => {
    const world = new UdpWorld(7)
    const prng = new Prng(7, 'loss')
    world.isLost = () => prng.chance(0.15)
    for (let round = 0; round < 12; round++) {
      const client = round % 3 === 2 ? world.addStranger() : world.addClient()
      world.run(1_500)
      for (let index = 0; index < 20; index++) {
        say(world, client, index)
        for (const session of world.accepted)
          world.server.send(session, Uint8Array.of(index), world.nowMs)
        world.run(40)
      }
      if (round === 3) world.run(rekeyMs / 2)
      if (round % 4 === 1) client.address = { ...client.address, port: 50_000 + round }
      if (round % 4 === 3) client.client.close({ code: 4016, reason: 'left' }, world.nowMs)
      if (round === 6) world.restartServer()
      world.run(500)
    }
    expect(ledger.count).toBeGreaterThan(1_000)
    expect(ledger.repeats).toBe(0)
  })

  test('near 2³² the number goes on under a new key, and nothing is lost', () => {
    const near = 2 ** 32 - 20
    const { world, client } = openWorld(1, { firstSequence: near, firstCount: rekeyPackets - 10 })
    for (let index = 1; index <= 60; index++) {
      say(world, client, index)
      world.server.send(world.accepted[0]!, Uint8Array.of(index), world.nowMs)
      world.run(25)
    }
    expect(heard(world)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
    expect(client.heard.length).toBe(60)
    expect([client.session!.rekeys, world.accepted[0]!.rekeys]).toEqual([1, 1])
    expect(ledger.repeats).toBe(0)
  })

  test('a key that nobody confirms is never overused: the session ends at 2³² packets', () => {
    const sealer = new PacketSealer(key, 0, { firstCount: phasePacketsMax - 2 })
    const head = { isControl: false, ackPhase: 0, sessionId: 1 } as const
    const seal = () => sealer.seal(head, Uint8Array.of(1), 0)
    expect([seal() === undefined, seal() === undefined, seal() === undefined]).toEqual([
      false,
      false,
      true,
    ])
    expect(seal()).toBeUndefined()
    expect(sealer.rekeys).toBe(0)
  })

  test('random bytes that repeat are a bug that ends the relay, not a second use of a key', () => {
    const world = new UdpWorld()
    const stuck = new UdpWorld(1, { random: (size) => new Uint8Array(size).fill(4) })
    expect(world.publicKey).toEqual(stuck.publicKey)
    stuck.addClient()
    stuck.run(25)
    stuck.addClient()
    expect(() => stuck.run(200)).toThrow('must not repeat')
  })
})

describe('keys change', () => {
  test('after two minutes, over and over, through loss and overtaking', () => {
    const { world, client } = openWorld()
    const prng = new Prng(5, 'loss')
    world.isLost = () => prng.chance(0.2)
    let sent = 0
    for (let step = 0; step < 4 * rekeyMs; step += 500) {
      say(world, client, 1 + (sent++ % 250))
      world.server.send(world.accepted[0]!, Uint8Array.of(1), world.nowMs)
      world.run(500)
    }
    expect(client.session!.rekeys).toBeGreaterThanOrEqual(3)
    expect(world.accepted[0]!.rekeys).toBeGreaterThanOrEqual(3)
    expect(heard(world).length).toBeGreaterThan(sent * 0.7)
    expect(
      world.server.counters.get('drop.forged') + client.client.counters.get('drop.forged'),
    ).toBe(0)
    expect(ledger.repeats).toBe(0)
  })

  test('an overtaken packet, which names the key before the last alike, confirms nothing', () => {
    const { world, client } = openWorld(1, {}, 10 * rekeyMs)
    const session = world.accepted[0]!
    const startMs = world.nowMs
    const until = (atMs: number) => world.run(startMs + atMs - world.nowMs)
    const reply = () => world.server.send(session, Uint8Array.of(2), world.nowMs)
    say(world, client, 1)
    until(60_000)
    say(world, client, 1)
    reply()
    until(rekeyMs - 1_000)
    // This one, of the first key and about the first key, is held up on its way for two minutes.
    world.isLost = () => true
    const before = world.log.length
    world.server.send(session, Uint8Array.of(7), world.nowMs)
    world.drain()
    const held = world.log[before]!.bytes
    world.isLost = () => false
    until(rekeyMs)
    say(world, client, 1)
    until(rekeyMs + 100)
    reply()
    until(rekeyMs + 60_000)
    say(world, client, 1)
    reply()
    until(2 * rekeyMs + 50)
    world.isLost = ({ to }) => to === serverAddress
    say(world, client, 1)
    expect([client.session!.rekeys, session.rekeys]).toEqual([2, 1])
    client.client.handleDatagram(held, serverAddress, world.nowMs)
    world.drain()
    expect(client.heard.at(-1)).toEqual(Uint8Array.of(7))
    until(2 * rekeyMs + 60_000)
    reply()
    until(3 * rekeyMs + 100)
    // The relay has not seen the third key, so there is no fourth.
    say(world, client, 1)
    expect([client.session!.rekeys, client.ends]).toEqual([2, []])
  })

  test('late packets of the key before are read, until they are too old for anything', () => {
    const sealer = new PacketSealer(key, 0)
    const opener = new PacketOpener(key)
    const head = { isControl: false, ackPhase: 0, sessionId: undefined } as const
    const seal = (nowMs: number) => sealer.seal(head, Uint8Array.of(1), nowMs)!
    const open = (bytes: Uint8Array) =>
      typeof opener.open(bytes, readHead(bytes, false)!) !== 'string'
    const [a, late, later] = [seal(0), seal(0), seal(0)]
    expect(open(a)).toBe(true)
    sealer.handleAck(0)
    const b = seal(rekeyMs)
    const c = seal(rekeyMs)
    expect([readHead(later, false)?.phase, readHead(b, false)?.phase]).toEqual([0, 1])
    // The second of the new key overtakes the first, and one of the old key comes behind both.
    expect([open(c), open(b), open(late)]).toEqual([true, true, true])
    expect(opener.phase).toBe(1)
    sealer.handleAck(0)
    expect(readHead(seal(3 * rekeyMs), false)?.phase).toBe(1)
    for (let index = 0; index < replayWindowPackets; index++) open(seal(3 * rekeyMs))
    expect(open(later)).toBe(false)
    sealer.handleAck(1)
    const d = seal(5 * rekeyMs)
    expect([readHead(d, false)?.phase, open(d), opener.phase]).toEqual([0, true, 0])
  })
})

describe('T-10 who can end a session', () => {
  test('nothing that is not encrypted: every short datagram, a plain reset, a goodbye of another session', () => {
    const { world, client } = openWorld()
    const stranger = world.addClient()
    world.run(200)
    const goodbye = world.log.length
    stranger.client.close({ code: 4001, reason: '' }, world.nowMs)
    world.drain()
    const foreign = world.log[goodbye]!.bytes
    const ours = readHead(say(world, client, 1), true)!.sessionId!
    const renamed = Uint8Array.from(foreign)
    new DataView(renamed.buffer).setUint32(1, ours, true)
    world.poke(renamed, client.address)
    for (let kind = 0; kind < 256; kind++) {
      for (const size of [1, 2, 18, 22, 40]) {
        const bytes = new Uint8Array(size).fill(0)
        bytes[0] = kind
        bytes[1] = 1
        client.client.handleDatagram(bytes, serverAddress, world.nowMs)
        if (size > 4) new DataView(bytes.buffer).setUint32(1, ours, true)
        world.poke(bytes, client.address)
      }
    }
    client.client.handleDatagram(writeReset(seededBytes(1)(16)), serverAddress, world.nowMs)
    world.run(1_000)
    expect(client.ends).toEqual([])
    expect(world.ends.map(({ session }) => session)).toEqual([world.accepted[1]])
    expect(world.accepted[0]!.state).toBe('open')
  })

  test('either end, with a code and a reason, which the other hears once though it is said thrice', () => {
    const { world, client } = openWorld()
    world.server.close(
      world.accepted[0]!,
      { code: closeCodes.kicked, reason: 'kicked' },
      world.nowMs,
    )
    world.run(goodbyeLifeMs)
    expect(client.ends).toEqual([{ code: 4007, reason: 'kicked' }])
    expect(world.ends.map(({ end }) => end)).toEqual([{ code: 4007, reason: 'kicked' }])
    expect(world.server.sessionCount).toBe(0)
  })

  test('a goodbye is heard although the first two are lost, and I-14 nothing is left of it', () => {
    const { world, client } = openWorld()
    let lost = 0
    world.isLost = ({ to }) => to === serverAddress && lost++ < 2
    client.client.close({ code: 4016, reason: 'left' }, world.nowMs)
    world.run(goodbyeLifeMs)
    expect(world.ends.map(({ end }) => end)).toEqual([{ code: 4016, reason: 'left' }])
    expect([world.server.sessionCount, world.server.halfOpenCount]).toEqual([0, 0])
    expect(client.session?.state).toBe('closed')
    expect(client.client.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
    world.run(10_000)
    expect(world.server.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
  })

  test('I-14 a client that leaves before it heard anything is done after its last goodbye', () => {
    const world = new UdpWorld()
    const client = world.addClient()
    world.run(41)
    world.isLost = () => true
    expect(client.session?.hasHeard).toBe(false)
    client.client.close({ code: 4016, reason: 'left' }, world.nowMs)
    world.run(goodbyeLifeMs)
    expect(client.client.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
  })

  test('F-16 a relay that was restarted says so with a token that only it can make', () => {
    const { world, client } = openWorld()
    world.restartServer()
    say(world, client, 1)
    world.run(25)
    expect(client.ends).toEqual([{ code: 1006, reason: 'forgotten' }])
    expect(world.server.counters.get('drop.session')).toBe(1)
    const again = world.addClient()
    world.run(100)
    expect(again.session?.state).toBe('open')
  })

  test('silence: of one end, after longer than the link machine waits', () => {
    const { world, client } = openWorld()
    world.isLost = () => true
    world.run(silenceMsDefault + 1_000)
    expect(client.ends).toEqual([{ code: 1006, reason: 'silent' }])
    expect(world.ends.map(({ end }) => end)).toEqual([{ code: 1006, reason: 'silent' }])
    expect(world.server.sessionCount).toBe(0)
  })
})
