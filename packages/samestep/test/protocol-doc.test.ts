/** Holds `docs/protocol.md` to the registry of messages, the limits, the codes and the golden bytes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ChatRefusal } from '../src/relay/chat.ts'
import type { LobbyRefusal } from '../src/relay/lobby-types.ts'
import type { PaceRefusal } from '../src/relay/pause-budget.ts'
import type { VoteRefusal } from '../src/relay/votes.ts'
import { orderBytesMax } from '../src/sim/limits.ts'
import type { Json } from '../src/sim/schema/index.ts'
import {
  clientStatuses,
  closeCodes,
  closeReasons,
  orderRefusals,
  presences,
} from '../src/wire/codes.ts'
import * as limits from '../src/wire/limits.ts'
import {
  type MessageName,
  matchConfig,
  messageBytesMax,
  messageTypes,
  protocols,
} from '../src/wire/messages.ts'
import { actionParts } from '../src/wire/room-actions.ts'
import { readVectors } from '../src/wire/testing/vector-file.ts'

const page = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'docs', 'protocol.md'),
  'utf8',
)

/** The text below a heading, up to the next one of any level. */
function sectionOf(heading: string): string {
  const start = page.indexOf(`\n${heading}\n`)
  if (start < 0) expect.unreachable(`the page has no '${heading}'`)
  const from = start + heading.length + 2
  const next = page.slice(from).search(/^#+ /m)
  return page.slice(from, next < 0 ? undefined : from + next)
}

/** The cells of every row of the tables in a text, without headings. */
function rowsOf(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('|---'))
    .map((line) =>
      line
        .slice(2, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    )
    .slice(1)
}

const bare = (cell: string | undefined): string => (cell ?? '').replaceAll('`', '')

type Description = { readonly kind: string; readonly [key: string]: Json }

const structs = new Map<string, string>()

function nameStruct(name: string, description: Json): void {
  structs.set(JSON.stringify(description), name)
}

type Struct = { readonly members: readonly { readonly name: string; readonly type: Described }[] }
type Described = { describe(): Json }

/** A field of a struct; of a list, what it is a list of. */
function partOf({ members }: Struct, name: string): Json {
  const member = members.find((it) => it.name === name)
  const description = member?.type.describe() as Description
  return description.kind === 'list' ? (description.item as Json) : description
}

nameStruct('MatchConfig', matchConfig.describe())
nameStruct('MissingPolicy', partOf(matchConfig, 'missing'))
nameStruct('LobbyConfig', partOf(matchConfig, 'lobby'))
nameStruct('PaceConfig', partOf(matchConfig, 'pace'))
nameStruct('OrderKind', partOf(matchConfig, 'orderKinds'))
nameStruct('OrderClass', partOf(matchConfig, 'orderClasses'))
nameStruct('InputSlot', partOf(matchConfig, 'inputSlots'))
nameStruct('Member', partOf(messageTypes.RelayRoom.fields, 'members'))
nameStruct('SeatStats', partOf(messageTypes.RelayStats.fields, 'seats'))

/** A type as the page writes it. */
function typeText(json: Json): string {
  const description = json as Description
  const { kind, min, max, item, values } = description
  switch (kind) {
    case 'text':
    case 'bytes':
      return `${kind}(${max})`
    case 'range':
      return `range(${min}, ${max})`
    case 'list':
      return `list(${typeText(item as Json)}, ${max})`
    case 'optional':
      return `optional(${typeText(item as Json)})`
    case 'oneOf': {
      const words = values as string[]
      return words.join() === closeReasons.join() ? 'close reason' : `oneOf(${words.join(', ')})`
    }
    case 'struct':
      return structs.get(JSON.stringify(json)) ?? 'a struct without a name'
    default:
      return kind
  }
}

function fieldsOf(description: Json): string[][] {
  const { fields } = description as { fields: [string, Json][] }
  return fields.map(([name, type]) => [name, typeText(type)])
}

function shownFields(heading: string): string[][] {
  return rowsOf(sectionOf(heading)).map(([name, type]) => [bare(name), bare(type)])
}

const names = Object.keys(messageTypes) as MessageName[]

describe.each(names)('%s', (name) => {
  const { number, fields } = messageTypes[name]
  const heading = `### ${number} ${name}`

  test('stands on the page with its number, and its fields with their types', () => {
    expect(shownFields(heading)).toEqual(fieldsOf(fields.describe()))
  })

  test('has its largest size on the page', () => {
    const [, bytes] = /At most \*\*(\d+)\*\* bytes/.exec(sectionOf(heading)) ?? []
    expect(Number(bytes)).toBe(messageBytesMax(name))
  })

  test('is called frozen if it is, and only then', () => {
    const isFrozen = name === 'ClientHello' || name === 'RelayRefuse'
    expect(sectionOf(heading).includes('**Frozen for ever')).toBe(isFrozen)
  })

  test('has an example', () => {
    const titles = readVectors()
      .messages.filter(({ message }) => message === name)
      .map(({ title }) => `messages: ${title}`)
    const shown = rowsOf(sectionOf('## Golden bytes')).map(([title]) => title)
    expect(titles.filter((title) => shown.includes(title))).not.toEqual([])
  })
})

test('no other message stands on the page', () => {
  const shown = [...page.matchAll(/^### (\d+) (\w+)$/gm)].map(([, number, name]) => [name, number])
  expect(shown).toEqual(names.map((name) => [name, String(messageTypes[name].number)]))
})

test.each(
  [...structs].map(([description, name]) => [name, JSON.parse(description) as Json] as const),
)('the fields of %s are on the page', (name, description) => {
  expect(shownFields(`#### ${name}`)).toEqual(fieldsOf(description))
})

test('a retired number is named as such, and is nobody else', () => {
  expect(sectionOf('## Control messages')).toContain('8 was `RelayGathering`')
  expect(names.filter((name) => Number(messageTypes[name].number) === 8)).toEqual([])
})

test('every action stands on the page with the fields that it uses', () => {
  const shown = rowsOf(sectionOf('#### Actions')).map(([name, fields]) => [bare(name), fields])
  const wanted = Object.entries(actionParts).map(([name, parts]) => {
    const uses = fieldsOf(messageTypes.ClientAct.fields.describe())
      .map(([field = '']) => [field, parts[field as keyof typeof parts]])
      .filter(([, part]) => part !== undefined)
    return [name, uses.map((pair) => pair.join(' ')).join(' · ') || 'none']
  })
  expect(shown).toEqual(wanted)
})

/** All reasons to deny a wish. The compiler notices when one is missing. */
const denials: {
  readonly [R in LobbyRefusal | PaceRefusal | VoteRefusal | ChatRefusal]: true
} = {
  'unknown-member': true,
  'not-owner': true,
  'wrong-phase': true,
  'not-player': true,
  'no-such-seat': true,
  'seat-taken': true,
  'seat-locked': true,
  full: true,
  closed: true,
  starting: true,
  'too-few-players': true,
  'not-ready': true,
  'stale-options': true,
  'too-large': true,
  'bad-value': true,
  'not-allowed': true,
  already: true,
  'no-pause-left': true,
  'too-soon': true,
  'vote-running': true,
  'no-vote': true,
  'too-many': true,
  'not-elector': true,
  'already-voted': true,
  'wrong-target': true,
  'too-few': true,
  rate: true,
  muted: true,
  'wrong-scope': true,
  empty: true,
  'too-long': true,
  control: true,
  direction: true,
  'no-character': true,
  invisible: true,
  spacing: true,
  'not-normal': true,
}

test('every reason to deny a wish is on the page, and fits its message', () => {
  const [, shown = ''] = /^Reasons so far: (.*)\.$/m.exec(sectionOf('### 14 RelayDenied')) ?? []
  expect(bare(shown).split(' · ')).toEqual(Object.keys(denials))
  for (const reason of Object.keys(denials)) {
    expect(messageTypes.RelayDenied.fields.accepts({ action: 'say', reason })).toBe(true)
  }
})

test('every golden example is what the file says', () => {
  const vectors = readVectors()
  const rows = rowsOf(sectionOf('## Golden bytes'))
  expect(rows.length).toBeGreaterThan(20)
  for (const [place = '', hex] of rows) {
    const [group = '', title] = place.split(': ')
    const vector = vectors[group as keyof typeof vectors].find((it) => it.title === title)
    expect({ place, hex: bare(hex) }).toEqual({ place, hex: vector?.hex })
  }
})

test('the example in words is a golden one, and its bits are those of its bytes', () => {
  const [, hex = ''] = /^`([0-9a-f]+)` is a tick/m.exec(page) ?? []
  expect(readVectors().bundles.map((vector) => vector.hex)).toContain(hex)
  const [, block = ''] = /Its bits in sequence:\n\n((?: {4}.*\n)+)/.exec(page) ?? []
  const shown = block
    .split('\n')
    .map((line) => /^ {4}([01 ]+?)(?: {2}|$)/.exec(line)?.[1] ?? '')
    .join('')
    .replaceAll(' ', '')
  const bits = [...Buffer.from(hex, 'hex')]
    .map((byte) => byte.toString(2).padStart(8, '0').split('').reverse().join(''))
    .join('')
  expect(shown).toBe(bits)
})

test('every limit on the page is the one in the code', () => {
  const known: { readonly [name: string]: unknown } = { ...limits, orderBytesMax }
  const rows = rowsOf(sectionOf('## Limits'))
  expect(rows.length).toBeGreaterThan(10)
  for (const [what, value, name] of rows) {
    expect({ what, value: Number(value) }).toEqual({ what, value: known[bare(name)] })
  }
})

test('close reasons are those of the code', () => {
  const text = sectionOf('## Codes')
  const rows = rowsOf(text).map((row) => row.map(bare))
  expect(rows).toEqual(
    closeReasons.map((reason, index) => [reason, String(closeCodes[reason]), String(index)]),
  )
})

test.each([
  ['Order refusals', orderRefusals],
  ['Activities of a client', clientStatuses],
  ['Presences', presences],
])('%s have their numbers on the page', (title, words: readonly string[]) => {
  const line = sectionOf('## Codes')
    .split('\n')
    .find((it) => it.startsWith(`${title}, by number: `))
  const shown = bare(line).slice(title.length + ', by number: '.length, -1)
  expect(shown).toBe(words.map((word, index) => `${index} ${word}`).join(' · '))
})

test('the protocols that we speak are on the page', () => {
  for (const name of protocols) expect(sectionOf('## Versions')).toContain(`\`${name}\``)
})
