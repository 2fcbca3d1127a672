import { describe, expect, test } from 'vitest'
import type { MatchConfig } from '../../wire/messages/match-config.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { decodeMessage } from '../../wire/messages/messages.ts'
import { marginUnknown } from '../../wire/ticks/relay-bundles.ts'
import { noMargin } from '../guard/session-guard.ts'
import type { Session } from '../match/session.ts'
import { MatchBench, testConfig } from '../testing/match-kit.ts'
import { makeSession } from '../testing/session-kit.ts'
import { Batching } from './batching.ts'
import { MatchWatch } from './match-watch.ts'

/** A watch over one seat of two, in a match whose input delay may move. */
function make(changes: Partial<MatchConfig> = {}) {
  const config = { ...testConfig, inputDelayMin: 1, inputDelayMax: 8, ...changes }
  const session = makeSession()
  const watch = new MatchWatch(config, [session.member, undefined])
  watch.setCounted(0, session)
  const stats = (nowMs: number, pace = { requestedPercent: 100, effectivePercent: 100 }) => {
    const bytes = watch.takeStats(pace, { comparedTick: 40, mismatches: 3 }, 60, nowMs)?.now
    return bytes && (decodeMessage(bytes).body as MessageBody<'RelayStats'>)
  }
  return { watch, session, stats }
}

describe('margins', () => {
  test('of an input in time is what it waited for its seal, and told without what was held', () => {
    const { watch, session, stats } = make()
    watch.noteKept(0, 7, 2, 15, 1_000)
    watch.noteSealed(7, 1_040)
    expect(session.guard.marginMs).toBe(40)
    session.control.answerOrders()
    session.control.refresh(0)
    expect(session.control.take(1_050)).toMatchObject({ marginMinMs: 55, marginMedianMs: 55 })
    expect(stats(1_050)?.seats).toMatchObject([{ seat: 0, marginMs: 40 }])
  })

  test('of a late one is negative, and the smallest of a second is shown', () => {
    const { watch, session, stats } = make()
    watch.noteSealed(7, 1_000)
    watch.noteLate(session, 0, 7, 9, 2, 0, 1_120)
    watch.noteKept(0, 10, 2, 0, 1_130)
    watch.noteSealed(10, 1_150)
    expect(stats(1_150)?.seats).toMatchObject([{ marginMs: -120 }])
    expect(stats(2_150)?.seats).toMatchObject([{ marginMs: marginUnknown }])
  })

  test('of a seat that was left meanwhile are nobody’s', () => {
    const config = { ...testConfig, inputDelayMin: 1, inputDelayMax: 8 }
    const watch = new MatchWatch(config, [undefined, undefined])
    watch.noteKept(0, 7, 2, 0, 1_000)
    expect(() => watch.noteSealed(7, 1_040)).not.toThrow()
  })
})

describe('figures', () => {
  test('are given once per second', () => {
    const { stats } = make()
    const times = [0, 400, 999, 1_000, 1_500, 2_000].filter((nowMs) => stats(nowMs) !== undefined)
    expect(times).toEqual([0, 1_000, 2_000])
  })

  test('tell of every seat with a player how it fares, within what a message can say', () => {
    const { session, stats } = make()
    session.rttMs = 80
    session.executedTick = 50
    session.guard.loadPercent = 77
    for (const wait of [10, 20, 30]) session.guard.waits.add(wait)
    expect(stats(0, { requestedPercent: 200, effectivePercent: 150 })).toEqual({
      inputDelay: 2,
      requestedPercent: 200,
      effectivePercent: 150,
      comparedTick: 40,
      mismatches: 3,
      seats: [
        {
          seat: 0,
          rttMs: 80,
          jitterMs: 65_535,
          lossPercent: 0,
          marginMs: marginUnknown,
          loadPercent: 77,
          behindTicks: 10,
          orderWaitMs: 20,
          orderWaitP95Ms: 30,
          ticksPerPacket: 1,
        },
      ],
    })
    session.rttMs = 1e9
    session.executedTick = 99
    session.guard.marginMs = -32_000
    expect(stats(1_000)?.seats).toMatchObject([
      { rttMs: 65_535, behindTicks: 0, marginMs: -32_000 },
    ])
  })
})

test('[DLY-04] ticks that wait for each other cost the margin of the input that the first called for', () => {
  const batching = new Batching()
  const session = makeSession({ batching })
  const { guard } = session
  const watch = new MatchWatch({ ...testConfig, inputDelayMin: 1, inputDelayMax: 8 }, [
    session.member,
  ])
  const marginOf = (tick: number) => {
    guard.marginMs = noMargin
    watch.noteKept(0, tick, 2, 0, tick * 50 - 180)
    watch.noteSealed(tick, tick * 50)
    return guard.marginMs
  }
  expect(marginOf(10)).toBe(180)
  for (let nowMs = 0; batching.ticksPerPacket < 4; nowMs += 50) {
    batching.notePath({ queueMs: 500 + nowMs, rttVariationMs: 0 }, nowMs)
  }
  expect(marginOf(11)).toBe(180 - 3 * 50)
})

describe('a match', () => {
  /** Two players, of whom ada's inputs come so long after the seal of what called for them. */
  function play(bench: MatchBench, loopMs: number, forMs: number, loadPercent = 0): void {
    const sessions = [...bench.match.sessions]
    const untilMs = bench.nowMs + forMs
    let called = bench.match.log.sealedTick
    const calls: { readonly atMs: number; readonly tick: number }[] = []
    while (bench.nowMs < untilMs) {
      bench.runTo(bench.nowMs + 5)
      for (; called < bench.match.log.sealedTick; called++) {
        calls.push({ atMs: bench.nowMs + loopMs, tick: called + 1 })
      }
      while ((calls[0]?.atMs ?? Infinity) <= bench.nowMs) {
        const received = calls.shift()!.tick
        for (const session of sessions) {
          bench.turn(session, {
            received,
            hash: { tick: received, lo: received, hi: 0 },
            report: { token: tokenOf(session), loadPercent },
            firstInputTick: received + bench.match.config.inputDelay,
            inputs: [[7, 1, 5]],
          })
        }
      }
    }
  }

  const tokenOf = ({ guard }: Session) => {
    const { token } = guard.liveness
    return token < 0 ? undefined : token
  }
  const eventsOf = (bench: MatchBench, type: string) =>
    bench.sealed.flatMap(({ events, atMs }) =>
      events.flatMap((event) => (event.type === type ? [{ ...event, atMs }] : [])),
    )

  test('DLY-01 seals a longer input delay when inputs take longer, and a shorter one again', () => {
    const bench = new MatchBench({ inputDelay: 2, inputDelayMin: 1, inputDelayMax: 8 })
    bench.admit()
    bench.admit()
    play(bench, 60, 3_000)
    expect(eventsOf(bench, 'delay')).toEqual([])
    play(bench, 240, 3_000)
    const [raised] = eventsOf(bench, 'delay')
    expect(raised).toMatchObject({ type: 'delay', ticks: 5 })
    play(bench, 30, 20_000)
    const last = eventsOf(bench, 'delay').at(-1)
    expect(last).toMatchObject({ type: 'delay', ticks: 1 })
  })

  test('seals no delay where the game leaves nothing to choose', () => {
    const bench = new MatchBench()
    bench.admit()
    bench.admit()
    play(bench, 300, 3_000)
    expect(eventsOf(bench, 'delay')).toEqual([])
  })

  test('LAG-01 goes slower when its machines cannot keep up: by events, and the clock follows', () => {
    const bench = new MatchBench({ lagMode: 'maximum' })
    bench.admit()
    bench.admit()
    play(bench, 20, 2_000, 40)
    expect(eventsOf(bench, 'speed')).toEqual([])
    play(bench, 20, 12_000, 100)
    const speeds = eventsOf(bench, 'speed')
    expect(speeds.at(-1)).toMatchObject({ type: 'speed', percent: 75 })
    const before = bench.sealed.length
    play(bench, 20, 4_000, 100)
    expect(bench.sealed.length - before).toBe(60)
    play(bench, 20, 16_000, 20)
    expect(eventsOf(bench, 'speed').at(-1)).toMatchObject({ percent: 100 })
  })

  test('LAG-08 what was asked for stays asked for: each wish counts, also one after another', () => {
    for (const lagMode of ['off', 'maximum'] as const) {
      const bench = new MatchBench({ lagMode })
      const { session } = bench.admit()
      bench.admit()
      for (const percent of [200, 300, 50, 100, 400, 10, 120]) {
        play(bench, 10, 1_500, 5)
        bench.act(session, { type: 'set-speed', percent })
        play(bench, 10, 1_500, 5)
        expect([lagMode, bench.match.room.pace.effectivePercent]).toEqual([lagMode, percent])
        const interval = 5_000 / percent
        const [before, last] = bench.sealed.slice(-2)
        expect(Math.abs(last!.atMs - before!.atMs - interval)).toBeLessThanOrEqual(5)
      }
    }
  })
})
