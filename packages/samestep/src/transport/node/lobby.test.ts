import { describe, expect, test } from 'vitest'
import { Prng } from '../../base/prng.ts'
import { Lobby, type LobbyOptions } from './lobby.ts'
import { lobbyWaitMs } from './websocket-limits.ts'

/** A connection of nobody. */
class Stranger {
  isDestroyed = false
  readonly remoteAddress: string | undefined
  readonly remotePort: number

  constructor(remoteAddress: string | undefined, remotePort = 1) {
    this.remoteAddress = remoteAddress
    this.remotePort = remotePort
  }

  destroy(): never {
    this.isDestroyed = true
    return this as never
  }
}

/** A lobby, and strangers who try to come in. */
function open(options: LobbyOptions) {
  const sheds: string[] = []
  const lobby = new Lobby({ onShed: (reason) => sheds.push(reason), ...options })
  let port = 0
  const come = (address: string, nowMs = 0) => {
    const stranger = new Stranger(address, ++port)
    return Object.assign(stranger, { leave: lobby.enter(stranger as never, nowMs) })
  }
  return { lobby, sheds, come }
}

const here = (strangers: readonly Stranger[]) =>
  strangers.flatMap(({ isDestroyed }, at) => (isDestroyed ? [] : [at]))

describe('an address', () => {
  test('has so many connections at most: its oldest goes for its newest, and others keep theirs', () => {
    const { sheds, come } = open({ perAddressMax: 2 })
    const neighbour = come('203.0.113.8')
    const strangers = [1, 2, 3].map(() => come('203.0.113.7'))
    expect(here(strangers)).toEqual([1, 2])
    expect(neighbour.isDestroyed).toBe(false)
    expect(sheds).toEqual(['too many connections of one address'])
  })

  test('gets no more when all it has are being answered', () => {
    const { lobby, come } = open({ perAddressMax: 2 })
    const strangers = [come('203.0.113.7'), come('203.0.113.7')]
    const rests = strangers.map((stranger) => lobby.serve(stranger))
    expect(come('203.0.113.7').leave).toBeUndefined()
    expect(here(strangers)).toEqual([0, 1])
    rests[1]!(1)
    expect(come('203.0.113.7').leave).toBeDefined()
    expect(here(strangers)).toEqual([0])
  })

  test('is a home with IPv6, and the same one when IPv4 comes by a socket of IPv6', () => {
    const { come } = open({ perAddressMax: 1 })
    const home = [come('2001:db8:1:2aa::1'), come('2001:db8:1:2ff::9'), come('2001:db8:1:300::1')]
    expect(here(home)).toEqual([1, 2])
    const mapped = [come('::ffff:203.0.113.7'), come('203.0.113.7')]
    expect(here(mapped)).toEqual([1])
  })

  test('of a trusted proxy is not limited: many stand behind it', () => {
    const { lobby, come } = open({ trustedProxies: ['10.0.0.0/8'], perAddressMax: 1 })
    const strangers = Array.from({ length: 10 }, () => come('10.1.2.3'))
    expect(here(strangers)).toHaveLength(10)
    expect(lobby.size).toBe(0)
  })
})

describe('too many who wait', () => {
  test('cost the oldest connection of whoever has the most, never a neighbour with one', () => {
    const { lobby, sheds, come } = open({ waitingMax: 4 })
    const honest = come('198.51.100.1')
    const crowd = Array.from({ length: 9 }, () => come('203.0.113.7'))
    const late = come('198.51.100.2')
    expect(honest.isDestroyed).toBe(false)
    expect(late.isDestroyed).toBe(false)
    expect(here(crowd)).toEqual([7, 8])
    expect(lobby.waiting).toBe(4)
    expect(new Set(sheds)).toEqual(new Set(['too many unfinished requests']))
  })

  test('cost the oldest of all where everybody has one', () => {
    const { come } = open({ waitingMax: 3 })
    const strangers = Array.from({ length: 8 }, (_, at) => come(`203.0.113.${at}`))
    expect(here(strangers)).toEqual([5, 6, 7])
  })

  test('never cost a connection that is being answered', () => {
    const { lobby, come } = open({ waitingMax: 2 })
    const busy = come('203.0.113.7')
    const rest = lobby.serve(busy)
    const again = lobby.serve(busy)
    for (let at = 0; at < 20; at++) come('203.0.113.7')
    expect(busy.isDestroyed).toBe(false)
    rest(1)
    expect(lobby.waiting).toBe(2)
    again(1)
    // It waits again, as the newest: the one before it goes.
    expect(busy.isDestroyed).toBe(false)
    expect(lobby.waiting).toBe(2)
    come('203.0.113.7')
    come('203.0.113.7')
    expect(busy.isDestroyed).toBe(true)
  })
})

test('who waits too long is ended, whether for the first request or for the next', () => {
  const { lobby, come } = open({})
  const silent = come('203.0.113.7', 0)
  const reader = come('203.0.113.7', 100)
  const rest = lobby.serve(reader)
  lobby.endWaits(lobbyWaitMs - 1)
  expect(here([silent, reader])).toEqual([0, 1])
  lobby.endWaits(lobbyWaitMs)
  lobby.endWaits(lobbyWaitMs * 9)
  expect(here([silent, reader])).toEqual([1])
  rest(lobbyWaitMs * 9)
  lobby.endWaits(lobbyWaitMs * 10 - 1)
  expect(here([reader])).toEqual([0])
  lobby.endWaits(lobbyWaitMs * 10)
  expect(here([reader])).toEqual([])
})

test('who is gone already does not come in, and one port is not counted twice', () => {
  const { lobby } = open({})
  expect(lobby.enter(new Stranger(undefined) as never, 0)).toBeUndefined()
  const first = lobby.enter(new Stranger('203.0.113.7', 9) as never, 0)
  expect(lobby.enter(new Stranger('203.0.113.7', 9) as never, 0)).toBeUndefined()
  first!()
  first!()
  expect(lobby.size).toBe(0)
})

test.each([1, 2, 3])('whatever happens, the counts are those of a list (seed %d)', (seed) => {
  const prng = new Prng(seed, 'lobby')
  const { lobby, come } = open({ perAddressMax: 5, waitingMax: 12 })
  const present = new Map<ReturnType<typeof come>, { rests: ((nowMs: number) => void)[] }>()
  const isHere = (stranger: Stranger) => !stranger.isDestroyed
  for (let nowMs = 0; nowMs < 3_000; nowMs++) {
    const all = [...present.keys()].filter(isHere)
    const some = all[prng.below(Math.max(1, all.length))]
    if (prng.chance(0.5) || some === undefined) {
      const stranger = come(`203.0.113.${prng.below(6)}`, nowMs)
      if (stranger.leave !== undefined) present.set(stranger, { rests: [] })
    } else if (prng.chance(0.4)) {
      present.get(some)!.rests.push(lobby.serve(some))
    } else if (prng.chance(0.6)) {
      present.get(some)!.rests.pop()?.(nowMs)
    } else {
      if (prng.chance(0.5)) some.leave!()
      else lobby.leave(some)
      present.delete(some)
    }
    const left = [...present].filter(([stranger]) => isHere(stranger))
    expect(lobby.size).toBe(left.length)
    expect(lobby.waiting).toBe(left.filter(([, { rests }]) => rests.length === 0).length)
    expect(lobby.waiting).toBeLessThanOrEqual(12)
  }
  for (const stranger of present.keys()) lobby.leave(stranger)
  expect([lobby.size, lobby.waiting]).toEqual([0, 0])
})
