import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import {
  PacketOpener,
  PacketSealer,
} from '../../packages/samestep/src/transport/udp/packet-cipher.ts'
import {
  readHead,
  type UdpAddress,
  writeHello,
  writeInit,
} from '../../packages/samestep/src/transport/udp/udp-format.ts'
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
function knock(bytes: Uint8Array): Contender {
  const server = makeServer()
  return () => {
    server.handleDatagram(bytes, from, 1)
    return server.pollOutput()
  }
}

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
  const hello = ratePerSecond(knock(writeHello(key)))
  const init = ratePerSecond(knock(writeInit('XX', new Uint8Array(21), key)))
  const short = ratePerSecond(knock(writeHello(key).slice(0, 1_199)))
  return [
    { name: 'hellos answered', value: hello, unit: 'per second', atLeast: helloRate },
    { name: 'forged cookies dropped', value: init, unit: 'per second', atLeast: helloRate },
    { name: 'short hellos dropped', value: short, unit: 'per second', atLeast: helloRate },
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
        'hello answered': knock(writeHello(key)),
        'forged cookie dropped': knock(writeInit('XX', new Uint8Array(21), key)),
      },
      figures: helloFigures(),
    }),
  },
]
