import { describe, expect, test } from 'vitest'
import { Listener, numbered } from '../testing/toy.ts'
import { World } from '../world.ts'
import type { Conditions } from './conditions.ts'

describe('datagrams', () => {
  test('a receiver may change its packet without changing the copy', () => {
    const world = new World({ seed: 1 })
    const heard: number[] = []
    const to = world.addNode('b', {
      handlePacket(_end, bytes) {
        heard.push(bytes[0]!)
        bytes.fill(0xff)
      },
      handleTime() {},
      wakeAtMs: () => Number.POSITIVE_INFINITY,
    })
    const from = world.addNode('a', new Listener(world))
    const end = world.connect(from, to, { kind: 'datagram', there: { duplicate: 1 } })
    world.send(end, numbered(7))
    world.runUntil(1000)
    expect(heard).toEqual([7, 7])
  })

  test('the two directions have their own conditions', () => {
    const world = new World({ seed: 4 })
    const a = new Listener(world)
    const b = new Listener(world)
    const [from, to] = [world.addNode('a', a), world.addNode('b', b)]
    const conditions: Conditions = { kind: 'datagram', there: { latencyMs: 10 }, back: { loss: 1 } }
    const end = world.connect(from, to, conditions)
    world.send(end, numbered(1))
    world.runUntil(50)
    expect(b.times).toEqual([
      ['opened', 0],
      ['packet', 10],
    ])
    world.send(b.ends[0]!, numbered(2))
    world.runUntil(500)
    expect(a.values).toEqual([])
  })

  test('a clog keeps what comes and lets it all go at its end, in sequence', () => {
    const world = new World({ seed: 5 })
    const b = new Listener(world)
    const [from, to] = [world.addNode('a', new Listener(world)), world.addNode('b', b)]
    const end = world.connect(from, to, { kind: 'datagram', there: { latencyMs: 10 } })
    const undo = world.trouble.addOverlay(to, 'in', { isClogged: true })
    for (let index = 0; index < 20; index++) {
      world.atNode(from, index, () => world.send(end, numbered(index)))
    }
    world.runUntil(300)
    expect(b.values).toEqual([])
    undo()
    world.runUntil(301)
    expect(b.values).toEqual(Array.from({ length: 20 }, (_, index) => index))
    expect(b.seen.at(-1)?.atMs).toBe(300)
  })

  test('a clogged link that both sides close takes what it kept with it', () => {
    const world = new World({ seed: 5 })
    const b = new Listener(world)
    const [from, to] = [world.addNode('a', new Listener(world)), world.addNode('b', b)]
    const end = world.connect(from, to, { kind: 'datagram' })
    world.runUntil(10)
    world.trouble.addOverlay(from, 'out', { isClogged: true })
    for (let index = 0; index < 5; index++) world.send(end, numbered(index))
    world.runUntil(100)
    expect([world.pendingEvents, world.slotsInUse]).toEqual([0, 9])
    world.closeLink(end)
    world.closeLink(b.ends[0]!)
    expect(world.slotsInUse).toBe(4)
  })

  test('after a rebinding the other side hears from a new address, and the old one is deaf', () => {
    const world = new World({ seed: 7 })
    const [a, b] = [new Listener(world), new Listener(world)]
    const [from, to] = [world.addNode('a', a), world.addNode('b', b)]
    const end = world.connect(from, to, { kind: 'datagram' })
    world.runUntil(10)
    world.rebindLink(end.link)
    const [old] = b.ends
    world.send(old!, numbered(1))
    world.send(end, numbered(2))
    world.runUntil(20)
    expect(b.seen.map(({ what }) => what)).toEqual(['opened', 'opened', 'packet'])
    expect([a.values, old?.isOpen, world.endsOf(to).length]).toEqual([[], true, 2])
    world.send(b.ends[1]!, numbered(3))
    world.closeLink(old!)
    world.runUntil(30)
    expect([a.values, world.endsOf(to)]).toEqual([[3], [b.ends[1]]])
  })

  test('an address cannot be closed: who forgot a peer hears of it again', () => {
    const world = new World({ seed: 6 })
    const b = new Listener(world)
    const [from, to] = [world.addNode('a', new Listener(world)), world.addNode('b', b)]
    const end = world.connect(from, to, { kind: 'datagram' })
    world.runUntil(10)
    world.closeLink(b.ends[0]!)
    world.send(end, numbered(1))
    world.runUntil(20)
    expect(b.seen.map(({ what }) => what)).toEqual(['opened', 'opened', 'packet'])
    expect(b.ends[1]).not.toBe(b.ends[0])
    world.send(end, numbered(2))
    const reborn = new Listener(world)
    world.restartNode(to, reborn)
    world.runUntil(30)
    expect(reborn.seen.map(({ what }) => what)).toEqual(['opened', 'packet'])
    // The opener's own closed end stays closed.
    world.closeLink(end)
    world.send(reborn.ends[0]!, numbered(3))
    world.send(end, numbered(4))
    world.runUntil(60)
    expect([...reborn.values]).toEqual([2])
    expect(world.pendingEvents).toBe(0)
  })
})
