import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { investigate } from '../../desync/investigate/investigate.ts'
import { decodeAnswer, encodeAsk } from '../../desync/probe-codec.ts'
import { probeSeeds } from '../../desync/testing/probe-seeds.ts'
import type { ProbeAsk, ProbeKind } from '../../wire/messages/desync-probes.ts'
import { probeKindWords } from '../../wire/messages/desync-probes.ts'
import { hostileBytes } from '../../wire/testing/properties.ts'
import { ClientWorld } from '../testing/client-world.ts'

/** Asks a client something, and gives what it answers. */
function probe<K extends ProbeKind>(world: ClientWorld, kind: K, ask: ProbeAsk<K>, number = 1) {
  world.say('RelayProbe', { number, kind, ask: encodeAsk({ kind, ask } as never) })
  for (let moment = 0; moment < 50; moment++) world.wait(5)
  const replies = world.messages.flatMap((message) =>
    message.name === 'ClientProbe' ? [message.body] : [],
  )
  const reply = replies.at(-1)
  if (reply === undefined) return undefined
  if (reply.outcome !== 'answered') return reply.outcome
  return decodeAnswer(kind, reply.answer)
}

/** A match that has run for so many ticks. */
function play(ticks: number, options = {}) {
  const world = new ClientWorld({ investigate, ...options })
  world.sit()
  for (let count = 0; count < ticks; count++) world.tick()
  world.settle()
  return world
}

describe('a client that is asked about a desync', () => {
  test('says what it remembers of ticks', () => {
    const world = play(30)
    const answer = probe(world, 'chains', { first: 29, step: 1, count: 3 })
    expect(answer).toEqual({
      chains: [
        { lo: expect.any(Number), hi: expect.any(Number) },
        { lo: expect.any(Number), hi: expect.any(Number) },
        undefined,
      ],
    })
    expect(probe(world, 'tree', { tick: 30 })).toMatchObject({ leafCount: expect.any(Number) })
    expect(probe(world, 'tree', { tick: 31 })).toBe('forgotten')
  })

  test('runs a tick again, and says whether it gives the same', () => {
    const world = play(30)
    expect(probe(world, 'rerun', { tick: 26 })).toEqual({
      fromTick: 20,
      isSame: true,
      isStable: true,
      actualTick: 26,
      machine: '',
    })
    expect(probe(world, 'trace', { tick: 26 })).toMatchObject({ entries: expect.any(Number) })
    expect(probe(world, 'trace', { tick: 25 })).toBe('forgotten')
  })

  test('says which fields were changed from outside', () => {
    const world = play(24, { development: false, guard: false })
    world.client.simulation!.state.sum.value = 77
    for (let count = 0; count < 6; count++) world.tick()
    world.settle()
    expect(probe(world, 'rerun', { tick: 25 })).toMatchObject({ isSame: false, isStable: true })
    expect(probe(world, 'outside', { tick: 25 })).toMatchObject({
      count: 1,
      places: [{ part: 'sum', field: 'value', expected: '3', found: '77' }],
      unstable: undefined,
    })
  })

  test('has forgotten everything where it may keep nothing', () => {
    const world = play(30, { desyncMemoryBytes: 0 })
    expect(probe(world, 'tree', { tick: 30 })).toBe('forgotten')
    expect(probe(world, 'rerun', { tick: 30 })).toBe('forgotten')
  })

  test('keeps nothing while it only watches: nobody asks it', () => {
    const world = new ClientWorld({ investigate, role: 'spectator' })
    world.sit('stream', { seat: undefined })
    for (let count = 0; count < 30; count++) world.tick()
    world.settle()
    expect(probe(world, 'tree', { tick: 30 })).toBe('forgotten')
  })

  test('gives up its copies of the match after a while', () => {
    const world = play(30)
    expect(probe(world, 'rerun', { tick: 26 })).toMatchObject({ isSame: true })
    for (let second = 0; second < 31; second++) {
      world.tick()
      world.wait(1_000)
    }
    expect(probe(world, 'trace', { tick: 26 })).toBe('forgotten')
  })

  test('goes on with its match: nothing of it is touched', () => {
    const world = play(30)
    const hash = world.client.simulation!.syncHash()
    probe(world, 'rerun', { tick: 26 })
    probe(world, 'trace', { tick: 26 })
    probe(world, 'block', { block: 0 })
    expect(world.client.simulation!.syncHash()).toBe(hash)
    expect(world.client.simulation!.matchTick).toBe(30)
  })

  test('asks for whoever can answer, and answers once there is somebody', () => {
    const world = play(30, { investigate: undefined })
    expect(probe(world, 'tree', { tick: 30 })).toBeUndefined()
    expect(world.events.filter(({ type }) => type === 'investigate')).toHaveLength(1)
    world.client.investigateWith(investigate)
    world.wait(10)
    expect(world.messages.filter(({ name }) => name === 'ClientProbe')).toHaveLength(1)
  })

  test('ends the session of a relay that asks nonsense', () => {
    const world = play(5)
    world.say('RelayProbe', { number: 1, kind: 'rerun', ask: Uint8Array.of(1) })
    expect(world.client.status).toBe('closed')
  })
})

describe('a relay that asks for anything', () => {
  test('gets an answer, or has its session ended: nothing is thrown', () => {
    const asks = fc
      .constantFrom(...probeKindWords)
      .chain((kind) =>
        fc.tuple(
          fc.constant(kind),
          hostileBytes([encodeAsk({ kind, ask: probeSeeds[kind].ask } as never)]),
        ),
      )
    fc.assert(
      fc.property(fc.array(asks, { minLength: 1, maxLength: 3 }), (list) => {
        const world = play(30)
        list.forEach(([kind, ask], number) => {
          if (world.client.status === 'closed') return
          world.say('RelayProbe', { number, kind, ask })
          for (let moment = 0; moment < 20; moment++) world.wait(5)
        })
        expect(['active', 'closed', 'catching-up']).toContain(world.client.status)
      }),
      { numRuns: 60 },
    )
  })

  test('for more than there is gets little, and at once', () => {
    const world = play(30)
    const most = 0xffff_ffff
    const label = 'sum/value/0'
    expect(probe(world, 'rerun', { tick: 26 })).toMatchObject({ isSame: true })
    expect(probe(world, 'chains', { first: most, step: most, count: 32 })).toEqual({
      chains: new Array(32).fill(undefined),
    })
    const groups = new Array(16).fill(most)
    expect(probe(world, 'nodes', { tick: 30, level: 31, groups })).toEqual({ words: [] })
    expect(probe(world, 'labels', { tick: 30, leaves: groups })).toEqual({
      labels: new Array(16).fill(''),
    })
    const items = { tick: 26, label, first: most, step: most, count: 16 }
    expect(probe(world, 'items', items)).toMatchObject({ words: new Array(32).fill(0) })
    expect(probe(world, 'cells', { tick: 26, label, first: most, count: 32 })).toEqual({
      cells: [],
    })
    expect(probe(world, 'trace', { tick: 26 })).toMatchObject({ entries: expect.any(Number) })
    expect(probe(world, 'block', { block: most })).toBe('forgotten')
    expect(probe(world, 'entries', { first: most, count: 8 })).toEqual({ entries: [] })
    const bundles = probe(world, 'bundles', { first: 1, last: most })
    expect(bundles).toMatchObject({ bundles: expect.any(Uint8Array) })
    expect(probe(world, 'piece', { index: 255 })).toBe('forgotten')
    expect(world.client.status).toBe('active')
  })
})
