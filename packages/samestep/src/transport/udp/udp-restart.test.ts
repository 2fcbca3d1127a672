/** A relay that was restarted with the key that it had before: the same one, and nothing of it twice. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { clientAddress, say, serverAddress, UdpWorld } from './testing/udp-world.ts'
import { kinds, readChallenge, readReset, writeHello, writeInit } from './udp-format.ts'

/** Every key and nonce that anything was ever encrypted with in this process. */
const ledger = vi.hoisted(() => ({ used: new Set<string>(), repeats: 0 }))
vi.mock('node:crypto', async (original) => {
  const real = await original<typeof import('node:crypto')>()
  const createCipheriv = (
    algorithm: 'chacha20-poly1305',
    key: Uint8Array,
    nonce: Uint8Array,
    options: { authTagLength: number },
  ) => {
    const entry = Buffer.concat([key, nonce]).toString('latin1')
    if (ledger.used.has(entry)) ledger.repeats++
    ledger.used.add(entry)
    return real.createCipheriv(algorithm, key, nonce, options)
  }
  return { ...real, createCipheriv }
})
beforeEach(() => {
  ledger.used.clear()
  ledger.repeats = 0
})

/** A world in which somebody listened to a client that came, spoke, and lost its relay. */
function restartedWorld() {
  const world = new UdpWorld()
  const client = world.addClient()
  world.run(100)
  for (let index = 0; index < 5; index++) say(world, client, index)
  world.run(50)
  const recorded = world.log.filter(({ to }) => to === serverAddress).map(({ bytes }) => bytes)
  world.restartServer()
  world.isLost = () => true
  return { world, client, recorded, address: client.address }
}

describe('T-08: the same key after a restart', () => {
  test('is the same relay for clients that pinned it, under other keys', () => {
    const { world } = restartedWorld()
    world.isLost = () => false
    const again = world.addClient()
    world.run(100)
    for (let index = 0; index < 5; index++) {
      say(world, again, index)
      world.server.send(world.accepted.at(-1)!, Uint8Array.of(index), world.nowMs)
    }
    world.run(50)
    expect(again.session?.state).toBe('open')
    expect(again.heard.length).toBe(5)
    expect(ledger.repeats).toBe(0)
  })

  test('takes nothing that was recorded before it', () => {
    const { world, recorded, address } = restartedWorld()
    const before = world.accepted.length
    for (const bytes of recorded) world.poke(bytes, address)
    expect(world.accepted.length).toBe(before)
    expect(world.server.sessionCount).toBe(0)
    expect(world.server.counters.get('drop.cookie')).toBe(1)
    expect(ledger.repeats).toBe(0)
  })

  test('answers a recorded message with a fresh cookie under fresh keys, which open to nobody', () => {
    const { world, recorded, address } = restartedWorld()
    const init = recorded.find((bytes) => bytes[0] === kinds.init)!
    const message = init.subarray(3 + 21)
    const ephemeral = message.slice(0, 32)
    const answers = new Set<string>()
    // Whoever sits at the client's address gets a cookie, and may say again what it said.
    for (let life = 0; life < 3; life++) {
      const [challenge] = world.poke(writeHello(ephemeral), address)
      const cookie = readChallenge(challenge!.bytes, ephemeral)!
      const [accept] = world.poke(writeInit('IK', cookie, message), address)
      answers.add(Buffer.from(accept!.bytes).toString('latin1'))
      world.restartServer()
    }
    expect(answers.size).toBe(3)
    expect(world.accepted.length).toBe(1)
    expect(ledger.repeats).toBe(0)
  })
})

describe('T-10: the word that a session is forgotten', () => {
  const packetOf = (recorded: readonly Uint8Array[]) =>
    recorded.findLast((bytes) => (bytes[0]! & 0x80) !== 0)!

  test('is told to whoever has the address of the client, and ends the session', () => {
    const { world, client, recorded, address } = restartedWorld()
    const [reset] = world.poke(packetOf(recorded), { ...address, port: 50_000 })
    expect(readReset(reset!.bytes)).toBeDefined()
    world.isLost = () => false
    world.inject(reset!.bytes, serverAddress, address)
    world.run(50)
    expect(client.ends.length).toBe(1)
  })

  test('cannot be collected beforehand from elsewhere', () => {
    const { world, client, recorded, address } = restartedWorld()
    const [reset] = world.poke(packetOf(recorded), clientAddress(99))
    expect(readReset(reset!.bytes)).toBeDefined()
    world.isLost = () => false
    world.inject(reset!.bytes, serverAddress, address)
    world.run(50)
    expect(client.ends).toEqual([])
  })
})
