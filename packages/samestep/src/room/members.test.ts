import { describe, expect, test } from 'vitest'
import { Members } from './members.ts'
import type { FakeSession } from './testing/room-kit.ts'
import { addMember } from './testing/room-kit.ts'

/** So many members, of whom each sits in the seat of its number until those are taken. */
function make(count: number, seats = 3) {
  const members = new Members<FakeSession>(seats)
  const all = Array.from({ length: count }, () => addMember(members))
  for (const member of all.slice(0, seats)) members.sit(member)
  return { members, all }
}

describe('one record says who sits where', () => {
  test('by number, by seat and in the sequence in which they came', () => {
    const { members, all } = make(4)
    expect(members.list).toEqual(all)
    expect(members.seats).toEqual(all.slice(0, 3))
    expect(members.get(3)).toBe(all[3])
    expect(all.map(({ role }) => role)).toEqual(['player', 'player', 'player', 'spectator'])
    expect([members.playerCount, members.spectatorCount, members.isFull]).toEqual([3, 1, true])
  })

  test('who moves leaves the old seat, and who stands up watches', () => {
    const { members, all } = make(2)
    members.sit(all[0]!, 2)
    members.stand(all[1]!)
    expect(members.seats).toEqual([undefined, undefined, all[0]])
    expect(all.map(({ seat }) => seat)).toEqual([2, undefined])
    expect([members.playerCount, members.spectatorCount]).toEqual([1, 1])
  })

  test('of who left nothing is kept, but the record still says where that was', () => {
    const { members, all } = make(2)
    const { list } = members
    members.remove(all[0]!)
    expect([members.list, members.sessions, members.seats[0], members.get(0)]).toEqual([
      [all[1]],
      [all[1]!.session],
      undefined,
      undefined,
    ])
    expect(all[0]).toMatchObject({ isIn: false, seat: 0 })
    // A loop over the list that it began with is not disturbed.
    expect(list).toEqual(all)
    expect(() => members.remove(all[0]!)).toThrow('left twice')
  })

  test('a locked seat is given to nobody, and a taken one cannot be locked', () => {
    const { members, all } = make(1)
    expect(members.lock(0, true)).toBe('seat-taken')
    expect(members.lock(1, true)).toBeUndefined()
    expect(members.lock(9, true)).toBe('no-such-seat')
    expect(members.seatFault(all[0]!, 1)).toBe('seat-locked')
    const other = addMember(members)
    members.sit(other)
    expect([other.seat, members.lockedSeats(), members.isFull]).toEqual([2, [1], true])
  })
})

test('the owner is the first player, and then the one who has been there longest', () => {
  const members = new Members<FakeSession>(3)
  const [watcher, first, second] = [addMember(members), addMember(members), addMember(members)]
  expect(members.owner).toBeUndefined()
  members.sit(first)
  members.sit(second)
  expect(members.owner).toBe(first)
  members.remove(first)
  expect(members.owner).toBe(second)
  members.remove(second)
  expect(members.owner).toBeUndefined()
  members.giveOwnership(watcher)
  expect(members.owner).toBe(watcher)
})

test('only players who are there and keep up are active', () => {
  const { members, all } = make(4)
  all[1]!.session.presence = 'lagging'
  all[2]!.session.presence = 'silent'
  expect(members.activeSeats()).toEqual([0])
})

test('somebody attends while anybody has a link', () => {
  const { members, all } = make(2)
  all[0]!.session.isConnected = false
  expect(members.isAttended).toBe(true)
  members.remove(all[1]!)
  expect(members.isAttended).toBe(false)
})

test('a message goes to all, or to those that it is for', () => {
  const { members, all } = make(4)
  members.send(Uint8Array.of(1), 0)
  members.send(Uint8Array.of(2), 0, ({ role }) => role === 'spectator')
  expect(all.map(({ session }) => session.sent.length)).toEqual([1, 1, 1, 2])
})
