import { expect, test } from 'vitest'
import { emptyBundle } from '../../../sim/game/run/bundle.ts'
import { createSimulation } from '../../../sim/game/run/simulation.ts'
import { ledger } from '../../testing/driver-world.ts'
import { PictureMemory } from './picture-memory.ts'

const away = (buffer: ArrayBuffer): ArrayBuffer => structuredClone(buffer, { transfer: [buffer] })

function stage() {
  const simulation = createSimulation(ledger, { seed: 1 })
  const memory = new PictureMemory<never, never>()
  return { memory, simulation: simulation as never, step: () => step(simulation) }
}

function step(simulation: { readonly tick: number; step(bundle: never): unknown }): void {
  simulation.step(emptyBundle(simulation.tick + 1) as never)
}

test('two pictures can be away; the third has to wait for the first', () => {
  const { memory, simulation, step } = stage()
  const first = away(memory.write(simulation, -1).buffer)
  step()
  expect(memory.isFree).toBe(true)
  away(memory.write(simulation, 0).buffer)
  expect(memory.isFree).toBe(false)
  memory.giveBack(first)
  expect(memory.isFree).toBe(true)
  step()
  // The same memory goes out again: no tick makes new.
  expect(memory.write(simulation, 1).buffer).toBe(first)
})

test('who must show a picture gets memory for it, and the rest is not kept', () => {
  const { memory, simulation } = stage()
  const buffers = Array.from({ length: 4 }, () => away(memory.write(simulation, -1).buffer))
  for (const buffer of buffers) memory.giveBack(buffer)
  const again = Array.from({ length: 3 }, () => memory.write(simulation, -1).buffer)
  expect(again.map((buffer) => buffers.includes(buffer))).toEqual([true, true, false])
})
