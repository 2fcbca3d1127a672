import { describe, expect, test } from 'vitest'
import { DelayedView } from './delayed-view.ts'

const intervalMs = 100

describe('what spectators may see', () => {
  test('[RJN-10] is at least as old as the delay, and less than two ticks older', () => {
    const view = new DelayedView(950)
    for (let tick = 1; tick <= 500; tick++) {
      view.noteSealed(tick, tick * intervalMs, intervalMs)
      const ageMs = (tick - view.visibleTick) * intervalMs
      if (tick > 12) expect(ageMs).toBe(1_100)
      else expect(view.visibleTick).toBeLessThanOrEqual(1)
    }
  })

  test('moves by one tick per seal, though seals come a little early and late', () => {
    const view = new DelayedView(1_000)
    let before = 0
    for (let tick = 1; tick <= 300; tick++) {
      const jitterMs = [0, 20, -20, 10, -20][tick % 5] as number
      view.noteSealed(tick, tick * intervalMs + jitterMs, intervalMs)
      if (tick > 12) expect(view.visibleTick - before).toBe(1)
      before = view.visibleTick
    }
  })

  test('is nothing before the match begins', () => {
    const view = new DelayedView(1_000)
    expect(view.isOn).toBe(false)
    expect(view.dueAtMs(1)).toBe(Number.POSITIVE_INFINITY)
    view.noteSealed(1, 0, intervalMs)
    expect(view.isOn).toBe(true)
    expect(view.dueAtMs(1)).toBe(1_050)
    expect(view.dueAtMs(0)).toBe(Number.NEGATIVE_INFINITY)
  })

  test('counts what another relay had sealed as new', () => {
    const view = new DelayedView(1_000)
    view.restore(401, 500, 7_000)
    expect(view.visibleTick).toBe(400)
    view.noteSealed(501, 7_900, intervalMs)
    expect(view.visibleTick).toBe(400)
    view.noteSealed(502, 8_000, intervalMs)
    expect(view.visibleTick).toBe(500)
  })

  test('goes on through a standstill', () => {
    const view = new DelayedView(1_000)
    for (let tick = 1; tick <= 100; tick++) view.noteSealed(tick, tick * intervalMs, intervalMs)
    view.noteSealed(101, 60_000, intervalMs)
    expect(view.visibleTick).toBe(100)
  })
})
