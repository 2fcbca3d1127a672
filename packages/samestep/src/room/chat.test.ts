import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chatBytesMax, spectatorsMax } from '../wire/limits.ts'
import type { ChatScope } from '../wire/messages/room-actions.ts'
import type { ChatParty } from './chat.ts'
import { Chat, hears } from './chat.ts'
import { Members } from './members.ts'
import { Speech } from './speech.ts'
import type { FakeSession } from './testing/room-kit.ts'
import { addMember } from './testing/room-kit.ts'

const red: ChatParty = { role: 'player', team: 1 }
const blue: ChatParty = { role: 'player', team: 2 }
const guest: ChatParty = { role: 'spectator', team: 1 }

/** A chat in which each party has just come in; `speeches` has what each number may say. */
function chatOf(reach?: 'all' | 'spectators') {
  const chat = new Chat(new Members(4), 0, reach)
  const speeches = [1, 2, 3].map(() => new Speech(0))
  const refusalOf = (id: number, party: ChatParty, scope: ChatScope, text: string, nowMs: number) =>
    chat.refusalOf({ ...party, speech: speeches[id - 1]! }, scope, text, nowMs)
  const [first] = speeches as [Speech]
  return { refusalOf, first }
}

describe('a line', () => {
  test('reaches everybody, the team, or the spectators', () => {
    const listeners = [red, blue, guest]
    const reached = (scope: ChatScope) => listeners.map((listener) => hears(red, scope, listener))
    expect(reached('all')).toEqual([true, true, true])
    expect(reached('team')).toEqual([true, false, false])
    expect(reached('spectators')).toEqual([false, false, true])
  })

  test('of a spectator does not reach players, unless the match says so', () => {
    expect(chatOf().refusalOf(1, guest, 'all', 'behind you!', 0)).toBe('wrong-scope')
    expect(chatOf().refusalOf(1, guest, 'spectators', 'nice', 0)).toBeUndefined()
    expect(chatOf('all').refusalOf(1, guest, 'all', 'nice', 0)).toBeUndefined()
    expect(chatOf('all').refusalOf(1, guest, 'team', 'nice', 0)).toBe('wrong-scope')
    expect(chatOf().refusalOf(1, red, 'spectators', 'nice', 0)).toBe('wrong-scope')
  })

  test('is one of five at once, and then of one per second', () => {
    const chat = chatOf()
    const say = (nowMs: number) => chat.refusalOf(1, red, 'all', 'gg', nowMs)
    expect([0, 0, 0, 0, 0, 0].map(say)).toEqual([...Array(5).fill(undefined), 'rate'])
    expect([say(999), say(1_000), say(1_001)]).toEqual(['rate', undefined, 'rate'])
    // One member's flood is not another's.
    expect(chat.refusalOf(2, red, 'all', 'gg', 0)).toBeUndefined()
  })

  test('SEC-05 of characters that nobody should get is refused, and costs its sender', () => {
    const chat = chatOf()
    const faults = Array.from({ length: 6 }, () => chat.refusalOf(1, red, 'all', '\u202E', 0))
    expect(faults).toEqual([...Array(5).fill('direction'), 'rate'])
  })
})

describe('muting', () => {
  test('lasts until its time, and is said openly', () => {
    const chat = chatOf()
    chat.first.mute('vote', 10_000)
    expect(chat.refusalOf(1, red, 'all', 'gg', 9_999)).toBe('muted')
    expect(chat.refusalOf(1, red, 'team', 'gg', 9_999)).toBe('muted')
    expect(chat.refusalOf(1, red, 'all', 'gg', 10_000)).toBeUndefined()
  })

  test('is taken back only by who did it', () => {
    const chat = chatOf()
    chat.first.mute('owner', Number.POSITIVE_INFINITY)
    chat.first.mute('vote', 60_000)
    chat.first.unmute('owner')
    expect(chat.first.isMuted(59_999)).toBe(true)
    chat.first.unmute('vote')
    expect(chat.first.isMuted(0)).toBe(false)
  })
})

test('no text makes it throw, and a muted member never gets through', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 600 }),
      fc.constantFrom<ChatScope>('all', 'team', 'spectators'),
      (text, scope) => {
        const chat = chatOf()
        chat.first.mute('owner', 1)
        expect(chat.refusalOf(1, red, scope, text, 0)).toBeDefined()
        chat.refusalOf(2, guest, scope, text, 0)
      },
    ),
    { numRuns: 200 },
  )
})

describe('[T-36] a crowd that talks', () => {
  /** A chat of so many spectators, and two players. */
  function crowdOf(count: number) {
    const members = new Members<FakeSession>(2)
    const crowd = Array.from({ length: count }, () => addMember(members))
    const player = addMember(members)
    members.sit(player)
    const chat = new Chat(members, 0)
    const line = '🎲'.repeat(chatBytesMax / 4)
    /** Bytes that reach everybody together when all of them talk. */
    const deliver = (nowMs: number) => {
      let bytes = 0
      for (const member of crowd) {
        const isHeard = chat.say(member, 'spectators', line, nowMs) === undefined
        if (isHeard) bytes += chatBytesMax * count
      }
      return bytes
    }
    return { chat, player, deliver }
  }

  test('is passed on up to 200 kB per second to all of them, and the longest line always fits', () => {
    const { deliver } = crowdOf(spectatorsMax)
    const atOnce = deliver(0)
    expect(atOnce).toBeGreaterThan(0)
    expect(atOnce).toBeLessThanOrEqual(800_000)
    let bytes = 0
    for (let second = 1; second <= 60; second++) bytes += deliver(second * 1_000)
    expect(bytes / 60).toBeGreaterThan(100_000)
    expect(bytes / 60).toBeLessThanOrEqual(200_000)
  })

  test('of who watches silences no player', () => {
    const { chat, player, deliver } = crowdOf(spectatorsMax)
    deliver(0)
    expect(chat.say(player, 'all', 'gg', 0)).toBeUndefined()
  })
})
