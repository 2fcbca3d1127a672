/** Floods that are refused one by one: what counts is what refusing costs. */
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { makeClientFrame } from '../../packages/samestep/src/transport/testing/raw-websocket.ts'
import {
  helloBytes,
  keyBytes,
  udpVersion,
} from '../../packages/samestep/src/transport/udp/limits.ts'
import { addressOf, host, openFrom, wait } from '../loopback/sockets.ts'
import { upgradeRequest } from '../loopback/upgrade.ts'
import type { Attack, AttackResult, Target } from './attack.ts'
import { commonPromises } from './promises.ts'

const flags = ['--webrtc', 'off']

/** Handshakes by UDP of which nothing is right but the first bytes. */
export const hellos: Attack = {
  name: 'hellos',
  what: 'sends 100 000 UDP hellos and bad handshakes per second',
  cases: [
    {
      title: '100 000 per second',
      flags,
      run: knock,
      promises: (outcome) => commonPromises(outcome, { growthMibMax: 80 }),
    },
  ],
}

/** WebSockets with messages beyond the limit. */
export const oversize: Attack = {
  name: 'oversize',
  what: 'opens WebSockets and sends a message of 1 MB on each',
  cases: [
    {
      title: '1 MB each',
      flags,
      run: (target) => flood(target, makeClientFrame(2, randomBytes(1_000_000))),
      promises: (outcome) => commonPromises(outcome, { growthMibMax: 120 }),
    },
  ],
}

/** WebSockets with messages of too many pieces. */
export const fragments: Attack = {
  name: 'fragments',
  what: 'opens WebSockets and sends a message of 2 001 fragments on each',
  cases: [
    {
      title: '2 001 pieces each',
      flags,
      run: (target) => {
        const piece = makeClientFrame(0, Buffer.of(1), false)
        const pieces = new Array<Buffer>(2_000).fill(piece)
        return flood(target, Buffer.concat([makeClientFrame(2, Buffer.of(1), false), ...pieces]))
      },
      promises: (outcome) => commonPromises(outcome, { growthMibMax: 100 }),
    },
  ],
}

async function knock({ port, seconds, addresses, processes }: Target): Promise<AttackResult> {
  const sockets = Array.from({ length: 8 }, () => createSocket('udp4'))
  for (const [at, socket] of sockets.entries()) socket.bind(0, addressOf(at, addresses))
  const packets = Array.from({ length: 512 }, (_, at) => {
    // Half are well-formed, so that they cost the relay an answer and a cookie.
    if (at % 2 === 0) return helloWith(randomBytes(keyBytes))
    const bytes = randomBytes(at % 3 === 0 ? 1_200 : 64 + (at % 200))
    // Kinds of the handshake, packets of no session, and plain garbage.
    bytes[0] = [1, 2, 3, 4, 0x80, at & 255][at % 6]!
    bytes[1] = at % 5 === 0 ? at & 255 : 1
    return bytes
  })
  let sent = 0
  let failed = 0
  const fromMs = performance.now()
  const untilMs = fromMs + seconds * 1_000
  while (performance.now() < untilMs) {
    // A hundred thousand per second in all, as far as this machine can.
    const due = ((performance.now() - fromMs) / 1_000) * (100_000 / processes)
    for (let at = 0; at < 2_000 && sent < due; at++) {
      sent++
      sockets[sent % 8]!.send(packets[sent % 512]!, port, host, (error) => {
        if (error !== null) failed++
      })
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (const socket of sockets) socket.close()
  return { sent, failed, 'per second': Math.round(sent / seconds) }
}

/** A hello with a key of one's choice. */
export function helloWith(key: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(1, udpVersion), key], helloBytes)
}

/** Opens WebSockets as often as it is let in, and sends the bytes on each. */
async function flood(
  { port, seconds, addresses }: Target,
  bytes: Uint8Array,
): Promise<AttackResult> {
  const request = upgradeRequest({ path: '/?match=honest' })
  const count = { connections: 0, upgraded: 0, refused: 0, 'MB offered': 0 }
  const untilMs = performance.now() + seconds * 1_000
  const attack = (): void => {
    if (performance.now() > untilMs) return
    count.connections++
    const socket = openFrom(addressOf(count.connections, addresses), port)
    socket.once('connect', () => socket.write(request))
    socket.once('data', (answer) => {
      if (answer.toString('latin1').startsWith('HTTP/1.1 101')) {
        count.upgraded++
        count['MB offered'] += bytes.length / 1_000_000
        socket.write(bytes)
      } else count.refused++
      socket.resume()
    })
    // Not at once: the attacker must not be the one that is out of ports.
    socket.on('close', () => setTimeout(attack, 1))
  }
  for (let at = 0; at < 32; at++) attack()
  await wait(seconds * 1_000 + 500)
  return { ...count, 'MB offered': Math.round(count['MB offered']) }
}
