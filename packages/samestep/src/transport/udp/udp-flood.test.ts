import { describe, expect, test, vi } from 'vitest'
import { budgetWindowMs } from './budgets/answer-budget.ts'
import { helloBudget, resetBudget } from './limits.ts'
import { clientAddress, seededBytes, UdpWorld } from './testing/udp-world.ts'
import { writeHead, writeHello } from './udp-format.ts'

/** How many hashes anybody has computed. */
const work = vi.hoisted(() => ({ hashes: 0 }))
vi.mock('node:crypto', async (original) => {
  const real = await original<typeof import('node:crypto')>()
  const counted =
    <T extends unknown[], R>(make: (...args: T) => R) =>
    (...args: T): R => {
      work.hashes++
      return make(...args)
    }
  return { ...real, hash: counted(real.hash as never), createHmac: counted(real.createHmac) }
})

const hello = writeHello(seededBytes(1)(32))
const attacker = clientAddress(200)

/** A packet of a session that nobody has. */
function lostPacket(sessionId: number): Uint8Array {
  const head = writeHead({ isControl: false, phase: 0, ackPhase: 0, sessionId, sequence: 5 })
  return Uint8Array.from(Buffer.concat([head, Buffer.alloc(40, 7)]))
}

/** How many of so many datagrams are answered. */
function flood(
  world: UdpWorld,
  count: number,
  bytes: (at: number) => Uint8Array,
  from = () => attacker,
) {
  let answered = 0
  for (let at = 0; at < count; at++) answered += world.poke(bytes(at), from()).length
  return answered
}

describe('T-04: a flood of hellos', () => {
  test('of one address is answered a few times and costs no hash beyond, while others get in', () => {
    const world = new UdpWorld()
    expect(flood(world, 5_000, () => hello)).toBe(helloBudget.perAddress)
    work.hashes = 0
    expect(flood(world, 5_000, () => hello)).toBe(0)
    expect(work.hashes).toBe(0)
    const client = world.addClient()
    world.run(60)
    expect(client.session?.state).toBe('open')
    expect(world.server.counters.get('drop.flood')).toBe(10_000 - helloBudget.perAddress)
    expect(world.server.counters.get('hello')).toBe(helloBudget.perAddress + 1)
  })

  test('of all addresses is answered so often, and who was not answered gets in at the next try', () => {
    const world = new UdpWorld()
    let turn = 0
    const anywhere = () => ({ address: `10.${turn >> 8}.${turn++ & 255}.9`, port: 9 })
    expect(flood(world, 20_000, () => hello, anywhere)).toBe(helloBudget.total)
    const client = world.addClient()
    world.run(20)
    expect(client.session).toBeUndefined()
    world.run(budgetWindowMs * 4)
    expect(client.session?.state).toBe('open')
  })

  test('never touches those who are in', () => {
    const world = new UdpWorld()
    const { client } = world.addClient()
    world.run(100)
    flood(world, 5_000, () => hello)
    flood(world, 5_000, lostPacket)
    client.send(Uint8Array.of(1, 2, 3), world.nowMs)
    world.run(50)
    expect(world.heardBy(world.accepted[0])).toEqual([Uint8Array.of(1, 2, 3)])
  })
})

test('packets of no session are told so a few times, and cost no hash beyond', () => {
  const world = new UdpWorld()
  expect(flood(world, 500, lostPacket)).toBe(resetBudget.perAddress)
  work.hashes = 0
  expect(flood(world, 500, lostPacket)).toBe(0)
  expect(work.hashes).toBe(0)
  world.run(budgetWindowMs)
  expect(flood(world, 1, lostPacket)).toBe(1)
})
