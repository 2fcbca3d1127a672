import { describe, expect, test } from 'vitest'
import { Prng } from '../../base/prng.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import { createSimulation } from '../../sim/game/run/simulation.ts'
import { makeCounters } from '../testing/counters.ts'
import { damage, Explorer } from './explorer.ts'
import type { ScriptItem } from './script.ts'
import { bundleOf } from './script.ts'

const game = makeCounters() as unknown as Game

function explore(ticks: number, seed = 1): ScriptItem[] {
  const simulation: Simulation = createSimulation(game, { seed, seats: 3 })
  const explorer = new Explorer(game, 3, seed)
  const items: ScriptItem[] = []
  for (let tick = 1; tick <= ticks; tick++) {
    const next = explorer.next(tick, simulation)
    items.push(...next)
    simulation.step(bundleOf(tick, next))
  }
  return items
}

describe('a player by chance', () => {
  const items = explore(3_000)
  const events = items.flatMap((item) => (item.kind === 'event' ? [item.event.type] : []))
  const inputs = items.flatMap((item) => (item.kind === 'input' ? [item.input] : []))

  test('has everybody join first, and meets every kind of event', () => {
    expect(events.slice(0, 3)).toEqual(['join', 'join', 'join'])
    expect(new Set(events)).toEqual(new Set(['join', 'leave', 'pause', 'resume', 'speed', 'delay']))
  })

  test('issues orders of every kind, nonsense among them, and refs that mostly live', () => {
    const results = { fine: 0, nonsense: 0, refs: 0, none: 0 }
    for (const item of items) {
      if (item.kind !== 'order') continue
      try {
        const { type, data } = game.orderCodec.decode(item.order.bytes)
        results.fine += 1
        if (type.name === 'move') {
          const { unit } = data as { readonly unit: number }
          if (unit === 0) results.none += 1
          else results.refs += 1
        }
      } catch {
        results.nonsense += 1
      }
    }
    expect(results.fine).toBeGreaterThan(500)
    expect(results.nonsense).toBeGreaterThan(0)
    expect(results.refs).toBeGreaterThan(results.none)
  })

  test('holds inputs that fit, and does not repeat a shot by itself', () => {
    expect(inputs.length).toBeGreaterThan(200)
    for (const input of inputs) expect(game.inputCodec.accepts(input)).toBe(true)
    const shots = inputs.filter((input) => (input as { fire: boolean }).fire).length
    expect(shots).toBeGreaterThan(20)
    expect(shots).toBeLessThan(inputs.length / 2 + 50)
  })

  test('is idle for a while, and frantic for another', () => {
    const perTick = new Map<number, number>()
    for (const { tick } of items) perTick.set(tick, (perTick.get(tick) ?? 0) + 1)
    expect(Math.max(...perTick.values())).toBeGreaterThan(4)
    expect(3_000 - perTick.size).toBeGreaterThan(200)
  })

  test('does the same for the same seed', () => {
    expect(explore(200, 9)).toEqual(explore(200, 9))
    expect(explore(200, 9)).not.toEqual(explore(200, 8))
  })
})

test('damaged bytes are never the bytes they were', () => {
  const prng = new Prng(1, 'damage')
  for (let count = 0; count < 500; count++) {
    const bytes = Uint8Array.from({ length: prng.below(5) }, () => prng.below(256))
    expect([...damage(bytes, prng)]).not.toEqual([...bytes])
  }
})
