import { describe, expect, test } from 'vitest'
import type { Finding } from '../lanes/lane.ts'
import { makeFinding } from '../lanes/lane.ts'
import type { Script, ScriptItem } from './script.ts'
import { shrinkScript } from './shrink-script.ts'

const item = (tick: number, seat: number): ScriptItem => ({
  tick,
  kind: 'order',
  order: { seat, bytes: Uint8Array.of(tick & 255) },
})

const whole: Script = {
  seed: 1,
  seats: 4,
  options: {},
  ticks: 500,
  items: Array.from({ length: 200 }, (_, index) => item(1 + 2 * index, index % 4)),
}

/** Fails at the tick in which the needed seats have all spoken, in this sequence. */
function needs(...seats: number[]): (script: Script) => Finding | undefined {
  return ({ items }) => {
    let next = 0
    for (const each of items) {
      if (each.kind !== 'order' || each.order.seat !== seats[next]) continue
      next += 1
      if (next === seats.length) {
        return makeFinding({ check: 'reload', lane: 'reload', tick: each.tick })
      }
    }
    return undefined
  }
}

describe('shrinking a script', () => {
  test('leaves what is needed, without the idle ticks, and nothing after it', () => {
    const { script, finding } = shrinkScript(whole, { run: needs(3, 1, 0) })
    expect(script.items.map((each) => each.kind === 'order' && each.order.seat)).toEqual([3, 1, 0])
    expect(script.items.map(({ tick }) => tick)).toEqual([1, 2, 3])
    expect(script.ticks).toBe(4)
    expect(finding?.tick).toBe(3)
  })

  test('finds that nothing at all is needed', () => {
    const run = () => makeFinding({ check: 'twin', lane: 'twin', tick: 5 })
    expect(shrinkScript(whole, { run }).script.items).toEqual([])
  })

  test('says so when the whole does not show it again', () => {
    const { script, finding, runs } = shrinkScript(whole, { run: () => undefined })
    expect({ script, finding, runs }).toEqual({ script: whole, finding: undefined, runs: 1 })
  })

  test('stops when its runs or its ticks are used up, with what it has', () => {
    const runs = shrinkScript(whole, { run: needs(3, 1, 0), runsMax: 3 })
    expect(runs.runs).toBe(3)
    expect(runs.finding).toBeDefined()
    const ticks = shrinkScript(whole, { run: needs(3, 1, 0), ticksMax: 510 })
    expect(ticks.runs).toBeLessThan(60)
    expect(ticks.finding).toBeDefined()
  })
})
