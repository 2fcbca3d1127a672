import { expect, test } from 'vitest'
import { datagrams, Stage, stream } from './stage.ts'

test.each([
  ['stream', stream],
  ['datagram', datagrams],
] as const)(
  'a %s link that dies in the middle of a match loses nothing and doubles nothing',
  (_, line) => {
    const stage = new Stage({ ada: { line, orderEveryMs: 60 }, bob: {} })
    stage.run(5_000)
    const ada = stage.player('ada')
    for (let times = 0; times < 3; times++) {
      // Nobody is told: only the silence says that it is gone.
      for (const { link } of stage.world.endsOf(stage.nodeOf('ada'))) stage.world.vanishLink(link)
      stage.runUntil(() => ada.client.status === 'reconnecting')
      stage.runUntil(() => ada.client.status === 'active')
      stage.run(3_000)
    }
    stage.finish()
    const ends = stage.endsOf('ada')
    expect(ends.length).toBeGreaterThan(50)
    expect(ends.every((end) => end === 'executed' || end === 'refused')).toBe(true)
    expect(stage.oracle.unsettled()).toEqual([])
    const { sealedTick } = stage.oracle
    for (const { client } of stage.players) {
      expect(sealedTick - client.cursors.simulatedTick).toBeLessThanOrEqual(3)
    }
  },
)

test('a link that the transport reports as broken is replaced within a second', () => {
  const stage = new Stage({ ada: { line: stream }, bob: {} })
  stage.run(3_000)
  const ada = stage.player('ada')
  for (const { link } of stage.world.endsOf(stage.nodeOf('ada'))) stage.world.resetLink(link)
  stage.runUntil(() => ada.client.status !== 'active', 200)
  stage.runUntil(() => ada.client.status === 'active', 1_000)
  stage.finish()
  expect(stage.oracle.unsettled()).toEqual([])
})
