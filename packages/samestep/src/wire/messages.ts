import { assert } from '../base/assert.ts'
import { BitReader } from '../base/bit-reader.ts'
import { BitWriter } from '../base/bit-writer.ts'
import { WireError } from '../base/errors.ts'
import { seatsMax } from '../sim/limits.ts'
import type { StructField } from '../sim/schema/index.ts'
import {
  bool,
  bytes,
  list,
  oneOf,
  optional,
  range,
  seat,
  struct,
  text,
  u32,
} from '../sim/schema/index.ts'
import { closeReasons } from './codes.ts'
import { inputSlotsMax, matchNameBytesMax, optionsBytesMax, playerNameBytesMax } from './limits.ts'

/**
 * Every control message, in one place. A message is one byte for its kind and the fields of its
 * schema, bit-packed; `docs/protocol.md` is checked against this file. Messages of running ticks have
 * codecs of their own: `relay-bundles.ts`, `client-turn.ts`.
 *
 * `ClientHello` and `RelayRefuse` are read before both sides agreed on a protocol. Their layout is
 * frozen for ever, so that any future version can still say why it refuses.
 */

/** The protocols that this library speaks, best first. */
export const protocols: readonly string[] = ['samestep/1']

/** The four bytes behind the kind of the first message that a client ever sends: "SSTP". */
export const helloMagic = 0x5054_5353

const missingPolicy = struct({
  kind: oneOf(['idle', 'repeat', 'wait']),
  /** How long `wait` waits. */
  waitMs: range(0, 10_000),
})

const inputSlot = struct({ bits: range(1, 32), initial: u32, isOneShot: bool })

/** What a match is made with, by whoever asks for it first. */
export const matchConfig = struct({
  seats: range(1, seatsMax),
  tickRate: range(1, 240),
  inputDelay: range(0, 63),
  missing: missingPolicy,
  inputSlots: list(inputSlot, inputSlotsMax),
  options: bytes(optionsBytesMax),
})

/** Binds the number, the name and the fields of every message. Numbers are never reused. */
export const messageTypes = {
  /** A client's first words. Frozen. */
  ClientHello: {
    number: 1,
    fields: struct({
      magic: u32,
      /** Protocols that the client speaks, best first. */
      protocols: list(text(32), 8),
      gameId: text(63),
      gameVersion: u32,
      fingerprint: bytes(32),
    }),
  },
  /** Why the relay will not talk. The link is closed after it. Frozen. */
  RelayRefuse: {
    number: 2,
    fields: struct({
      /** A word for programs, such as `version`. */
      reason: text(32),
      /** What differs, such as `game version`, and both values. */
      item: text(32),
      theirs: text(80),
      ours: text(80),
      message: text(200),
    }),
  },
  /** The protocol that both will speak from here on. */
  RelayWelcome: { number: 3, fields: struct({ protocol: text(32) }) },
  /** Asks for a seat, or for the seat that the ticket stands for. */
  ClientJoin: {
    number: 4,
    fields: struct({
      match: text(matchNameBytesMax),
      name: text(playerNameBytesMax),
      role: oneOf(['player', 'spectator']),
      config: matchConfig,
      /** What `RelaySeated` gave, to go on with a session whose link was lost. */
      ticket: optional(bytes(16)),
      /** The first tick that the client does not have. */
      nextTick: u32,
    }),
  },
  /** The client is in. */
  RelaySeated: {
    number: 5,
    fields: struct({
      matchId: text(64),
      ticket: bytes(16),
      seat: optional(seat),
      seed: text(32),
      config: matchConfig,
      /** The next order number that the relay expects of this seat. */
      orderNumber: u32,
      /** The newest sealed tick; 0 before the match starts. */
      sealedTick: u32,
    }),
  },
  /** The client goes, for good. */
  ClientLeave: { number: 6, fields: struct({ reason: text(64) }) },
  /** The session is over. */
  RelayClose: {
    number: 7,
    fields: struct({ reason: oneOf(closeReasons as [string, ...string[]]), message: text(200) }),
  },
  /** How far the match is from its beginning; also the sign of life while nothing else is sent. */
  RelayGathering: {
    number: 8,
    fields: struct({ takenSeats: range(0, seatsMax), seats: range(1, seatsMax) }),
  },
} as const

/** The name of a control message. */
export type MessageName = keyof typeof messageTypes

/** What a message carries. */
export type MessageBody<N extends MessageName> =
  (typeof messageTypes)[N]['fields'] extends StructField<infer T> ? T : never

/** A decoded control message. */
export type Message = {
  [N in MessageName]: { readonly name: N; readonly body: MessageBody<N> }
}[MessageName]

/** What a match is made with. */
export type MatchConfig = typeof matchConfig extends StructField<infer T> ? T : never

/** What happens to a seat whose input is not there when its tick is sealed. */
export type MissingPolicy = MatchConfig['missing']

type AnyStruct = StructField<object>

const byNumber = new Map<number, { readonly name: MessageName; readonly fields: AnyStruct }>(
  Object.entries(messageTypes).map(([name, { number, fields }]) => [
    number,
    { name: name as MessageName, fields: fields as unknown as AnyStruct },
  ]),
)

/** The most bytes that a message of one kind can have. */
export function messageBytesMax(name: MessageName): number {
  return 1 + Math.ceil(messageTypes[name].fields.bitsMax / 8)
}

const writer = new BitWriter(256)
const reader = new BitReader()

/** The bytes of a message. Our own values: a bad one is a bug. */
export function encodeMessage<N extends MessageName>(name: N, body: MessageBody<N>): Uint8Array {
  const type = messageTypes[name]
  const fields = type.fields as unknown as AnyStruct
  assert(fields.accepts(body), `A ${name} that does not fit its own fields`)
  writer.reset()
  writer.bits(type.number, 8)
  fields.write(writer, body)
  return writer.finish()
}

/**
 * Reads a control message.
 *
 * @throws WireError for anything but the canonical bytes of one.
 */
export function decodeMessage(bytes: Uint8Array): Message {
  reader.reset(bytes)
  const number = reader.bits(8)
  const type = byNumber.get(number)
  if (type === undefined) {
    throw new WireError('SS_WIRE_UNKNOWN', 0, `Cannot accept a message of kind ${number}`)
  }
  if (bytes.byteLength > messageBytesMax(type.name)) {
    throw new WireError(
      'SS_WIRE_TOO_LARGE',
      0,
      `Cannot accept a ${type.name} of ${bytes.byteLength} bytes`,
    )
  }
  const body = type.fields.read(reader)
  reader.end()
  return { name: type.name, body } as Message
}
