/**
 * The tables of `docs/protocol.md` that follow from the code: fields and sizes of messages, actions,
 * codes, limits and golden bytes. What people wrote beside them in the last columns is kept.
 */
import { orderBytesMax, orderKindsMax } from '../../src/sim/limits.ts'
import type { Json } from '../../src/sim/schema/index.ts'
import {
  clientStatuses,
  closeCodes,
  closeReasons,
  orderRefusals,
  presences,
} from '../../src/wire/codes.ts'
import * as wireLimits from '../../src/wire/limits.ts'
import {
  findingCause,
  findingPlace,
  findingValue,
  findingWrite,
  siteFields,
} from '../../src/wire/messages/desync-probes.ts'
import { udpDoor } from '../../src/wire/messages/doors.ts'
import {
  type MessageName,
  matchConfig,
  messageBytesMax,
  messageTypes,
} from '../../src/wire/messages/messages.ts'
import { actionParts } from '../../src/wire/messages/room-actions.ts'
import { softwareFields } from '../../src/wire/messages/software.ts'
import { makeVectors } from '../../src/wire/testing/vector-file.ts'
import { putBlock, readBlock, rowsOf, tableText } from './page-blocks.ts'
import { typeText } from './type-text.ts'

type Description = { readonly kind: string; readonly [key: string]: Json }
type Described = { describe(): Json }
type Struct = { readonly members: readonly { readonly name: string; readonly type: Described }[] }

/** A field of a struct; of a list, what it is a list of. */
function partOf({ members }: Struct, name: string): Json {
  const member = members.find((it) => it.name === name)
  const description = member?.type.describe() as Description
  return description.kind === 'list' ? (description.item as Json) : description
}

/** The records inside messages, by the names under which the page explains them. */
const structs: { readonly [name: string]: Json } = {
  Software: softwareFields.describe(),
  MatchConfig: matchConfig.describe(),
  MissingPolicy: partOf(matchConfig, 'missing'),
  LobbyConfig: partOf(matchConfig, 'lobby'),
  PaceConfig: partOf(matchConfig, 'pace'),
  OrdersConfig: partOf(matchConfig, 'orders'),
  OrderKind: partOf(matchConfig, 'orderKinds'),
  OrderClass: partOf(matchConfig, 'orderClasses'),
  InputSlot: partOf(matchConfig, 'inputSlots'),
  ContentFile: partOf(matchConfig, 'content'),
  Member: partOf(messageTypes.RelayRoom.fields, 'members'),
  SeatStats: partOf(messageTypes.RelayStats.fields, 'seats'),
  BotPlace: partOf(messageTypes.RelayBots.fields, 'bots'),
  RecoveryTag: partOf(messageTypes.ClientRecover.fields, 'tags'),
  UdpDoor: udpDoor.describe(),
  FindingPlace: findingPlace.describe(),
  FindingValue: findingValue.describe(),
  FindingWrite: findingWrite.describe(),
  CallSite: siteFields.describe(),
  FindingCause: findingCause.describe(),
}

/** The page explains records and the close reasons elsewhere, by these names. */
function knownName(json: Json): string | undefined {
  const { kind, values } = json as Description
  if (kind === 'oneOf' && String(values) === closeReasons.join()) return 'close reason'
  if (kind !== 'struct') return undefined
  const text = JSON.stringify(json)
  const found = Object.entries(structs).find(([, it]) => JSON.stringify(it) === text)
  if (found !== undefined) return found[0]
  throw new Error('A message has a record without a name: name it in protocol-page.ts')
}

const code = (text: string) => `\`${text}\``
const bare = (cell: string | undefined) => (cell ?? '').replaceAll('`', '')

function fieldsTable(description: Json, old: string): string {
  const notes = new Map(rowsOf(old).map(([name, , ...note]) => [bare(name), note.join(' | ')]))
  const { fields } = description as { fields: [string, Json][] }
  const rows = fields.map(([name, type]) => [
    code(name),
    code(typeText(type, knownName)),
    notes.get(name) ?? '',
  ])
  return tableText(['field', 'type', ''], rows)
}

function messageBlock(name: MessageName, old: string): string {
  const size = `At most **${messageBytesMax(name)}** bytes.`
  return `${size}\n\n${fieldsTable(messageTypes[name].fields.describe(), old)}`
}

function actionsTable(old: string): string {
  const notes = new Map(rowsOf(old).map(([name, , ...note]) => [bare(name), note]))
  const { fields } = messageTypes.ClientAct.fields.describe() as { fields: [string, Json][] }
  const rows = Object.entries(actionParts).map(([name, parts]) => {
    const uses = fields.flatMap(([field]) => {
      const part = parts[field as keyof typeof parts]
      return part === undefined ? [] : [`${field} ${part}`]
    })
    const [who = '', what = ''] = notes.get(name) ?? []
    return [code(name), uses.join(' · ') || 'none', who, what]
  })
  return tableText(['action', 'fields', 'who', 'what'], rows)
}

/** Every number of the code that the page may name. */
const limits: { readonly [name: string]: unknown } = { ...wireLimits, orderBytesMax, orderKindsMax }

function limitsTable(old: string): string {
  const rows = rowsOf(old).map(([what = '', , name]) => {
    const value = limits[bare(name)]
    if (typeof value !== 'number') throw new Error(`The code has no limit '${bare(name)}'`)
    return [what, String(value), name ?? '']
  })
  return tableText(['what', 'at most', 'constant'], rows)
}

/** The vectors that the page shows, one at least of every message, in the sequence of their file. */
function goldenTable(old: string): string {
  const shown = new Set(rowsOf(old).map(([place]) => place))
  const vectors = makeVectors()
  for (const name of Object.keys(messageTypes)) {
    const places = vectors.messages
      .filter(({ message }) => message === name)
      .map(({ title }) => `messages: ${title}`)
    if (!places.some((place) => shown.has(place))) shown.add(places[0])
  }
  const rows = Object.entries(vectors).flatMap(([group, list]) =>
    list
      .map(({ title, hex }) => [`${group}: ${title}`, code(hex)])
      .filter(([place]) => shown.has(place)),
  )
  return tableText(['vector', 'bytes'], rows)
}

function closeTable(): string {
  const rows = closeReasons.map((reason, index) => [
    code(reason),
    String(closeCodes[reason]),
    String(index),
  ])
  return tableText(['reason', 'code', 'number'], rows)
}

function wordsByNumber(): string {
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['Order refusals', orderRefusals],
    ['Activities of a client', clientStatuses],
    ['Presences', presences],
  ]
  return lists
    .map(([title, words]) => {
      const numbered = words.map((word, index) => `${index} ${code(word)}`)
      return `${title}, by number: ${numbered.join(' · ')}.`
    })
    .join('\n\n')
}

/** Every block with what makes it from the one that is there. */
const blocks: ReadonlyMap<string, (old: string) => string> = new Map([
  ...(Object.keys(messageTypes) as MessageName[]).map(
    (name) => [`fields of ${name}`, (old: string) => messageBlock(name, old)] as const,
  ),
  ...Object.entries(structs).map(
    ([name, type]) => [`fields of ${name}`, (old: string) => fieldsTable(type, old)] as const,
  ),
  ['actions', actionsTable],
  ['close reasons', closeTable],
  ['words by number', wordsByNumber],
  ['limits', limitsTable],
  ['golden bytes', goldenTable],
])

/** The page with all its blocks as the code has them. A page that is up to date stays as it is. */
export function renderProtocolPage(page: string): string {
  let result = page
  for (const [name, make] of blocks) result = putBlock(result, name, make(readBlock(result, name)))
  return result
}
