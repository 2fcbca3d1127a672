import { expect, test } from 'vitest'
import { RelayWorld } from './testing/relay-world.ts'

/** A relay on which every serving of one match costs so much. */
function makeWorld(costMs: number) {
  let meterMs = 0
  let isDear = false
  const world = new RelayWorld({
    meterMs: () => {
      // Asked before and after each serving: what is dear takes its time in between.
      if (isDear) meterMs += costMs
      return meterMs
    },
  })
  return { world, setDear: (value: boolean) => (isDear = value) }
}

test('a match that is dear to serve becomes slower, and the others do not', () => {
  const { world, setDear } = makeWorld(40)
  for (const match of ['dear', 'cheap']) {
    for (const name of ['ada', 'bob']) world.join({ match, name }).isConfirming = true
  }
  const tickOf = (match: string) => world.relay.matches.get(match)!.log.sealedTick
  const dear = world.relay.matches.get('dear')!
  const handleTime = dear.handleTime.bind(dear)
  // Only serving the dear one costs anything.
  dear.handleTime = (nowMs) => {
    setDear(true)
    handleTime(nowMs)
  }
  const share = dear.share.spend.bind(dear.share)
  dear.share.spend = (costMs, nowMs) => {
    setDear(false)
    share(costMs, nowMs)
  }
  world.run(10_000)
  // 200 ticks are due in each; 40 ms for each tick of 50 ms are more than half.
  expect(tickOf('cheap')).toBeGreaterThanOrEqual(199)
  expect(tickOf('dear')).toBeLessThan(140)
  expect(tickOf('dear')).toBeGreaterThan(110)
})

test('a match that is alone is served as it is due, whatever it costs', () => {
  const { world, setDear } = makeWorld(40)
  for (const name of ['ada', 'bob']) world.join({ name }).isConfirming = true
  setDear(true)
  world.run(5_000)
  expect(world.relay.matches.get('friday')!.log.sealedTick).toBeGreaterThanOrEqual(99)
})
