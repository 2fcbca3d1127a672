import { expect, test } from 'vitest'
import { datagrams, Stage, stream } from './stage.ts'

test('players on streams and on datagrams play one match, tick for tick', () => {
  const stage = new Stage({
    ada: { line: stream },
    bob: { line: datagrams },
    eve: { line: stream, role: 'spectator', orderEveryMs: 0, inputEveryMs: 0 },
  })
  stage.run(20_000)
  stage.finish()
  const ticks = stage.players.map(({ client }) => client.cursors.simulatedTick)
  expect(Math.min(...ticks)).toBeGreaterThan(24 * 30)
  const common = Math.min(...ticks)
  const hashes = stage.players.map(({ client }) => client.simulation?.syncHashAt(common))
  expect(hashes[0]).toBeDefined()
  expect(new Set(hashes).size).toBe(1)
  expect(stage.oracle.unsettled()).toEqual([])
  expect(stage.endsOf('ada').length).toBeGreaterThan(50)
})
