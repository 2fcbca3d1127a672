import { describe, expect, test } from 'vitest'
import { WireError } from '../../base/errors.ts'
import type { Fetch } from '../../link/transfer/manifest.ts'
import { StateFetch } from '../../link/transfer/state-fetch.ts'
import { StateOffer } from '../../link/transfer/state-offer.ts'
import { decodeMessage } from '../../wire/messages/messages.ts'
import { chunkBytes } from '../../wire/messages/state-transfer.ts'
import { RecordingChannel } from '../testing/recording-channel.ts'
import { StateBroker } from './state-broker.ts'
import type { NoState } from './state-server.ts'

const bytes = Uint8Array.from({ length: 3 * chunkBytes + 5 }, (_, index) => (index * index) >> 3)
const good = new Uint8Array(32).fill(1)
const other = new Uint8Array(32).fill(2)

/** A line that takes what is large too. */
class WideChannel extends RecordingChannel {
  override sendBulk(message: Uint8Array = new Uint8Array(0)): boolean {
    this.controls.push(message)
    return true
  }
}

class Peer {
  readonly channel = new WideChannel('stream')
  rttMs: number | undefined = 40
  isAble = true
  granted = 0

  canVote(): boolean {
    return this.isAble
  }

  /** Until when it is expected back; it has no say meanwhile. */
  expectedUntilMs = 0

  isExpected(nowMs: number): boolean {
    return !this.isAble && nowMs < this.expectedUntilMs
  }

  isResyncing = false

  grant(count: number): void {
    this.granted += count
  }

  /** What the relay has said to it since the last call. */
  heard(): { readonly name: string; readonly body: unknown }[] {
    return this.channel.controls.splice(0).map((bytes) => decodeMessage(bytes))
  }
}

/** A match of some players, and time. */
class World {
  readonly peers: Peer[]
  readonly broker: StateBroker<Peer>
  readonly begun: [Peer, number][] = []
  readonly givenUp: [Peer, NoState][] = []
  nowMs = 0
  sealedTick = 1_000
  firstTick = 1
  hasAbsent = false

  constructor(players: number) {
    this.peers = Array.from({ length: players }, () => new Peer())
    this.broker = new StateBroker<Peer>({
      peers: () => this.peers,
      sealedTick: () => this.sealedTick,
      tickRate: 30,
      firstTick: () => this.firstTick,
      hasAbsent: () => this.hasAbsent,
      begin: (peer, tick) => this.begun.push([peer, tick]),
      giveUp: (peer, why) => this.givenUp.push([peer, why]),
    })
  }

  get players(): Peer[] {
    return this.peers.filter(({ isAble }) => isAble)
  }

  join(): Peer {
    const peer = new Peer()
    peer.isAble = false
    this.peers.push(peer)
    this.broker.want(peer, this.nowMs)
    return peer
  }

  /** Lets time pass, as whoever drives it would. */
  run(ms: number): void {
    const end = this.nowMs + ms
    for (let rounds = 0; this.broker.wakeAtMs() <= end; rounds++) {
      expect(rounds).toBeLessThan(1_000)
      this.nowMs = Math.max(this.nowMs, this.broker.wakeAtMs())
      this.broker.handleTime(this.nowMs)
    }
    this.nowMs = end
  }

  /** Everybody who was asked says the same, or what `say` gives. */
  vote(say: (peer: Peer) => Uint8Array | undefined = () => good): void {
    for (const peer of this.players) {
      for (const { name, body } of peer.heard()) {
        const hash = name === 'RelayAskState' ? say(peer) : undefined
        if (hash === undefined) continue
        this.broker.acquisition.handleHash(peer, (body as { tick: number }).tick, hash, this.nowMs)
      }
    }
  }

  /** Lets a donor answer what it was asked for; gives how many messages it had to answer. */
  donate(peer: Peer, offer = new StateOffer(1_015, good, bytes), answersMax = 100): number {
    let answers = 0
    for (let idle = 0; idle < 5 && answers < answersMax; idle++) {
      for (const { name, body } of peer.heard()) {
        if (name !== 'RelayFetch') continue
        idle = 0
        answers += 1
        const { first, count } = body as Fetch
        if (count === 0) this.broker.acquisition.handleManifest(peer, offer.manifest, this.nowMs)
        for (let at = first; at < first + count; at++) {
          this.broker.acquisition.handleChunk(peer, offer.chunk(at), this.nowMs)
        }
      }
      this.run(10)
    }
    return answers
  }

  donateAll(offer?: StateOffer): void {
    for (const peer of this.players) this.donate(peer, offer)
  }

  /** Lets a joiner download what it was told of; gives it. */
  download(peer: Peer): Uint8Array {
    let fetch: StateFetch | undefined
    for (let round = 0; round < 100 && fetch?.isComplete !== true; round++) {
      for (const { name, body } of peer.heard()) {
        if (name === 'RelayManifest') {
          const manifest = body as StateOffer['manifest']
          fetch ??= new StateFetch(manifest.tick, { windowMax: 8, share: 1 }, this.nowMs)
          fetch.handleManifest(manifest, this.nowMs)
        }
        if (name === 'RelayChunk') fetch?.handleChunk(body as never, this.nowMs)
      }
      const wanted = fetch?.pollFetch(this.nowMs)
      if (wanted !== undefined) this.broker.server.handleFetch(peer, wanted, this.nowMs)
      this.run(5)
    }
    return (fetch as StateFetch).assemble()
  }
}

describe('a state for somebody who has none', () => {
  test('comes from a player, once most of them agree on what it is, and is whole', () => {
    const world = new World(3)
    const joiner = world.join()
    expect(world.broker.neededTick).toBe(1_016)
    world.vote()
    const donors = world.players.filter((peer) => world.donate(peer) > 0)
    expect(donors).toHaveLength(1)
    expect(world.download(joiner)).toEqual(bytes)
    expect(world.begun).toEqual([])
    world.broker.handleLoaded(joiner, 1_015, true, world.nowMs)
    expect(world.begun).toEqual([[joiner, 1_015]])
    expect(world.broker.server.isWaiting(joiner)).toBe(false)
  })

  test('is asked for half a second ahead, so that everybody hears of it in time', () => {
    const world = new World(2)
    world.join()
    expect(world.peers[0]?.heard()).toEqual([{ name: 'RelayAskState', body: { tick: 1_015 } }])
  })

  test('comes from the nearest one who agrees', () => {
    const world = new World(3)
    const [far, near, liar] = world.peers as [Peer, Peer, Peer]
    far.rttMs = 200
    near.rttMs = 30
    liar.rttMs = 1
    world.join()
    world.vote((peer) => (peer === liar ? other : good))
    expect(world.donate(liar)).toBe(0)
    expect(world.donate(far)).toBe(0)
    expect(world.donate(near)).toBeGreaterThan(1)
  })

  test('is the same copy for all who come within a while, and then forgotten (JOIN-11)', () => {
    const world = new World(2)
    const [donor] = world.peers as [Peer]
    const first = world.join()
    world.vote()
    world.donateAll()
    const second = world.join()
    for (const joiner of [first, second]) {
      expect(world.download(joiner)).toEqual(bytes)
      world.broker.handleLoaded(joiner, 1_015, true, world.nowMs)
    }
    expect(world.begun.map(([, tick]) => tick)).toEqual([1_015, 1_015])
    world.run(60_000)
    expect(world.broker.neededTick).toBe(Number.POSITIVE_INFINITY)
    donor.heard()
    world.join()
    expect(donor.heard().map(({ name }) => name)).toEqual(['RelayAskState'])
  })

  test('says whether a majority stands behind it: one player alone cannot be checked (T-63)', () => {
    for (const [players, isAgreed] of [
      [1, false],
      [2, true],
    ] as const) {
      const world = new World(players)
      const joiner = world.join()
      world.vote()
      world.donateAll()
      expect(joiner.heard()[0]?.body).toMatchObject({ isAgreed, hash: good })
    }
  })

  test('is never taken from half of the players: there is no majority, and who waits is told', () => {
    const world = new World(2)
    const [first] = world.peers
    const joiner = world.join()
    for (let round = 0; round < 3; round++) {
      world.vote((peer) => (peer === first ? good : other))
      world.run(10_000)
    }
    expect(world.givenUp).toEqual([[joiner, 'no-majority']])
    expect(world.begun).toEqual([])
  })

  test('who says nothing counts as asked: one of two who answers decides nothing', () => {
    const world = new World(2)
    const [first] = world.peers
    world.join()
    world.vote((peer) => (peer === first ? good : undefined))
    world.run(3_400)
    expect(world.donate(first as Peer)).toBe(0)
  })

  test('is waited for until its tick is sealed, however slowly ticks come', () => {
    const world = new World(2)
    const joiner = world.join()
    world.run(20_000)
    expect(world.givenUp).toEqual([])
    world.sealedTick = 1_015
    world.vote()
    world.donateAll()
    world.download(joiner)
    // And once it is sealed, for as long as it takes to say so.
    const late = new World(2)
    late.join()
    for (let round = 0; round < 3; round++) {
      late.sealedTick += 15
      late.run(6_000)
    }
    expect(late.givenUp).toHaveLength(1)
  })

  test('is kept all the time while one player is left, who could not give it back to himself', () => {
    const world = new World(1)
    const [last] = world.peers as [Peer]
    world.broker.setKeeping(true, 0)
    world.run(1)
    world.vote()
    world.donate(last)
    // The page is reloaded: the same seat, without a state.
    last.isAble = false
    world.broker.forget(last, world.nowMs)
    expect(world.download(world.join())).toEqual(bytes)
  })

  /** All players but one lose their links for a while. */
  function leaveOne(world: World, forMs: number): Peer {
    const [one, ...others] = world.players
    for (const peer of others) {
      peer.isAble = false
      peer.expectedUntilMs = world.nowMs + forMs
      world.broker.forget(peer, world.nowMs)
    }
    world.hasAbsent = true
    return one as Peer
  }

  test('is not what one says who is alone for a moment, as the first one back after a crash is', () => {
    const world = new World(3)
    const one = leaveOne(world, 5_000)
    const others = world.peers.filter((peer) => peer !== one)
    const newcomer = world.join()
    world.run(1_500)
    expect(one.heard()).toEqual([])
    for (const peer of others) peer.isAble = true
    world.run(1_000)
    world.vote((peer) => (peer === one ? other : good))
    world.donateAll()
    world.download(newcomer)
    world.broker.handleLoaded(newcomer, 1_015, true, world.nowMs)
    expect(world.begun).toEqual([[newcomer, 1_015]])
    expect(world.givenUp).toEqual([])
  })

  test('is what one says who is left alone for good', () => {
    const world = new World(3)
    leaveOne(world, 5_000)
    const newcomer = world.join()
    world.run(7_000)
    world.vote()
    world.donateAll()
    world.download(newcomer)
    world.broker.handleLoaded(newcomer, 1_015, true, world.nowMs)
    expect(world.begun).toEqual([[newcomer, 1_015]])
  })

  test('one that was kept of one player is asked for anew when others are there', () => {
    const world = new World(3)
    const one = leaveOne(world, 5_000)
    world.broker.setKeeping(true, 0)
    world.run(100)
    world.vote(() => other)
    world.donate(one, new StateOffer(1_015, other, bytes))
    for (const peer of world.peers) peer.isAble = true
    const newcomer = world.join()
    expect(newcomer.heard()).toEqual([])
    world.vote((peer) => (peer === one ? other : good))
    world.donateAll()
    expect(newcomer.heard()[0]?.body).toMatchObject({ isAgreed: true, hash: good })
  })

  test('players who are away are waited for: they may bring the state', () => {
    const world = new World(0)
    const joiner = world.join()
    world.hasAbsent = true
    world.run(50_000)
    expect(world.givenUp).toEqual([])
    world.peers.push(new Peer())
    world.run(3_000)
    world.vote()
    world.donateAll()
    expect(world.download(joiner)).toEqual(bytes)
  })

  test('nobody there who could have one: who waits is told', () => {
    const world = new World(0)
    const joiner = world.join()
    world.run(20_000)
    expect(world.givenUp).toEqual([[joiner, 'no-donor']])
  })
})

describe('donors that fail', () => {
  test('one that goes silent is left for the next one, which goes on where it stopped (T-61)', () => {
    const world = new World(2)
    const [near, far] = world.peers as [Peer, Peer]
    far.rttMs = 100
    const joiner = world.join()
    world.vote()
    expect(world.donate(near, undefined, 2)).toBe(2)
    world.run(2_500)
    const [ask, ...more] = far.heard()
    expect(ask).toEqual({ name: 'RelayFetch', body: { tick: 1_015, first: 0, count: 0 } })
    expect(more).toEqual([])
    const offer = new StateOffer(1_015, good, bytes)
    world.broker.acquisition.handleManifest(far, offer.manifest, world.nowMs)
    expect(far.heard()[0]?.body).toMatchObject({ first: 1 })
    world.broker.acquisition.handleChunk(far, offer.chunk(1), world.nowMs)
    world.donate(far)
    expect(world.download(joiner)).toEqual(bytes)
  })

  test('one that leaves is left at once, the last one too', () => {
    const world = new World(2)
    const joiner = world.join()
    world.vote()
    const [near, far] = world.peers as [Peer, Peer]
    for (const peer of [near, far]) {
      peer.isAble = false
      world.broker.forget(peer, world.nowMs)
    }
    world.run(20_000)
    expect(world.givenUp).toEqual([[joiner, 'no-donor']])
  })

  test('one that announces another state than it voted for is an attacker', () => {
    const world = new World(1)
    world.join()
    world.vote()
    const [donor] = world.peers as [Peer]
    const lie = new StateOffer(1_015, other, bytes)
    expect(() => world.broker.acquisition.handleManifest(donor, lie.manifest, world.nowMs)).toThrow(
      WireError,
    )
  })

  test('a state that is not what it hashes to is fetched again, from somebody else first (T-60)', () => {
    const world = new World(3)
    const [near] = world.peers as [Peer]
    near.rttMs = 1
    const joiner = world.join()
    world.vote()
    expect(
      world.donate(near, new StateOffer(1_015, good, bytes.slice().reverse())),
    ).toBeGreaterThan(1)
    world.download(joiner)
    world.sealedTick = 2_000
    world.broker.handleLoaded(joiner, 1_015, false, world.nowMs)
    world.vote()
    expect(world.donate(near)).toBe(0)
    const honest = world.players.filter(
      (peer) => world.donate(peer, new StateOffer(2_015, good, bytes)) > 0,
    )
    expect(honest).toHaveLength(1)
    expect(world.download(joiner)).toEqual(bytes)
  })

  test('three bad states, and who waits is told instead of being tried for ever', () => {
    const world = new World(2)
    const joiner = world.join()
    for (let round = 0; round < 3; round++) {
      const tick = world.sealedTick + 15
      world.vote()
      world.donateAll(new StateOffer(tick, good, bytes))
      world.sealedTick += 1_000
      world.broker.handleLoaded(joiner, tick, false, world.nowMs)
    }
    expect(world.givenUp).toEqual([[joiner, 'no-donor']])
  })
})

describe('joiners that fail', () => {
  test('one that took so long that the log has moved on gets a newer state', () => {
    const world = new World(2)
    const joiner = world.join()
    world.vote()
    world.donateAll()
    world.download(joiner)
    world.sealedTick = 9_000
    world.firstTick = 7_200
    world.broker.handleLoaded(joiner, 1_015, true, world.nowMs)
    expect(world.begun).toEqual([])
    world.vote()
    world.donateAll(new StateOffer(9_015, good, bytes))
    world.download(joiner)
    world.broker.handleLoaded(joiner, 9_015, true, world.nowMs)
    expect(world.begun).toEqual([[joiner, 9_015]])
  })

  test('of one that leaves in the middle nothing is kept (T-62)', () => {
    const world = new World(2)
    const joiner = world.join()
    world.broker.forget(joiner, world.nowMs)
    world.vote()
    world.donateAll()
    world.run(60_000)
    expect(world.begun).toEqual([])
    expect(world.broker.neededTick).toBe(Number.POSITIVE_INFINITY)
    expect(world.broker.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
  })

  test('one that asks for chunks that there are none of gets none', () => {
    const world = new World(2)
    const joiner = world.join()
    world.vote()
    world.donateAll()
    joiner.heard()
    world.broker.server.handleFetch(joiner, { tick: 1_015, first: 2_000, count: 16 }, world.nowMs)
    world.broker.server.handleFetch(joiner, { tick: 7, first: 0, count: 1 }, world.nowMs)
    expect(joiner.heard()).toEqual([])
  })
})

describe('somebody whose state is another than that of most', () => {
  function renew(world: World, peer: Peer): void {
    peer.isResyncing = true
    world.broker.renew(peer, world.nowMs)
  }

  test('gets one that the others agree on, and neither votes nor gives', () => {
    const world = new World(3)
    const [odd, ...others] = world.peers as [Peer, Peer, Peer]
    renew(world, odd)
    expect(odd.heard()).toEqual([])
    world.vote((peer) => (peer === odd ? other : good))
    expect(others.map((peer) => world.donate(peer) > 0).filter(Boolean)).toHaveLength(1)
    expect(world.download(odd)).toEqual(bytes)
    world.broker.handleLoaded(odd, 1_015, true, world.nowMs)
    expect(world.begun).toEqual([[odd, 1_015]])
  })

  test('its word of before does not count in a vote that is going on', () => {
    const world = new World(3)
    const [odd, second, third] = world.peers as [Peer, Peer, Peer]
    world.join()
    for (const peer of [odd, second])
      world.broker.acquisition.handleHash(peer, 1_015, other, world.nowMs)
    expect(odd.heard().map(({ name }) => name)).toContain('RelayAskState')
    renew(world, odd)
    world.broker.acquisition.handleHash(third, 1_015, other, world.nowMs)
    world.run(100)
    expect(odd.heard().map(({ name }) => name)).not.toContain('RelayFetch')
  })

  test('is not given one that lies ready from before: it may be its own', () => {
    const world = new World(3)
    const joiner = world.join()
    world.vote()
    world.donateAll()
    world.download(joiner)
    const [odd, second] = world.peers as [Peer, Peer]
    for (const peer of world.peers) peer.heard()
    renew(world, odd)
    expect(odd.heard()).toEqual([])
    expect(second.heard().map(({ name }) => name)).toEqual(['RelayAskState'])
  })

  test('is not given that of one player alone, and is told when there is no other', () => {
    const world = new World(2)
    const [odd, alone] = world.peers as [Peer, Peer]
    renew(world, odd)
    for (let round = 0; round < 4; round++) {
      world.vote()
      world.donate(alone, new StateOffer(1_015, good, bytes))
      world.run(3_000)
    }
    expect(odd.heard().map(({ name }) => name)).not.toContain('RelayManifest')
    expect(world.givenUp).toEqual([[odd, 'no-majority']])
  })
})
