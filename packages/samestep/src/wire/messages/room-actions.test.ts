import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hostileBytes, refusalOf } from '../testing/properties.ts'
import { actionNames, actionOf } from '../testing/room-action-arbitraries.ts'
import { decodeMessage, encodeMessage, type MessageBody, messageTypes } from './messages.ts'
import type { RoomAction, RoomActionType } from './room-actions.ts'
import { readAction, roomActionTypes, scopeWords, voteWords, writeAction } from './room-actions.ts'

type Act = MessageBody<'ClientAct'>
type Field = Exclude<keyof Act, 'action'>

const empty: Act = {
  action: '',
  number: undefined,
  other: undefined,
  flag: undefined,
  word: undefined,
  text: undefined,
  options: undefined,
}

/** Something for every field that the message can carry in it. */
const something: { readonly [F in Field]: NonNullable<Act[F]> } = {
  number: 0,
  other: 0,
  flag: false,
  word: 'all',
  text: '',
  options: new Uint8Array(0),
}
const fields = Object.keys(something) as Field[]

/** The body of an ordinary action of this name. */
function bodyOf(type: RoomActionType): Act {
  return writeAction(fc.sample(actionOf(type), { numRuns: 1, seed: 1 })[0] as RoomAction)
}

/** What the decoder of a relay does with the bytes of an act. */
function read(bytes: Uint8Array): RoomAction {
  const { name, body } = decodeMessage(bytes)
  if (name !== 'ClientAct') expect.unreachable(name)
  return readAction(body as Act)
}

test('every action is known', () => {
  expect([...roomActionTypes].sort()).toEqual([...actionNames].sort())
})

describe.each(actionNames)('%s', (type) => {
  test('comes back as it went', () => {
    fc.assert(
      fc.property(actionOf(type), (action) => {
        expect(read(encodeMessage('ClientAct', writeAction(action)))).toEqual(action)
      }),
      { numRuns: 40 },
    )
  })

  test('is refused without any one of its fields', () => {
    const body = bodyOf(type)
    for (const field of fields) {
      if (body[field] === undefined) continue
      expect(refusalOf(() => readAction({ ...body, [field]: undefined }))).toBe('SS_WIRE_UNKNOWN')
    }
  })

  test('is refused with any field that it does not have, however empty', () => {
    const body = bodyOf(type)
    for (const field of fields) {
      if (body[field] !== undefined) continue
      const surplus = { ...body, [field]: something[field] }
      expect(refusalOf(() => readAction(surplus))).toBe('SS_WIRE_UNKNOWN')
    }
  })
})

test.each([
  '',
  'Start',
  'start ',
  'nothing',
  'constructor',
  'hasOwnProperty',
  '__proto__',
  'toString',
])("action '%s' is refused as unknown", (action) => {
  expect(refusalOf(() => readAction({ ...empty, action }))).toBe('SS_WIRE_UNKNOWN')
})

describe('a word is refused where it means nothing:', () => {
  const wordsOf: { readonly [T in RoomActionType]?: readonly string[] } = {
    'set-visibility': ['public', 'unlisted', 'local'],
    'set-late-join': ['players', 'spectators', 'nobody'],
    say: ['all', 'team', 'spectators'],
    propose: ['kick', 'mute', 'pause', 'resume', 'speed'],
  }
  const all = [...new Set(Object.values(wordsOf).flat())] as NonNullable<Act['word']>[]

  test.each(Object.entries(wordsOf))('%s takes %j alone', (type, words) => {
    const body = bodyOf(type as RoomActionType)
    const taken = all.filter((word) => refusalOf(() => readAction({ ...body, word })) === undefined)
    expect([...taken].sort()).toEqual([...words].sort())
  })

  test('the message carries each of them, and no other', () => {
    const { fields: members } = messageTypes.ClientAct.fields.describe() as {
      fields: [string, { item?: { values?: string[] } }][]
    }
    const [, word] = members.find(([name]) => name === 'word') ?? []
    expect([...(word?.item?.values ?? [])].sort()).toEqual([...all].sort())
  })
})

test('words have their numbers for ever: they are appended, never moved', () => {
  expect(scopeWords).toEqual(['all', 'team', 'spectators'])
  expect(voteWords).toEqual(['kick', 'mute', 'pause', 'resume', 'speed'])
  const numberOf = (word: Act['word']): number => {
    const bytes = encodeMessage('ClientAct', { ...empty, word })
    // A length of 0 in five bits, three absent fields, the bit that there is a word, its four bits.
    return ((bytes[1] as number) | ((bytes[2] as number) << 8)) >>> 9
  }
  expect(['public', 'nobody', 'all', 'speed'].map((it) => numberOf(it as Act['word']))).toEqual([
    0, 5, 6, 12,
  ])
})

test('every name of an action fits the message, and the denial of it too', () => {
  for (const action of roomActionTypes) {
    expect(messageTypes.ClientAct.fields.accepts({ ...empty, action })).toBe(true)
    expect(messageTypes.RelayDenied.fields.accepts({ action, reason: '' })).toBe(true)
  }
})

test('whatever the bytes, an act is refused or means what it says', () => {
  const seeds = actionNames.map((type) => encodeMessage('ClientAct', bodyOf(type)))
  let accepted = 0
  fc.assert(
    fc.property(hostileBytes(seeds), (bytes) => {
      let action: RoomAction | undefined
      refusalOf(() => {
        const message = decodeMessage(bytes)
        if (message.name === 'ClientAct') action = readAction(message.body)
      })
      if (action === undefined) return
      accepted += 1
      expect(encodeMessage('ClientAct', writeAction(action))).toEqual(bytes)
    }),
    { numRuns: 2_000 },
  )
  expect(accepted).toBeGreaterThan(20)
})
