import { createSocket } from 'node:dgram'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { lobbyPerBlockMax } from '../transport/node/websocket-limits.ts'
import { CertificateFolder, certificates } from '../transport/testing/certificates.ts'
import { RawClient } from '../transport/testing/raw-websocket.ts'
import { pauseMs, until } from '../transport/testing/recorder.ts'
import { dialUdp } from '../transport/udp/index.ts'
import type { RelayServer, RelayServerOptions } from './relay-server.ts'
import { startRelay } from './start-relay.ts'
import { type PlayerOptions, TestPlayer } from './testing/player.ts'

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

const health = async (relay: RelayServer) => (await fetch(`${relay.urls.http}/health`)).json()

describe('startRelay', () => {
  test('carries a match from the first join to the last leave', async () => {
    const relay = await start()
    const [ada, bob] = ['Ada', 'Bob'].map((name) =>
      join(relay, { match: 'friday', name, seats: 2 }),
    ) as [TestPlayer, TestPlayer]
    await until(() => ada.ticks > 10 && bob.ticks > 10, 'ticks for both')
    const [match] = await relay.matches()
    expect(match).toMatchObject({ name: 'friday', gameId: 'count', phase: 'running', seats: 2 })
    expect(match!.players.map(({ name }) => name).sort()).toEqual(['Ada', 'Bob'])
    expect(await health(relay)).toMatchObject({ status: 'ok', matches: 1, links: 2, players: 2 })
    expect((await relay.status()).counters.accepted).toEqual({ websocket: 2 })
  })

  test('carries native clients by UDP on the same port number', async () => {
    const relay = await start()
    expect(new URL(relay.urls.udp!).port).toBe(String(relay.port))
    const player = join(relay, { match: 'udp', dial: dialUdp(relay.urls.udp!) })
    await until(() => player.ticks > 5, 'ticks by UDP')
  })

  test('a link leads into a match by its name, whatever its letters', async () => {
    const relay = await start({ publicUrl: 'https://play.example/' })
    expect(relay.joinUrl('friday')).toBe('https://play.example/#match=friday')
    expect(relay.joinUrl('été & co')).toBe('https://play.example/#match=%C3%A9t%C3%A9%20%26%20co')
    expect(relay.url).toBe('wss://play.example')
  })

  test('an operator removes a player, who is told so', async () => {
    const relay = await start()
    const player = join(relay, { match: 'm' })
    await until(() => player.ticks > 2, 'ticks')
    expect(await relay.kick('m', 7)).toBe(false)
    expect(await relay.kick('m', 0)).toBe(true)
    await until(() => player.closed !== undefined, 'the end')
    expect(player.closed?.reason).toBe('kicked')
  })

  test('an operator lets a paused match go on, and ends one', async () => {
    const relay = await start()
    const player = join(relay, { match: 'm' })
    await until(() => player.ticks > 2, 'ticks')
    expect(await relay.resume('m')).toBe(false)
    expect(await relay.resume('none')).toBe(false)
    player.pause()
    await until(() => player.isPaused, 'a pause')
    expect(await relay.resume('m')).toBe(true)
    await until(() => !player.isPaused, 'the end of it')
    expect(await relay.endMatch('none')).toBe(false)
    expect(await relay.endMatch('m')).toBe(true)
    await until(() => player.closed !== undefined, 'the end')
    expect(player.closed?.reason).toBe('match-over')
  })

  test('where nobody may make matches, the first to come is refused with the reason', async () => {
    const relay = await start({ createMatches: 'nobody' })
    const player = join(relay, { match: 'm' })
    await until(() => player.closed !== undefined, 'a refusal')
    expect(player.closed).toMatchObject({ reason: 'no-match' })
  })

  test('tells everybody 4010 when it stops, answers 503 meanwhile, and frees the port', async () => {
    const relay = await start()
    const player = join(relay, { match: 'm' })
    // A peer that never answers the farewell: the port stays open for its sake, for a second.
    const deaf = new RawClient(relay.port).upgrade()
    await until(() => player.ticks > 2 && deaf.status === 101, 'ticks')
    const closing = relay.close()
    const answer = await fetch(`${relay.urls.http}/health`)
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ status: 'stopping' })
    const late = new RawClient(relay.port).upgrade()
    expect(await late.answered()).toBe(503)
    await closing
    await relay.close()
    expect(player.closed?.reason ?? player.ends[0]?.code).toBe('shutdown')
    expect(deaf.closeCode).toBe(4010)
    const again = await startRelay({ port: relay.port, webrtc: false, log: false })
    await again.close()
  })

  test('encrypts with a certificate, and reads it again on demand', async () => {
    const saved = new CertificateFolder()
    saved.write(certificates[0])
    const relay = await start({ tls: saved.files, udp: false })
    expect(relay.urls).toMatchObject({
      http: `https://127.0.0.1:${relay.port}`,
      websocket: `wss://127.0.0.1:${relay.port}`,
    })
    relay.reloadTls()
    saved.remove()
    expect(() => relay.reloadTls()).toThrow('Cannot read the certificate')
    expect(relay.isInsecure).toBe(false)
  })

  test('refuses to be reached without encryption unless that is asked for, and then says so', async () => {
    await expect(start({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'SS_INSECURE' })
    const relay = await start({ host: '0.0.0.0', insecure: true })
    expect(relay.isInsecure).toBe(true)
    expect(relay.notices[0]).toContain('not encrypted')
    expect(relay.urls.websocket).not.toContain('0.0.0.0')
    expect(relay.urls.udp).not.toContain('0.0.0.0')
  })

  test('a port that is taken is told with what to do about it', async () => {
    const relay = await start()
    const port = relay.port
    await expect(start({ port })).rejects.toMatchObject({
      code: 'SS_CANNOT_LISTEN',
      message: `Cannot listen at 127.0.0.1:${port}: another program has the port already, perhaps another relay; choose another port (0 for any), or end that program`,
    })
    await expect(start({ udp: { port } })).rejects.toMatchObject({ code: 'SS_CANNOT_LISTEN' })
  })

  test('a UDP port that nobody asked for may be missing, with a notice', async () => {
    const holder = createSocket('udp4')
    await new Promise<void>((resolve) => holder.bind(0, '127.0.0.1', resolve))
    const relay = await start({ port: holder.address().port })
    holder.close()
    expect(relay.urls.udp).toBeUndefined()
    expect(relay.notices.join()).toContain('Cannot listen at 127.0.0.1')
  })

  test('conditions make every connection worse, while it runs', async () => {
    const relay = await start({ conditions: 'latency=40' })
    expect(relay.conditioner?.sending.latencyMs).toBe(40)
    const player = join(relay, { match: 'm' })
    await until(() => player.ticks > 3, 'ticks')
    relay.conditioner!.breakConnections()
    await until(() => player.ends.length > 0, 'a broken connection')
    const before = player.ticks
    await until(() => player.ticks > before + 3, 'ticks after coming back')
  })

  test.each(['websocket', 'udp'] as const)(
    'conditions that are set while it runs reach players who are there already, by %s',
    async (transport) => {
      const relay = await start()
      const dial = transport === 'udp' ? { dial: dialUdp(relay.urls.udp!) } : {}
      const player = join(relay, { match: 'm', ...dial })
      await until(() => player.ticks > 3, 'ticks')
      const { conditioner } = relay
      // Nothing was to be done, so nothing was in between.
      expect(conditioner!.stats.sent).toBe(0)
      conditioner!.set({ isClogged: true })
      await until(() => conditioner!.stats.sent > 3, 'packets')
      expect(conditioner!.stats.delivered).toBe(0)
      conditioner!.reset()
      const before = player.ticks
      await until(() => player.ticks > before + 3, 'ticks afterwards')
      expect(player.ends).toEqual([])
    },
  )

  test('all connections can be broken, also where no conditions were ever set', async () => {
    const relay = await start()
    const player = join(relay, { match: 'm' })
    await until(() => player.ticks > 3, 'ticks')
    relay.conditioner!.breakConnections()
    await until(() => player.ends.length > 0, 'a broken connection')
    const before = player.ticks
    await until(() => player.ticks > before + 3, 'ticks after coming back')
  })

  test('a line that damages packets only loses them for players by UDP, which proves each', async () => {
    const relay = await start({ conditions: 'corrupt=20%' })
    const player = join(relay, { match: 'm', dial: dialUdp(relay.urls.udp!) })
    await until(() => player.ticks > 150, 'ticks')
    expect(player.ends).toEqual([])
    expect(relay.conditioner!.stats.corrupted).toBeGreaterThan(10)
    expect(relay.conditioner!.stats.lost).toBe(relay.conditioner!.stats.corrupted)
  })

  test.each<[RelayServerOptions, string]>([
    [{ port: 70_000 }, 'Cannot use the option port: it is 70000; it must be a whole number'],
    [{ prot: 1 } as RelayServerOptions, 'there is no such setting; did you mean port?'],
    [{ workers: 2, udp: { port: 1 } }, 'Cannot use udp with several workers'],
    [{ pages: '/nowhere/at/all' }, 'Cannot serve pages from "/nowhere/at/all"'],
    [{ origins: ['https://a.example/'] }, 'Cannot use the option origins'],
  ])('refuses %j', async (options, message) => {
    await expect(start(options)).rejects.toThrow(message)
  })
})

describe('who may connect', () => {
  test.each([
    ['http://localhost:5173', 101],
    ['http://127.0.0.1:9', 101],
    ['https://[::1]:5173', 101],
    ['http://localhost.evil.example', 403],
    ['https://evil.example', 403],
    ['null', 403],
  ])('by default on loopback, a page of %s gets %i', async (origin, status) => {
    const relay = await start()
    const client = new RawClient(relay.port).upgrade({ Origin: origin, Host: 'evil.example' })
    expect(await client.answered()).toBe(status)
    client.destroy()
    expect((await relay.status()).counters.refused.origin).toBe(status === 403 ? 1 : 0)
  })

  test('a list allows what it names and the own pages, and nothing else of this machine', async () => {
    const relay = await start({ origins: ['https://game.example'] })
    const ask = (origin: string) => new RawClient(relay.port).upgrade({ Origin: origin }).answered()
    expect(await ask('https://game.example')).toBe(101)
    expect(await ask(`http://127.0.0.1:${relay.port}`)).toBe(101)
    expect(await ask('http://localhost:5173')).toBe(403)
  })

  test('[T-27] places for strangers of one address are as many as were named, by WebRTC too', async () => {
    const relay = await start({ webrtc: { port: 0 }, strangersPerAddress: 2 })
    const path = new URL(relay.urls.webrtc!).pathname
    const headers = { 'Sec-WebSocket-Protocol': 'samestep-rtc-1' }
    const ask = () => new RawClient(relay.port).upgrade(headers, path).answered()
    expect([await ask(), await ask(), await ask()]).toEqual([101, 101, 429])
  })

  test('another path is told to be one, and nobody is left hanging', async () => {
    const relay = await start({ webrtc: { port: 0 } })
    const client = new RawClient(relay.port).upgrade({}, '/elsewhere')
    await until(() => client.isClosed, 'the end')
    expect(client.status).toBe(404)
  })
})

describe('strangers who misbehave', () => {
  test('a reader that stands still disturbs neither its own match nor another', async () => {
    const relay = await start()
    const gate = await stallingProxy(relay.port)
    const slow = new TestPlayer(`ws://127.0.0.1:${gate.port}`, { match: 'a', seats: 2 })
    players.push(slow)
    const mate = join(relay, { match: 'a', name: 'Bob', seats: 2 })
    const other = join(relay, { match: 'b' })
    await until(() => slow.ticks > 3 && mate.ticks > 3 && other.ticks > 3, 'ticks')
    gate.stall()
    const [mateTicks, otherTicks] = [mate.ticks, other.ticks]
    await until(() => mate.ticks > mateTicks + 60 && other.ticks > otherTicks + 60, 'more ticks')
    gate.close()
  })

  test('sockets that never finish a request are closed while a match goes on', async () => {
    const relay = await start()
    const player = join(relay, { match: 'm' })
    await until(() => player.ticks > 2, 'ticks')
    const idlers = Array.from({ length: 200 }, () => connect(relay.port, '127.0.0.1'))
    let open = idlers.length
    for (const socket of idlers) {
      socket.on('error', () => {})
      socket.on('connect', () => socket.write('GET / HTT'))
      socket.on('close', () => open--)
      socket.resume()
    }
    await until(() => open === 0, 'the end of all idlers')
    const before = player.ticks
    await until(() => player.ticks > before + 10, 'more ticks')
    expect(await health(relay)).toMatchObject({ status: 'ok', links: 1, faults: 0 })
  })

  test('one address holds only so many connections, while another gets in', async () => {
    const relay = await start()
    const sockets = Array.from({ length: lobbyPerBlockMax + 20 }, () =>
      connect(relay.port, '127.0.0.1').on('error', () => {}),
    )
    await until(() => sockets.filter(({ destroyed }) => destroyed).length === 20, 'twenty ends')
    expect((await relay.status()).counters.dropped).toBe(20)
    const other = connect({ port: relay.port, host: '127.0.0.1', localAddress: '127.0.0.2' })
    let answer = ''
    other.on('data', (text) => {
      answer += text
    })
    other.write('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await until(() => answer.includes('"ok"'), 'an answer')
    for (const socket of [...sockets, other]) socket.destroy()
  })

  test('a crowd of one address costs its own oldest, and its newest still gets a page', async () => {
    const relay = await start()
    const crowd = Array.from({ length: lobbyPerBlockMax }, () =>
      connect(relay.port, '127.0.0.1').on('error', () => {}),
    )
    await until(() => crowd.every(({ connecting }) => !connecting), 'a full address')
    expect(await health(relay)).toMatchObject({ status: 'ok' })
    await until(() => crowd.filter(({ destroyed }) => destroyed).length === 1, 'one end')
    for (const socket of crowd) socket.destroy()
  })

  test('a browser asks again on the same connection, in as many pieces as the network likes', async () => {
    const relay = await start()
    const socket = connect(relay.port, '127.0.0.1')
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes
    })
    const ask = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'
    for (const count of [1, 2, 3]) {
      for (const piece of [ask.slice(0, 9), ask.slice(9, -1), ask.slice(-1)]) {
        socket.write(piece)
        await pauseMs(5)
      }
      await until(() => text.split('"status":"ok"').length === count + 1, `answer ${count}`)
    }
    socket.destroy()
  })

  test('garbage, oversize and text end only their own connection', async () => {
    const relay = await start()
    const player = join(relay, { match: 'm' })
    await until(() => player.ticks > 2, 'ticks')
    const bad = [
      new RawClient(relay.port).upgrade(),
      new RawClient(relay.port).upgrade(),
      new RawClient(relay.port).upgrade(),
    ] as const
    await until(() => bad.every((client) => client.status === 101), 'upgrades')
    bad[0].write(2, Buffer.alloc(70_000))
    bad[1].write(1, Buffer.from('hello'))
    bad[2].write(2, Buffer.from([255, 255, 255, 255]))
    await until(() => bad.every((client) => client.isClosed), 'the end of all')
    expect(bad.map((client) => client.closeCode)).toEqual([1009, 4001, 4001])
    const before = player.ticks
    await until(() => player.ticks > before + 5, 'more ticks')
    expect((await relay.status()).counters.faults).toBe(0)
  })
})

/** Passes bytes on, until it is told to read no more from the relay. */
async function stallingProxy(port: number) {
  const upstreams: Socket[] = []
  const downstreams: Socket[] = []
  const server: Server = createServer((socket) => {
    const upstream = connect(port, '127.0.0.1')
    upstreams.push(upstream)
    downstreams.push(socket)
    for (const each of [upstream, socket]) each.on('error', () => {})
    upstream.pipe(socket)
    socket.pipe(upstream)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    stall() {
      for (const [at, upstream] of upstreams.entries()) {
        upstream.unpipe(downstreams[at])
        upstream.pause()
      }
    },
    close() {
      for (const socket of [...upstreams, ...downstreams]) socket.destroy()
      server.close()
    },
  }
}
