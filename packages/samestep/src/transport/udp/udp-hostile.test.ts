import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DatagramChannel } from '../../link/datagram/datagram-channel.ts'
import { PacketWriter } from '../../link/datagram/packet-writer.ts'
import { handshakeMs, udpPayloadBytesMax } from './limits.ts'
import { clientAddress, serverAddress, UdpWorld, type WorldClient } from './testing/udp-world.ts'

type Scene = { readonly world: UdpWorld; readonly client: WorldClient }

/** Every state that a handshake or a session can be in when something hostile arrives. */
const scenes: { readonly [name: string]: () => Scene } = {
  'nobody there': () => makeScene((world) => world.addClient(), 0),
  challenged: () => makeScene((world) => world.addClient(), 15),
  'answered but not confirmed (IK)': () => makeScene((world) => world.addClient(), 35),
  'answered but not finished (XX)': () => makeScene((world) => world.addStranger(), 35),
  open: () => makeScene((world) => world.addClient(), 300),
  'moving to another path': () => {
    const scene = makeScene((world) => world.addClient(), 300)
    scene.client.address = { address: '192.0.2.77', port: 77 }
    scene.client.client.send(new Uint8Array(60), scene.world.nowMs)
    scene.world.run(12)
    return scene
  },
  'saying goodbye': () => {
    const scene = makeScene((world) => world.addClient(), 300)
    const [session] = scene.world.accepted
    scene.world.server.close(session!, { code: 4010, reason: 'shutdown' }, scene.world.nowMs)
    return scene
  },
  'asking for a ticket': () =>
    makeScene((world) => world.addClient(), 35, { ticketKey: new Uint8Array(32) }),
  'taking nobody any more': () => {
    const scene = makeScene((world) => world.addClient(), 300)
    scene.world.server.stopAccepting()
    return scene
  },
}

function makeScene(add: (world: UdpWorld) => WorldClient, runMs: number, options = {}): Scene {
  const world = new UdpWorld(1, options)
  const client = add(world)
  world.run(runMs)
  return { world, client }
}

/** Every datagram that honest machines send, of both patterns, as material for lies. */
const honest: readonly Uint8Array[] = ['IK', 'XX'].flatMap((pattern) => {
  // Of another seed: with the same keys, a goodbye of this world would be true in the other.
  const world = new UdpWorld(500)
  const client = pattern === 'IK' ? world.addClient() : world.addStranger()
  world.run(300)
  client.client.send(new Uint8Array(40), world.nowMs)
  client.client.close({ code: 4016, reason: 'left' }, world.nowMs)
  world.run(100)
  return world.log.map(({ bytes }) => bytes)
})

const lie = fc.oneof(
  fc.uint8Array({ maxLength: 80 }),
  fc.uint8Array({ minLength: 1_190, maxLength: 1_300 }),
  fc
    .tuple(
      fc.nat(honest.length - 1),
      fc.array(fc.tuple(fc.nat(1_231), fc.nat(255)), { maxLength: 4 }),
      fc.nat(1_300),
    )
    .map(([index, changes, size]) => {
      const bytes = Uint8Array.from(honest[index]!)
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
      return size % 3 === 0 ? bytes.slice(0, size) : bytes
    }),
)
const place = fc.constantFrom(
  clientAddress(1),
  clientAddress(2),
  { address: 'fe80::1%eth0', port: 1 },
  { address: '2001:db8::7', port: 0 },
)
const attack = fc.array(fc.record({ bytes: lie, from: place, toServer: fc.boolean() }), {
  maxLength: 40,
})

describe('T-00 whatever anybody sends, in every state', () => {
  test.each(Object.keys(scenes))(
    '%s: nothing is thrown, little is kept, the honest go on',
    (name) => {
      fc.assert(
        fc.property(attack, (lies) => {
          const { world, client } = scenes[name]!()
          const wasOpen = client.session?.state === 'open' && world.accepted[0]?.state === 'open'
          const before = world.log.length
          for (const { bytes, from, toServer } of lies) {
            const copy = Uint8Array.from(bytes)
            if (toServer) world.poke(bytes, from)
            else client.client.handleDatagram(bytes, serverAddress, world.nowMs)
            expect(bytes).toEqual(copy)
          }
          // And everything that was true once, again, from its own place and from elsewhere.
          for (const { bytes, from } of world.log.slice(0, before)) {
            world.poke(bytes, from)
            world.poke(bytes, clientAddress(9))
          }
          world.drain()
          for (const { bytes } of world.log.slice(before)) {
            expect(bytes.length).toBeLessThanOrEqual(udpPayloadBytesMax)
          }
          expect(world.server.sessionCount).toBeLessThanOrEqual(1)
          world.run(handshakeMs)
          expect(world.server.halfOpenCount).toBe(0)
          if (!wasOpen) return
          client.client.send(Uint8Array.of(1, 2, 3), world.nowMs)
          world.run(100)
          expect(world.heardBy(world.accepted[0]).at(-1)).toEqual(Uint8Array.of(1, 2, 3))
          expect([client.ends, world.ends]).toEqual([[], []])
        }),
        { numRuns: 25 },
      )
    },
  )

  test('the same bytes in the same state give the same result', () => {
    fc.assert(
      fc.property(attack, (lies) => {
        const results = [0, 1].map(() => {
          const { world } = scenes.open!()
          for (const { bytes, from } of lies) world.poke(bytes, from)
          return [world.log, [...world.server.counters.entries()]]
        })
        expect(results[0]).toEqual(results[1])
      }),
      { numRuns: 20 },
    )
  })

  test('no time makes a machine stumble: clocks that stand, jump or go back', () => {
    const { world, client } = scenes.open!()
    for (const nowMs of [world.nowMs + 50_000, 0, -5, world.nowMs + 50_001]) {
      world.server.handleTime(nowMs)
      client.client.handleTime(nowMs)
      client.client.send(Uint8Array.of(1), nowMs)
      world.drain()
    }
    expect(world.accepted[0]!.state).toBe('open')
    expect(() => world.server.handleTime(Number.NaN)).toThrow('Time')
  })
})

/** A link machine behind an encrypted session, and an attacker who has all keys and no manners. */
class LinkAttack {
  readonly scene = scenes.open!()
  readonly victim = new DatagramChannel({ epoch: 7, side: 'acceptor', checksum: false }, 0)
  readonly #writer = new PacketWriter()
  #number = 0
  #heard = 0

  send(write: (writer: PacketWriter) => void): void {
    const { world, client } = this.scene
    this.#writer.begin(7, this.#number++)
    write(this.#writer)
    client.client.send(Uint8Array.from(this.#writer.finish(undefined)), world.nowMs)
    world.run(20)
    const heard = world.heardBy(world.accepted[0])
    while (this.#heard < heard.length) this.victim.handlePacket(heard[this.#heard++]!, world.nowMs)
  }
}

describe('T-11 T-12 what a player with all keys sends reaches the link machine whole, which knows', () => {
  test('T-11 the transport cuts nothing into fragments: there are none to bomb with', () => {
    const { world, client } = scenes.open!()
    const before = world.log.length
    const packet = new Uint8Array(1_200).fill(7)
    client.client.send(packet, world.nowMs)
    world.run(20)
    expect(world.log.length).toBe(before + 1)
    expect(world.heardBy(world.accepted[0])).toEqual([packet])
  })

  test('T-11 segments far beyond the window or without end are dropped, and little is kept', () => {
    const attack = new LinkAttack()
    const bytes = new Uint8Array(100)
    attack.send((writer) => writer.segment('bulk', 5_000, true, bytes, 0, 100))
    attack.send((writer) => writer.segment('control', 500, false, bytes, 0, 100))
    expect(attack.victim.stats.packetsDropped).toBe(2)
    for (let number = 0; number < 2_000; number++) {
      attack.send((writer) => writer.segment('bulk', number & 0xffff, false, bytes, 0, 100))
      expect(attack.victim.heldBytes).toBeLessThanOrEqual(262_144 + 65_536)
    }
    expect(attack.victim.state.name).not.toBe('open')
    expect(attack.scene.world.accepted[0]!.state).toBe('open')
  })

  test('T-12 an acknowledgement of what was never sent is dropped, and no round trip comes of it', () => {
    const attack = new LinkAttack()
    for (const ack of [0, 1, 255, 32_768, 65_535]) {
      attack.send((writer) => writer.acknowledge(ack, -1, 0))
    }
    expect(attack.victim.stats.packetsDropped).toBe(5)
    expect(attack.victim.stats.rttMs).toBeUndefined()
  })
})
