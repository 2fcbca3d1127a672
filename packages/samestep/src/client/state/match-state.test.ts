import { describe, expect, test } from 'vitest'
import { WireError } from '../../base/errors.ts'
import { Simulation } from '../../sim/game/run/simulation.ts'
import { sha256 } from '../../sim/hash/sha256.ts'
import { counter } from '../testing/counter.ts'
import { copyMatchState, loadMatchState, saveMatchState } from './match-state.ts'

/** What players agree on. */
function hashMatchState(...state: Parameters<typeof copyMatchState>) {
  return sha256(copyMatchState(...state))
}

function simulationAt(tick: number, matchId = 'm1') {
  const simulation = new Simulation(counter, { seed: 'abc', matchId, seats: 2 })
  for (let next = 1; next <= tick; next++) {
    const inputs = [
      { dx: next % 3, fire: next % 5 === 0 },
      { dx: -1, fire: false },
    ] as never
    simulation.step({ tick: next, events: [], inputs, orders: [] })
  }
  return simulation
}

describe('the state of a match', () => {
  test('goes on elsewhere exactly as where it was saved, inputs and all', () => {
    const [here, there] = [simulationAt(40), simulationAt(0)]
    const slots = new Uint32Array([3, 1, 1, 0])
    const theirs = new Uint32Array(4)
    loadMatchState(there, theirs, saveMatchState(here, slots))
    expect(theirs).toEqual(slots)
    expect(there.tick).toBe(40)
    expect(hashMatchState(there, theirs)).toEqual(hashMatchState(here, slots))
    const inputs = [
      { dx: 2, fire: false },
      { dx: 0, fire: true },
    ] as never
    for (const each of [here, there]) each.step({ tick: 41, events: [], inputs, orders: [] })
    expect(there.syncHash()).toBe(here.syncHash())
  })

  test('hashes to something else for another cell, another slot or another tick', () => {
    const slots = new Uint32Array([3, 1, 1, 0])
    const here = simulationAt(40)
    const hash = hashMatchState(here, slots)
    expect(hashMatchState(here, new Uint32Array([3, 1, 1, 1]))).not.toEqual(hash)
    const before = copyMatchState(here, slots)
    expect(copyMatchState(here, slots, before.slice())).toEqual(before)
    here.state.sum.value += 1
    expect(hashMatchState(here, slots)).not.toEqual(hash)
    expect(hashMatchState(simulationAt(41), slots)).not.toEqual(hash)
  })

  test.each([
    ['cut anywhere', (bytes: Uint8Array) => bytes.subarray(0, bytes.byteLength >> 1)],
    ['nothing', () => new Uint8Array(0)],
    [
      'other slots',
      (bytes: Uint8Array) => Uint8Array.from(bytes, (byte, at) => (at === 0 ? 5 : byte)),
    ],
  ])('that is %s is refused', (_, change) => {
    const bytes = saveMatchState(simulationAt(40), new Uint32Array(4))
    expect(() => loadMatchState(simulationAt(0), new Uint32Array(4), change(bytes))).toThrow(
      WireError,
    )
  })

  test('of another match is refused', () => {
    const bytes = saveMatchState(simulationAt(40, 'other'), new Uint32Array(4))
    expect(() => loadMatchState(simulationAt(0), new Uint32Array(4), bytes)).toThrow("'m1'")
  })
})
