import { BitReader } from '../../base/bit-reader.ts'
import type { BitWriter } from '../../base/bit-writer.ts'
import { orderBytesMax } from '../../sim/limits.ts'
import type { ClientActivity } from '../codes.ts'
import { clientStatuses } from '../codes.ts'
import { inputsPerTurnMax, outboxOrdersMax, receivedBits } from '../limits.ts'
import { decodeLoad, encodeLoad } from './load-code.ts'
import type { SlotDelta } from './slot-delta.ts'
import type { TurnHash } from './turn-hash.ts'
import { readTurnHash, writeTurnHash } from './turn-hash.ts'

/**
 * `ClientTurn`: what a client sends in each tick, and at once when an order is issued.
 *
 *     byte 0    0 1 0 0 r h i o: report, hash, inputs, orders follow
 *     bytes 1-2 the newest tick received without a gap, its low 16 bits
 *     byte 3    the version of the relay's control block that was seen last
 *     report    u16 the client's own clock in ms, echoed by the relay; u16 the round trip as it knows
 *               it; 3 bits what it is busy with; u8 its load, by {@link encodeLoad}; a bit whether
 *               the relay's token follows, u32
 *     hash      11 bits how many received ticks are not executed yet; 5 bits how many low bits of the
 *               executed tick are cleared in the tick of the hash; 64 bits chained sync hash: see
 *               {@link TurnHash}
 *     inputs    u16 tick of the last one, its low bits; u8 for how many ms the last was held back;
 *               u8 number of them less one; each a bit whether it differs from the one before it and,
 *               if so, its {@link SlotDelta}. The first is relative to the initial input: a turn stands
 *               on its own.
 *     orders    u16 number of the first one, its low bits; 6 bits number of them less one; each
 *               11 bits length, bytes
 */
export interface ClientTurn {
  readonly received: number
  readonly controlSeen: number
  readonly report: TurnReport | undefined
  readonly hash: TurnHash | undefined
  readonly firstInputTick: number
  /** Slots of consecutive ticks from {@link firstInputTick} on, one after the other. */
  readonly inputs: Uint32Array
  readonly inputCount: number
  /** For how many ms sampling the last of them was delayed, at most {@link heldMsMax}. */
  readonly heldMs: number
  readonly firstOrderNumber: number
  readonly orders: readonly Uint8Array[]
}

/** What a client reports about itself now and then. */
export interface TurnReport {
  /** Its own clock, low 16 bits of ms. */
  readonly stamp: number
  /** The round trip to the relay as the client measured it; 65 535 when it does not know. */
  readonly rttMs: number
  readonly activity: ClientActivity
  /** Time that ticks and frames take, in percent of the time available. Accurate to 1.6 %. */
  readonly loadPercent: number
  /** The newest token that the relay gave it. */
  readonly token: number | undefined
}

/** The longest hold that a turn can report. */
export const heldMsMax = 255

const turnMark = 0x40
const receivedMask = 2 ** receivedBits - 1
const markMask = 0xf0
const hasOrders = 1
const hasInputs = 2
const hasHash = 4
const hasReport = 8

/** Whether a message is `ClientTurn`, by its first byte. */
export function isClientTurn(bytes: Uint8Array): boolean {
  return ((bytes[0] as number) & markMask) === turnMark
}

/** Appends a turn. */
export function writeClientTurn(out: BitWriter, delta: SlotDelta, turn: ClientTurn): void {
  const { report, hash, inputCount, orders } = turn
  out.bits(
    turnMark |
      (orders.length > 0 ? hasOrders : 0) |
      (inputCount > 0 ? hasInputs : 0) |
      (hash === undefined ? 0 : hasHash) |
      (report === undefined ? 0 : hasReport),
    8,
  )
  out.bits(turn.received & receivedMask, receivedBits)
  out.bits(turn.controlSeen, 8)
  if (report !== undefined) writeReport(out, report)
  if (hash !== undefined) writeTurnHash(out, turn.received, hash)
  if (inputCount > 0) writeInputs(out, delta, turn)
  if (orders.length > 0) writeOrders(out, turn)
  out.align()
}

/** What a reader of turns must know: roughly where the sender is. */
export interface TurnContext {
  /** The newest tick that the client confirmed. */
  readonly nearReceived: number
  readonly nearInputTick: number
  /** The next order number that the relay expects from the client. */
  readonly nearOrderNumber: number
}

const reader = new BitReader()

/**
 * Decodes a turn. `inputs` is scratch space for the slots, and is borrowed by the result, which is
 * valid until the next turn is read.
 *
 * @throws WireError for anything but what {@link writeClientTurn} writes.
 */
export function readClientTurn(
  bytes: Uint8Array,
  delta: SlotDelta,
  context: TurnContext,
  inputs: Uint32Array,
): ClientTurn {
  reader.reset(bytes)
  // Not with readHead, which allocates an object.
  const marks = readMarks(reader)
  const received = readReceived(reader, context.nearReceived)
  const controlSeen = reader.bits(8)
  const report = (marks & hasReport) === 0 ? undefined : readReport(reader)
  const hash = (marks & hasHash) === 0 ? undefined : readTurnHash(reader, received)
  let firstInputTick = 0
  let inputCount = 0
  let heldMs = 0
  if ((marks & hasInputs) !== 0) {
    const last = expand16(reader.bits(16), context.nearInputTick)
    heldMs = reader.bits(8)
    inputCount = readInputCount(reader)
    firstInputTick = checkStart(last - inputCount + 1, 1, 'input of tick')
    readInputs(reader, delta, inputs, inputCount)
  }
  let firstOrderNumber = 0
  let orders: readonly Uint8Array[] = noOrders
  if ((marks & hasOrders) !== 0) {
    const low = reader.bits(16)
    firstOrderNumber = checkStart(expand16(low, context.nearOrderNumber), 0, 'order')
    orders = readOrders(reader)
  }
  reader.end()
  const turn = readTurn
  turn.received = received
  turn.controlSeen = controlSeen
  turn.report = report
  turn.hash = hash
  turn.firstInputTick = firstInputTick
  turn.inputs = inputs
  turn.inputCount = inputCount
  turn.heldMs = heldMs
  turn.firstOrderNumber = firstOrderNumber
  turn.orders = orders
  return turn
}

/** The one object that {@link readClientTurn} returns: relays read one per player and tick. */
const readTurn: { -readonly [K in keyof ClientTurn]: ClientTurn[K] } = {
  received: 0,
  controlSeen: 0,
  report: undefined,
  hash: undefined,
  firstInputTick: 0,
  inputs: new Uint32Array(0),
  inputCount: 0,
  heldMs: 0,
  firstOrderNumber: 0,
  orders: [],
}
const readTurnReport: { -readonly [K in keyof TurnReport]: TurnReport[K] } = {
  stamp: 0,
  rttMs: 0,
  activity: 'active',
  loadPercent: 0,
  token: undefined,
}

/** The start of a turn, up to where a reader must know the match to continue. */
export interface TurnHead {
  readonly hasInputs: boolean
  readonly hasOrders: boolean
  readonly received: number
  readonly controlSeen: number
  readonly report: TurnReport | undefined
  readonly hash: ClientTurn['hash']
}

/**
 * Reads the start of a turn and nothing behind it: for tools that do not know the match, and for
 * turns that arrive late.
 *
 * @throws WireError if it does not begin as {@link writeClientTurn} does.
 */
export function readTurnHead(bytes: Uint8Array, nearReceived: number): TurnHead {
  reader.reset(bytes)
  const { marks, received, controlSeen, report, hash } = readHead(reader, nearReceived)
  const [inputs, orders] = [(marks & hasInputs) !== 0, (marks & hasOrders) !== 0]
  return { hasInputs: inputs, hasOrders: orders, received, controlSeen, report, hash }
}

function readMarks(input: BitReader): number {
  const marks = input.bits(8)
  if ((marks & markMask) === turnMark) return marks
  throw input.fault('SS_WIRE_UNKNOWN', `Cannot accept a head of ${marks}`)
}

function readReceived(input: BitReader, nearReceived: number): number {
  return checkStart(expand16(input.bits(receivedBits), nearReceived), 0, 'tick')
}

function readHead(input: BitReader, nearReceived: number) {
  const marks = readMarks(input)
  const received = readReceived(input, nearReceived)
  const controlSeen = input.bits(8)
  const report = (marks & hasReport) === 0 ? undefined : readReport(input)
  const hash = (marks & hasHash) === 0 ? undefined : readTurnHash(input, received)
  return { marks, received, controlSeen, report, hash }
}

const noOrders: readonly never[] = Object.freeze([])

/**
 * Rejects numbers before the first one: at the start, truncated numbers can expand to negative ones.
 */
function checkStart(number: number, first: number, what: string): number {
  if (number >= first) return number
  throw reader.fault('SS_WIRE_OUT_OF_RANGE', `Cannot accept ${what} ${number}`)
}

/** The number nearest to `near` that has these low 16 bits. */
export function expand16(low: number, near: number): number {
  const ahead = (((low - near) % 65_536) + 65_536) % 65_536
  return ahead < 32_768 ? near + ahead : near + ahead - 65_536
}

function writeInputs(out: BitWriter, delta: SlotDelta, turn: ClientTurn): void {
  const { inputs, inputCount, firstInputTick } = turn
  const { slotCount } = delta
  out.bits((firstInputTick + inputCount - 1) % 65_536, 16)
  out.bits(turn.heldMs, 8)
  out.bits(inputCount - 1, 8)
  delta.writeInitial(baseline(slotCount), 0)
  for (let index = 0; index < inputCount; index++) {
    const at = index * slotCount
    const previous = index === 0 ? baseline(slotCount) : inputs
    const from = index === 0 ? 0 : at - slotCount
    const mask = delta.changedMask(previous, from, inputs, at)
    out.bits(mask === 0 ? 0 : 1, 1)
    if (mask !== 0) delta.write(out, mask, previous, from, inputs, at)
  }
}

function readInputCount(input: BitReader): number {
  const count = input.bits(8) + 1
  if (count <= inputsPerTurnMax) return count
  throw input.fault('SS_WIRE_OUT_OF_RANGE', `Cannot accept ${count} inputs in one turn`)
}

function readInputs(input: BitReader, delta: SlotDelta, slots: Uint32Array, count: number): void {
  const { slotCount } = delta
  delta.writeInitial(baseline(slotCount), 0)
  for (let index = 0; index < count; index++) {
    const at = index * slotCount
    const previous = index === 0 ? baseline(slotCount) : slots
    const from = index === 0 ? 0 : at - slotCount
    if (input.bits(1) === 1) delta.read(input, previous, from, slots, at)
    else delta.writeHeld(previous, from, slots, at)
  }
}

function writeReport(out: BitWriter, report: TurnReport): void {
  out.bits(report.stamp, 16)
  out.bits(report.rttMs, 16)
  out.bits(clientStatuses.indexOf(report.activity), 3)
  out.bits(encodeLoad(report.loadPercent), 8)
  out.bits(report.token === undefined ? 0 : 1, 1)
  if (report.token !== undefined) out.bits(report.token, 32)
}

function readReport(input: BitReader): TurnReport {
  const report = readTurnReport
  report.stamp = input.bits(16)
  report.rttMs = input.bits(16)
  const activity = clientStatuses[input.bits(3)]
  if (activity === undefined) {
    throw input.fault('SS_WIRE_OUT_OF_RANGE', 'Cannot accept an unknown activity')
  }
  report.activity = activity
  report.loadPercent = decodeLoad(input.bits(8))
  report.token = input.bits(1) === 0 ? undefined : input.bits(32)
  return report
}

function writeOrders(out: BitWriter, turn: ClientTurn): void {
  out.bits(turn.firstOrderNumber % 65_536, 16)
  out.bits(turn.orders.length - 1, 6)
  for (const bytes of turn.orders) {
    out.bits(bytes.byteLength, 11)
    out.bytes(bytes)
  }
}

function readOrders(input: BitReader): Uint8Array[] {
  const count = input.bits(6) + 1
  const orders: Uint8Array[] = []
  for (let index = 0; index < count; index++) {
    const length = input.bits(11)
    if (length > orderBytesMax) {
      throw input.fault('SS_WIRE_TOO_LARGE', `Cannot accept an order of ${length} bytes`)
    }
    orders.push(input.bytes(length))
  }
  return orders
}

/** The initial input of the match that is being read or written; filled before every use. */
let baselineSlots = new Uint32Array(64)

function baseline(slotCount: number): Uint32Array {
  if (baselineSlots.length < slotCount) baselineSlots = new Uint32Array(slotCount)
  return baselineSlots
}

/** Slots that {@link readClientTurn} may need. */
export function turnSlotsMax(delta: SlotDelta): number {
  return inputsPerTurnMax * delta.slotCount
}

if (inputsPerTurnMax > 256 || outboxOrdersMax > 64) {
  throw new RangeError('Eight bits count inputs, and six orders')
}
