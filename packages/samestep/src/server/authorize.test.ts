/** Who may join, over real sockets: a hook, and matches that only the operator makes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { engineVersion } from '../sim/game/copies/version.ts'
import { pauseMs, until } from '../transport/testing/recorder.ts'
import { dialUdp, issueTicket } from '../transport/udp/index.ts'
import { closeCodes } from '../wire/codes.ts'
import { lobbyDefaults } from '../wire/messages/match-config.ts'
import type { JoinRequest } from './authorize.ts'
import type { RelayServer, RelayServerOptions } from './relay-server.ts'
import { loadUdpKey } from './settings/udp-key.ts'
import { startRelay } from './start-relay.ts'
import { countGame, type PlayerOptions, TestPlayer } from './testing/player.ts'
import { newMatchName, RawPlayer, rawConfig } from './testing/raw-player.ts'

const relays: RelayServer[] = []
const players: TestPlayer[] = []

afterEach(async () => {
  for (const player of players.splice(0)) player.stop()
  for (const relay of relays.splice(0)) await relay.close()
})

async function start(options: RelayServerOptions = {}): Promise<RelayServer> {
  const relay = await startRelay({ port: 0, webrtc: false, log: false, ...options })
  relays.push(relay)
  return relay
}

function join(relay: RelayServer, options: PlayerOptions): TestPlayer {
  const player = new TestPlayer(relay.url, options)
  players.push(player)
  return player
}

describe('authorize', () => {
  test('sees token, match, role, name and address, and decides name and seat, on every transport', async () => {
    const asked: JoinRequest[] = []
    const relay = await start({
      authorize: async (request) => {
        asked.push(request)
        await pauseMs(5)
        const { token, transport } = request
        if (token !== 'sesame') return { refused: 'you said the wrong word' }
        return { identity: transport, name: `by ${transport}`, seat: 1 }
      },
    })
    const web = join(relay, { match: 'a', name: 'Ada', seats: 2, token: 'sesame' })
    const udp = join(relay, {
      match: 'b',
      seats: 2,
      token: 'sesame',
      dial: dialUdp(relay.urls.udp!),
    })
    await until(() => web.seat === 1 && udp.seat === 1, 'seats')
    const [a, b] = await relay.matches()
    expect([a?.players[0]?.name, b?.players[0]?.name].sort()).toEqual(['by udp', 'by websocket'])
    expect(asked.find(({ match }) => match === 'a')).toEqual({
      token: 'sesame',
      match: 'a',
      isNew: true,
      role: 'player',
      name: 'Ada',
      gameId: 'count',
      software: { library: engineVersion, engine: '', build: '' },
      address: '127.0.0.1',
      transport: 'websocket',
      ticketData: new Uint8Array(0),
    })
    for (const token of [undefined, 'sesam']) {
      const eve = join(relay, { match: 'a', ...(token === undefined ? {} : { token }) })
      await until(() => eve.closed !== undefined, 'a refusal')
      expect(eve.closed).toMatchObject({
        reason: 'auth',
        message: 'Cannot let you in: you said the wrong word',
      })
    }
  })

  test('that throws, or answers nonsense, refuses, counts a fault and harms nobody', async () => {
    const relay = await start({
      authorize: ({ name }) => {
        if (name === 'Bob') throw new Error('the database is gone')
        return name === 'Eve' ? { seat: 99 } : {}
      },
    })
    const ada = join(relay, { match: 'a', name: 'Ada' })
    await until(() => ada.ticks > 3, 'ticks')
    for (const name of ['Bob', 'Eve']) {
      const player = join(relay, { match: 'b', name })
      await until(() => player.closed !== undefined, 'a refusal')
      expect(player.closed?.message).toContain('could not find out whether you may join')
    }
    expect((await relay.status()).counters.faults).toBe(2)
    const { ticks } = ada
    await until(() => ada.ticks > ticks + 3, 'more ticks')
  })

  test('that never answers keeps nobody: the link ends, and its client tries again', async () => {
    let count = 0
    const relay = await start({
      authorize: () => {
        count += 1
        return count === 1 ? new Promise(() => {}) : {}
      },
    })
    const ada = join(relay, { match: 'a' })
    await until(() => ada.ticks > 0, 'a second try')
    expect(ada.ends[0]?.code).toBe(closeCodes['too-slow'])
  }, 30_000)
})

describe('createMatches', () => {
  test('token lets only those make a match who were authorized to', async () => {
    const relay = await start({
      createMatches: 'token',
      authorize: ({ token }) => (token === 'host' ? { mayCreate: true } : {}),
    })
    const guest = join(relay, { match: 'a', seats: 2 })
    await until(() => guest.closed !== undefined, 'a refusal')
    expect(guest.closed).toMatchObject({ reason: 'no-match' })
    const host = join(relay, { match: 'a', seats: 2, token: 'host' })
    await until(() => host.seat !== undefined, 'a seat')
    const again = join(relay, { match: 'a', seats: 2 })
    await until(() => again.ticks > 3, 'ticks')
  })

  test('nobody leaves it to the program, whose matches wait for their players', async () => {
    const relay = await start({ createMatches: 'nobody', matchLimits: { seatsMax: 1 } })
    await relay.createMatch({ match: 'final', game: countGame, seats: 2 })
    expect(await relay.matches()).toMatchObject([{ name: 'final', seats: 2, players: [] }])
    const two = ['Ada', 'Bob'].map((name) => join(relay, { match: 'final', name, seats: 8 }))
    await until(() => two.every(({ ticks }) => ticks > 3), 'ticks')
    const other = join(relay, { match: 'another' })
    await until(() => other.closed !== undefined, 'a refusal')
    expect(other.closed).toMatchObject({ reason: 'no-match' })
    await expect(relay.createMatch({ match: 'final', game: countGame })).rejects.toMatchObject({
      code: 'SS_CANNOT_CREATE',
    })
    await expect(
      relay.createMatch({ match: 'x', game: countGame, seats: 99 }),
    ).rejects.toMatchObject({ code: 'SS_BAD_ARGUMENT' })
  })
})

describe('with workers', () => {
  test('the process with the port decides who joins, and makes matches in the right worker', async () => {
    // Workers run from the source here, as this test does.
    vi.stubEnv('NODE_OPTIONS', '--import tsx')
    onTestFinished(() => void vi.unstubAllEnvs())
    const relay = await start({
      workers: 2,
      createMatches: 'nobody',
      authorize: ({ token, address }) =>
        token === 'sesame' ? { identity: 'a', name: `from ${address}` } : { refused: 'no' },
    })
    const names = ['one', 'two', 'three', 'four']
    for (const match of names) await relay.createMatch({ match, game: countGame, seats: 1 })
    expect((await relay.matches()).map(({ name }) => name).sort()).toEqual([...names].sort())
    await expect(relay.createMatch({ match: 'one', game: countGame })).rejects.toMatchObject({
      code: 'SS_CANNOT_CREATE',
    })
    const all = names.map((match) => join(relay, { match, token: 'sesame' }))
    await until(() => all.every(({ ticks }) => ticks > 3), 'ticks of all')
    const [match] = await relay.matches()
    expect(match?.players[0]?.name).toBe('from 127.0.0.1')
    const eve = join(relay, { match: 'one', token: 'x' })
    await until(() => eve.closed !== undefined, 'a refusal')
    expect(eve.closed).toMatchObject({ reason: 'auth', message: 'Cannot let you in: no' })
  }, 60_000)
})

describe('what strangers make', () => {
  test('visits that join a match of their own and leave it leave nothing behind', async () => {
    const relay = await start({ matchesMax: 4, strangersPerAddress: 64 })
    const lobby = { ...lobbyDefaults, start: 'by-owner' as const, emptyMs: 10_000 }
    for (let visit = 0; visit < 100; visit++) {
      const player = await RawPlayer.join(relay.url, {
        match: newMatchName(),
        config: { ...rawConfig, lobby },
      })
      expect(player.body('RelaySeated'), player.body('RelayRefuse')?.message).toBeDefined()
      player.say('ClientLeave', { reason: '' })
      await until(() => player.end !== undefined, 'the end')
    }
    await expect.poll(async () => (await relay.status()).matches).toBe(0)
    expect((await relay.status()).links).toBe(0)
  })

  test('matches beyond the limits are refused with the numbers, by the close code too', async () => {
    const relay = await start({
      matchLimits: { seatsMax: 4, tickRateMax: 60 },
      matchesPerMinute: 2,
    })
    const join = (changes: Partial<typeof rawConfig>) =>
      RawPlayer.join(relay.url, { match: newMatchName(), config: { ...rawConfig, ...changes } })
    const large = await join({ seats: 5 })
    expect(large.body('RelayRefuse')).toMatchObject({
      item: 'seats',
      theirs: '5',
      ours: 'at most 4',
    })
    await until(() => large.end !== undefined, 'the end')
    expect(large.end?.code).toBe(closeCodes['no-match'])
    const slow = await join({ lobby: { ...lobbyDefaults, emptyMs: 10_001 } })
    expect(slow.body('RelayRefuse')).toMatchObject({ ours: 'at most 10000' })
    const fast = await join({ tickRate: 61 })
    expect(fast.body('RelayRefuse')).toMatchObject({ item: 'tick rate' })
    for (const isIn of [true, true, false]) {
      expect((await join({})).body('RelaySeated') !== undefined).toBe(isIn)
    }
  })

  test('who was kicked stays out, by ticket and, if the operator wants, by address', async () => {
    const relay = await start({ kickAddresses: true })
    const config = { ...rawConfig, seats: 2 }
    const ticket = new Uint8Array(16).fill(5)
    const match = newMatchName()
    await RawPlayer.join(relay.url, { match, config })
    const bob = await RawPlayer.join(relay.url, { match, config, ticket })
    expect(await relay.kick(match, 1)).toBe(true)
    await until(() => bob.end !== undefined, 'the end')
    expect(bob.end?.code).toBe(closeCodes.kicked)
    for (const changes of [{ ticket }, {}]) {
      const again = await RawPlayer.join(relay.url, { match, config, ...changes })
      await until(() => again.end !== undefined, 'the end')
      expect(again.end?.code).toBe(closeCodes['reconnect-budget'])
    }
  })
})

describe('udp.ticketKeyFile', () => {
  test('lets nobody in by UDP without a ticket, and authorize sees what the ticket says', async () => {
    const folder = mkdtempSync(joinPath(tmpdir(), 'samestep-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const ticketKeyFile = joinPath(folder, 'ticket.key')
    const seen: Uint8Array[] = []
    const relay = await start({
      udp: { ticketKeyFile },
      authorize: ({ ticketData }) => {
        seen.push(ticketData)
        return {}
      },
    })
    expect(relay.notices.join()).toContain('Made a UDP ticket key')
    const key = loadUdpKey(ticketKeyFile).secretKey
    const ticket = issueTicket(key, {
      id: crypto.getRandomValues(new Uint8Array(16)),
      expiresAtMs: Date.now() + 60_000,
      data: Uint8Array.of(1, 2, 3),
    })
    const ada = join(relay, { match: 'a', dial: dialUdp(relay.urls.udp!, { ticket }) })
    await until(() => ada.ticks > 3, 'ticks')
    expect(seen).toEqual([Uint8Array.of(1, 2, 3)])
    await expect(dialUdp(relay.urls.udp!, { timeoutMs: 1_000 })()).rejects.toThrow()
  })
})
