import { describe, expect, test } from 'vitest'
import type { SystemEvent } from '../../sim/game/run/bundle.ts'
import type { OrderEnd } from '../outbox/order-outbox.ts'
import { ClientWorld } from '../testing/client-world.ts'
import { addBytes } from '../testing/counter.ts'

/** The member that {@link ClientWorld} is, and another one. */
const ownMember = new ClientWorld().seated.member
const other = ownMember + 1

function handOver(seat: number, member: number | undefined): SystemEvent {
  return { type: 'hand-over', seat, member }
}

/** A client that plays, or waits for a state, and the seats that it is told of from here on. */
function make(changes: Parameters<ClientWorld['sit']>[1] = {}) {
  const world = new ClientWorld().sit('stream', changes)
  const seats = () => world.eventsOf('seat').map(({ seat }) => seat)
  const tick = (...events: SystemEvent[]) => world.tick({ events })
  return { world, seats, tick }
}

describe('a seat changes hands in a tick', () => {
  test('and is told once', () => {
    const { world, seats, tick } = make()
    tick(handOver(0, other))
    expect([world.client.seat, seats()]).toEqual([undefined, [undefined]])
    tick(handOver(1, other))
    tick(handOver(1, ownMember))
    expect([world.client.seat, seats()]).toEqual([1, [undefined, 1]])
  })

  test('what happens to it within one tick is told as one change, or as none', () => {
    const { world, seats, tick } = make()
    const ends: OrderEnd[] = []
    world.client.issueBytes(addBytes(1), (end) => ends.push(end))
    world.settle()
    world.tick({ events: [handOver(0, undefined), handOver(0, ownMember)] }, { orderNumber: 1 })
    // The relay has dropped the order when the seat went away.
    expect([world.client.seat, seats(), ends]).toEqual([0, [], [{ result: 'lost' }]])
    tick(handOver(0, other), handOver(1, ownMember))
    expect([world.client.seat, seats()]).toEqual([1, [1]])
  })

  test('up to the tick from which on it was told to have its seat, that is history', () => {
    const { world, seats, tick } = make({ seatTick: 2 })
    tick(handOver(0, other))
    tick(handOver(0, other))
    expect([world.client.seat, seats()]).toEqual([0, []])
    tick(handOver(0, other))
    expect([world.client.seat, seats()]).toEqual([undefined, [undefined]])
  })

  test('inputs of the old seat that came too late are not held against the new one', () => {
    const { world, tick } = make()
    for (let count = 0; count < 60; count++) world.tick({ missing: [0] })
    expect(world.client.running?.missed.isMost).toBe(true)
    tick(handOver(0, other))
    expect(world.client.running?.missed.isMost).toBe(false)
  })
})

describe('the relay says which seat it is', () => {
  test('to who waits for a state, which knows at once', () => {
    const { world, seats } = make({ isStateComing: true, seatTick: 3 })
    world.say('RelaySeat', { seat: undefined, seatTick: 9 })
    expect([world.client.seat, seats()]).toEqual([undefined, [undefined]])
    world.say('RelaySeat', { seat: 1, seatTick: 12 })
    world.say('RelaySeat', { seat: 1, seatTick: 12 })
    expect([world.client.seat, seats()]).toEqual([1, [undefined, 1]])
  })

  test('what is older than what it knows, and was on another link, counts for nothing', () => {
    const { world, seats } = make({ isStateComing: true, seatTick: 9 })
    world.say('RelaySeat', { seat: 1, seatTick: 8 })
    expect([world.client.seat, seats()]).toEqual([0, []])
  })

  test('who runs the ticks hears it in its tick', () => {
    const { world, seats, tick } = make()
    world.say('RelaySeat', { seat: undefined, seatTick: 2 })
    tick()
    expect([world.client.seat, seats()]).toEqual([0, []])
    tick(handOver(0, other))
    expect([world.client.seat, seats()]).toEqual([undefined, [undefined]])
  })

  test('but not of a tick of which it was told before: that is put right', () => {
    const { world, seats, tick } = make({ seatTick: 2 })
    tick()
    world.say('RelaySeat', { seat: undefined, seatTick: 2 })
    tick(handOver(0, ownMember), handOver(0, other))
    expect([world.client.seat, seats()]).toEqual([undefined, [undefined]])
  })

  test('with the order to take over a state: the ticks that said so may never run here', () => {
    const { world, seats, tick } = make()
    tick()
    world.say('RelayResync', { orderNumber: 0, seat: undefined, seatTick: 5 })
    expect([world.client.seat, seats(), world.client.status]).toEqual([
      undefined,
      [undefined],
      'resyncing',
    ])
  })

  test('over a new link, to who still waits, and the match is not set up anew', () => {
    const { world, seats } = make({ isStateComing: true })
    world.breakLink()
    world.wait(2_000)
    world.sit('stream', { isStateComing: true, seat: undefined, seatTick: 7 })
    expect([world.client.seat, seats()]).toEqual([undefined, [undefined]])
    expect(world.eventsOf('aborted')).toEqual([])
    expect(world.eventsOf('launched')).toHaveLength(1)
  })

  test('over a new link, to who gives up its state for another one', () => {
    const { world, seats, tick } = make()
    tick()
    world.breakLink()
    world.wait(2_000)
    world.sit('stream', { isStateComing: true, seat: undefined, seatTick: 7 })
    expect([world.client.seat, seats()]).toEqual([undefined, [undefined]])
  })
})
