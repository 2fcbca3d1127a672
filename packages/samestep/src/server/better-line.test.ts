/** Real sockets: a match in Node begins over WebSocket, moves to UDP, and back when UDP is blocked. */
import { afterEach, expect, test, vi } from 'vitest'
import { dialDoorsOf, wrapDoors } from '../driver/online/doors.ts'
import { joinMatch } from '../driver/online/join-match.ts'
import type { LedgerMatch } from '../driver/testing/driver-world.ts'
import { ledger } from '../driver/testing/driver-world.ts'
import { Conditioner } from '../transport/conditioner/conditioner.ts'
import { dialWebSocket } from '../transport/websocket-client.ts'
import type { RelayServer } from './relay-server.ts'
import { startRelay } from './start-relay.ts'

const open: { close(): unknown }[] = []

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

async function start(options: Parameters<typeof startRelay>[0] = {}): Promise<RelayServer> {
  const relay = await startRelay({ port: 0, log: 'off', ...options })
  open.push(relay)
  return relay
}

/** Plays until something is so, with an order every 50 ms; gives how many there were. */
async function playUntil(match: LedgerMatch, isSo: () => boolean, from = 0): Promise<number> {
  let number = from
  const endMs = performance.now() + 20_000
  while (!isSo() && performance.now() < endMs) {
    match.order('mark', { number: number++ })
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  expect(isSo()).toBe(true)
  return number
}

function expectOnce(match: LedgerMatch, count: number): void {
  const { due, gaps, copies } = match.simulation.state.seats
  expect([due[0], gaps[0], copies[0]]).toEqual([count, 0, 0])
}

test('one address is enough: the match moves to UDP by itself, and no order is lost or doubled', async () => {
  const relay = await start()
  const match = await joinMatch(ledger, { url: relay.url, match: 'friday', seats: 1, guard: false })
  open.push(match)
  expect(match.transport).toBe('websocket')
  const told: (string | undefined)[] = []
  match.on('transport', ({ transport }) => told.push(transport))
  let count = await playUntil(match, () => match.transport === 'udp')
  expect(told).toEqual(['udp'])
  count = await playUntil(match, () => match.pendingOrders.length === 0 && count > 5, count)
  await playUntil(match, () => match.simulation.state.seats.due[0]! >= count, count)
  expect(match.simulation.state.seats.gaps[0]).toBe(0)
  expect(match.simulation.state.seats.copies[0]).toBe(0)
  // The old line is let go when its last words are through.
  await vi.waitFor(async () => expect((await relay.status()).links).toBe(1), 10_000)
})

test('blocked UDP is left for WebSocket, in play, and nothing is lost', async () => {
  const relay = await start()
  const better = new Conditioner()
  const dial = wrapDoors(dialDoorsOf(relay.url), (inner) => better.wrapDial(inner))
  const match = await joinMatch(ledger, {
    match: 'friday',
    seats: 1,
    guard: false,
    dial: dialWebSocket(relay.url),
    betterDoors: { kinds: ['udp'], dial },
  })
  open.push(match)
  const statuses: string[] = []
  // It may be told that it is in play after `joinMatch` has given it.
  match.on('status', (status) => status !== 'active' && statuses.push(status))
  let count = await playUntil(match, () => match.transport === 'udp')
  better.set({ loss: 1 })
  count = await playUntil(match, () => match.transport === 'websocket', count)
  const last = count
  count = await playUntil(match, () => match.simulation.state.seats.due[0]! >= last, count)
  const settled = () => match.pendingOrders.length === 0
  while (!settled()) await new Promise((resolve) => setTimeout(resolve, 20))
  expectOnce(match, count)
  expect(statuses).toEqual([])
})

test('a relay without UDP is played over WebSocket, and nothing else is tried', async () => {
  const relay = await start({ udp: false })
  const match = await joinMatch(ledger, { url: relay.url, match: 'friday', seats: 1, guard: false })
  open.push(match)
  const count = await playUntil(match, () => match.cursors.simulatedTick > 60)
  expect(count).toBeGreaterThan(10)
  expect(match.transport).toBe('websocket')
  expect((await relay.status()).counters.accepted).toEqual({ websocket: 1 })
})
