import { expect, test } from 'vitest'
import { fewPackets, PacketRest } from './packet-rest.ts'

/** Packets, reads and rests without a thread. */
function make(restMs = 0.5) {
  const callbacks: (() => void)[] = []
  const rests: number[] = []
  const world = { nowMs: 0, wakeAtMs: Number.POSITIVE_INFINITY, overshootMs: 0 }
  const rest = new PacketRest({
    restMs,
    nowMs: () => world.nowMs,
    wakeAtMs: () => world.wakeAtMs,
    afterReads: (callback) => callbacks.push(callback),
    sleep: (durationMs) => {
      rests.push(durationMs)
      world.nowMs += durationMs + world.overshootMs
    },
  })
  /** So many packets are read together. */
  const read = (packets: number) => {
    for (let count = 0; count < packets; count++) rest.notePacket()
    expect(callbacks.length).toBeLessThanOrEqual(1)
    callbacks.pop()?.()
  }
  return { rests, world, read }
}

test('rests when few packets came, and not when many did', () => {
  const { rests, read } = make()
  read(2)
  read(fewPackets)
  expect(rests).toEqual([0.5, 0.5])
  read(fewPackets + 1)
  read(1_000)
  expect(rests).toHaveLength(2)
})

test('rests while that brings packets together, and hardly ever where it does not', () => {
  const { rests, read } = make()
  for (let count = 0; count < 100; count++) read(2)
  expect(rests).toHaveLength(100)
  for (let count = 0; count < 6_500; count++) read(1)
  expect(rests.length).toBeLessThan(100 + 110)
  expect(rests.length).toBeGreaterThan(100 + 90)
  // As soon as one of its tries is worth it, it rests again.
  const before = rests.length
  for (let count = 0; count < 200; count++) read(3)
  expect(rests.length - before).toBeGreaterThan(100)
})

test('never rests into a tick', () => {
  const { rests, world, read } = make()
  world.nowMs = 99.6
  world.wakeAtMs = 100
  read(2)
  world.wakeAtMs = 50
  read(2)
  expect(rests).toEqual([])
  world.wakeAtMs = 101
  read(2)
  expect(rests).toEqual([0.5])
})

test('does nothing when it is switched off', () => {
  const { rests, read } = make(0)
  for (let count = 0; count < 10; count++) read(2)
  expect(rests).toEqual([])
})

test('gives up on a system that sleeps too long, and not for one bad moment', () => {
  const { rests, world, read } = make()
  for (let count = 0; count < 20; count++) {
    world.overshootMs = count % 3 === 2 ? 0 : 15
    read(2)
  }
  expect(rests).toHaveLength(20)
  world.overshootMs = 15
  for (let count = 0; count < 20; count++) read(2)
  expect(rests.length).toBeLessThanOrEqual(20 + 3)
})

test('a rest of this machine takes its time, and then the thread goes on', () => {
  const startMs = performance.now()
  const rest = new PacketRest({
    restMs: 20,
    nowMs: () => performance.now(),
    wakeAtMs: () => Number.POSITIVE_INFINITY,
    afterReads: (callback) => callback(),
  })
  rest.notePacket()
  expect(performance.now() - startMs).toBeGreaterThan(19)
})
