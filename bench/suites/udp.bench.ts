import { fork } from 'node:child_process'
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import {
  PacketOpener,
  PacketSealer,
} from '../../packages/samestep/src/transport/udp/crypto/packet-cipher.ts'
import {
  readHead,
  type UdpAddress,
  writeHello,
  writeInit,
} from '../../packages/samestep/src/transport/udp/udp-format.ts'
import {
  listenUdp,
  type UdpListener,
} from '../../packages/samestep/src/transport/udp/udp-listener.ts'
import { UdpServer } from '../../packages/samestep/src/transport/udp/udp-server.ts'
import type { Contender, Figure, Suite } from '../types.ts'

/** A typical tick of a match with a few orders, with the head of the link machine. */
const packet = new Uint8Array(50).fill(0x5a)
const key = new Uint8Array(32).fill(7)
const from: UdpAddress = { address: '203.0.113.7', port: 40_000 }
const packetHead = { isControl: false, ackPhase: 0, sessionId: 1 } as const

/** Bad hellos that one core has to deal with in a second (reliability, T-04). */
const helloRate = 150_000
const hellosPerRound = 20_000

/** What node:crypto itself needs for the same bytes: nothing can be faster than this. */
function bareCipher(): Contender {
  const nonce = new Uint8Array(12)
  const head = new Uint8Array(6)
  const options = { authTagLength: 16 } as const
  let count = 0
  return () => {
    new DataView(nonce.buffer).setUint32(4, count++, true)
    const cipher = createCipheriv('chacha20-poly1305', key, nonce, options)
    cipher.setAAD(head, { plaintextLength: packet.length })
    const sealed = cipher.update(packet)
    cipher.final()
    const tag = cipher.getAuthTag()
    const decipher = createDecipheriv('chacha20-poly1305', key, nonce, options)
    decipher.setAAD(head, { plaintextLength: packet.length })
    decipher.setAuthTag(tag)
    const plain = decipher.update(sealed)
    decipher.final()
    return plain.length
  }
}

function sealAndOpen(): Contender {
  const sealer = new PacketSealer(key, 0)
  const opener = new PacketOpener(key)
  return () => {
    const bytes = sealer.seal(packetHead, packet, 0)!
    return opener.open(bytes, readHead(bytes, true)!).length
  }
}

function makeServer(): UdpServer {
  return new UdpServer(
    { secretKey: key, protocol: 1, random: (size) => randomBytes(size), unixMs: Date.now },
    0,
  )
}

/** One datagram into a server, and out what it answers. */
function knock(bytes: Uint8Array, everyMs = 0): Contender {
  const server = makeServer()
  let nowMs = 1
  return () => {
    nowMs += everyMs
    server.handleDatagram(bytes, from, nowMs)
    return server.pollOutput()
  }
}

/** So far apart, every hello of one address is answered. */
const calmMs = 5

function bareHmac(): Contender {
  const message = new Uint8Array(60)
  return () => createHmac('sha256', key).update(message).digest()
}

/** The best of several rounds: others use this machine too. */
function ratePerSecond(run: Contender): number {
  let best = 0
  for (let round = 0; round < 8; round++) {
    const startMs = performance.now()
    for (let count = 0; count < hellosPerRound; count++) run()
    best = Math.max(best, (hellosPerRound / (performance.now() - startMs)) * 1_000)
  }
  return Math.round(best)
}

function helloFigures(): readonly Figure[] {
  const hello = ratePerSecond(knock(writeHello(key), calmMs))
  const flood = ratePerSecond(knock(writeHello(key)))
  const init = ratePerSecond(knock(writeInit('XX', new Uint8Array(21), key)))
  const short = ratePerSecond(knock(writeHello(key).slice(0, 1_199)))
  return [
    { name: 'hellos answered', value: hello, unit: 'per second', atLeast: helloRate },
    { name: 'hellos of a flood dropped', value: flood, unit: 'per second', atLeast: helloRate },
    { name: 'forged cookies dropped', value: init, unit: 'per second', atLeast: helloRate },
    { name: 'short hellos dropped', value: short, unit: 'per second', atLeast: helloRate },
  ]
}

/** Datagrams that a listener has dealt with. */
function handled({ counters }: UdpListener): number {
  return [...counters.entries()].reduce((sum, [, count]) => sum + count, 0)
}

/**
 * Processor time of this process for one datagram, with a real socket and the kernel's part. The
 * sender is another process; what the kernel drops between them counts for neither.
 */
async function socketUs(bytes: Uint8Array): Promise<number> {
  const listener = await listenUdp(() => {})
  const { port } = new URL(listener.url.replace(/^udp/, 'http'))
  const flags = [port, String(socketRate), Buffer.from(bytes).toString('hex')]
  const sender = fork(join(process.cwd(), 'bench', 'udp-flood.mjs'), flags)
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  await wait(500)
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 4; round++) {
    const [before, cpu] = [handled(listener), process.cpuUsage()]
    await wait(500)
    const { user, system } = process.cpuUsage(cpu)
    best = Math.min(best, (user + system) / (handled(listener) - before))
  }
  sender.disconnect()
  await listener.close()
  return best
}

/** Datagrams per second that the sender tries. Fewer than what a core takes, so that none waits. */
const socketRate = 40_000

/** Hellos per second that are promised to be survived. */
const floodRate = 100_000

async function floodFigures(): Promise<readonly Figure[]> {
  const hello = await socketUs(writeHello(key))
  const garbage = await socketUs(new Uint8Array(64))
  const share = Math.round((hello * floodRate) / 10_000)
  return [
    { name: 'a hello of a flood', value: hello, unit: 'µs of CPU' },
    { name: 'a datagram of garbage', value: garbage, unit: 'µs of CPU' },
    {
      name: `share of a core for ${floodRate} hellos per second`,
      value: share,
      unit: '%',
      atMost: 100,
    },
  ]
}

/** What encryption costs per packet, and how much a flood of strangers can hurt. */
export const suites: readonly Suite[] = [
  {
    name: 'udp-packet',
    work: `one packet of ${packet.length} bytes encrypted and decrypted`,
    baseline: 'node:crypto alone',
    targets: [{ of: 'sealed and opened', against: 'node:crypto alone', atMost: 1.5 }],
    prepare: () => ({
      contenders: { 'node:crypto alone': bareCipher(), 'sealed and opened': sealAndOpen() },
    }),
  },
  {
    name: 'udp-hello',
    work: 'one hello of a stranger, with its answer',
    baseline: 'one HMAC object of node:crypto',
    targets: [
      { of: 'hello answered', against: 'one HMAC object of node:crypto', atMost: 1.5 },
      { of: 'forged cookie dropped', against: 'one HMAC object of node:crypto', atMost: 1.5 },
    ],
    prepare: () => ({
      contenders: {
        'one HMAC object of node:crypto': bareHmac(),
        'hello answered': knock(writeHello(key), calmMs),
        'hello of a flood dropped': knock(writeHello(key)),
        'forged cookie dropped': knock(writeInit('XX', new Uint8Array(21), key)),
      },
      figures: helloFigures(),
    }),
  },
  {
    name: 'udp-flood',
    work: 'one datagram of a flood, through a real socket',
    baseline: 'the machine behind the socket',
    prepare: async () => ({
      contenders: { 'the machine behind the socket': knock(writeHello(key)) },
      figures: await floodFigures(),
    }),
  },
]
