/**
 * What the machines above may rely on, whatever carries a connection. A transport's own test calls
 * {@link describeConnectionContract} once per way of using it.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { InvariantError } from '../../base/assert.ts'
import { Prng } from '../../base/prng.ts'
import { brokenCode, type Connection } from '../connection.ts'
import { pauseMs, Recorder, until } from './recorder.ts'

/** Both ends of one connection, not opened yet. */
export interface ConnectionPair {
  readonly dialed: Connection
  readonly accepted: Connection
}

/** Makes pairs of one transport for the contract. Made anew for every test. */
export interface ConnectionHarness {
  readonly kind: 'stream' | 'datagram'
  /** What `transport` of both ends says. */
  readonly transport: string
  /** Whether the other side hears code and reason of a `close`. Otherwise it may hear 1006 and ''. */
  readonly carriesEnd: boolean
  /** Connects. Resolves when both ends are there; `open` is not called on either. */
  openPair(): Promise<ConnectionPair>
  /**
   * Breaks the path without a farewell (a socket destroyed, a process gone), where a test can do
   * that: both ends must hear 1006 then. Left out where no end can notice by itself.
   */
  breakPair?(pair: ConnectionPair): void
  /** Ends everything that is still open, sockets and listeners too. */
  dispose(): Promise<void>
}

/** Transports that prove every packet; what damages them for a trial must lose them instead. */
const authenticTransports: ReadonlySet<string> = new Set(['udp', 'webrtc'])

type Pair = { readonly a: Recorder; readonly b: Recorder } & ConnectionPair

/** Packets of the flood: enough to fill every buffer between two processes. */
const floodPackets = 10_000

/** Runs the contract over one transport. */
export function describeConnectionContract(
  name: string,
  makeHarness: () => ConnectionHarness | Promise<ConnectionHarness>,
): void {
  describe(`the contract of connections: ${name}`, () => {
    let harness: ConnectionHarness
    beforeEach(async () => {
      harness = await makeHarness()
    })
    afterEach(async () => {
      await harness.dispose()
    })
    const openPair = async (): Promise<Pair> => {
      const pair = await harness.openPair()
      return { ...pair, a: new Recorder(pair.dialed), b: new Recorder(pair.accepted) }
    }
    describePackets(() => harness, openPair)
    describeTurns(() => harness, openPair)
    describeEnds(() => harness, openPair)
    describeStream(() => harness, openPair)
  })
}

type Harness = () => ConnectionHarness
type OpenPair = () => Promise<Pair>

/** Sends until it is heard: once on a stream, and as often as it takes where packets are lost. */
async function deliver(
  kind: string,
  from: Recorder,
  to: Recorder,
  packet: Uint8Array,
): Promise<void> {
  let isHeard = false
  const heard = to.heard(packet).then(() => {
    isHeard = true
  })
  from.send(packet)
  while (kind === 'datagram' && !isHeard) {
    await Promise.race([heard, pauseMs(50)])
    if (!isHeard) from.send(packet)
  }
  await heard
}

/** Bytes that differ at every place and from packet to packet. */
function pattern(size: number, seed: number): Uint8Array {
  const prng = new Prng(seed, 'pattern')
  return Uint8Array.from({ length: size }, () => prng.below(256))
}

function describePackets(harness: Harness, openPair: OpenPair): void {
  test('both ends say whether damage on the way can be heard', async () => {
    const { dialed, accepted } = await openPair()
    const isAuthentic = authenticTransports.has(harness().transport)
    for (const end of [dialed, accepted]) expect(end.isAuthentic ?? false).toBe(isAuthentic)
  })

  test('both ends tell kind, transport, size and where the other is', async () => {
    const { dialed, accepted } = await openPair()
    for (const connection of [dialed, accepted]) {
      expect(connection.kind).toBe(harness().kind)
      expect(connection.transport).toBe(harness().transport)
      expect(connection.packetBytesMax).toBeGreaterThanOrEqual(300)
      expect(connection.remote).not.toBe('')
      expect(connection.backlogBytes).toBe(0)
    }
  })

  test('packets of every size arrive whole, both ways, with every value of a byte', async () => {
    const { a, b, dialed, accepted } = await openPair()
    const ways = [
      [a, b, dialed.packetBytesMax],
      [b, a, accepted.packetBytesMax],
    ] as const
    for (const [from, to, max] of ways) {
      // Around the lengths at which WebSocket's header grows, and both ends of the range.
      const sizes = [1, 2, 125, 126, 127, 256, 1_200, 4_096, 65_535, max - 1, max]
      for (const size of sizes.filter((each) => each <= max)) {
        await deliver(harness().kind, from, to, pattern(size, size))
      }
      const allBytes = Uint8Array.from({ length: 256 }, (_, value) => value)
      await deliver(harness().kind, from, to, allBytes)
    }
    expect(a.violations + b.violations).toBe(0)
  })

  test('a view of a larger buffer sends only its own bytes', async () => {
    const { a, b } = await openPair()
    const buffer = pattern(64, 5)
    const packet = buffer.subarray(16, 40)
    await deliver(harness().kind, a, b, packet)
    expect(b.packets[0]).toEqual(buffer.slice(16, 40))
  })

  test('sending changes no byte of a packet, so that one may go to many', async () => {
    const first = await openPair()
    const second = await openPair()
    const packet = pattern(200, 6)
    for (const { a, b } of [first, second]) {
      await deliver(harness().kind, a, b, packet)
      await deliver(harness().kind, b, a, packet)
    }
    expect(packet).toEqual(pattern(200, 6))
  })

  test('a packet of no bytes or too many is a bug of the caller', async () => {
    const { dialed, accepted } = await openPair()
    for (const connection of [dialed, accepted]) {
      expect(() => connection.send(new Uint8Array(0))).toThrow(InvariantError)
      const tooLarge = new Uint8Array(connection.packetBytesMax + 1)
      expect(() => connection.send(tooLarge)).toThrow(InvariantError)
    }
  })

  test('two connections of one listener do not hear each other', async () => {
    const first = await openPair()
    const second = await openPair()
    await deliver(harness().kind, first.a, first.b, Uint8Array.of(1))
    await deliver(harness().kind, second.a, second.b, Uint8Array.of(2))
    expect(first.b.packets.every(([value]) => value === 1)).toBe(true)
    expect(second.b.packets.every(([value]) => value === 2)).toBe(true)
  })
}

function describeTurns(harness: Harness, openPair: OpenPair): void {
  test('a handler is never called inside a call to its connection', async () => {
    const { a, b } = await openPair()
    // Each answer is sent from within the handler; nested calls would count as violations.
    for (const end of [a, b]) {
      let newest = 0
      end.onPacket = ([count = 0]) => {
        // Doubles stay unanswered, or there would be twice as many after every round.
        if (count > newest && count < 200) end.send(Uint8Array.of(count + 1))
        newest = Math.max(newest, count)
      }
    }
    a.send(Uint8Array.of(1))
    if (harness().kind === 'stream') await b.heard(Uint8Array.of(199))
    else await deliver('datagram', a, b, Uint8Array.of(3))
    expect(a.violations + b.violations).toBe(0)
  })

  test('nothing is heard before open, and a stream keeps what came before', async () => {
    const { dialed, accepted } = await harness().openPair()
    const b = new Recorder(accepted)
    const early = [Uint8Array.of(1, 1), Uint8Array.of(2, 2), Uint8Array.of(3, 3)]
    for (const packet of early) b.send(packet)
    await pauseMs(30)
    const a = new Recorder(dialed)
    expect(a.packets).toEqual([])
    if (harness().kind === 'stream') await until(() => a.packets.length === 3, 'early packets')
    await deliver(harness().kind, b, a, Uint8Array.of(9))
    if (harness().kind === 'stream') expect(a.packets).toEqual([...early, Uint8Array.of(9)])
    expect(a.violations).toBe(0)
  })

  test('a handler that comes later hears instead of the one before', async () => {
    const { kind } = harness()
    const { a, b, accepted } = await openPair()
    await deliver(kind, a, b, Uint8Array.of(1))
    const later = new Recorder(accepted)
    await deliver(kind, a, later, Uint8Array.of(2))
    await deliver(kind, a, later, Uint8Array.of(3))
    later.close(4009, 'match over')
    expect((await later.ended()).code).toBe(4009)
    expect(b.packets.every(([value]) => value === 1)).toBe(true)
    expect([b.ends, later.violations]).toEqual([[], 0])
  })

  test('after its own close an end hears no packet, not even the rest of a batch', async () => {
    const { a, b } = await openPair()
    b.onPacket = () => b.close(4001, 'enough')
    do {
      for (let count = 0; count < 50; count++) a.send(Uint8Array.of(count))
      await pauseMs(20)
    } while (harness().kind === 'datagram' && b.packets.length === 0)
    await b.ended()
    await pauseMs(20)
    expect(b.packets.length).toBe(1)
    expect(b.violations).toBe(0)
  })
}

function describeEnds(harness: Harness, openPair: OpenPair): void {
  test.each(['dialed', 'accepted'] as const)(
    'a close by the %s end is heard once by both',
    async (who) => {
      const { a, b } = await openPair()
      const [closer, other] = who === 'dialed' ? [a, b] : [b, a]
      await deliver(harness().kind, closer, other, Uint8Array.of(1))
      closer.close(4009, 'match over')
      closer.close(4001, 'too late')
      expect(await closer.ended()).toEqual({ code: 4009, reason: 'match over' })
      const heard = await other.ended()
      if (harness().carriesEnd) expect(heard).toEqual({ code: 4009, reason: 'match over' })
      await pauseMs(20)
      expect([a.ends.length, b.ends.length]).toEqual([1, 1])
      expect(a.violations + b.violations).toBe(0)
    },
  )

  test('a long reason is cut between characters', async () => {
    const { a, b } = await openPair()
    await deliver(harness().kind, a, b, Uint8Array.of(1))
    // 122 bytes, and then a character of four that does not fit.
    a.close(4001, `${'é'.repeat(61)}😀`)
    expect((await a.ended()).reason).toBe('é'.repeat(61))
    const heard = await b.ended()
    if (harness().carriesEnd) expect(heard).toEqual({ code: 4001, reason: 'é'.repeat(61) })
  })

  test('both may close at the same time', async () => {
    const { a, b } = await openPair()
    await deliver(harness().kind, a, b, Uint8Array.of(1))
    a.close(4016, 'left')
    b.close(4010, 'shutdown')
    expect((await a.ended()).code).toBe(4016)
    expect((await b.ended()).code).toBe(4010)
    await pauseMs(20)
    expect([a.ends.length, b.ends.length]).toEqual([1, 1])
  })

  test('after the end, send and close do nothing', async () => {
    const { a, b, dialed, accepted } = await openPair()
    await deliver(harness().kind, a, b, Uint8Array.of(1))
    a.close(1000, '')
    a.send(Uint8Array.of(7))
    await Promise.all([a.ended(), b.ended()])
    for (const connection of [dialed, accepted]) {
      connection.send(Uint8Array.of(8))
      connection.close(4001, 'again')
    }
    await pauseMs(20)
    expect([a.ends.length, b.ends.length]).toEqual([1, 1])
    expect(b.packets.every(([value]) => value === 1)).toBe(true)
    expect(dialed.backlogBytes + accepted.backlogBytes).toBe(0)
  })

  test('a connection that ended before it was opened still tells its end', async () => {
    const { dialed, accepted } = await harness().openPair()
    accepted.close(4010, 'shutdown')
    const b = new Recorder(accepted)
    expect(await b.ended()).toEqual({ code: 4010, reason: 'shutdown' })
    await pauseMs(30)
    const a = new Recorder(dialed)
    const heard = await a.ended()
    if (harness().carriesEnd) expect(heard).toEqual({ code: 4010, reason: 'shutdown' })
    expect(a.violations + b.violations).toBe(0)
  })

  test('a code that browsers refuse is a bug of the caller', async () => {
    const { dialed, accepted } = await openPair()
    for (const code of [0, 999, 1001, 1006, 3999, 5000, 4000.5, Number.NaN]) {
      expect(() => dialed.close(code, '')).toThrow(InvariantError)
      expect(() => accepted.close(code, '')).toThrow(InvariantError)
    }
  })

  test('a broken path is heard by both, as 1006', async () => {
    const pair = await openPair()
    const { a, b } = pair
    const { breakPair } = harness()
    if (breakPair === undefined) {
      // Nobody can notice: then an end must at least not be invented.
      await deliver(harness().kind, a, b, Uint8Array.of(1))
      expect([a.ends, b.ends]).toEqual([[], []])
      return
    }
    await deliver(harness().kind, a, b, Uint8Array.of(1))
    breakPair.call(harness(), pair)
    expect((await a.ended()).code).toBe(brokenCode)
    expect((await b.ended()).code).toBe(brokenCode)
    await pauseMs(20)
    expect([a.ends.length, b.ends.length]).toEqual([1, 1])
  })
}

function describeStream(harness: Harness, openPair: OpenPair): void {
  test('a stream keeps every packet and the sequence, under a flood both ways', async () => {
    const { a, b, dialed, accepted } = await openPair()
    // Datagrams under a flood may be lost, but none may be made up and the backlog must fall.
    const isStream = harness().kind === 'stream'
    const prng = new Prng(1, 'flood')
    const sent: Uint8Array[] = []
    for (let number = 0; number < floodPackets; number++) {
      const size = 4 + prng.below(number % 100 === 0 ? 290 : 40)
      const packet = new Uint8Array(size).fill(number)
      new DataView(packet.buffer).setUint32(0, number)
      sent.push(packet)
      a.send(packet)
      b.send(packet)
      // As a game does, and a burst in between: every turn of the loop sends some.
      if (number % 500 === 499) await pauseMs(0)
    }
    const isDone = () => dialed.backlogBytes === 0 && accepted.backlogBytes === 0
    await until(isDone, 'an empty backlog')
    for (const { packets } of [a, b]) {
      if (isStream) await until(() => packets.length === floodPackets, 'all packets')
      else await until(() => packets.length > 0, 'a packet')
      const numbers = packets.map((packet) => Buffer.from(packet).readUInt32BE(0))
      const isIntact = (packet: Uint8Array, at: number) =>
        Buffer.compare(packet, sent[numbers[at]!] ?? Uint8Array.of()) === 0
      expect(packets.every(isIntact)).toBe(true)
      if (isStream) expect(numbers).toEqual(sent.map((_, number) => number))
    }
    expect(a.violations + b.violations).toBe(0)
  })

  test('what was sent before a close arrives before it', async () => {
    const { a, b } = await openPair()
    if (harness().kind === 'datagram') {
      // The end may overtake datagrams; but no packet may be heard behind it.
      await deliver('datagram', a, b, Uint8Array.of(1))
    }
    for (let count = 0; count < 300; count++) a.send(Uint8Array.of(1, count & 255))
    a.close(4009, 'match over')
    await Promise.all([a.ended(), b.ended()])
    if (harness().kind === 'stream') expect(b.packets.length).toBe(300)
    expect(b.violations).toBe(0)
  })
}
