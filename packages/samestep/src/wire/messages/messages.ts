import { assert } from '../../base/assert.ts'
import { BitReader } from '../../base/bit-reader.ts'
import { BitWriter } from '../../base/bit-writer.ts'
import { WireError } from '../../base/errors.ts'
import { orderBytesMax, seatsMax } from '../../sim/limits.ts'
import type { StructField } from '../../sim/schema/index.ts'
import {
  bool,
  bytes,
  i16,
  list,
  oneOf,
  optional,
  range,
  seat,
  struct,
  text,
  u16,
  u32,
} from '../../sim/schema/index.ts'
import { clientStatuses, closeReasons, roles } from '../codes.ts'
import {
  botOrdersMax,
  debugLevelMax,
  inputAheadTicksMax,
  inputSlotsMax,
  matchNameBytesMax,
  playerNameBytesMax,
  speedPercentMax,
  ticksPerPacketMax,
  tokenBytesMax,
} from '../limits.ts'
import { loadCodeMax } from '../ticks/load-code.ts'
import { desyncMessages } from './desync-messages.ts'
import { doorFields } from './doors.ts'
import { matchConfig } from './match-config.ts'
import { recoveryMessages } from './recovery.ts'
import { nonceBytes, proofFields, secretBytes, ticketBytes } from './return-proof.ts'
import { roomMessages } from './room-messages.ts'
import { softwareFields } from './software.ts'
import { stateMessages } from './state-transfer.ts'

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

/** How one seat fares. */
const seatStats = struct({
  seat,
  /** Round trip and its variation, as the relay measures them; 65 535 when unknown. */
  rttMs: u16,
  jitterMs: u16,
  lossPercent: range(0, 100),
  /** The smallest margin of its inputs lately; negative when late, -32 768 when unknown. */
  marginMs: i16,
  loadPercent: range(0, loadCodeMax),
  /** Ticks between the newest sealed and the newest that it says it executed. */
  behindTicks: u16,
  /** Orders from arriving to being sealed: median and 95th percentile of the last ones. */
  orderWaitMs: u16,
  orderWaitP95Ms: u16,
  /** How many ticks wait for each other in packets to it: 1 unless its link is too narrow. */
  ticksPerPacket: range(1, ticksPerPacketMax),
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
      role: oneOf(roles),
      config: matchConfig,
      /** What `RelaySeated` gave, to go on with a session whose link was lost. */
      ticket: optional(bytes(ticketBytes)),
      /** What later returns are proved with; only in the first join (T-68). */
      secret: optional(bytes(secretBytes)),
      /** The first tick that the client does not have. */
      nextTick: u32,
      /** What whoever decides about joins wants to see: a signed token, a password. */
      token: optional(text(tokenBytesMax)),
      /** What it runs on, for operators; it decides nothing. */
      software: optional(softwareFields),
    }),
  },
  /** The client is in. */
  RelaySeated: {
    number: 5,
    fields: struct({
      matchId: text(64),
      ticket: bytes(ticketBytes),
      /** Who the receiver is in `RelayRoom`. */
      member: u32,
      seat: optional(seat),
      /** From which tick on the receiver has this seat, or none; 0 for the seat that it began with. */
      seatTick: u32,
      seed: text(32),
      /** Whether the match has begun to load, or runs: then `config` has its final options. */
      isLaunched: bool,
      /** Whether the match runs for too long to be run from its beginning: its state follows. */
      isStateComing: bool,
      config: matchConfig,
      /** The next order number that the relay expects of this seat. */
      orderNumber: u32,
      /** The newest sealed tick; 0 before the match starts. */
      sealedTick: u32,
      /** The last tick that is as it was, where the match was lost and rebuilt since; see `recovery.ts`. */
      rebuiltTick: optional(u32),
    }),
  },
  /** The client goes, for good. */
  ClientLeave: { number: 6, fields: struct({ reason: text(64) }) },
  /** The session is over; with `moved`, only what is said over this link. */
  RelayClose: {
    number: 7,
    fields: struct({ reason: oneOf(closeReasons as [string, ...string[]]), message: text(200) }),
  },
  // 8 was a notice of how many had come; what it said is in RelayRoom.
  ...roomMessages,
  // 15 told of one bot; RelayBots tells of all that moved.
  /** Orders of a bot that thinks at the sender. */
  ClientBotOrders: {
    number: 16,
    fields: struct({
      seat,
      turn: u32,
      firstNumber: u32,
      orders: list(bytes(orderBytesMax), botOrdersMax),
    }),
  },
  /** What a bot that thinks at the sender holds from now on. */
  ClientBotInput: {
    number: 41,
    fields: struct({ seat, turn: u32, slots: list(u32, inputSlotsMax) }),
  },
  /** How everybody fares, once per second. */
  RelayStats: {
    number: 17,
    fields: struct({
      inputDelay: range(0, inputAheadTicksMax - 1),
      requestedPercent: range(0, speedPercentMax),
      effectivePercent: range(0, speedPercentMax),
      /** The newest tick on which several seats agreed and none differed, and ticks with differences. */
      comparedTick: u32,
      mismatches: u16,
      seats: list(seatStats, seatsMax),
    }),
  },
  /** A sign of life of a client that has nothing else to say. */
  ClientHere: { number: 18, fields: struct({ activity: oneOf(clientStatuses) }) },
  /** Where the bots of some seats think now, and which of their orders comes next. */
  RelayBots: {
    number: 19,
    fields: struct({
      bots: list(struct({ seat, runner: optional(u32), turn: u32, nextOrder: u32 }), seatsMax),
    }),
  },
  /** Machines that ran the same ticks have different states. */
  RelayDesync: {
    number: 20,
    fields: struct({
      /** A tick on which they differ, and the newest one before it on which they are known to agree. */
      tick: u32,
      agreedTick: optional(u32),
      /** The seats by what they report. Who is in none was not heard. */
      groups: list(list(seat, seatsMax), seatsMax),
      /** The seats that a strict majority differs from; empty when there is none. */
      culprits: list(seat, seatsMax),
      /** It is the receiver, who only watches, that differs from all of them. */
      isSpectator: bool,
    }),
  },
  /** Whoever comes back is asked to prove who it is. */
  RelayChallenge: { number: 21, fields: struct({ nonce: bytes(nonceBytes) }) },
  /** The answer: see `return-proof.ts`. */
  ClientProof: { number: 22, fields: proofFields },
  /** By which other ways the session can be carried. Nothing is said where there are none. */
  RelayDoors: { number: 23, fields: doorFields },
  ...stateMessages,
  ...desyncMessages,
  ...recoveryMessages,
  /** How closely clients should look at their own ticks. A wish: each client's options decide. */
  RelayDebug: { number: 56, fields: struct({ level: range(0, debugLevelMax) }) },
} as const

export { type MatchConfig, type MissingPolicy, matchConfig } from './match-config.ts'

/** The name of a control message. */
export type MessageName = keyof typeof messageTypes

/** What a message carries. */
export type MessageBody<N extends MessageName> =
  (typeof messageTypes)[N]['fields'] extends StructField<infer T> ? T : never

/** A decoded control message. */
export type Message = {
  [N in MessageName]: { readonly name: N; readonly body: MessageBody<N> }
}[MessageName]

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
