import { createSocket } from 'node:dgram'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { UsageError } from '../../../base/errors.ts'
import type { Channel } from '../../../link/channel.ts'
import type { Connection } from '../../connection.ts'
import { describeConnectionContract } from '../../testing/connection-contract.ts'
import { pauseMs, Recorder, until } from '../../testing/recorder.ts'
import { connectPeers } from '../connect-peers.ts'
import { dialWebrtc } from '../dial-webrtc.ts'
import { encodeSignalling } from '../signalling.ts'
import { chromiumOffer } from '../testing/descriptions.ts'
import { makePipes } from '../testing/pipes.ts'
import { findUdpPort, makeNodeSocket, RtcStage } from '../testing/rtc-stage.ts'
import { loadNativePeers } from './native-peer.ts'
import { openRtcDoor } from './rtc-signalling.ts'

describeConnectionContract('webrtc, Node to Node', async () => {
  const stage = await RtcStage.open()
  return {
    kind: 'datagram',
    transport: 'webrtc',
    carriesEnd: true,
    openPair: () => stage.openPair(),
    dispose: () => stage.dispose(),
  }
})

const stages: RtcStage[] = []

async function openStage(options: Parameters<typeof RtcStage.open>[0] = {}): Promise<RtcStage> {
  const stage = await RtcStage.open(options)
  stages.push(stage)
  return stage
}

afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.dispose()
})

/** Runs a channel over a connection, as a driver does. */
function drive(connection: Connection, channel: Channel): { stop(): void; drain(): void } {
  const drain = (): void => {
    for (let packet = channel.pollPacket(); packet; packet = channel.pollPacket()) {
      connection.send(packet)
    }
  }
  connection.open({
    handlePacket: (bytes) => {
      channel.handlePacket(bytes, performance.now())
      drain()
    },
    handleClosed: () => {},
  })
  const timer = setInterval(() => {
    channel.handleTime(performance.now())
    drain()
  }, 2)
  return { stop: () => clearInterval(timer), drain }
}

describe('channels over real lanes', () => {
  test('a snapshot of a megabyte arrives, with control in sequence and ticks in between', async () => {
    const stage = await openStage()
    const { dialed, accepted } = await stage.openPair()
    const a = dialed.makeChannel!('initiator', performance.now())
    const b = accepted.makeChannel!('acceptor', performance.now())
    const drivers = [drive(dialed, a), drive(accepted, b)]
    const lanes = { control: [] as number[], tick: [] as number[], bulk: [] as Uint8Array[] }
    let sent = 0
    let bulkSent = 0
    try {
      await until(() => {
        const nowMs = performance.now()
        if (bulkSent < 32 && b.sendBulk(new Uint8Array(32_768).fill(bulkSent), nowMs)) bulkSent++
        if (sent < 200) {
          b.sendControl(Uint8Array.of(1, sent), nowMs)
          b.sendTick(Uint8Array.of(0x80, sent), nowMs)
          sent++
        }
        drivers[1]!.drain()
        for (let next = a.pollMessage(); next; next = a.pollMessage()) {
          if (next.lane === 'bulk') lanes.bulk.push(next.bytes.slice())
          else lanes[next.lane === 'control' ? 'control' : 'tick'].push(next.bytes[1]!)
        }
        return lanes.bulk.length === 32 && lanes.control.length === 200
      }, 'all messages')
    } finally {
      for (const driver of drivers) driver.stop()
    }
    expect(lanes.control).toEqual(Array.from({ length: 200 }, (_, number) => number))
    for (const [number, bytes] of lanes.bulk.entries()) {
      expect(Buffer.compare(bytes, new Uint8Array(32_768).fill(number))).toBe(0)
    }
    expect(lanes.tick.length).toBeGreaterThan(100)
    expect(b.stats.rttMs).toBeGreaterThan(0)
  })
})

describe('the door', () => {
  test('all peers share one UDP port', async () => {
    const udpPort = await findUdpPort()
    const stage = await openStage({ udpPort })
    const pairs = [await stage.openPair(), await stage.openPair(), await stage.openPair()]
    for (const [number, { dialed, accepted }] of pairs.entries()) {
      expect(dialed.remote).toBe(`127.0.0.1:${udpPort}`)
      expect(accepted.remote).toMatch(/^127\.0\.0\.1:\d+$/)
      new Recorder(dialed).send(Uint8Array.of(1, number))
      await new Recorder(accepted).heard(Uint8Array.of(1, number))
    }
    expect(stage.door.openCount).toBe(3)
  })

  test('a closed door lets nobody in; connections and the port stay until they end', async () => {
    const stage = await openStage({ udpPort: await findUdpPort() })
    const { dialed, accepted } = await stage.openPair()
    const [a, b] = [new Recorder(dialed), new Recorder(accepted)]
    await stage.door.close()
    await expect(stage.dial()).rejects.toMatchObject({ name: 'ConnectError' })
    await pauseMs(50)
    a.send(Uint8Array.of(1, 2))
    await b.heard(Uint8Array.of(1, 2))
    b.send(Uint8Array.of(1, 3))
    await a.heard(Uint8Array.of(1, 3))
    expect([a.ends, b.ends]).toEqual([[], []])
  })

  test('a port that somebody else has is noticed at once', async () => {
    const other = createSocket('udp4')
    await new Promise<void>((resolve) => other.bind(0, '127.0.0.1', resolve))
    const options = { udpPort: other.address().port, bindAddress: '127.0.0.1' }
    await expect(openRtcDoor(() => {}, options)).rejects.toThrow(UsageError)
    other.close()
  })

  test('a port that was closed can be opened again', async () => {
    const udpPort = await findUdpPort()
    for (let round = 0; round < 2; round++) {
      const stage = await RtcStage.open({ udpPort })
      await stage.openPair()
      await stage.dispose()
    }
  })

  test('a public address is told instead of the own one', async () => {
    const stage = await openStage({ publicAddress: '127.0.0.1' })
    const { dialed } = await stage.openPair()
    expect(dialed.remote).toMatch(/^127\.0\.0\.1:/)
  })
})

/** What the server answers to an upgrade: the status, or 101. */
async function upgrade(
  stage: RtcStage,
  { path = '/rtc', protocol = 'samestep-rtc-1', headers = {} } = {},
): Promise<number> {
  const socket = new WebSocket(`${stage.url}${path}`, protocol, { headers })
  const status = await new Promise<number>((resolve) => {
    socket.once('open', () => resolve(101))
    socket.once('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode))
    socket.once('error', () => resolve(0))
  })
  socket.on('error', () => {})
  socket.terminate()
  return status
}

describe('strangers at the door', () => {
  test('[T-20] only pages of the origins that were named come in', async () => {
    const origins = ['https://game.example']
    const stage = await openStage({ origins })
    expect(await upgrade(stage)).toBe(101)
    expect(await upgrade(stage, { headers: { origin: 'https://game.example' } })).toBe(101)
    expect(await upgrade(stage, { headers: { origin: 'https://game.example.evil.org' } })).toBe(403)
    expect(await upgrade(stage, { headers: { origin: 'null' } })).toBe(403)
    // The own address is no exception: a name that points to it would be as good.
    const { host } = new URL(stage.url)
    expect(await upgrade(stage, { headers: { origin: `http://${host}` } })).toBe(403)
  })

  test('another path is not ours, another protocol is refused', async () => {
    const stage = await openStage()
    expect(await upgrade(stage, { path: '/' })).toBe(404)
    expect(await upgrade(stage, { path: '/rtc/x' })).toBe(404)
    expect(await upgrade(stage, { path: '/rtc?x=1' })).toBe(101)
    expect(await upgrade(stage, { protocol: 'chat' })).toBe(400)
  })

  test('[T-27] one address has so many places for strangers, and known ones need none', async () => {
    const refused: string[] = []
    const stage = await openStage({
      strangersPerAddress: 2,
      trustedProxies: ['127.0.0.1'],
      onRefused: (reason) => refused.push(reason),
    })
    const first = await stage.openPair()
    await stage.openPair()
    await expect(stage.dial()).rejects.toMatchObject({ code: 'SS_CONNECT_REJECTED' })
    expect(refused).toContain('Too Many Requests')
    expect(await upgrade(stage, { headers: { 'x-forwarded-for': '10.0.0.2' } })).toBe(101)
    // Whoever fails fast does not get to try without end: the place stays taken for a while.
    expect(await upgrade(stage, { headers: { 'x-forwarded-for': '10.0.0.2' } })).toBe(101)
    await until(() => stage.door.pendingCount === 0, 'the end of both attempts')
    expect(await upgrade(stage, { headers: { 'x-forwarded-for': '10.0.0.2' } })).toBe(429)
    first.accepted.markKnown!()
    await pauseMs(1_050)
    expect(await upgrade(stage, { headers: { 'x-forwarded-for': '10.0.0.2' } })).toBe(101)
    await stage.openPair()
  })

  test('so many negotiate at the same time', async () => {
    const stage = await openStage({ pendingMax: 1 })
    const socket = new WebSocket(`${stage.url}/rtc`, 'samestep-rtc-1')
    await new Promise((resolve) => socket.once('open', resolve))
    expect(await upgrade(stage)).toBe(503)
    socket.terminate()
    await until(() => stage.door.pendingCount === 0, 'a free place')
    await stage.openPair()
  })

  test('so many peers may be open, and a place is free again when one ends', async () => {
    const stage = await openStage({ openMax: 1 })
    const { dialed } = await stage.openPair()
    expect(await upgrade(stage)).toBe(503)
    dialed.close(1000, '')
    await until(() => stage.door.openCount === 0, 'the end')
    await stage.openPair()
  })

  test('whoever says nothing, nonsense, text or too much is shown out', async () => {
    const refused: string[] = []
    const stage = await openStage({ timeoutMs: 300, onRefused: (reason) => refused.push(reason) })
    const says: ((socket: WebSocket) => void)[] = [
      () => {},
      (socket) => socket.send(Uint8Array.of(9)),
      (socket) => socket.send('hello'),
      (socket) => socket.send(new Uint8Array(16_385)),
      (socket) =>
        socket.send(encodeSignalling({ type: 'offer', sdp: 'v=0', proof: new Uint8Array(0) })),
      // Looks right, but nobody will ever come by those credentials.
      (socket) =>
        socket.send(
          encodeSignalling({ type: 'offer', sdp: chromiumOffer, proof: new Uint8Array(0) }),
        ),
      (socket) => socket.terminate(),
    ]
    for (const say of says) {
      const socket = new WebSocket(`${stage.url}/rtc`, 'samestep-rtc-1')
      socket.on('error', () => {})
      const over = new Promise((resolve) => socket.once('close', resolve))
      await new Promise((resolve) => socket.once('open', resolve))
      say(socket)
      await over
    }
    await until(() => refused.length === says.length, 'all refusals')
    await until(() => stage.door.pendingCount === 0, 'free places')
    // And the next honest one gets in.
    await stage.openPair()
  })

  test('addresses that strangers name are not tried, unless the server is told to', async () => {
    const witness = createSocket('udp4')
    await new Promise<void>((resolve) => witness.bind(0, '127.0.0.1', resolve))
    const candidate = `candidate:1 1 udp 2113937151 127.0.0.1 ${witness.address().port} typ host`
    let packets = 0
    witness.on('message', () => packets++)
    const heard: number[] = []
    for (const takesCandidates of [false, true]) {
      const stage = await openStage({ takesCandidates, timeoutMs: 700 })
      const socket = new WebSocket(`${stage.url}/rtc`, 'samestep-rtc-1')
      await new Promise((resolve) => socket.once('open', resolve))
      const sdp = chromiumOffer.concat(`a=${candidate}\r\n`)
      socket.send(encodeSignalling({ type: 'offer', sdp, proof: new Uint8Array(0) }))
      socket.send(encodeSignalling({ type: 'candidate', candidate, mid: '0' }))
      await new Promise((resolve) => socket.once('close', resolve))
      heard.push(packets)
    }
    witness.close()
    expect(heard[0]).toBe(0)
    expect(heard[1]).toBeGreaterThan(0)
  })
})

describe('an error of ours', () => {
  test('in the handler of a packet ends that connection only, and is counted', async () => {
    const faults: (readonly unknown[])[] = []
    const stage = await openStage({ onFault: (...fault) => faults.push(fault) })
    const [one, other] = [await stage.openPair(), await stage.openPair()]
    const error = new Error('ours')
    one.accepted.open({
      handlePacket() {
        throw error
      },
      handleClosed() {},
    })
    const [from, to] = [new Recorder(other.dialed), new Recorder(other.accepted)]
    const dialed = new Recorder(one.dialed)
    dialed.send(Uint8Array.of(1, 2))
    await dialed.ended()
    expect(faults).toEqual([[error, '127.0.0.1']])
    from.send(Uint8Array.of(1, 3))
    await to.heard(Uint8Array.of(1, 3))
    expect(stage.door.openCount).toBe(1)
  })

  test('in taking a connection ends that connection only, and is counted', async () => {
    const faults: unknown[] = []
    const error = new Error('ours')
    const stage = await openStage({
      onFault: (fault) => faults.push(fault),
      accept: (connection) => {
        if (stage.accepted.length > 0) throw error
        stage.accepted.push(connection)
      },
    })
    const { dialed } = await stage.openPair()
    const refused = new Recorder(await stage.dial())
    expect((await refused.ended()).code).toBe(4001)
    expect(faults).toEqual([error])
    expect(new Recorder(dialed).ends).toEqual([])
    await until(() => stage.door.openCount === 1, 'one that is left')
    expect(stage.door.pendingCount).toBe(0)
  })
})

describe('dialling', () => {
  test('a relay without WebRTC, no relay and an abort reject', async () => {
    const makePeer = await loadNativePeers({ bindAddress: '127.0.0.1' })
    const options = { makePeer, makeSocket: makeNodeSocket }
    await expect(dialWebrtc('ws://127.0.0.1:9', options)()).rejects.toMatchObject({
      code: 'SS_CONNECT_REJECTED',
    })
    await expect(
      dialWebrtc('ws://127.0.0.1:9', options)(AbortSignal.abort('no')),
    ).rejects.toMatchObject({ code: 'SS_CONNECT_ABORTED' })
    expect(() => dialWebrtc('udp://127.0.0.1:9', options)).toThrow(UsageError)
    const dial = dialWebrtc('ws://127.0.0.1:9', { ...options, relayOnly: true })
    await expect(dial()).rejects.toBeInstanceOf(UsageError)
  })

  test('two peers in Node connect over any pipe', async () => {
    const makePeer = await loadNativePeers({ bindAddress: '127.0.0.1' })
    const { left, right } = makePipes()
    const [a, b] = await Promise.all([
      connectPeers(left, 'initiator', { makePeer }),
      connectPeers(right, 'acceptor', { makePeer }),
    ])
    const [one, two] = [new Recorder(a), new Recorder(b)]
    one.send(Uint8Array.of(1, 2, 3))
    await two.heard(Uint8Array.of(1, 2, 3))
    one.close(4016, 'left')
    expect(await two.ended()).toEqual({ code: 4016, reason: 'left' })
    await one.ended()
  })

  test('an ICE server whose URL is none is a mistake of the developer', async () => {
    const makePeer = await loadNativePeers()
    expect(() => makePeer({ iceServers: [{ url: 'https://stun.example' }] })).toThrow(UsageError)
  })
})
