import { describe, expect, test } from 'vitest'
import { BitWriter } from '../../../base/bit-writer.ts'
import { Members } from '../../../room/members.ts'
import { Batching, flushMsDefault } from '../../pace/batching.ts'
import { MatchBench } from '../../testing/match-kit.ts'
import { RecordingChannel } from '../../testing/recording-channel.ts'
import { addSession } from '../../testing/session-kit.ts'
import type { Session } from '../session.ts'
import { BundleLog } from './bundle-log.ts'
import { TickSender } from './tick-sender.ts'

const intervalMs = 1_000 / 30

/** A session whose link may be narrow; `seal` seals a tick at its time. */
function make(kind: 'stream' | 'datagram' = 'datagram', members = new Members<Session>(3)) {
  const session = addSession(members, { seat: undefined, tickRate: 30, batching: new Batching() })
  const channel = new RecordingChannel(kind)
  const log = new BundleLog(30)
  const writer = new BitWriter()
  session.attach(1, channel, 0)
  let nowMs = 0
  const seal = (count = 1) => {
    for (let left = count; left > 0; left--) {
      nowMs += intervalMs
      // Fills the link by a tenth too much.
      if (channel.stats.queue > 0) channel.stats.queue += intervalMs / 10
      log.append(Uint8Array.of(log.sealedTick % 256, 1))
      session.noteSealed(log, writer, nowMs, intervalMs)
    }
  }
  /** The first and last tick of every packet since the last call. */
  const packets = () =>
    channel.take(session.ackedTick + 1).map(({ firstTick, bundles }) => {
      return [firstTick, firstTick + bundles.length - 1]
    })
  const acknowledge = (tick: number) => session.acknowledge(tick, 0)
  /** Lets the link be narrow for so long that four ticks share a packet. */
  const narrow = () => {
    channel.stats.queue = 500
    while (session.ticksPerPacket < 4) {
      seal()
      acknowledge(session.sentTick)
    }
    while (session.sentTick < log.sealedTick) seal()
    acknowledge(session.sentTick)
    packets()
  }
  return { session, channel, log, seal, packets, acknowledge, narrow }
}

test('the ticks that are needed are those after the least that somebody confirmed', () => {
  const members = new Members<Session>(3)
  const log = new BundleLog(30)
  for (let tick = 1; tick <= 50; tick++) log.append(Uint8Array.of(tick))
  const sender = new TickSender(members, log, false, () => 1)
  expect(sender.noteSealed(undefined, 0, intervalMs)).toBe(51)
  for (const ackedTick of [22, 20, 21]) {
    make('datagram', members).session.acknowledge(ackedTick, 0)
  }
  expect(sender.noteSealed(undefined, 0, intervalMs)).toBe(21)
})

describe.each(['stream', 'datagram'] as const)('[DLY-04] on a %s', (kind) => {
  test('without pressure every tick goes out at once', () => {
    const { session, seal, packets } = make(kind)
    for (let tick = 1; tick <= 900; tick++) {
      seal()
      expect(packets()).toEqual([[tick, tick]])
      session.acknowledge(tick, 0)
    }
  })

  test('a narrow link gets four ticks in one packet, and none later than the limit', () => {
    const { session, log, seal, packets, narrow } = make(kind)
    narrow()
    const { sealedTick } = log
    seal(3)
    expect(packets()).toEqual([])
    expect(session.flushAtMs).toBeCloseTo((sealedTick + 1) * intervalMs + flushMsDefault, 6)
    seal()
    expect(session.sentTick).toBe(sealedTick + 4)
    expect(packets().at(-1)?.at(-1)).toBe(sealedTick + 4)
    expect(session.flushAtMs).toBe(Number.POSITIVE_INFINITY)
  })

  test('a new link begins anew', () => {
    const { session, channel, seal, narrow } = make(kind)
    narrow()
    seal()
    session.detach()
    expect(session.flushAtMs).toBe(Number.POSITIVE_INFINITY)
    channel.stats.queue = 0
    session.attach(2, channel, session.ackedTick)
    expect(session.ticksPerPacket).toBe(1)
  })
})

describe('over a narrow link of datagrams', () => {
  test('a packet repeats the one before, and not all that stands in the queue', () => {
    const { channel, log, seal, packets, narrow } = make()
    narrow()
    channel.stats.rttMs = 800
    const first = log.sealedTick + 1
    seal(12)
    expect(packets()).toEqual([
      [first, first + 3],
      [first, first + 7],
      [first + 4, first + 11],
    ])
  })

  test('what confirmations stand still for is sent again, a round trip later and then no more often', () => {
    const { session, log, seal, packets, narrow } = make()
    narrow()
    const first = log.sealedTick + 1
    seal(30)
    const sent = packets().map(([from]) => from as number)
    const repairs = sent.filter((from, index) => index > 1 && from === first)
    // A second without a confirmation; patience is 150 ms beyond a round trip that is not known.
    expect(repairs.length).toBeGreaterThanOrEqual(3)
    expect(repairs.length).toBeLessThanOrEqual(6)
    session.acknowledge(session.sentTick, 0)
    seal(4)
    expect(packets().at(-1)?.[1]).toBe(session.sentTick)
  })

  test('a client that is far behind gets one packet at a time instead of sixteen', () => {
    const { log, seal, packets, narrow } = make()
    narrow()
    const from = log.sealedTick
    seal(200)
    const count = packets().length
    expect(count).toBeLessThanOrEqual(51)
    expect(log.sealedTick - from).toBe(200)
  })
})

describe('a match', () => {
  /** Two players in a match that batches, of whom the first has a narrow link. */
  function play(config: ConstructorParameters<typeof MatchBench>[0]) {
    const bench = new MatchBench({ tickRate: 20, batching: 'adaptive', ...config })
    const ada = bench.admit('player', 'datagram')
    const bob = bench.admit('player', 'datagram')
    const counts: number[] = []
    const confirm = (untilMs: number) => {
      while (bench.nowMs < untilMs) {
        if (ada.channel.stats.queue > 0) ada.channel.stats.queue += 5
        bench.runTo(bench.nowMs + 50)
        ada.channel.ticks.length = 0
        const packets = bob.channel.take(bob.session.ackedTick + 1)
        counts.push(...packets.map(({ bundles }) => bundles.length))
        for (const { session } of [ada, bob]) {
          if (session.sentTick === session.ackedTick) continue
          const inputs = Array.from({ length: 8 }, () => [100, 0, 5])
          bench.confirm(session, { firstInputTick: session.sentTick + 1, inputs })
        }
      }
    }
    confirm(1_000)
    ada.channel.stats.queue = 500
    confirm(8_000)
    return { bench, ada, bob, counts, confirm }
  }

  test('that is slowed down sends what waits at the limit, although no tick comes', () => {
    const { bench, ada, confirm } = play({})
    expect(ada.session.ticksPerPacket).toBe(4)
    // 50 ms until the next tick become 500 ms while one waits for company.
    while (ada.session.flushAtMs === Number.POSITIVE_INFINITY) confirm(bench.nowMs + 50)
    const { flushAtMs } = ada.session
    bench.act(ada.session, { type: 'set-speed', percent: 10 })
    expect(bench.match.wakeAtMs()).toBeLessThanOrEqual(flushAtMs)
    bench.runTo(flushAtMs)
    expect(ada.session.sentTick).toBe(bench.match.log.sealedTick)
    expect(ada.session.flushAtMs).toBe(Number.POSITIVE_INFINITY)
  })

  test('that waits for an input keeps no tick from whom it waits for', () => {
    const { bench, ada } = play({ missing: { kind: 'wait', waitMs: 4_000 } })
    expect(bench.sealed.length).toBeGreaterThan(10)
    expect(ada.session.ticksPerPacket).toBe(4)
    const before = bench.match.log.sealedTick
    // No more inputs come: the last ones are used up, then everybody waits.
    bench.runTo(bench.nowMs + 1_000)
    const { sealedTick } = bench.match.log
    expect(sealedTick - before).toBeLessThanOrEqual(8)
    expect(ada.session.sentTick).toBe(sealedTick)
  })

  test('tells how many ticks share a packet, and leaves everybody else alone', () => {
    const { bob, counts } = play({})
    const stats = bob.channel.takeControls('RelayStats').at(-1)
    expect(stats?.seats.map(({ ticksPerPacket }) => ticksPerPacket)).toEqual([4, 1])
    expect(counts.length).toBeGreaterThan(100)
    expect(Math.max(...counts)).toBe(1)
  })

  test('that never batches has nothing of it', () => {
    const { ada } = play({ batching: 'never' })
    expect([ada.session.batching, ada.session.ticksPerPacket]).toEqual([undefined, 1])
  })
})
