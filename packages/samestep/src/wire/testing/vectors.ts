/**
 * Golden bytes of the protocol: what each message looked like when it was fixed. The file is for other
 * implementations too, so it holds plain JSON: bytes are hexadecimal, slots are numbers.
 */
import { BitReader } from '../../base/bit-reader.ts'
import { BitWriter } from '../../base/bit-writer.ts'
import type { SystemEvent } from '../../sim/game/run/bundle.ts'
import { fromHex, toHex } from '../../sim/hash/hex.ts'
import type { Json, StructField } from '../../sim/schema/index.ts'
import type { ClientActivity } from '../codes.ts'
import {
  decodeMessage,
  encodeMessage,
  type MessageName,
  messageTypes,
} from '../messages/messages.ts'
import { BundleCodec } from '../ticks/bundle-codec.ts'
import {
  readClientTurn,
  type TurnContext,
  turnSlotsMax,
  writeClientTurn,
} from '../ticks/client-turn.ts'
import type { InputLayout } from '../ticks/input-layout.ts'
import {
  type RelayControl,
  readRelayBundles,
  writeBundlePart,
  writeRelayBundles,
} from '../ticks/relay-bundles.ts'
import { SlotDelta } from '../ticks/slot-delta.ts'
import type { TurnHash } from '../ticks/turn-hash.ts'

/** A control message and its bytes. */
export type MessageVector = {
  readonly title: string
  readonly message: MessageName
  readonly body: Json
  readonly hex: string
}

/** One seat's input as a difference, aligned to whole bytes. */
export type DeltaVector = {
  readonly title: string
  readonly layout: InputLayout
  readonly previous: readonly number[]
  readonly slots: readonly number[]
  readonly hex: string
}

/** An order as JSON. */
export type OrderVector = { readonly seat: number; readonly number: number; readonly hex: string }

/** One sealed tick; rows of slots are by seat. */
export type BundleVector = {
  readonly title: string
  readonly seatCount: number
  readonly layout: InputLayout
  readonly previous: readonly (readonly number[])[]
  readonly inputs: readonly (readonly number[])[]
  readonly missing: readonly number[]
  readonly orders: readonly OrderVector[]
  /** `seat` is null where nobody in particular asked. */
  readonly events: readonly { readonly [key: string]: Json }[]
  readonly hex: string
}

/** A message of ticks, with the tick that its receiver expects. */
export type BundlesVector = {
  readonly title: string
  readonly nearTick: number
  readonly firstTick: number
  /** Whether the message says the whole number of its tick, as parts always do. */
  readonly isExact?: boolean
  readonly control: RelayControl | null
  /** Whole bundles; or one, of which the message holds `part`. */
  readonly bundles: readonly string[]
  readonly part: { readonly start: number; readonly end: number } | null
  readonly hex: string
}

/** A client's turn, with where its receiver thinks it is. */
export type TurnVector = {
  readonly title: string
  readonly layout: InputLayout
  readonly near: TurnContext
  readonly received: number
  readonly controlSeen: number
  readonly report: {
    readonly stamp: number
    readonly rttMs: number
    readonly activity: ClientActivity
    readonly loadPercent: number
    readonly token: number | null
  } | null
  readonly heldMs: number
  readonly hash: TurnHash | null
  readonly firstInputTick: number
  readonly inputs: readonly (readonly number[])[]
  readonly firstOrderNumber: number
  readonly orders: readonly string[]
  readonly hex: string
}

/** Everything in the file. */
export type WireVectors = {
  readonly messages: readonly MessageVector[]
  readonly deltas: readonly DeltaVector[]
  readonly bundles: readonly BundleVector[]
  readonly relayBundles: readonly BundlesVector[]
  readonly clientTurns: readonly TurnVector[]
}

/** A vector whose bytes are still to be made. */
export type WithoutHex<V> = Omit<V, 'hex'>

function fieldsOf(name: MessageName): StructField<object> {
  return messageTypes[name].fields as unknown as StructField<object>
}

/** The bytes of a control message given as JSON. */
export function encodeMessageVector({ message, body }: WithoutHex<MessageVector>): Uint8Array {
  return encodeMessage(message, fieldsOf(message).fromJson(body, message) as never)
}

/** A control message as JSON. */
export function decodeMessageVector(bytes: Uint8Array): { message: MessageName; body: Json } {
  const { name, body } = decodeMessage(bytes)
  return { message: name, body: fieldsOf(name).toJson(body) }
}

/** The bytes of a difference, the last one filled with zero bits. */
export function encodeDeltaVector(vector: WithoutHex<DeltaVector>): Uint8Array {
  const delta = new SlotDelta(vector.layout)
  const [previous, slots] = [Uint32Array.from(vector.previous), Uint32Array.from(vector.slots)]
  const out = new BitWriter()
  delta.write(out, delta.changedMask(previous, 0, slots, 0), previous, 0, slots, 0)
  return out.finish()
}

/** The slots after a difference. */
export function decodeDeltaVector(vector: WithoutHex<DeltaVector>, bytes: Uint8Array): number[] {
  const slots = new Uint32Array(vector.layout.length)
  const input = new BitReader(bytes)
  new SlotDelta(vector.layout).read(input, Uint32Array.from(vector.previous), 0, slots, 0)
  input.end()
  return [...slots]
}

/** The bytes of a bundle. */
export function encodeBundleVector(vector: WithoutHex<BundleVector>): Uint8Array {
  const codec = new BundleCodec(vector.seatCount, vector.layout)
  const orders = vector.orders.map(({ seat, number, hex }) => ({
    seat,
    number,
    bytes: fromHex(hex),
  }))
  const events = vector.events.map(
    (event) =>
      ({
        ...event,
        ...(event.seat === null ? { seat: undefined } : {}),
        ...(event.member === null ? { member: undefined } : {}),
      }) as SystemEvent,
  )
  const missing = new Uint8Array(vector.seatCount)
  for (const seat of vector.missing) missing[seat] = 1
  const out = new BitWriter()
  const [previous, inputs] = [vector.previous, vector.inputs].map((rows) =>
    Uint32Array.from(rows.flat()),
  ) as [Uint32Array, Uint32Array]
  codec.encode(out, { orders, events }, previous, inputs, missing)
  return out.finish()
}

/** What a bundle holds, in the form of a vector. */
export function decodeBundleVector(
  vector: WithoutHex<BundleVector>,
  bytes: Uint8Array,
): Pick<BundleVector, 'inputs' | 'missing' | 'orders' | 'events'> {
  const codec = new BundleCodec(vector.seatCount, vector.layout)
  const { slotCount } = codec.delta
  const slots = Uint32Array.from(vector.previous.flat())
  const missing = new Uint8Array(vector.seatCount)
  const input = new BitReader(bytes)
  const { orders, events } = codec.decode(input, slots, missing)
  input.end()
  return {
    inputs: Array.from({ length: vector.seatCount }, (_, seat) => [
      ...slots.subarray(seat * slotCount, (seat + 1) * slotCount),
    ]),
    missing: [...missing.keys()].filter((seat) => missing[seat] === 1),
    orders: orders.map(({ seat, number, bytes: order }) => ({ seat, number, hex: toHex(order) })),
    events: events.map((event) => {
      if (event.type === 'hand-over') return { ...event, member: event.member ?? null }
      return 'seat' in event ? { ...event, seat: event.seat ?? null } : { ...event }
    }),
  }
}

/** The bytes of a message of ticks. */
export function encodeBundlesVector(vector: WithoutHex<BundlesVector>): Uint8Array {
  const bundles = vector.bundles.map(fromHex)
  const control = vector.control ?? undefined
  const out = new BitWriter()
  if (vector.part === null) {
    const { firstTick } = vector
    const bundleAt = (tick: number): Uint8Array => bundles[tick - firstTick] as Uint8Array
    writeRelayBundles(out, firstTick, bundles.length, bundleAt, control, vector.isExact ?? false)
  } else {
    const { start, end } = vector.part
    writeBundlePart(out, vector.firstTick, bundles[0] as Uint8Array, start, end, control)
  }
  return out.finish()
}

/** What a message of ticks holds, in the form of a vector; bundles are what the message has of them. */
export function decodeBundlesVector(bytes: Uint8Array, nearTick: number) {
  const { firstTick, control, bundles, part } = readRelayBundles(bytes, nearTick)
  return { firstTick, control: control ?? null, bundles: bundles.map(toHex), part: part ?? null }
}

/** The bytes of a turn. */
export function encodeTurnVector(vector: WithoutHex<TurnVector>): Uint8Array {
  const out = new BitWriter()
  writeClientTurn(out, new SlotDelta(vector.layout), {
    ...vector,
    report: vector.report
      ? { ...vector.report, token: vector.report.token ?? undefined }
      : undefined,
    hash: vector.hash ?? undefined,
    inputs: Uint32Array.from(vector.inputs.flat()),
    inputCount: vector.inputs.length,
    orders: vector.orders.map(fromHex),
  })
  return out.finish()
}

/** What a turn holds, in the form of a vector. */
export function decodeTurnVector(vector: WithoutHex<TurnVector>, bytes: Uint8Array) {
  const delta = new SlotDelta(vector.layout)
  const { slotCount } = delta
  const scratch = new Uint32Array(turnSlotsMax(delta))
  const turn = readClientTurn(bytes, delta, vector.near, scratch)
  return {
    received: turn.received,
    controlSeen: turn.controlSeen,
    report: turn.report ? { ...turn.report, token: turn.report.token ?? null } : null,
    heldMs: turn.heldMs,
    hash: turn.hash ?? null,
    firstInputTick: turn.firstInputTick,
    inputs: Array.from({ length: turn.inputCount }, (_, index) => [
      ...scratch.subarray(index * slotCount, (index + 1) * slotCount),
    ]),
    firstOrderNumber: turn.firstOrderNumber,
    orders: turn.orders.map(toHex),
  }
}
