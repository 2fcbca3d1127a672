import { expect } from 'vitest'
import { evennessOf, ordersOf } from './figures.ts'
import { playCalm, type Scene } from './scenes.ts'
import type { ClientRecord, StageResult } from './stage.ts'

/** Everybody is there from here on. */
export const settledMs = 6_000

/** A picture at 60 per second: what runs between two is seen at the second. */
const pictureMs = 1_000 / 60

/** The others' ticks run as evenly as in a match in which nothing happens, and all their inputs count. */
export function expectOthersCalm(scene: Scene, result: StageResult): void {
  const calm = playCalm(scene)
  const { forMs } = scene.options
  for (const index of [1, 2]) {
    const [here, there] = [clientOf(result, index), clientOf(calm, index)]
    const [now, before] = [
      evennessOf(result, here, settledMs, forMs),
      evennessOf(calm, there, settledMs, forMs),
    ]
    // A twentieth of a millisecond is a few ticks in thousands that were drawn a picture later.
    expect(Math.abs(now.meanMs - before.meanMs)).toBeLessThan(0.05)
    expect(now.p99Ms).toBeLessThan(pictureMs + 0.01)
    const [orders, calmOrders] = [
      ordersOf(here, settledMs, forMs),
      ordersOf(there, settledMs, forMs),
    ]
    expect(Math.abs(orders.p50Ms - calmOrders.p50Ms)).toBeLessThan(5)
    expect(Math.abs(orders.p99Ms - calmOrders.p99Ms)).toBeLessThan(5)
    expect(here.lateTicks).toEqual([])
  }
}

/**
 * Every shot was sampled for one tick, and was sealed there unless it came too late, as its owner was
 * told; nothing else was sealed. Shots of the last moments may still be on their way.
 */
export function expectShotsOnce({ clients }: StageResult): void {
  for (const { fired, shotTicks, sealedShots, lateTicks, ranMs, shots } of clients) {
    expect(fired - shotTicks.length).toBeLessThanOrEqual(1)
    expect(new Set(shotTicks).size).toBe(shotTicks.length)
    const late = new Set(lateTicks)
    const inTime = shotTicks.filter((tick) => !late.has(tick))
    const onTheirWay = inTime.filter((tick) => !sealedShots.includes(tick))
    expect(sealedShots).toEqual(inTime.slice(0, inTime.length - onTheirWay.length))
    expect(onTheirWay.length).toBeLessThanOrEqual(4)
    expect(shots).toBe(sealedShots.filter((tick) => tick < ranMs.length).length)
  }
}

/** Every order ran once; those of the last moments may still be on their way. */
export function expectOrdersOnce({ clients }: StageResult): void {
  for (const { orders, orderCount } of clients) {
    const ran = orders.filter(({ tick }) => tick > 0)
    expect(orderCount).toBe(ran.length)
    expect(orders.length - ran.length).toBeLessThanOrEqual(4)
    // In the sequence of their issue.
    expect(ran).toEqual(orders.slice(0, ran.length))
    expect(ran.map(({ tick }) => tick)).toEqual(ran.map(({ tick }) => tick).sort((a, b) => a - b))
  }
}

/** One of the players. */
export function clientOf({ clients }: StageResult, index: number): ClientRecord {
  return clients[index] as ClientRecord
}
