import { utf8Length } from '../base/utf8.ts'
import { toHex } from '../sim/hash/hex.ts'
import type { AnyField } from '../sim/schema/index.ts'
import type { CloseReason } from '../wire/codes.ts'
import { inputBitsTotalMax } from '../wire/limits.ts'
import type { MatchConfig } from '../wire/match-config.ts'
import { gameConfigKeys, matchConfig } from '../wire/match-config.ts'
import type { MessageBody } from '../wire/messages.ts'
import { helloMagic, protocols } from '../wire/messages.ts'
import { checkName } from '../wire/text-form.ts'
import type { BundleLog } from './bundle-log.ts'
import { checkLobbyRules } from './lobby-types.ts'
import type { GameIdentity } from './match-types.ts'
import { checkOrderTable, kindBitsOf } from './order-table.ts'
import { inputBitsMax } from './sealer.ts'

/** Why somebody is not let in: always what differs, and both values (JOIN-13). */
export type Refusal = MessageBody<'RelayRefuse'>

/** Makes a refusal whose sentence names the item that differs. */
export function refusal(reason: CloseReason, item: string, theirs: string, ours: string): Refusal {
  const [yours, mine] = [clip(theirs, valueBytesMax), clip(ours, valueBytesMax)]
  return {
    reason,
    item,
    theirs: yours,
    ours: mine,
    message: `Cannot let you in: your ${item} is ${yours}; it must be ${mine}`,
  }
}

/** Bytes of each value in a refusal: both, the item and the words around them fit its message. */
const valueBytesMax = 56

/** The beginning of a text, in whole characters, that has at most so many bytes in UTF-8. */
export function clip(text: string, bytesMax: number): string {
  let bytes = 0
  let end = 0
  for (const character of text) {
    bytes += utf8Length(character)
    if (bytes > bytesMax) break
    end += character.length
  }
  return text.slice(0, end)
}

/** The protocol to speak with somebody who says hello, or why there is none. */
export function agreeOn(hello: MessageBody<'ClientHello'>): string | Refusal {
  if (hello.magic !== helloMagic) {
    return refusal('bad-message', 'magic', String(hello.magic), String(helloMagic))
  }
  const protocol = hello.protocols.find((name) => protocols.includes(name))
  return protocol ?? refusal('version', 'protocol', hello.protocols.join(' '), protocols.join(' '))
}

/** Compares what everybody in a match must have in common: the game, and what follows from it. */
export function checkSame(
  match: { readonly identity: GameIdentity; readonly config: MatchConfig },
  theirs: GameIdentity,
  config: MatchConfig,
): Refusal | undefined {
  const ours = match.identity
  if (theirs.gameId !== ours.gameId) return refusal('version', 'game', theirs.gameId, ours.gameId)
  if (theirs.gameVersion !== ours.gameVersion) {
    const [yours, mine] = [String(theirs.gameVersion), String(ours.gameVersion)]
    return refusal('version', 'game version', yours, mine)
  }
  const [yours, mine] = [toHex(theirs.fingerprint), toHex(ours.fingerprint)]
  if (yours !== mine) return refusal('version', 'game fingerprint', yours, mine)
  for (const key of gameConfigKeys) {
    const type = matchConfig.members.find(({ name }) => name === key)?.type as AnyField
    if (type.equals(config[key], match.config[key])) continue
    const [wanted, is] = [config[key], match.config[key]].map((value) =>
      JSON.stringify(type.toJson(value)),
    )
    return refusal('version', `match ${key}`, wanted as string, is as string)
  }
  return undefined
}

/** Whether somebody may be called that. */
export function checkPlayerName(name: string): Refusal | undefined {
  const fault = checkName(name)
  if (fault === undefined) return undefined
  return refusal('bad-message', 'name', fault, 'short, visible and in normal form')
}

/** Whether a match can be made as asked. */
export function checkConfig(config: MatchConfig): Refusal | undefined {
  for (const { bits, initial } of config.inputSlots) {
    if (bits < 32 && initial >>> bits !== 0) {
      return refusal('bad-message', 'initial input', String(initial), `at most ${bits} bits`)
    }
  }
  const { inputDelay, inputDelayMin, inputDelayMax } = config
  if (inputDelay < inputDelayMin || inputDelay > inputDelayMax) {
    const range = `${inputDelayMin} to ${inputDelayMax}`
    return refusal('bad-message', 'input delay', String(inputDelay), range)
  }
  if (inputDelayMin === 0 && config.inputSlots.length > 0) {
    return refusal('bad-message', 'least input delay', '0', '1 or more in a game with inputs')
  }
  const { orderKinds, orderClasses, seats } = config
  const kindBits = kindBitsOf(orderKinds.length)
  const table = { kindBits, kinds: orderKinds, classes: orderClasses }
  const fault =
    checkLobbyRules({ ...config.lobby, seats }) ??
    (orderKinds.length === 0 ? undefined : checkOrderTable(table))
  if (fault !== undefined) return refusal('bad-message', 'config', fault, 'as it says')
  const bits = inputBitsMax(config.seats, config.inputSlots)
  if (bits <= inputBitsTotalMax) return undefined
  return refusal('bad-message', 'input size', `${bits} bits`, `at most ${inputBitsTotalMax} bits`)
}

/** Bytes of a ticket: too many to guess. */
export const ticketBytes = 16

/**
 * Whether a join is about a session that must exist already. A client may bring a ticket of its own
 * making to its first join: should the answer be lost with the link, it finds its seat again by it
 * instead of asking for a second one.
 */
export function isReturning(join: MessageBody<'ClientJoin'>): boolean {
  if (join.ticket === undefined) return false
  // A ticket of another length is nobody's.
  return join.nextTick > 1 || join.ticket.byteLength !== ticketBytes
}

/** The answer to a ticket that no session of the match has. */
const unknownTicket: Refusal = refusal('auth', 'ticket', 'unknown', 'one of this match')

/** The answer to somebody for whom there is no seat, or no place to watch from. */
export function noRoom(role: 'player' | 'spectator', fault: string): Refusal {
  if (fault === 'full') return refusal('match-full', 'role', role, 'of which one is free')
  return {
    reason: 'match-full',
    item: 'role',
    theirs: role,
    ours: fault,
    message: `Cannot let you in: the match takes no ${role} now (${fault})`,
  }
}

/** Whether somebody who comes back can go on where he was; nothing is wrong with who comes first. */
export function checkReturn(
  log: BundleLog,
  isKnown: boolean,
  join: MessageBody<'ClientJoin'>,
): Refusal | undefined {
  if (!isKnown) return isReturning(join) ? unknownTicket : undefined
  if (join.nextTick >= log.firstTick && join.nextTick <= log.sealedTick + 1) return undefined
  const kept = `${log.firstTick} to ${log.sealedTick}`
  return refusal('behind-log', 'next tick', String(join.nextTick), kept)
}
