import { expect, test, vi } from 'vitest'
import { battle } from '../../../../../examples/battle/src/game.ts'
import { sandbox } from '../../../../../examples/sand/src/game.ts'
import { tag } from '../../../../../examples/tag/src/game.ts'
import type { Game } from '../game/definition/define-game.ts'
import { createSimulation } from '../game/run/simulation.ts'
import { createTrace } from './trace.ts'

// The examples import the package as it was built; here they are to run on these sources.
vi.mock('samestep', () => import('../../index.ts'))

/** Orders and inputs for any game, made from its own declarations: the same for the same tick. */
function bundleOf(game: Game, tick: number, seats: number) {
  const orders = game.orderCodec.types
    .filter(({ by, name }) => by !== 'relay' && name !== 'resign')
    .map(({ name, codec }, index) => {
      const data = codec.makeDefault() as { [field: string]: unknown }
      for (const [field, value] of Object.entries(data)) {
        if (typeof value === 'number' && field.length <= 2) data[field] = (tick * 7) % 40
        if (Array.isArray(value)) data[field] = [tick]
      }
      return { name, data, seat: index % seats }
    })
    .flatMap(({ name, data, seat }) => {
      try {
        return [{ seat, bytes: game.orderCodec.encode(name, data) }]
      } catch {
        return []
      }
    })
  const inputs = Array.from({ length: seats }, (_, seat) => {
    const input = game.inputCodec.makeDefault() as { [field: string]: unknown }
    for (const [field, value] of Object.entries(input)) {
      if (typeof value === 'boolean') input[field] = (tick + seat) % 3 === 0
    }
    return input
  })
  return { tick, events: [], orders, inputs }
}

const games: readonly (readonly [string, Game])[] = [
  ['battle', battle as unknown as Game],
  ['sand', sandbox as unknown as Game],
  ['tag', tag as unknown as Game],
]

test.each(games)('the example %s runs the same traced, guarded and plain', (_name, game) => {
  const seats = Math.max(game.seats.min, 2)
  const options = game.id === 'battle' ? { unitsPerSeat: 20 } : {}
  const run = (more: object) => {
    const simulation = createSimulation(game, { seed: 9, seats, options, ...more })
    const trail: unknown[] = [simulation.syncHash()]
    for (let tick = 1; tick <= 20; tick++) {
      const { outcomes, faults } = simulation.step(bundleOf(game, tick, seats) as never)
      trail.push(
        simulation.syncHash(),
        outcomes.map(({ result }) => result),
        faults.length,
      )
    }
    return [...trail, simulation.stateHash()]
  }
  const plain = run({ development: false })
  const trace = createTrace({ callSites: false })
  expect(run({ development: false, trace })).toEqual(plain)
  expect(trace.count).toBeGreaterThan(20)
  expect(run({ development: true })).toEqual(plain)
  expect(run({ development: true, trace: createTrace({ callSites: false }) })).toEqual(plain)
})
