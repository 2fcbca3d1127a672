/** What strangers may send to the socket of signalling, over real sockets. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { makeClientFrame, RawClient } from '../../testing/raw-websocket.ts'
import { until } from '../../testing/recorder.ts'
import { RtcStage } from '../testing/rtc-stage.ts'

const stages: RtcStage[] = []
const clients: RawClient[] = []
const refused: string[] = []

async function openStage(): Promise<{ stage: RtcStage; port: number }> {
  const onRefused = (reason: string) => refused.push(reason)
  const onFault = (error: unknown) => expect.unreachable(String(error))
  const stage = await RtcStage.open({ onRefused, onFault })
  stages.push(stage)
  return { stage, port: Number(new URL(stage.url).port) }
}

afterEach(async () => {
  refused.length = 0
  for (const client of clients.splice(0)) client.destroy()
  for (const stage of stages.splice(0)) await stage.dispose()
})

const [continuation, text, binary, ping, pong] = [0, 1, 2, 9, 10]
const protocol = { 'Sec-WebSocket-Protocol': 'samestep-rtc-1' }

async function signal(port: number): Promise<RawClient> {
  const client = new RawClient(port).upgrade(protocol, '/rtc')
  clients.push(client)
  expect(await client.answered()).toBe(101)
  return client
}

describe('the socket of signalling', () => {
  test.each([
    ['pings', ping],
    ['pongs', pong],
  ])('[T-25] ends with 4002 at more than ten %s at once', async (_what, opcode) => {
    const { stage, port } = await openStage()
    const client = await signal(port)
    client.socket.write(
      Buffer.concat(Array.from({ length: 11 }, () => makeClientFrame(opcode, Buffer.alloc(125)))),
    )
    expect(await client.closed()).toBe(4002)
    const answers = client.frames.filter((frame) => frame.opcode === pong)
    expect(answers).toHaveLength(opcode === ping ? 10 : 0)
    await until(() => stage.door.pendingCount === 0, 'a free place')
    expect(refused).toEqual([expect.stringContaining('Too many pings')])
  })

  test('[T-26] is destroyed under a stranger that floods it with pings and never reads', async () => {
    const { stage, port } = await openStage()
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('error', () => {})
    socket.pause()
    await once(socket, 'connect')
    socket.write(
      'GET /rtc HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n' +
        'Sec-WebSocket-Protocol: samestep-rtc-1\r\n\r\n',
    )
    const pings = Buffer.concat(
      Array.from({ length: 500 }, () => makeClientFrame(ping, Buffer.alloc(125))),
    )
    let isGone = false
    let chunks = 0
    socket.on('close', () => {
      isGone = true
    })
    // Far more than a socket of the system holds; the server must hang up long before that.
    while (!isGone && chunks < 2_000) {
      chunks += 1
      if (!socket.write(pings)) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    await until(() => isGone, 'the end of the flood')
    expect(chunks).toBeLessThan(2_000)
    await until(() => stage.door.pendingCount === 0, 'a free place')
    expect(refused).toEqual([expect.stringContaining('Too many pings')])
    // And the next honest one gets in.
    await stage.openPair()
  })

  test('[T-23] ends with 1008 at a message of more than 64 fragments', async () => {
    const { port } = await openStage()
    const client = await signal(port)
    client.write(binary, Uint8Array.of(4), false)
    for (let count = 0; count < 65; count++) client.write(continuation, Uint8Array.of(0), false)
    expect(await client.closed()).toBe(1008)
  })

  test('[T-23] ends with 1009 at a message of more than 16 KiB', async () => {
    const { port } = await openStage()
    const client = await signal(port)
    client.write(binary, new Uint8Array(16_385))
    expect(await client.closed()).toBe(1009)
  })

  test('[T-24] takes no text', async () => {
    const { port } = await openStage()
    const client = await signal(port)
    client.write(text, Buffer.from('hello'))
    expect(await client.closed()).toBe(4001)
  })

  test('is destroyed under a stranger that sends more messages than a negotiation can have', async () => {
    const { stage, port } = await openStage()
    const client = await signal(port)
    const done = makeClientFrame(binary, Uint8Array.of(4))
    client.socket.write(Buffer.concat(Array.from({ length: 66 }, () => done)))
    // The second one was already one too many: it hears why, and could hang up.
    expect(await client.closed()).toBe(1000)
    expect(refused).toEqual([expect.stringContaining('done twice')])
    expect(stage.door.pendingCount).toBe(0)
    expect(client.isClosed).toBe(false)
    client.socket.write(done)
    await until(() => client.isClosed, 'the end of the socket')
  })

  test('a request that is refused does not keep its socket', async () => {
    const { port } = await openStage()
    const client = new RawClient(port).upgrade({ 'Sec-WebSocket-Protocol': 'chat' }, '/rtc')
    expect(await client.answered()).toBe(400)
    await until(() => client.isClosed, 'the end of the socket')
  })
})
