import { describe, expect, test } from 'vitest'
import { playStage } from './stage.ts'

/** Ticks per second at which everything must work, and the round trips that ordinary players have. */
const tickRates = [10, 30, 60, 120, 240]
const roundTripsMs = [60, 120, 220, 500]
const lines = tickRates.flatMap((tickRate) =>
  roundTripsMs.flatMap((rttMs) =>
    (['datagram', 'stream'] as const).map((kind) => ({ tickRate, rttMs, kind })),
  ),
)

describe('with the default input delay', () => {
  test.each(lines)(
    '[DLY-01] the inputs of a player $rttMs ms away count at $tickRate ticks/s ($kind)',
    ({ tickRate, rttMs, kind }) => {
      const far = { latencyMs: () => rttMs / 2, kind }
      const { clients, sealedMs } = playStage({ forMs: 13_000, tickRate, clients: [far, { kind }] })
      for (const client of clients) {
        expect(client.closed).toBeUndefined()
        const late = client.lateTicks.filter((tick) => (sealedMs[tick] as number) > 6_000)
        const sealed = sealedMs.filter((atMs) => atMs > 6_000)
        // A delay that one in a hundred is too late for is raised at the next look, after ten seconds.
        expect(late.length / sealed.length).toBeLessThan(0.015)
        expect(client.samples.at(-1)?.state.name).toBe('active')
      }
    },
  )
})

test.each(tickRates)(
  'at %i ticks/s, who is further away than any delay helps is told, and the others play on',
  (tickRate) => {
    const far = { latencyMs: () => 500 }
    const { clients } = playStage({ forMs: 13_000, tickRate, clients: [far, {}] })
    const [one, other] = clients
    expect(one?.samples.at(-1)?.state).toMatchObject({ name: 'inputs-late', missedPercent: 100 })
    expect(one?.missedCount).toBe(one?.missedTicks.length)
    expect(one?.lateInputs).toBe(one?.missedCount)
    expect(one?.missedCount).toBeGreaterThan(5 * tickRate)
    expect(other?.samples.at(-1)?.state.name).toBe('active')
  },
)

describe('a line that is cut', () => {
  test.each(tickRates.flatMap((rate) => [16, 45].map((seconds) => [seconds, rate] as const)))(
    'for %i s costs nobody the seat at %i ticks/s',
    (seconds, tickRate) => {
      const cut = {
        isCut: (atMs: number) => atMs >= 5_000 && atMs < 5_000 + seconds * 1_000,
        tickCostMs: () => 20 / tickRate,
      }
      const forMs = 5_000 + seconds * 1_000 + 20_000
      const { clients } = playStage({ forMs, tickRate, clients: [cut, {}] })
      for (const client of clients) {
        expect(client.closed).toBeUndefined()
        const last = client.samples.at(-1)
        expect(last?.state.name).toBe('active')
        expect((last?.behindTicks ?? 0) / tickRate).toBeLessThan(0.3)
      }
    },
  )
})

test('in a match that waits for inputs everybody is told whom it waits for', () => {
  const cut = { isCut: (atMs: number) => atMs >= 6_000 && atMs < 8_000 }
  const missing = { kind: 'wait', waitMs: 4_000 } as const
  const { clients } = playStage({ forMs: 12_000, missing, clients: [cut, {}, {}] })
  const states = clients[1]?.samples.map(({ state }) => state) ?? []
  expect(states[75]).toMatchObject({ name: 'stalled', waitingFor: [0] })
  // Before and after it nobody is.
  expect(states[55]?.name).toBe('active')
  expect(states.at(-1)?.name).toBe('active')
})
