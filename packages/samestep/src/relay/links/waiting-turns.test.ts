import { expect, test } from 'vitest'
import { Prng } from '../../base/prng.ts'
import type { TurnOwner } from './waiting-turns.ts'
import { turnsPerLinkMax, WaitingTurns, waitingBytesMax } from './waiting-turns.ts'

interface Owner extends TurnOwner {
  readonly name: string
}

const ownerOf = (name: string): Owner => ({ name, newestTurn: -1 })

/** All that waits of some owners, as it is given. */
function takeAll(turns: WaitingTurns<Owner>, owners: readonly Owner[]) {
  const taken: (readonly [string, number, number])[] = []
  for (const owner of owners) if (owner.newestTurn >= 0) turns.collect(owner)
  for (let owner = turns.take(); owner; owner = turns.take()) {
    taken.push([owner.name, turns.atMs, turns.bytes[0] ?? -1])
  }
  return taken
}

test('gives the turns of some owners in the sequence of their arrival, and leaves those of others', () => {
  const turns = new WaitingTurns<Owner>()
  const [ada, bob, cyd] = [ownerOf('ada'), ownerOf('bob'), ownerOf('cyd')]
  const sequence = [bob, cyd, ada, bob, ada, bob, cyd]
  for (const [index, owner] of sequence.entries()) {
    expect(turns.push(owner, Uint8Array.of(index), 10 + (index >> 1))).toBe(true)
  }
  expect(turns.count).toBe(7)
  expect(takeAll(turns, [ada, bob])).toEqual([
    ['bob', 10, 0],
    ['ada', 11, 2],
    ['bob', 11, 3],
    ['ada', 12, 4],
    ['bob', 12, 5],
  ])
  expect(turns.count).toBe(2)
  expect(takeAll(turns, [ada, bob, cyd])).toEqual([
    ['cyd', 10, 1],
    ['cyd', 13, 6],
  ])
  expect(turns.count).toBe(0)
})

test('takes nothing that is too long, and not more of one owner than it may', () => {
  const turns = new WaitingTurns<Owner>()
  const ada = ownerOf('ada')
  expect(turns.push(ada, new Uint8Array(waitingBytesMax + 1), 0)).toBe(false)
  const long = Uint8Array.from({ length: waitingBytesMax }, (_, at) => at)
  for (let count = 0; count < turnsPerLinkMax; count++) {
    expect(turns.push(ada, long, 0)).toBe(true)
  }
  expect(turns.push(ada, Uint8Array.of(1), 0)).toBe(false)
  turns.collect(ada)
  expect(turns.take()).toBe(ada)
  expect([...turns.bytes]).toEqual([...long])
})

test('what is dropped is never given, and its places are used again', () => {
  const turns = new WaitingTurns<Owner>()
  const [ada, bob] = [ownerOf('ada'), ownerOf('bob')]
  for (let round = 0; round < 1_000; round++) {
    for (const owner of [ada, bob, ada]) turns.push(owner, Uint8Array.of(round & 255), round)
    turns.drop(ada)
    expect(ada.newestTurn).toBe(-1)
    expect(takeAll(turns, [ada, bob])).toEqual([['bob', round, round & 255]])
  }
  turns.drop(ada)
  expect(turns.count).toBe(0)
})

test('who does not take all that he collected loses the rest, and nobody else does', () => {
  const turns = new WaitingTurns<Owner>()
  const [ada, bob] = [ownerOf('ada'), ownerOf('bob')]
  for (const index of [0, 1, 2]) turns.push(ada, Uint8Array.of(index), index)
  turns.push(bob, Uint8Array.of(3), 3)
  turns.collect(ada)
  turns.take()
  expect(takeAll(turns, [bob])).toEqual([['bob', 3, 3]])
  expect(turns.count).toBe(0)
})

test('whatever is pushed, taken and dropped, it is as with a list', () => {
  const rng = new Prng(7)
  const turns = new WaitingTurns<Owner>()
  const owners = Array.from({ length: 300 }, (_, index) => ownerOf(`owner ${index}`))
  let list: { owner: Owner; atMs: number; byte: number }[] = []
  for (let step = 0; step < 20_000; step++) {
    const owner = owners[rng.below(owners.length)]!
    if (rng.below(40) > 0) {
      const isRoom = list.filter((turn) => turn.owner === owner).length < turnsPerLinkMax
      const byte = step & 255
      const bytes = new Uint8Array(1 + rng.below(60)).fill(byte)
      expect(turns.push(owner, bytes, step >> 2)).toBe(isRoom)
      if (isRoom) list.push({ owner, atMs: step >> 2, byte })
    } else if (rng.below(2) === 0) {
      turns.drop(owner)
      list = list.filter((turn) => turn.owner !== owner)
    } else {
      const some = owners.filter(() => rng.below(4) === 0)
      const expected = list.filter((turn) => some.includes(turn.owner))
      list = list.filter((turn) => !some.includes(turn.owner))
      const plain = expected.map((turn) => [turn.owner.name, turn.atMs, turn.byte])
      expect(takeAll(turns, some)).toEqual(plain)
    }
  }
  expect(turns.count).toBe(list.length)
})
