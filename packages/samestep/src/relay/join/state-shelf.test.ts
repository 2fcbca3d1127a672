import { describe, expect, test } from 'vitest'
import { StateOffer } from '../../link/transfer/state-offer.ts'
import { decodeMessage } from '../../wire/messages/messages.ts'
import { RecordingChannel } from '../testing/recording-channel.ts'
import type { NoState } from './state-server.ts'
import { everyMsMin, StateShelf } from './state-shelf.ts'

class Peer {
  readonly channel = new RecordingChannel('stream')
  readonly rttMs = 40
  readonly haveTick: number

  constructor(haveTick = 0) {
    this.haveTick = haveTick
  }

  canVote(): boolean {
    return false
  }

  grant(): void {}

  /** The ticks of the states that it was told of since the last call. */
  offered(): number[] {
    return this.channel.controls.splice(0).map((bytes) => {
      const message = decodeMessage(bytes)
      return message.name === 'RelayManifest' ? message.body.tick : -1
    })
  }
}

const delayMs = 30_000

/** A match that seals a tick per second, and gives states as soon as they are asked for. */
class World {
  nowMs = 100_000
  firstTick = 1
  hasAudience = true
  hasDonor = true
  hasAbsent = false
  orders = 0
  readonly begun: [Peer, number][] = []
  readonly givenUp: [Peer, NoState][] = []
  readonly shelf = new StateShelf<Peer>(delayMs, {
    dueAtMs: (tick) => tick * 1_000 + delayMs,
    firstTick: () => this.firstTick,
    hasAudience: () => this.hasAudience,
    order: () => {
      this.orders += 1
      return this.hasDonor
    },
    hasAbsent: () => this.hasAbsent,
    begin: (peer, tick) => this.begun.push([peer, tick]),
    giveUp: (peer, why) => this.givenUp.push([peer, why]),
  })

  get tick(): number {
    return Math.floor(this.nowMs / 1_000)
  }

  want(haveTick = 0): Peer {
    const peer = new Peer(haveTick)
    this.shelf.want(peer, this.nowMs)
    return peer
  }

  /** The state of now comes. */
  bring(tick = this.tick): void {
    const state = new StateOffer(tick, new Uint8Array(32), Uint8Array.of(1, 2, 3))
    this.shelf.add(state, this.nowMs)
  }

  run(ms: number): void {
    const end = this.nowMs + ms
    for (let rounds = 0; this.shelf.wakeAtMs() <= end; rounds++) {
      expect(rounds).toBeLessThan(1_000)
      this.nowMs = Math.max(this.nowMs, this.shelf.wakeAtMs())
      this.shelf.handleTime(this.nowMs)
    }
    this.nowMs = end
  }
}

describe('a shelf', () => {
  test('gives nobody a state before it is old enough', () => {
    const world = new World()
    const peer = world.want()
    expect(world.orders).toBe(1)
    world.bring()
    world.run(delayMs - 1)
    expect(peer.offered()).toEqual([])
    expect(world.shelf.neededTick).toBe(101)
    world.run(1)
    expect(peer.offered()).toEqual([100])
  })

  test('has the next one ready while somebody watches', () => {
    const world = new World()
    world.want()
    world.bring()
    world.run(delayMs)
    expect(world.orders).toBe(2)
    world.bring()
    world.run(5_000)
    expect(world.want().offered()).toEqual([100])
    world.run(delayMs - 5_000)
    expect(world.want().offered()).toEqual([130])
  })

  test('asks no more often than players notice, and never when nobody watches', () => {
    const world = new World()
    world.want()
    world.bring()
    world.run(10 * delayMs)
    expect(world.orders).toBeLessThanOrEqual((10 * delayMs) / everyMsMin + 2)
    const { orders } = world
    world.hasAudience = false
    world.run(10 * delayMs)
    expect(world.orders).toBe(orders)
  })

  test('keeps no state, and no ticks behind one, when nobody watches any more', () => {
    const world = new World()
    const peer = world.want()
    world.bring()
    world.run(delayMs + 1_000)
    world.shelf.handleLoaded(peer, 100, true, world.nowMs)
    world.hasAudience = false
    // A page that is loaded again finds them, for a while.
    expect(world.shelf.neededTick).toBeLessThan(Number.POSITIVE_INFINITY)
    world.run(10 * delayMs)
    expect(world.shelf.neededTick).toBe(Number.POSITIVE_INFINITY)
    expect(world.shelf.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
  })

  test('gives somebody up after three orders that came to nothing', () => {
    const world = new World()
    world.hasDonor = false
    const peer = world.want()
    world.run(10_000)
    expect(world.givenUp).toEqual([[peer, 'no-donor']])
    expect(world.shelf.server.isWaiting(peer)).toBe(false)
  })

  test('asks again after a state that one player gave alone, and gives nobody up for it', () => {
    const world = new World()
    const peer = world.want()
    for (let round = 1; round <= 5; round++) {
      expect(world.orders).toBe(round)
      world.shelf.noteUnchecked(world.nowMs)
      world.run(2_000)
    }
    expect(world.givenUp).toEqual([])
    expect(peer.offered()).toEqual([])
    world.bring()
    world.run(delayMs)
    expect(peer.offered()).toEqual([110])
  })

  test('waits for players who may come back', () => {
    const world = new World()
    world.hasDonor = false
    world.hasAbsent = true
    world.want()
    world.run(30_000)
    expect(world.givenUp).toEqual([])
  })

  test('gives nobody a state from before what it ran, and asks for another one at once', () => {
    const world = new World()
    const watcher = world.want()
    world.bring()
    world.run(delayMs)
    expect(watcher.offered()).toEqual([100])
    world.bring()
    world.run(5_000)
    expect(world.orders).toBe(2)
    const heir = world.want(135)
    expect(heir.offered()).toEqual([])
    expect(world.orders).toBe(3)
    world.run(1_000)
    world.bring()
    world.run(delayMs - 1)
    expect(heir.offered()).toEqual([])
    world.run(1)
    expect(heir.offered()).toEqual([136])
  })

  test('gives somebody up for whom none that is here will do, and nobody else', () => {
    const world = new World()
    world.want()
    world.bring()
    world.hasDonor = false
    world.run(delayMs + 5_000)
    const heir = world.want(135)
    const watcher = world.want()
    world.run(10_000)
    expect(world.givenUp).toEqual([[heir, 'no-donor']])
    expect(watcher.offered()).toEqual([100])
  })

  test('tells those who wait that players do not agree', () => {
    const world = new World()
    const peer = world.want()
    for (let round = 0; round < 3; round++) {
      world.shelf.noteNone('no-majority', world.nowMs)
      world.run(3_000)
    }
    expect(world.givenUp).toEqual([[peer, 'no-majority']])
  })

  test('lets somebody begin with a state that was good, and drops one that was not', () => {
    const world = new World()
    const first = world.want()
    const second = world.want()
    world.bring()
    world.run(delayMs)
    world.shelf.handleLoaded(first, 100, true, world.nowMs)
    expect(world.begun).toEqual([[first, 100]])
    second.offered()
    world.shelf.handleLoaded(second, 100, false, world.nowMs)
    expect(second.offered()).toEqual([])
    expect(world.shelf.server.isWaiting(second)).toBe(true)
  })

  test('keeps nothing of whoever is gone', () => {
    const world = new World()
    const peer = world.want()
    world.shelf.server.forget(peer)
    world.bring()
    world.run(2 * delayMs)
    expect(peer.offered()).toEqual([])
  })
})
