/** What the attacks of `tools/attack.ts` do. */
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, type Socket } from 'node:net'
import { makeClientFrame } from '../../packages/samestep/src/transport/testing/raw-websocket.ts'
import {
  helloBytes,
  keyBytes,
  udpVersion,
} from '../../packages/samestep/src/transport/udp/limits.ts'

/** Every attack. */
export const attackKinds = ['wave', 'slowloris', 'hellos', 'oversize', 'fragments'] as const

/** One of them. */
export type AttackKind = (typeof attackKinds)[number]

/** Whom to attack, and how hard. */
export interface AttackOptions {
  readonly port: number
  readonly seconds: number
  readonly sockets: number
  /** Addresses of the attacker, none of which is the player's. */
  readonly addresses: number
  /** How many attackers share the work. */
  readonly processes: number
}

/** What an attack did, in numbers with names. */
export type AttackResult = Readonly<Record<string, number>>

/** Attacks a relay on this machine until the time is up. */
export function runAttacker(kind: AttackKind, options: AttackOptions): Promise<AttackResult> {
  switch (kind) {
    case 'wave':
      return dribble(options, false)
    case 'slowloris':
      return dribble(options, true)
    case 'hellos':
      return knock(options)
    case 'oversize':
      return flood(options, () => makeClientFrame(2, randomBytes(1_000_000)))
    case 'fragments':
      return flood(options, () => {
        const piece = makeClientFrame(0, Buffer.of(1), false)
        const pieces = new Array<Buffer>(2_000).fill(piece)
        return Buffer.concat([makeClientFrame(2, Buffer.of(1), false), ...pieces])
      })
  }
}

const host = '127.0.0.1'

/** One of the attacker's addresses, in turn: 127.0.0.2 and so on, all of which are this machine. */
const addressOf = (turn: number, addresses: number) => `127.0.0.${2 + (turn % addresses)}`

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Sockets that send a request by one byte per second, and may come again when they are closed. */
async function dribble(options: AttackOptions, isInsistent: boolean): Promise<AttackResult> {
  const { port, seconds, addresses, processes } = options
  const sockets = Math.ceil(options.sockets / processes)
  const request = 'GET /?match=honest HTTP/1.1\r\nHost: localhost\r\nX-Slow: '
  const open = new Map<Socket, number>()
  const count = { opened: 0, closed: 0, 'longest life in ms': 0, 'most at once': 0 }
  const start = () => {
    const localAddress = addressOf(count.opened, addresses)
    const socket = connect({ port, host, localAddress })
    let bornMs = performance.now()
    // Waiting for the kernel is not living.
    socket.on('connect', () => {
      bornMs = performance.now()
    })
    count.opened++
    open.set(socket, 0)
    socket.on('error', () => {})
    socket.on('close', () => {
      open.delete(socket)
      count.closed++
      const life = Math.round(performance.now() - bornMs)
      count['longest life in ms'] = Math.max(count['longest life in ms'], life)
    })
    socket.resume()
  }
  const untilMs = performance.now() + seconds * 1_000
  while (performance.now() < untilMs) {
    // Opened in portions: a burst beyond the backlog would only attack the kernel.
    const room = Math.min(1_000, isInsistent ? sockets - open.size : sockets - count.opened)
    for (let at = 0; at < room; at++) start()
    count['most at once'] = Math.max(count['most at once'], open.size)
    for (const [socket, sent] of open) {
      if (socket.connecting) continue
      socket.write(request[sent % request.length]!)
      open.set(socket, sent + 1)
    }
    await wait(room > 0 ? 100 : 1_000)
  }
  return { ...count, 'open at the end': open.size }
}

/** Handshakes by UDP of which nothing is right but the first bytes. */
async function knock(options: AttackOptions): Promise<AttackResult> {
  const { port, seconds, addresses, processes } = options
  const sockets = Array.from({ length: 8 }, () => createSocket('udp4'))
  for (const [at, socket] of sockets.entries()) socket.bind(0, addressOf(at, addresses))
  const hellos = Array.from({ length: 512 }, (_, at) => {
    // Half are well-formed, so that they cost the relay an answer and a cookie.
    if (at % 2 === 0) return helloOf(randomBytes(keyBytes))
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
    const dueMs = ((performance.now() - fromMs) / 1_000) * (100_000 / processes)
    for (let at = 0; at < 2_000 && sent < dueMs; at++) {
      sent++
      sockets[sent % 8]!.send(hellos[sent % 512]!, port, host, (error) => {
        if (error !== null) failed++
      })
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (const socket of sockets) socket.close()
  return { sent, failed, 'per second': Math.round(sent / seconds) }
}

function helloOf(key: Buffer): Buffer {
  return Buffer.concat([Buffer.of(1, udpVersion), key], helloBytes)
}

/** WebSockets that send what is too much, as often as they are let in. */
async function flood(
  { port, seconds, addresses }: AttackOptions,
  make: () => Buffer,
): Promise<AttackResult> {
  const upgrade =
    'GET /?match=honest HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n'
  const bytes = make()
  const count = { connections: 0, upgraded: 0, refused: 0, 'MB offered': 0 }
  const untilMs = performance.now() + seconds * 1_000
  const attack = (): void => {
    if (performance.now() > untilMs) return
    count.connections++
    const localAddress = addressOf(count.connections, addresses)
    const socket = connect({ port, host, localAddress }, () => socket.write(upgrade))
    socket.on('error', () => {})
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
