import { expect, test } from 'vitest'
import type { Game } from '../../src/sim/game/definition/define-game.ts'
import { defineGame } from '../../src/sim/game/definition/define-game.ts'
import { toyGame } from '../../src/storm/games/toy-game.ts'
import { Stage } from './stage.ts'

const { definition } = toyGame
const newer = defineGame({ ...definition, version: 2 } as never) as Game
const patched = defineGame({
  ...definition,
  orders: { ...definition.orders, extra: {} },
} as never) as Game

const dunes = 'd0'.repeat(32)
const mapped = defineGame({ ...definition, content: { 'maps/dunes.json': dunes } } as never) as Game
const edited = defineGame({
  ...definition,
  content: { 'maps/dunes.json': '0d'.repeat(32) },
} as never) as Game

test.each([
  ['an older version', newer, 'game version is 1; it must be 2'],
  ['other rules under the same version', patched, 'your game is not the one of this match'],
  ['a missing map', mapped, "'maps/dunes.json' is missing"],
  ['an edited map', mapped, "'maps/dunes.json' differs", edited],
])(
  'F-27 %s is refused before the first tick, with what differs',
  (_, game, sentence, own?: Game) => {
    const stage = new Stage({
      ada: { game },
      bob: { game },
      // Comes last, to a match that the others have made.
      old: {
        line: { kind: 'stream', there: { latencyMs: 100 } },
        role: 'spectator',
        ...(own && { game: own }),
      },
    })
    stage.run(3_000)
    expect(stage.player('old').closedReason).toContain(sentence)
    expect(stage.player('old').client.cursors.simulatedTick).toBe(0)
    expect(stage.oracle.sealedTick).toBeGreaterThan(60)
    expect([stage.player('ada'), stage.player('bob')].map(({ client }) => client.status)).toEqual([
      'active',
      'active',
    ])
    stage.run(60_000)
    expect(stage.relay.relay.linkCount).toBe(2)
  },
)
