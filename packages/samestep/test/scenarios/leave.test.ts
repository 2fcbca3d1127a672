import { expect, test } from 'vitest'
import type { Game } from '../../src/sim/game/definition/define-game.ts'
import { defineGame } from '../../src/sim/game/definition/define-game.ts'
import { u8, u32 } from '../../src/sim/schema/index.ts'
import { table } from '../../src/sim/state/table.ts'
import { Stage, stream } from './stage.ts'

/** Keeps who is there, and since when who is gone. */
const party = defineGame({
  id: 'party',
  version: 1,
  tickRate: 30,
  seats: { min: 1, max: 8 },
  state: { guests: table(8, { isHere: u8, leftAt: u32 }) },
  orders: {},
  setup({ state, seats }) {
    for (let seat = 0; seat < seats; seat++) state.guests.add()
  },
  step({ state, events, tick }) {
    for (const event of events) {
      if (event.type === 'join') state.guests.isHere[event.seat] = 1
      if (event.type !== 'leave') continue
      state.guests.isHere[event.seat] = 0
      state.guests.leftAt[event.seat] = tick
    }
  },
})

type Guests = { guests: { isHere: Uint8Array; leftAt: Uint32Array } }

function guestsOf(stage: Stage, name: string): Guests['guests'] {
  const { simulation } = stage.player(name).client
  if (simulation === undefined) throw new Error(`${name} has no seat yet`)
  return (simulation.state as unknown as Guests).guests
}

test('a player who leaves is removed by everybody at the same tick', () => {
  const game = party as unknown as Game
  const stage = new Stage({
    ada: { game, line: stream },
    bob: { game, line: { kind: 'datagram', there: { latencyMs: 150, jitterMs: 20 } } },
    eve: { game, role: 'spectator' },
    lea: { game },
  })
  stage.run(3_000)
  const seat = stage.player('lea').client.seat as number
  expect(guestsOf(stage, 'ada').isHere[seat]).toBe(1)
  stage.world.atNode(stage.nodeOf('lea'), stage.world.nowMs, (nowMs) => {
    const { client } = stage.player('lea')
    client.leave(nowMs)
    stage.player('lea').handleTime(nowMs)
  })
  stage.run(2_000)
  const others = ['ada', 'bob', 'eve'].map((name) => guestsOf(stage, name))
  const leftAt = others.map((guests) => guests.leftAt[seat])
  expect(leftAt[0]).toBeGreaterThan(60)
  expect(new Set(leftAt).size).toBe(1)
  expect(others.map((guests) => guests.isHere[seat])).toEqual([0, 0, 0])
  expect(stage.player('lea').closedReason).toContain('left')
})
