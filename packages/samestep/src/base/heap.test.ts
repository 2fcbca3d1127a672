import { describe, expect, test } from 'vitest'
import { EventHeap } from './heap.ts'
import { Prng } from './prng.ts'

type Entry = { item: number; time: number; tie: number; serial: number }

function sooner(a: Entry, b: Entry): number {
  return a.time - b.time || a.tie - b.tie || a.serial - b.serial
}

describe('EventHeap', () => {
  test('gives items by time, then tie, then first in', () => {
    const heap = new EventHeap()
    heap.push(4, 20, 0)
    heap.push(9, 10, 2 ** 32 - 1)
    heap.push(3, 10, 5)
    heap.push(1, 10, 5)
    expect([heap.size, heap.nextTime]).toEqual([4, 10])
    expect([heap.pop(), heap.pop(), heap.pop(), heap.pop(), heap.pop()]).toEqual([3, 1, 9, 4, -1])
    expect(heap.nextTime).toBe(Number.POSITIVE_INFINITY)
  })

  test('agrees with a sorted list over random pushes, pops, moves and removals', () => {
    const prng = new Prng(11)
    const heap = new EventHeap(1)
    const model: Entry[] = []
    const free = Array.from({ length: 300 }, (_, item) => item)
    let serial = 0
    for (let turn = 0; turn < 8_000; turn++) {
      const what = prng.below(10)
      // Few times and ties, so that equal keys are common.
      const time = prng.below(40)
      const tie = prng.below(3)
      if (what < 5 && free.length > 0) {
        const item = free.splice(prng.below(free.length), 1)[0]!
        heap.push(item, time, tie)
        model.push({ item, time, tie, serial: serial++ })
      } else if (what < 8) {
        model.sort(sooner)
        const expected = model.shift()
        expect(heap.nextTime).toBe(expected?.time ?? Number.POSITIVE_INFINITY)
        expect(heap.pop()).toBe(expected?.item ?? -1)
        if (expected !== undefined) free.push(expected.item)
      } else if (model.length > 0) {
        const index = prng.below(model.length)
        const entry = model[index]!
        expect(heap.has(entry.item)).toBe(true)
        expect(heap.timeOf(entry.item)).toBe(entry.time)
        if (what === 8) {
          heap.move(entry.item, time, tie)
          model[index] = { item: entry.item, time, tie, serial: serial++ }
        } else {
          expect(heap.remove(entry.item)).toBe(true)
          model.splice(index, 1)
          free.push(entry.item)
        }
      }
      expect(heap.size).toBe(model.length)
    }
  })

  test('removing what is not there changes nothing, moving it adds it', () => {
    const heap = new EventHeap()
    expect(heap.remove(1000)).toBe(false)
    heap.move(1000, 3, 0)
    expect([heap.has(1000), heap.size, heap.pop(), heap.has(1000)]).toEqual([true, 1, 1000, false])
  })

  test('pushing an item twice is a bug, and loud', () => {
    const heap = new EventHeap()
    heap.push(2, 1, 0)
    expect(() => heap.push(2, 1, 0)).toThrow('Item 2 is in the heap already')
  })
})
