import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defineGame } from '../src/index.ts'
import { createSimulation, loadSnapshot, saveSnapshot } from '../src/sim/debug/index.ts'
import { colony1, colony2, colony3, runOld } from './golden/colony.ts'

const golden = (name: string) =>
  new Uint8Array(readFileSync(join(import.meta.dirname, 'golden', `${name}.snapshot`)))

function load3(name: string) {
  const simulation = createSimulation(colony3, { seed: 'new', matchId: 'm1' })
  loadSnapshot(simulation, golden(name))
  return simulation
}

describe('snapshots of earlier versions of a game', () => {
  test('version 1 loads in version 3: renamed, widened, new and retired fields', () => {
    const old = runOld(colony1).state
    const { state, tick } = load3('colony-1')
    expect(tick).toBe(30)
    expect([...state.ants]).toEqual([...old.ants])
    for (const row of old.ants) {
      expect(state.ants.x[row]).toBe(old.ants.x[row])
      expect(state.ants.hp[row]).toBe(old.ants.health[row])
      expect([state.ants.load[row], state.ants.angle[row]]).toEqual([1, 0.5])
    }
    expect('lazy' in state.ants).toBe(false)
    expect({ ...state.nest }).toEqual({ ...old.nest, wealth: -7 })
    expect(state.notes).toEqual({ names: ['Ada', 'Bé'], visits: old.notes.visits, motto: 'dig' })
    expect([...state.notes.visits.keys()]).toEqual([3, 1])
    expect(state.digs.count).toBe(old.digs.count)
    expect(state.weather.rain).toBe(4)
  })

  test('refs of version 1 find the same rows in version 3', () => {
    const old = runOld(colony1).state.ants
    const { ants } = load3('colony-1').state
    // The maximum of rows grew, and with it the bits of a row number in a ref: lives are what counts.
    expect(ants.rowOf(ants.refOf(8))).toBe(8)
    expect(ants.isAlive(7)).toBe(old.isAlive(7))
    expect(ants.add()).toBe(7)
  })

  test('version 2 loads in version 3, with what it already had', () => {
    const { state } = load3('colony-2')
    expect([...state.ants].map((row) => state.ants.load[row])).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ])
  })

  test('a migrated state goes on deterministically, and saves and loads as its own version', () => {
    const first = load3('colony-1')
    const second = load3('colony-1')
    for (let tick = 31; tick <= 60; tick++) {
      const bundle = { tick, orders: [], inputs: [{ press: true, pull: true }], events: [] }
      first.step(bundle)
      second.step(bundle)
    }
    expect(second.syncHash()).toBe(first.syncHash())
    const copy = createSimulation(colony3, { seed: 'new' })
    loadSnapshot(copy, saveSnapshot(first))
    expect(copy.stateHash()).toBe(first.stateHash())
  })

  test('the old versions still make what the golden files hold', () => {
    // Compressed by another writer, whose bytes ours need not repeat.
    const copy = createSimulation(colony1, { seed: 'x', matchId: 'm1' })
    loadSnapshot(copy, golden('colony-1'))
    expect(copy.stateHash()).toBe(runOld(colony1).stateHash())
    const other = createSimulation(colony2, { seed: 'golden', matchId: 'm1' })
    loadSnapshot(other, golden('colony-2'))
    expect(other.stateHash()).toBe(runOld(colony2).stateHash())
  })

  test('a snapshot of a later version is refused, and so is one with parts nobody declares', () => {
    const later = saveSnapshot(load3('colony-1'))
    const old = createSimulation(colony1, { seed: 1 })
    expect(() => loadSnapshot(old, later)).toThrowError(/version 3/)
    const { digs: _digs, ...fewer } = colony3.definition.state
    const without = defineGame({ ...colony3.definition, version: 4, state: fewer } as never)
    const fresh = createSimulation(without, { seed: 'new' })
    expect(() => loadSnapshot(fresh, later)).toThrowError(/section 'digs'/)
    loadSnapshot(fresh, later, { unknown: 'skip' })
    expect(fresh.tick).toBe(30)
  })
})
