import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import { engineVersion } from '../../sim/game/copies/version.ts'
import { defineGame } from '../../sim/game/definition/define-game.ts'
import { Conditioner } from '../../transport/conditioner/conditioner.ts'
import { catchConsole } from '../testing/console-lines.ts'
import { DriverWorld, ledger } from '../testing/driver-world.ts'
import { single, u8 } from '../testing/kit.ts'
import type { JoinProgress } from './await-seat.ts'
import { engineName } from './engine-name.ts'
import { JoinError } from './join-error.ts'
import { joinMatch } from './join-match.ts'
import { joinOnline, joinWith } from './join-online.ts'

/** What a promise that is to fail fails with, once time has passed. */
async function failure(world: DriverWorld, joining: Promise<unknown>, ms = 100): Promise<unknown> {
  const caught = joining.then(
    () => undefined,
    (error: unknown) => error,
  )
  await world.timing.pass(ms)
  return caught
}

test('whoever comes first makes the match, and the seats are given in turn', async () => {
  const world = new DriverWorld()
  const ada = await world.seat({ seats: 2, name: 'Ada' })
  const bob = await world.seat({ seats: 2, name: 'Bob' })
  await world.timing.pass(200)
  expect([ada.seat, bob.seat]).toEqual([0, 1])
  expect(ada.room?.members.map(({ name }) => name)).toEqual(['Ada', 'Bob'])
})

test('the match is the one that the link names, unless another one is asked for', async () => {
  const world = new DriverWorld()
  const url = 'http://relay.test/#match=monday'
  const { timing, dial } = world
  const joining = [
    world.join({ url, match: undefined as never }),
    world.join({ url, match: 'sunday' }),
  ]
  await timing.pass(10)
  await Promise.all(joining)
  expect([...world.relay.relay.matches.keys()].sort()).toEqual(['monday', 'sunday'])
  expect(dial).toBeDefined()
})

test('one match has one address, however its name is composed', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  const { port } = server.address() as AddressInfo
  for (const match of ['Cafe\u0301', 'Caf\u00e9']) {
    const leaving = new AbortController()
    const asked = new Promise((resolve) => {
      server.once('upgrade', (request, socket) => {
        socket.destroy()
        resolve(request.url)
      })
    })
    const { signal } = leaving
    const joining = joinMatch(ledger, { url: `ws://127.0.0.1:${port}`, match, signal })
    expect(await asked).toBe('/?match=Caf%C3%A9')
    leaving.abort()
    await expect(joining).rejects.toMatchObject({ reason: 'aborted' })
  }
})

test('no match, no address and impossible options reject at once, and never throw', async () => {
  const world = new DriverWorld()
  const wrong = [{ match: '' }, { url: 'nowhere' }, { seats: 99 }, { options: { x: 1 } as never }]
  for (const options of wrong) {
    await expect(world.join(options)).rejects.toBeInstanceOf(UsageError)
  }
  await expect(world.join({ match: '' })).rejects.toThrow(/no match is named/)
  expect(world.timing.timerCount).toBe(0)
})

test('a full match is refused with match-full', async () => {
  const world = new DriverWorld()
  await world.seat()
  const error = await failure(world, world.join())
  expect(error).toBeInstanceOf(JoinError)
  expect(error).toMatchObject({ reason: 'match-full' })
})

test('another version of the game is refused with version, and with both in words', async () => {
  const world = new DriverWorld()
  await world.seat({ seats: 2 })
  const older = defineGame({
    id: 'ledger',
    version: 2,
    tickRate: 20,
    seats: { min: 1, max: 8 },
    state: { all: single({ leaves: u8 }) },
    orders: {},
    setup() {},
    step() {},
  })
  const { timing, dial } = world
  const joining = joinOnline(older, { url: 'ws://relay.test', match: 'friday', timing, dial })
  const error = await failure(world, joining)
  expect(error).toMatchObject({ name: 'JoinError', reason: 'version' })
  expect((error as Error).message).toMatch(/2.*3|3.*2/s)
})

test('a refusal ends it: nobody tries again, and no timer is left', async () => {
  const world = new DriverWorld()
  const match = await world.seat()
  await failure(world, world.join())
  await world.timing.pass(10_000)
  expect(world.dialed).toHaveLength(2)
  match.close()
  world.relay.stop()
  await world.timing.pass(1_000)
  expect(world.timing.timerCount).toBe(0)
})

test('who gives a time waits no longer, and hears what the last attempt met', async () => {
  const world = new DriverWorld()
  world.isUnreachable = true
  const error = await failure(world, world.join({ timeoutMs: 3_000 }), 3_000)
  expect(error).toMatchObject({ name: 'JoinError', reason: 'timeout' })
  expect((error as Error).message).toBe(
    'Cannot join: no relay let us in within 3000 ms. Cannot connect to memory:0: nobody',
  )
  const { length } = world.dialedAtMs
  await world.timing.pass(60_000)
  expect([world.dialedAtMs.length, world.timing.timerCount]).toEqual([length, 0])
})

test('who gives none waits ten seconds, is warned after two, and hears why', async () => {
  const lines = catchConsole()
  const world = new DriverWorld()
  world.isUnreachable = true
  const joining = world.join()
  joining.catch(() => {})
  await world.timing.pass(1_900)
  expect(lines.warnings).toEqual([])
  const error = (await failure(world, joining, 12_000)) as Error
  expect(lines.warnings).toEqual([
    '[samestep] No relay has let us in yet. Cannot connect to memory:0: nobody',
  ])
  expect(error).toMatchObject({ reason: 'timeout', cause: { code: 'SS_CONNECT_REFUSED' } })
  expect(error.message).toMatch(/no relay let us in within 10000 ms\. Cannot connect/)
})

test('who is let in within two seconds is warned of nothing', async () => {
  const lines = catchConsole()
  const world = new DriverWorld()
  await world.seat()
  await world.timing.pass(20_000)
  expect(lines.warnings).toEqual([])
})

test('onStatus is told how far the attempt is, and what the last one met', async () => {
  catchConsole()
  const world = new DriverWorld()
  world.isUnreachable = true
  const told: JoinProgress[] = []
  const joining = world.join({ onStatus: (progress) => told.push(progress) })
  await world.timing.pass(700)
  world.isUnreachable = false
  await world.finish(joining)
  expect(told[0]).toEqual({ status: 'connecting', url: undefined, failure: undefined })
  expect(told[1]).toMatchObject({ status: 'connecting', failure: expect.stringMatching(/nobody/) })
  expect(told.at(-1)).toMatchObject({ status: 'active' })
})

test('a server of pages at the address is named, with the fix', async () => {
  const lines = catchConsole()
  // As Vite does it: every path is the page, and a WebSocket of somebody else gets no answer.
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end('<!doctype html>')
  })
  const sockets: { destroy(): void }[] = []
  server.on('upgrade', (_request, socket) => sockets.push(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/game.html?x=1`
  const { timing } = new DriverWorld()
  const joining = joinOnline(ledger, { url, match: 'friday', timing }).catch((caught) => caught)
  await timing.pass(2_000)
  // The look at the address is a real one, and takes as long as it takes.
  await vi.waitFor(() => expect(lines.warnings).toHaveLength(1), 30_000)
  await timing.pass(8_000)
  const error = await joining
  const host = `127.0.0.1:${port}`
  expect(lines.warnings.join()).toContain(`dialling ws://${host}/`)
  expect(lines.warnings.join()).toContain(`${host} answers with an HTML page`)
  expect((error as Error).message).toMatch(/url: 'ws:\/\/127\.0\.0\.1:7777'.*server\.proxy/)
})

test('the first fallback is heard by who listens once there is a match', async () => {
  const world = new DriverWorld()
  const told: unknown[] = []
  const match = await world.finish(
    joinWith(
      ledger,
      { match: 'friday', seats: 1, timing: world.timing, dial: world.dial },
      (it) => {
        it.events.emitHeld('fallback', { from: 'webrtc', to: 'websocket', message: 'blocked' })
      },
    ),
  )
  match.on('fallback', (event) => told.push(event))
  expect(told).toEqual([])
  await Promise.resolve()
  expect(told).toEqual([{ from: 'webrtc', to: 'websocket', message: 'blocked' }])
})

test('who wants to wait for ever goes on trying, and gets in when the relay is there', async () => {
  catchConsole()
  const world = new DriverWorld()
  world.isUnreachable = true
  const joining = world.join({ timeoutMs: Number.POSITIVE_INFINITY })
  await world.timing.pass(60_000)
  world.isUnreachable = false
  await world.timing.pass(16_000)
  expect((await joining).status).toBe('active')
})

test('the time that joining may take ends with joining', async () => {
  const world = new DriverWorld()
  const match = await world.seat({ timeoutMs: 500 })
  await world.timing.pass(5_000)
  expect(match.status).toBe('active')
})

test('a caller who changes its mind ends the waiting, before or meanwhile', async () => {
  const world = new DriverWorld()
  world.isUnreachable = true
  const controller = new AbortController()
  const joining = world.join({ signal: controller.signal })
  await world.timing.pass(2_000)
  controller.abort()
  expect(await failure(world, joining)).toMatchObject({ name: 'JoinError', reason: 'aborted' })
  const late = world.join({ signal: controller.signal })
  expect(await failure(world, late)).toMatchObject({ reason: 'aborted' })
  await world.timing.pass(60_000)
  expect(world.timing.timerCount).toBe(0)
})

test('a signal that comes after the seat is for nobody', async () => {
  const world = new DriverWorld()
  const controller = new AbortController()
  const match = await world.seat({ signal: controller.signal })
  controller.abort()
  await world.timing.pass(500)
  expect(match.status).toBe('active')
})

test('an address that can never be dialled is a mistake, and no weather', async () => {
  const world = new DriverWorld()
  const { timing } = world
  const dial = async () => {
    throw new UsageError('SS_BAD_ARGUMENT', 'Cannot dial that: it has no port')
  }
  const error = await failure(world, world.join({ dial, timing }))
  expect(error).toBeInstanceOf(UsageError)
  expect(timing.timerCount).toBe(0)
})

test('a lost answer to the join costs no second seat', async () => {
  const world = new DriverWorld('datagram')
  const conditioner = new Conditioner({ timing: world.timing })
  const joining = world.join({ conditioner, seats: 2, advanced: { retryMs: 100 } })
  await world.timing.pass(0)
  // The relay has seated it, and nobody hears of that.
  conditioner.set({ isCut: true }, 'receiving')
  await world.timing.pass(2_000)
  conditioner.breakConnections()
  conditioner.reset()
  await world.timing.pass(3_000)
  const match = await joining
  expect(match.seat).toBe(0)
  expect(world.relay.relay.matches.get('friday')?.sessions.length).toBe(1)
})

test('who goes online is given company where the game allows it', async () => {
  const { timing, dial } = new DriverWorld()
  const joinings = [1, 2].map(() =>
    joinOnline(ledger, { url: 'ws://relay.test', match: 'friday', timing, dial }),
  )
  await timing.pass(2_000)
  const [first, second] = await Promise.all(joinings)
  expect([first?.seat, second?.seat].sort()).toEqual([0, 1])
  expect(first?.cursors.sealedTick).toBeGreaterThan(0)
})

test('somebody who only watches is let in without a seat', async () => {
  const world = new DriverWorld()
  await world.seat()
  const watcher = await world.seat({ role: 'spectator' })
  await world.timing.pass(1_000)
  expect([watcher.status, watcher.seat]).toEqual(['active', undefined])
  expect(watcher.cursors.simulatedTick).toBeGreaterThanOrEqual(18)
  expect(() => watcher.order('mark', { number: 0 })).toThrow(/has no seat/)
})

test('a relay is told what the game runs on, and which build it is', async () => {
  const world = new DriverWorld()
  await world.seat({ build: ' 1.4.2\n' })
  const [session] = world.relay.relay.matches.get('friday')!.sessions
  expect(session?.visitor.software).toEqual({
    library: engineVersion,
    engine: engineName(),
    build: '1.4.2',
  })
})
