import { utf8Length } from '../../base/utf8.ts'
import { toHex } from '../../sim/hash/hex.ts'
import { gameIdPattern } from '../../sim/limits.ts'
import type { AnyField } from '../../sim/schema/index.ts'
import type { CloseReason, Role } from '../../wire/codes.ts'
import { inputBitsTotalMax, matchNameBytesMax, nameCodePointsMax } from '../../wire/limits.ts'
import type { ContentList, MatchConfig } from '../../wire/messages/match-config.ts'
import { gameConfigKeys, matchConfig } from '../../wire/messages/match-config.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { helloMagic, protocols } from '../../wire/messages/messages.ts'
import { ticketBytes } from '../../wire/messages/return-proof.ts'
import { isShowable } from '../../wire/messages/software.ts'
import type { TextRefusal } from '../../wire/text-form.ts'
import { checkMatchName, checkName } from '../../wire/text-form.ts'
import { findLayoutFault } from '../../wire/ticks/slot-values.ts'
import type { GameIdentity } from '../match/match-types.ts'
import { checkOrderTable } from '../match/orders/order-table.ts'
import type { KickedList, KickMarks } from '../match/people/kicked-list.ts'
import type { BundleLog } from '../match/ticks/bundle-log.ts'
import { inputBitsMax } from '../match/ticks/sealer.ts'
import { contentDifferences, contentListFault, describeDifferences } from './content-check.ts'

/** Why a client is not let in: always names what differs, and both values (JOIN-13). */
export type Refusal = MessageBody<'RelayRefuse'>

/**
 * Makes a refusal. Its message names the item that differs and both values, or says `why` where these
 * would make no good sentence.
 */
export function refusal(
  reason: CloseReason,
  item: string,
  theirs: string,
  ours: string,
  why?: string,
): Refusal {
  const [yours, mine] = [clip(theirs, valueBytesMax), clip(ours, valueBytesMax)]
  return {
    reason,
    item,
    theirs: yours,
    ours: mine,
    message: clip(
      `Cannot let you in: ${why ?? `your ${item} is ${yours}; it must be ${mine}`}`,
      200,
    ),
  }
}

/**
 * Bytes of each value in a refusal: both values, the item and the words around them fit its message.
 */
const valueBytesMax = 56

/** The start of a text, in whole characters, with at most `bytesMax` bytes in UTF-8. */
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

/** The protocol to speak with a client, or why there is none. */
export function agreeOn(hello: MessageBody<'ClientHello'>): string | Refusal {
  if (hello.magic !== helloMagic) {
    return refusal('bad-message', 'magic', String(hello.magic), String(helloMagic))
  }
  // The id is shown to other clients that ask for the same match, and written to logs.
  if (!gameIdPattern.test(hello.gameId)) {
    const allowed = 'lower-case letters, digits and hyphens'
    const why = `the id of your game is none: write it in ${allowed}`
    return refusal('bad-message', 'game id', 'not a game id', allowed, why)
  }
  const protocol = hello.protocols.find((name) => protocols.includes(name))
  return protocol ?? refusal('version', 'protocol', hello.protocols.join(' '), protocols.join(' '))
}

/** Checks what a client says about its game and its ticks when it joins a match or returns to it. */
export function checkJoin(
  match: { readonly identity: GameIdentity; readonly config: MatchConfig; readonly log: BundleLog },
  theirs: GameIdentity,
  isKnown: boolean,
  join: MessageBody<'ClientJoin'>,
): Refusal | undefined {
  return checkSame(match, theirs, join.config) ?? checkReturn(match.log, isKnown, join)
}

/** Compares what all members of a match must share: the game, and what follows from it. */
function checkSame(
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
  const contentFault = checkFiles(config.content, match.config.content)
  if (contentFault !== undefined) return contentFault
  const [yours, mine] = [toHex(theirs.fingerprint), toHex(ours.fingerprint)]
  if (yours !== mine) {
    const why = `your game is not the one of this match, though both say version ${ours.gameVersion}: build all from one source (${yours.slice(0, 8)} and ${mine.slice(0, 8)})`
    return refusal('version', 'game fingerprint', yours, mine, why)
  }
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

/**
 * Checked before the fingerprints: they cover the files of a game, but cannot say which one differs.
 */
function checkFiles(theirs: ContentList, ours: ContentList): Refusal | undefined {
  const differences = contentDifferences(theirs, ours)
  const [first] = differences
  // File names are shown and logged, so a list with names that no file can have is refused first.
  const fault = first && contentListFault(theirs)
  if (fault !== undefined) return refusal('bad-message', 'content', fault, 'a list of files')
  if (first === undefined) return undefined
  const why = `your files are not those of this match: ${describeDifferences(differences, 130, utf8Length)}`
  const [yours, mine] = [`${first.theirs} ${first.name}`, `${first.ours} ${first.name}`]
  return refusal('version', 'content', yours, mine, why)
}

/** Checks the names of the player and the match, and the software, before any of them is shown. */
export function checkNames(join: MessageBody<'ClientJoin'>): Refusal | undefined {
  const { match, name, software } = join
  const limit = `${nameCodePointsMax} characters`
  const fault = checkMatch(match) ?? nameRefusal('name', checkName(name), limit)
  if (fault !== undefined || software === undefined || isShowable(software)) return fault
  return refusal('bad-message', 'software', 'not text', 'short and visible')
}

/** Checks the name of a match. */
export function checkMatch(name: string): Refusal | undefined {
  return nameRefusal('match name', checkMatchName(name), `${matchNameBytesMax} bytes`)
}

function nameRefusal(
  item: string,
  fault: TextRefusal | undefined,
  limit: string,
): Refusal | undefined {
  if (fault === undefined) return undefined
  const what = fault === 'too-long' ? `has more than ${limit}` : textFaults[fault]
  return refusal('bad-message', item, fault, 'short and visible', `your ${item} ${what}`)
}

/** What is wrong with a name, to follow the words "your name". */
const textFaults: { readonly [F in Exclude<TextRefusal, 'too-long'>]: string } = {
  empty: 'is empty, or has nothing that can be seen',
  control: 'has a control character or a line break in it',
  direction: 'has a character in it that turns the direction of writing around',
  'no-character': 'contains an invalid character',
  invisible: 'has an invisible character in it',
  spacing: 'begins or ends with a space, or has several in a row',
  'not-normal': 'is not in the composed form of Unicode (NFC)',
}

/** Whether a match can be created as requested. */
export function checkConfig(config: MatchConfig): Refusal | undefined {
  const layoutFault = findLayoutFault(config.inputSlots)
  if (layoutFault !== undefined) {
    const why = `the inputs of your game are impossible: ${layoutFault}`
    return refusal('bad-message', 'input layout', layoutFault, 'one that some input has', why)
  }
  const contentFault = contentListFault(config.content)
  if (contentFault !== undefined) {
    return refusal('bad-message', 'content', contentFault, 'a list of files')
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
  const table = { kinds: orderKinds, classes: orderClasses }
  const { playersMin } = config.lobby
  const isTooMany = playersMin > seats
  const fault =
    (isTooMany ? `playersMin is ${playersMin}; it must be 1 to ${seats}` : undefined) ??
    (orderKinds.length === 0 ? undefined : checkOrderTable(table))
  if (fault !== undefined)
    return refusal('bad-message', 'config', fault, 'possible', `the match is impossible: ${fault}`)
  const bits = inputBitsMax(config.seats, config.inputSlots)
  if (bits <= inputBitsTotalMax) return undefined
  return refusal('bad-message', 'input size', `${bits} bits`, `at most ${inputBitsTotalMax} bits`)
}

/**
 * Whether a join claims a session that must exist already. A client may make up a ticket for its
 * first join: if the answer is lost with the link, the ticket leads it back to its seat instead of to
 * a second one.
 */
export function isReturning(join: Pick<MessageBody<'ClientJoin'>, 'ticket' | 'nextTick'>): boolean {
  if (join.ticket === undefined) return false
  // No session has a ticket of another length.
  return join.nextTick > 1 || join.ticket.byteLength !== ticketBytes
}

/** The answers to a wrong proof, and to too many of them. */
export const wrongProof: Refusal = refusal(
  'auth',
  'proof',
  'wrong',
  'that of whoever first joined',
  'you could not prove that this seat is yours',
)
export const tooManyProofs: Refusal = refusal(
  'auth',
  'proofs',
  'wrong too often',
  'right',
  'too many wrong proofs came from your address; try again later',
)

/** The answer to a join for a match that has ended or never existed. */
export function noMatch(name: string): Refusal {
  const why = `the match '${name}' no longer exists: it has ended, or the relay was restarted`
  return refusal('no-match', 'match', name, 'one that is here', why)
}

/** The answer if authorization refuses a client; the sentence is the operator's. */
export function notAuthorized(sentence: string): Refusal {
  const message = clip(`Cannot let you in: ${sentence}`, 200)
  return { reason: 'auth', item: 'token', theirs: 'refused', ours: 'accepted', message }
}

/** Who may be a witness: any client that asks, only clients authorized as one, or nobody. */
export type WitnessRule = 'anyone' | 'token' | 'nobody'

/**
 * Whether a client may join as a witness, which sees everything without delay and whose word may
 * decide. A witness cannot create a match: its config is for the players to choose.
 */
export function checkWitness(
  rule: WitnessRule,
  asked: Role,
  granted: Role | undefined,
  name: string,
  exists: boolean,
): Refusal | undefined {
  if ((granted ?? asked) !== 'witness') return undefined
  if (rule === 'nobody' || (rule === 'token' && granted !== 'witness')) {
    const why =
      rule === 'nobody'
        ? 'this relay admits no witnesses'
        : 'a witness needs permission: a token with the role witness, or --witnesses anyone at the relay'
    return refusal('auth', 'role', 'witness', 'player or spectator', why)
  }
  return exists ? undefined : noMatch(name)
}

/** Whether a client was removed from the match; that lasts as long as the match does. */
export function checkKicked(
  match: { readonly kicked: KickedList } | undefined,
  marks: Partial<KickMarks>,
): Refusal | undefined {
  const { ticket, identity, address } = marks
  if (match?.kicked.has({ ticket, identity, address }) !== true) return undefined
  return {
    reason: 'reconnect-budget',
    item: 'membership',
    theirs: 'ended',
    ours: 'not ended by a kick',
    message: 'Cannot let you in: you were removed from this match',
  }
}

/** The answer to a client that reconnects too often (T-67). */
export const tooManyReturns: Refusal = {
  reason: 'reconnect-budget',
  item: 'returns',
  theirs: 'too many',
  ours: 'at most 20 at once and 5 per minute',
  message:
    'Cannot let you in: your connection broke too often; at most 20 times at once, and 5 times per minute',
}

/** The answer to a client that changes links too often; the link that it has goes on. */
export const tooManyMoves: Refusal = {
  reason: 'rate',
  item: 'moves',
  theirs: 'too many',
  ours: 'at most 6 at once and 6 per minute',
  message:
    'Cannot let you in: your client changed its connection too often; at most 6 times at once, and 6 times per minute',
}

/** The answer to a ticket that no session of the match has. */
const unknownTicket: Refusal = refusal(
  'auth',
  'ticket',
  'unknown',
  'one of this match',
  'your ticket is not valid for this match',
)

/** The answer if no seat, or no place to watch from, is free. */
export function noRoom(role: Role, fault: string): Refusal {
  return refusal('match-full', 'role', role, fault, noRoomWords[fault]?.(role))
}

/** Why there is no room for a role, by the fault that the lobby gave. */
const noRoomWords: { readonly [fault: string]: (role: string) => string } = {
  full: (role) =>
    role === 'player'
      ? 'every seat of the match is taken'
      : role === 'witness'
        ? 'the match has as many witnesses as it may'
        : 'the match has as many spectators as it may',
  closed: (role) => `the match is running and accepts no more ${role}s`,
  starting: () => 'the match is just starting; try again when it runs',
  'wrong-phase': () => 'the match has ended',
}

/** Whether a returning client can continue where it was. First joins always pass. */
export function checkReturn(
  log: BundleLog,
  isKnown: boolean,
  join: Pick<MessageBody<'ClientJoin'>, 'ticket' | 'nextTick'>,
): Refusal | undefined {
  if (!isKnown) return isReturning(join) ? unknownTicket : undefined
  // A client that lacks more than the log holds gets a state instead.
  const next = log.sealedTick + 1
  if (join.nextTick >= 1 && join.nextTick <= next) return undefined
  const why = `you ask for tick ${join.nextTick}, but the next tick of the match is ${next}`
  return refusal('behind-log', 'next tick', String(join.nextTick), `1 to ${next}`, why)
}
