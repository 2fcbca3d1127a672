/** Holds `docs/protocol.md` to the messages, the limits, the codes and the golden bytes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ChatRefusal } from '../src/room/chat.ts'
import type { LobbyRefusal } from '../src/room/lobby-types.ts'
import type { PaceRefusal } from '../src/room/pause-budget.ts'
import type { VoteRefusal } from '../src/room/votes.ts'
import type { Denial } from '../src/wire/codes.ts'
import { denials } from '../src/wire/codes.ts'
import { type MessageName, messageTypes, protocols } from '../src/wire/messages/messages.ts'
import { readVectors } from '../src/wire/testing/vector-file.ts'
import { renderProtocolPage } from './goldens/protocol-page.ts'

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

const bare = (cell: string | undefined): string => (cell ?? '').replaceAll('`', '')

const names = Object.keys(messageTypes) as MessageName[]

test('the tables of the page are those of the code; npm run golden writes them', () => {
  expect(page.split('\n')).toEqual(renderProtocolPage(page).split('\n'))
})

test('a page that is stale in any of its tables is noticed', () => {
  const stale = [
    page.replace('`gameVersion` | `u32`', '`gameVersion` | `u16`'),
    page.replace('At most **368** bytes', 'At most **369** bytes'),
    page.replace('| number seat · flag isLocked |', '| number seat |'),
    page.replace('| `kicked` | 4007 |', '| `kicked` | 4008 |'),
    page.replace('1 `too-large` · 2 `no-seat`', '1 `no-seat` · 2 `too-large`'),
    page.replace('| 1200 | `datagramBytesMax`', '| 1201 | `datagramBytesMax`'),
    page.replace('| `020000000000` |', '| `020000000001` |'),
  ]
  for (const text of stale) {
    expect(text).not.toBe(page)
    expect(renderProtocolPage(text)).toBe(page)
  }
})

test('what people wrote beside a field stays', () => {
  const words = 'names the session, for coming back to it. It is no secret: see `ClientProof`'
  expect(page).toContain(words)
  expect(renderProtocolPage(page.replace(words, 'other words'))).toContain('other words')
})

test.each(names)('%s is called frozen if it is, and only then', (name) => {
  const isFrozen = name === 'ClientHello' || name === 'RelayRefuse'
  const section = sectionOf(`### ${messageTypes[name].number} ${name}`)
  expect(section.includes('**Frozen for ever')).toBe(isFrozen)
})

test('the messages stand on the page in the sequence of their numbers, and no others do', () => {
  const shown = [...page.matchAll(/^### (\d+) (\w+)$/gm)].map(([, number, name]) => [name, number])
  expect(shown).toEqual(names.map((name) => [name, String(messageTypes[name].number)]))
})

test('a retired number is named as such, and is nobody else', () => {
  expect(sectionOf('## Control messages')).toContain('8 was `RelayGathering`')
  expect(names.filter((name) => Number(messageTypes[name].number) === 8)).toEqual([])
})

type RoomRefusal = LobbyRefusal | PaceRefusal | VoteRefusal | ChatRefusal

/** The compiler notices when the room has a reason that the list lacks, or the other way round. */
const isComplete: [Exclude<RoomRefusal, Denial>, Exclude<Denial, RoomRefusal>] extends [
  never,
  never,
]
  ? true
  : never = true

test('every reason to deny a wish is on the page, and fits its message', () => {
  const [, shown = ''] = /^Reasons so far: (.*)\.$/m.exec(sectionOf('### 14 RelayDenied')) ?? []
  expect(bare(shown).split(' · ')).toEqual([...denials])
  expect(isComplete).toBe(true)
  for (const reason of denials) {
    expect(messageTypes.RelayDenied.fields.accepts({ action: 'say', reason })).toBe(true)
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

test('the protocols that we speak are on the page', () => {
  for (const name of protocols) expect(sectionOf('## Versions')).toContain(`\`${name}\``)
})
