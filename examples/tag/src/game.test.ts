import { createSimulation, loadSnapshot, readSnapshotMatch, saveSnapshot } from 'samestep/debug'
import { expect, test } from 'vitest'
import { tag } from './game.ts'
import { runTag } from './headless.ts'

test('two runs of the same orders and inputs agree in every tick', () => {
  const trail = () => {
    const lines: string[] = []
    const simulation = runTag(600, (_tick, line) => lines.push(line))
    return [...lines, simulation.stateHash()]
  }
  expect(trail()).toEqual(trail())
})

test('a simulation that was saved and loaded goes on as the original does', () => {
  const original = runTag(200)
  const saved = saveSnapshot(original, { encoding: 'deflate' })
  const copy = createSimulation(tag, { seed: 1, ...readSnapshotMatch(tag, saved) })
  loadSnapshot(copy, saved)
  for (let tick = 201; tick <= 260; tick++) {
    original.step({ tick, orders: [], inputs: [], events: [] })
    copy.step({ tick, orders: [], inputs: [], events: [] })
    expect(copy.syncHash()).toBe(original.syncHash())
  }
  expect(copy.stateHash()).toBe(original.stateHash())
})
