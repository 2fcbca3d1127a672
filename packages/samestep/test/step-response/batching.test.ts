import { expect, test } from 'vitest'
import { clientOf } from './expectations.ts'
import { playScene, scenes } from './scenes.ts'
import { playStage } from './stage.ts'

test.each(['jitterBursts', 'slowOff', 'slowMaximum'] as const)(
  '[DLY-04] without pressure batching changes nothing, not a millisecond: %s',
  (name) => {
    const scene = scenes[name]
    const batched = playStage({ ...scene.options, batching: 'adaptive' })
    const plain = playScene(scene)
    expect(batched.sealedMs).toEqual(plain.sealedMs)
    expect(batched.clients.map(({ cameMs }) => cameMs)).toEqual(
      plain.clients.map(({ cameMs }) => cameMs),
    )
    expect(batched.clients.map(({ ranMs }) => ranMs)).toEqual(
      plain.clients.map(({ ranMs }) => ranMs),
    )
  },
)

test('[DLY-04] a way that becomes longer is taken for a queue for two seconds, and then never again', () => {
  const scene = scenes.latencyStep
  const result = playStage({ ...scene.options, batching: 'adaptive' })
  const one = clientOf(result, 0).samples.map(({ ticksPerPacket }) => ticksPerPacket)
  expect(Math.max(...one)).toBe(2)
  expect(one.filter((ticks) => ticks > 1).length).toBeLessThanOrEqual(21)
  for (const index of [1, 2]) {
    const other = clientOf(result, index).samples
    expect(Math.max(...other.map(({ ticksPerPacket }) => ticksPerPacket))).toBe(1)
  }
})
