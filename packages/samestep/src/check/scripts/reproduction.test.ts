import { describe, expect, test } from 'vitest'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { simulate } from '../assertions.ts'
import { makeCounters } from '../testing/counters.ts'
import { sealItems } from './match-script.ts'
import { makeReproduction, readReproduction } from './reproduction.ts'
import type { Script } from './script.ts'

const game = makeCounters() as unknown as Game

const script: Script = {
  seed: 9,
  seats: 2,
  options: { start: 3 },
  ticks: 4,
  items: [
    { tick: 1, kind: 'event', event: { type: 'join', seat: 0 } },
    {
      tick: 1,
      kind: 'order',
      order: { seat: 1, bytes: game.orderCodec.encode('spawn', { x: 42 }) },
    },
    { tick: 2, kind: 'input', seat: 0, input: { left: true, fire: false } },
    {
      tick: 3,
      kind: 'order',
      order: { seat: 0, bytes: Uint8Array.of(255, 255, 255, 255, 255, 9) },
    },
  ],
}

describe('a reproduction', () => {
  const file = makeReproduction(game, script, 'reload', 'reload')

  test('reads as what it does', () => {
    expect(file.items[1]).toEqual({ tick: 1, seat: 1, order: 'spawn', data: { x: 42 } })
    expect(file.items[2]).toEqual({ tick: 2, seat: 0, input: { left: true, fire: false } })
    expect(file.items[3]).toEqual({ tick: 3, seat: 0, bytes: 'ffffffffff09' })
  })

  test('comes back from JSON as it was', () => {
    const read = readReproduction(game, JSON.parse(JSON.stringify(file)))
    expect(read).toEqual({ script, check: 'reload', lane: 'reload' })
  })

  test('of a whole match plays the same match again', () => {
    const played = simulate(makeCounters(), { seats: 3, seed: 4, ticks: 300 })
    const items = sealItems(game, played.script.items as never)
    const json = makeReproduction(game, { ...played.script, items }, 'twin', 'twin')
    const { script: again } = readReproduction(game, JSON.parse(JSON.stringify(json)))
    const replayed = simulate(makeCounters(), { script: again })
    expect(replayed.simulation.stateHash()).toBe(played.simulation.stateHash())
    expect(replayed.outcomes).toEqual(played.outcomes)
  })

  test.each([
    [null, 'not a reproduction'],
    [{ samestep: 'storm', version: 1 }, 'not a reproduction'],
    [{ ...file, game: 'chess' }, "of the game 'chess'"],
    [{ ...file, seed: 1.5 }, 'missing'],
    [{ ...file, items: undefined }, 'missing'],
    [{ ...file, check: 'speed' }, 'missing'],
    [{ ...file, items: [{ tick: 1, seat: 0, order: 'fly', data: {} }] }, "no order 'fly'"],
    [{ ...file, items: [{ tick: 1, seat: 0, order: 'spawn', data: { x: 100 } }] }, 'spawn.x'],
    [{ ...file, items: [{ tick: 1, seat: 0, bytes: 'xyz' }] }, 'hex'],
  ])('that is wrong is refused: %j', (json, words) => {
    expect(() => readReproduction(game, json)).toThrow(words)
  })
})
