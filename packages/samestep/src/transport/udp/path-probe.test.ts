import { describe, expect, test } from 'vitest'
import { pathLifeMs, rebindsPerSecondMax } from './limits.ts'
import { clientAddress, heard, openWorld, say, serverAddress } from './testing/udp-world.ts'

describe('T-09 F-10 a session that moves', () => {
  test('a router gives it another port: packets count at once, replies follow after a proof', () => {
    const { world, client } = openWorld()
    const session = world.accepted[0]!
    const old = client.address
    const fresh = { ...old, port: 61_000 }
    client.address = fresh
    say(world, client, 1)
    say(world, client, 2)
    world.run(10)
    expect(heard(world)).toEqual([1, 2])
    const before = world.log.length
    world.server.send(session, Uint8Array.of(9), world.nowMs)
    expect(session.path).toEqual(old)
    world.drain()
    expect(world.log[before]!.to).toEqual(old)
    world.run(100)
    expect(session.path).toEqual(fresh)
    world.server.send(session, Uint8Array.of(10), world.nowMs)
    world.run(50)
    expect(client.heard).toEqual([Uint8Array.of(10)])
    expect(world.server.counters.get('rebind')).toBe(1)
  })

  test('I-15 a bystander who sends copies from elsewhere gets at most what it sent, and no session', () => {
    const { world, client } = openWorld()
    const session = world.accepted[0]!
    const victim = { address: '192.0.2.66', port: 66 }
    world.isLost = ({ from }) => from === client.address
    const before = world.log.length
    let sent = 0
    for (let index = 0; index < 200; index++) {
      const packet = say(world, client, index & 255)
      sent += packet.length
      world.poke(packet, victim)
      const got = world.log.slice(before).filter(({ to }) => to.address === victim.address)
      const total = got.reduce((sum, { bytes }) => sum + bytes.length, 0)
      expect(total).toBeLessThanOrEqual(sent)
      world.server.send(session, new Uint8Array(1_000), world.nowMs)
      world.run(40)
    }
    expect(session.path).toEqual(client.address)
    expect(world.server.counters.get('rebind')).toBe(0)
    // A challenge each 250 ms, not one per packet.
    const got = world.log.slice(before).filter(({ to }) => to.address === victim.address)
    expect(got.length).toBeGreaterThan(5)
    expect(got.length).toBeLessThan(50)
  })

  test('the answer counts only from the new path, and only with the same bytes', () => {
    const { world, client } = openWorld()
    const session = world.accepted[0]!
    const elsewhere = { address: '192.0.2.66', port: 66 }
    world.isLost = ({ to }) => to.address === elsewhere.address
    const packets = [say(world, client, 1), say(world, client, 2)]
    for (const packet of packets) world.poke(packet, elsewhere)
    const challenge = world.log.findLast(({ to }) => to.address === elsewhere.address)!
    // Somebody carries the challenge to the client, who answers it from where it is.
    client.client.handleDatagram(challenge.bytes, serverAddress, world.nowMs)
    world.run(100)
    expect(session.path).toEqual(client.address)
    expect(world.server.counters.get('drop.frame')).toBe(1)
  })

  test('more than two moves in a second are dropped', () => {
    const { world, client } = openWorld()
    world.isLost = () => true
    let accepted = 0
    for (let index = 0; index < 6; index++) {
      const packet = say(world, client, index)
      world.poke(packet, { address: '192.0.2.9', port: 100 + index })
      accepted = heard(world).length
    }
    expect(accepted).toBe(rebindsPerSecondMax)
    expect(world.server.counters.get('drop.rebind')).toBe(6 - rebindsPerSecondMax)
    world.run(1_000)
    world.poke(say(world, client, 7), { address: '192.0.2.9', port: 200 })
    expect(heard(world).at(-1)).toBe(7)
  })

  test('an overtaken packet from the old path does not move the session back', () => {
    const { world, client } = openWorld()
    const old = client.address
    world.isLost = () => true
    // Large enough to pay for a challenge, if one were to be sent.
    const straggler = say(world, client, 1, ...new Uint8Array(100))
    world.isLost = () => false
    client.address = { ...old, port: 61_000 }
    say(world, client, 2)
    say(world, client, 3)
    world.run(200)
    const before = world.log.length
    world.poke(straggler, old)
    expect(world.log.slice(before)).toEqual([])
    expect(heard(world)).toEqual([2, 3, 1])
    expect(world.accepted[0]!.path.port).toBe(61_000)
  })

  test('F-10 another client gets the old port: neither hears a word of the other', () => {
    const { world, client } = openWorld()
    const old = client.address
    client.address = { ...old, port: 61_000 }
    const other = world.addClient({}, old)
    world.run(300)
    world.server.send(world.accepted[0]!, Uint8Array.of(1), world.nowMs)
    world.server.send(world.accepted[1]!, Uint8Array.of(2), world.nowMs)
    say(world, client, 11)
    say(world, client, 12)
    say(world, other, 13)
    world.run(300)
    world.server.send(world.accepted[0]!, Uint8Array.of(3), world.nowMs)
    world.run(100)
    expect(world.accepted.map((session) => world.heardBy(session).map(([first]) => first))).toEqual(
      [[11, 12], [13]],
    )
    expect(other.heard).toEqual([Uint8Array.of(2)])
    expect(client.heard).toEqual([Uint8Array.of(3)])
    expect(world.accepted.map(({ path }) => path.port)).toEqual([61_000, old.port])
    expect([client.ends, other.ends, world.ends]).toEqual([[], [], []])
  })

  test('a new path that does not answer in time is forgotten', () => {
    const { world, client } = openWorld()
    const elsewhere = { address: '192.0.2.66', port: 66 }
    world.isLost = ({ to }) => to.address === elsewhere.address
    for (const packet of [say(world, client, 1), say(world, client, 2)])
      world.poke(packet, elsewhere)
    const challenge = world.log.findLast(({ to }) => to.address === elsewhere.address)!
    world.run(pathLifeMs)
    client.address = elsewhere
    client.client.handleDatagram(challenge.bytes, serverAddress, world.nowMs)
    world.run(15)
    expect(world.accepted[0]!.path).toEqual(clientAddress(1))
  })
})
