/**
 * How many bytes a stranger can make the native library send to addresses that never asked for them.
 * The library is not ours, and decides most of it: these figures stand in `docs/security.md`, and a
 * version that sends more must not go unnoticed.
 */
import { createSocket, type Socket } from 'node:dgram'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { until } from '../../testing/recorder.ts'
import { decodeSignalling, encodeSignalling } from '../signalling.ts'
import { connectivityCheck } from '../testing/connectivity-check.ts'
import { chromiumOffer } from '../testing/descriptions.ts'
import { findUdpPort, RtcStage } from '../testing/rtc-stage.ts'

/** An address in whose name a stranger sends: it asks for nothing, and counts what it gets. */
class Victim {
  bytes = 0
  readonly #socket: Socket = createSocket('udp4')

  static async open(): Promise<Victim> {
    const victim = new Victim()
    await new Promise<void>((resolve) => victim.#socket.bind(0, '127.0.0.1', resolve))
    victim.#socket.on('message', ({ length }) => {
      victim.bytes += length
    })
    onTestFinished(() => {
      victim.#socket.close()
    })
    return victim
  }

  /** What a forged packet would look like to whoever gets it. */
  forge(packet: Buffer, port: number): Promise<void> {
    return new Promise((resolve) => this.#socket.send(packet, port, '127.0.0.1', () => resolve()))
  }
}

/** A negotiation of a stranger, who hears the answer and never sends a packet of its own. */
async function negotiate(url: string) {
  const socket = new WebSocket(`${url}/rtc`, 'samestep-rtc-1')
  onTestFinished(() => socket.terminate())
  let isOver = false
  let answer = ''
  socket.on('close', () => {
    isOver = true
  })
  socket.on('message', (data: Buffer) => {
    const message = decodeSignalling(data)
    if (message.type === 'answer') answer = message.sdp
  })
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send(encodeSignalling({ type: 'offer', sdp: chromiumOffer, proof: new Uint8Array(0) }))
  await until(() => answer !== '', 'an answer')
  const [, name = ''] = /a=ice-ufrag:(\S+)/.exec(answer) ?? []
  const [, password = ''] = /a=ice-pwd:(\S+)/.exec(answer) ?? []
  return { keys: { name, password, ownName: 'x8Lk' }, isOver: () => isOver }
}

test('a check from a forged source brings it at most 6.6 times its bytes, and 8.2 KB per negotiation', async () => {
  const udpPort = await findUdpPort()
  const stage = await RtcStage.open({ udpPort })
  onTestFinished(() => stage.dispose())
  const { keys, isOver } = await negotiate(stage.url)
  const victims = await Promise.all(Array.from({ length: 40 }, () => Victim.open()))
  const size = connectivityCheck(keys).length
  expect(size).toBe(88)
  for (const victim of victims) await victim.forge(connectivityCheck(keys), udpPort)
  // Without the password of the negotiation nothing comes back at all.
  const [bystander, wrong] = [await Victim.open(), { ...keys, password: 'x'.repeat(22) }]
  await bystander.forge(connectivityCheck(wrong), udpPort)
  await until(isOver, 'the end of the negotiation')
  const reached = victims.filter(({ bytes }) => bytes > 0)
  expect(reached.length).toBeGreaterThan(0)
  expect(reached.length).toBeLessThanOrEqual(14)
  // 376 bytes until the negotiation is given up; 576 is where the library stops by itself, should this
  // machine be too busy to give up in time.
  const most = Math.max(...victims.map(({ bytes }) => bytes))
  expect(most / size).toBeLessThanOrEqual(6.6)
  expect(victims.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(8_200)
  expect(bystander.bytes).toBe(0)
  // It is over: the same checks reach nobody.
  await until(() => stage.door.pendingCount === 0, 'the end of the peer')
  const before = victims.map(({ bytes }) => bytes)
  for (const victim of victims) await victim.forge(connectivityCheck(keys), udpPort)
  const { dialed } = await stage.openPair()
  expect(dialed.remote).toBe(`127.0.0.1:${udpPort}`)
  expect(victims.map(({ bytes }) => bytes)).toEqual(before)
}, 60_000)
