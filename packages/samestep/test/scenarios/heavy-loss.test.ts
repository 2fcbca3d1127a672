import { expect, test } from 'vitest'
import type { Conditions } from '../../src/storm/engine/network/conditions.ts'
import { Stage, stream } from './stage.ts'

const lossy: Conditions = {
  kind: 'datagram',
  there: {
    latencyMs: 40,
    jitterMs: 5,
    loss: 0.3,
    duplicate: 0.05,
    reorder: 0.05,
    reorderPackets: 3,
  },
}

test('with 30 % of all packets lost everything arrives, and most of it without a round trip more', () => {
  const stage = new Stage({ ada: { line: lossy }, bob: { line: lossy }, eve: { line: stream } })
  stage.run(2_000)
  const [fromMs, toMs] = [stage.world.nowMs, stage.world.nowMs + 30_000]
  stage.run(30_000)
  expect(stage.sealGapMs(fromMs, toMs)).toBeLessThan(40)
  const ran = (stage.ranAtMs.get('ada') ?? []).map((at, index) => at - stage.sealedAtMs[index]!)
  const sorted = ran.slice(60).sort((a, b) => a - b)
  // A tick is repeated in every packet until it is confirmed: a loss costs a tick, not a round trip.
  expect(sorted[Math.floor(sorted.length * 0.5)]).toBeLessThan(60)
  expect(sorted[Math.floor(sorted.length * 0.95)]).toBeLessThan(40 + 3 * 34 + 30)
  stage.finish()
  expect(stage.oracle.unsettled()).toEqual([])
  expect(stage.players.map(({ client }) => client.status)).toEqual(['active', 'active', 'active'])
  expect(stage.endsOf('ada').filter((end) => end === 'executed').length).toBeGreaterThan(100)
})
