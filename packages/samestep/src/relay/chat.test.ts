import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChatParty, ChatScope } from './chat.ts'
import { Chat, hears } from './chat.ts'

const red: ChatParty = { role: 'player', team: 1 }
const blue: ChatParty = { role: 'player', team: 2 }
const guest: ChatParty = { role: 'spectator', team: 1 }

function chatOf(reach?: 'all' | 'spectators'): Chat {
  const chat = new Chat(reach)
  for (const member of [1, 2, 3]) chat.add(member, 0)
  return chat
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

  test('of nobody is refused', () => {
    expect(chatOf().refusalOf(9, red, 'all', 'hi', 0)).toBe('wrong-scope')
  })
})

describe('muting', () => {
  test('lasts until its time, and is said openly', () => {
    const chat = chatOf()
    chat.mute(1, 'vote', 10_000)
    expect(chat.refusalOf(1, red, 'all', 'gg', 9_999)).toBe('muted')
    expect(chat.refusalOf(1, red, 'team', 'gg', 9_999)).toBe('muted')
    expect(chat.refusalOf(1, red, 'all', 'gg', 10_000)).toBeUndefined()
  })

  test('is taken back only by who did it', () => {
    const chat = chatOf()
    chat.mute(1, 'owner', Number.POSITIVE_INFINITY)
    chat.mute(1, 'vote', 60_000)
    chat.unmute(1, 'owner')
    expect(chat.isMuted(1, 59_999)).toBe(true)
    chat.unmute(1, 'vote')
    expect(chat.isMuted(1, 0)).toBe(false)
  })
})

test('I-14 who left is forgotten', () => {
  const chat = chatOf()
  chat.mute(1, 'owner', 1e9)
  chat.remove(1)
  chat.mute(1, 'owner', 1e9)
  expect([chat.size, chat.isMuted(1, 0)]).toEqual([2, false])
})

test('no text makes it throw, and a muted member never gets through', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 600 }),
      fc.constantFrom<ChatScope>('all', 'team', 'spectators'),
      (text, scope) => {
        const chat = chatOf()
        chat.mute(1, 'owner', 1)
        expect(chat.refusalOf(1, red, scope, text, 0)).toBeDefined()
        chat.refusalOf(2, guest, scope, text, 0)
      },
    ),
    { numRuns: 200 },
  )
})
