import { fixed } from 'samestep'
import { assertDeterministic, assertReloads, makeBundle, simulate } from 'samestep/check'
import { createSimulation } from 'samestep/debug'
import { expect, test } from 'vitest'
import { dots, pulse, world } from './game.ts'

test('every machine computes the same', () => {
  assertDeterministic(dots, { ticks: 300 })
})

test('who loads a snapshot goes on like everybody else', () => {
  assertReloads(dots, { ticks: 300 })
})

test('nobody leaves the arena, whoever pushes', () => {
  const { state } = simulate(dots, { seats: 8, seed: 7, ticks: 600 }).simulation
  for (const row of state.dots) {
    expect(state.dots.x[row]).toBeGreaterThan(0)
    expect(state.dots.x[row]).toBeLessThan(fixed.fromInt(world.width))
    expect(state.dots.y[row]).toBeGreaterThan(0)
    expect(state.dots.y[row]).toBeLessThan(fixed.fromInt(world.height))
  }
})

test('held controls move the own dot and no other', () => {
  const simulation = createSimulation(dots, { seed: 'still', seats: 2 })
  const { dots: table } = simulation.state
  const before = [table.x[0], table.x[1]] as const
  const toTheMiddle = Math.sign(fixed.fromInt(80) - table.x[1]) * 8
  for (let tick = 1; tick <= 10; tick++) {
    const inputs = [undefined, tick === 1 ? { dx: toTheMiddle, dy: 0 } : undefined]
    simulation.step({ tick, inputs, orders: [], events: [] })
  }
  expect(table.x[0]).toBe(before[0])
  expect(Math.sign(table.x[1] - before[1])).toBe(Math.sign(toTheMiddle))
})

test('a pulse pushes the others away, and never its owner', () => {
  const simulation = createSimulation(dots, { seed: 'push', seats: 2 })
  const { dots: table } = simulation.state
  const beside = { x: table.x[1] - fixed.fromInt(4), y: table.y[1] }
  simulation.step(makeBundle(dots, 1, [{ seat: 0, order: 'pulse', data: beside }]))
  expect(table.vx[1]).toBeGreaterThan(0)
  expect(table.vx[0]).toBe(0)
  expect(simulation.state.pulses.count).toBe(1)
})

test('the next pulse has to charge', () => {
  // Anywhere inside, so that only charging is in the way.
  const explore = () => ({ type: 'pulse', data: { x: fixed.fromInt(50), y: fixed.fromInt(50) } })
  const { outcomes } = simulate(dots, { seats: 4, seed: 3, ticks: 400, explore })
  const fired = new Map<number, number[]>()
  for (const { seat, tick, result } of outcomes) {
    if (result === 'executed') fired.set(seat, [...(fired.get(seat) ?? []), tick])
  }
  expect(fired.size).toBe(4)
  for (const ticks of fired.values()) {
    expect(ticks.length).toBeGreaterThan(1)
    for (const [index, tick] of ticks.slice(1).entries()) {
      expect(tick - ticks[index]).toBeGreaterThanOrEqual(pulse.chargeTicks)
    }
  }
})
