import { expect, test } from 'vitest'
import type { Game } from '../../src/sim/game/definition/define-game.ts'
import { makeRuledGame } from '../../src/storm/games/ruled-game.ts'
import { datagrams, Stage, stream } from './stage.ts'

const game = makeRuledGame(30) as unknown as Game

test.each([
  ['streams', stream],
  ['datagrams of which a fifth is lost', { ...datagrams, there: { latencyMs: 60, loss: 0.2 } }],
])('ORD-08 orders of a spectator over %s run once, and end for it', (_, line) => {
  const busy = { game, line, orderEveryMs: 200 }
  const stage = new Stage({ ada: busy, bob: busy, eve: { ...busy, role: 'spectator' } })
  stage.run(10_000)
  const eve = stage.player('eve')
  expect(() => eve.client.issue('mark' as never, { unit: 0, tag: 1 } as never)).toThrowError(
    'Cannot issue an order: a spectator has no seat',
  )
  const ada = stage.player('ada')
  expect(() => ada.client.issue('heckle' as never, { tag: 1 } as never)).toThrowError(
    /only spectators may/,
  )
  stage.finish()
  const ends = new Set(stage.endsOf('eve'))
  expect(stage.endsOf('eve').length).toBeGreaterThan(10)
  expect([...ends].sort()).toEqual(['executed', 'refused'])
})
