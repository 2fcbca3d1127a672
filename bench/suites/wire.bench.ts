/**
 * What a tick of eight players costs, in bytes and in time, on the traces of `traces.ts`.
 *
 * `bundle` is a sealed tick, the part that carries what players did. `message` is what a client gets in a
 * tick on a stream, or on datagrams when all before it is confirmed: the bundle and two bytes that say
 * what it is and which tick. Every packet stands on its own; nothing is compressed across packets except
 * that inputs are differences to the tick before.
 *
 * The entropy is what a codec with perfect statistics of the same trace would reach, without any frame
 * and without whole bytes. Two bytes of head are more than all that happens in a tick of the arcade
 * game, so the promise about entropy is made for the bundle.
 */
import { BitReader } from '../../packages/samestep/src/base/bit-reader.ts'
import { BitWriter } from '../../packages/samestep/src/base/bit-writer.ts'
import { encodeRecord } from '../../packages/samestep/src/sim/schema/index.ts'
import {
  BundleCodec,
  type BundleOrder,
} from '../../packages/samestep/src/wire/ticks/bundle-codec.ts'
import { InputMapping } from '../../packages/samestep/src/wire/ticks/input-layout.ts'
import {
  readRelayBundles,
  writeRelayBundles,
} from '../../packages/samestep/src/wire/ticks/relay-bundles.ts'
import { makeTrace, type Trace, traceOrder } from '../traces.ts'
import type { Figure, Prepared, Suite } from '../types.ts'
import { looseTick, otherCodecs } from '../wire-codecs.ts'

/** One call of a contender: some eight seconds of play. */
const ticksPerCall = 256

/** The slots and orders of every tick of a trace, ready to be sealed. */
class Recording {
  readonly codec: BundleCodec
  /** Entry 0 is what is held before the first tick. */
  readonly slots: Uint32Array[] = []
  readonly orders: BundleOrder[][] = []
  readonly missing: Uint8Array
  readonly out = new BitWriter()

  constructor(trace: Trace) {
    const mapping = new InputMapping(trace.fields)
    this.codec = new BundleCodec(trace.players, mapping.layout)
    this.missing = new Uint8Array(trace.players)
    const { slotTotal, delta } = this.codec
    const start = new Uint32Array(slotTotal)
    for (let seat = 0; seat < trace.players; seat++) {
      delta.writeInitial(start, seat * delta.slotCount)
    }
    this.slots.push(start)
    const numbers = new Array<number>(trace.players).fill(0)
    for (let tick = 0; tick < trace.ticks; tick++) {
      const row = new Uint32Array(slotTotal)
      const orders: BundleOrder[] = []
      for (let seat = 0; seat < trace.players; seat++) {
        const index = tick * trace.players + seat
        mapping.toSlots(trace.inputs[index] ?? {}, row, seat * delta.slotCount)
        const order = trace.orders[index]
        if (order === undefined) continue
        const number = numbers[seat]!++ % 256
        orders.push({ seat, number, bytes: encodeRecord(traceOrder, { ...order }) })
      }
      this.slots.push(row)
      this.orders.push(orders)
    }
  }

  /** The bundle of one tick, borrowed. */
  encode(tick: number): Uint8Array {
    const content = { orders: this.orders[tick]!, events: none }
    this.out.reset()
    this.codec.encode(this.out, content, this.slots[tick]!, this.slots[tick + 1]!, this.missing)
    return this.out.view()
  }
}

const none: readonly never[] = []

/** All messages of a trace, each with one bundle; checked to come out as they went in. */
function makeMessages(trace: Trace, recording: Recording): Uint8Array[] {
  const out = new BitWriter()
  const reader = new BitReader()
  const held = recording.slots[0]!.slice()
  const missing = new Uint8Array(trace.players)
  const messages: Uint8Array[] = []
  for (let tick = 0; tick < trace.ticks; tick++) {
    const bundle = recording.encode(tick)
    out.reset()
    writeRelayBundles(out, tick + 1, 1, () => bundle, undefined)
    messages.push(out.finish())
    const [received] = readRelayBundles(messages[tick]!, tick + 1).bundles
    reader.reset(received!)
    const { orders } = recording.codec.decode(reader, held, missing)
    reader.end()
    const isSame = held.every((slot, index) => slot === recording.slots[tick + 1]![index])
    if (!isSame || orders.length !== recording.orders[tick]!.length) {
      throw new Error(`Cannot go on: tick ${tick} of ${trace.name} came out differently`)
    }
  }
  return messages
}

const headBytes = 2
const unit = 'B/player/tick'

function makeFigures(trace: Trace, messages: readonly Uint8Array[]): Figure[] {
  const playerTicks = trace.players * trace.ticks
  const messageBytes = messages.reduce((sum, { length }) => sum + length, 0) / playerTicks
  const bundleBytes = messageBytes - headBytes / trace.players
  const entropy = trace.entropyBits / 8
  const others = Object.entries(otherCodecs).map(
    ([name, sizeOf]): Figure => ({ name, value: sizeOf(trace) / playerTicks, unit }),
  )
  const json = others.find(({ name }) => name === 'JSON per input')!.value
  const ours: Figure[] = [
    { name: 'bundle', value: bundleBytes, unit },
    { name: 'message', value: messageBytes, unit },
    {
      name: 'message, below JSON per input',
      value: (1 - messageBytes / json) * 100,
      unit: '%',
      atLeast: 95,
    },
  ]
  if (trace.name === 'idle') {
    const longest = Math.max(...messages.map(({ length }) => length))
    return [...ours, { name: 'idle tick', value: longest, unit: 'bytes', atMost: 3 }, ...others]
  }
  return [
    ...ours,
    { name: 'entropy', value: entropy, unit },
    { name: 'bundle, times entropy', value: bundleBytes / entropy, unit: '×', atMost: 2 },
    { name: 'message, times entropy', value: messageBytes / entropy, unit: '×', atMost: 3 },
    ...others,
  ]
}

function prepareEncode(name: Trace['name']): Prepared {
  const trace = makeTrace(name)
  const recording = new Recording(trace)
  const texts = Array.from({ length: ticksPerCall }, (_, tick) => looseTick(trace, tick))
  return {
    contenders: {
      bundle: () => {
        for (let tick = 0; tick < ticksPerCall; tick++) recording.encode(tick)
        return recording.out
      },
      'JSON combined': () => {
        let length = 0
        for (let tick = 0; tick < ticksPerCall; tick++) length += JSON.stringify(texts[tick]).length
        return length
      },
    },
    figures: makeFigures(trace, makeMessages(trace, recording)),
  }
}

function prepareDecode(name: Trace['name']): Prepared {
  const trace = makeTrace(name, ticksPerCall)
  const recording = new Recording(trace)
  const messages = makeMessages(trace, recording)
  const texts = messages.map((_, tick) => JSON.stringify(looseTick(trace, tick)))
  const reader = new BitReader()
  const held = new Uint32Array(recording.codec.slotTotal)
  return {
    contenders: {
      message: () => {
        held.set(recording.slots[0]!)
        for (let tick = 0; tick < ticksPerCall; tick++) {
          const { bundles } = readRelayBundles(messages[tick]!, tick + 1)
          reader.reset(bundles[0]!)
          recording.codec.decode(reader, held, recording.missing)
          reader.end()
        }
        return held
      },
      'JSON combined': () => {
        let last: unknown
        for (let tick = 0; tick < ticksPerCall; tick++) last = JSON.parse(texts[tick]!)
        return last
      },
    },
  }
}

const names = ['doom', 'arcade', 'rts', 'idle'] as const

/** Times leave room for a busy machine. Orders are a few numbers each, which JSON is not bad at. */
export const suites: readonly Suite[] = [
  ...names.map(
    (name): Suite => ({
      name: `wire-encode-${name}`,
      work: `${ticksPerCall} ticks of 8 players to bytes`,
      baseline: 'JSON combined',
      targets: [{ of: 'bundle', against: 'JSON combined', atMost: 0.6 }],
      prepare: () => prepareEncode(name),
    }),
  ),
  ...names.map(
    (name): Suite => ({
      name: `wire-decode-${name}`,
      work: `${ticksPerCall} messages of a tick of 8 players, all checked`,
      baseline: 'JSON combined',
      targets: [{ of: 'message', against: 'JSON combined', atMost: name === 'rts' ? 1 : 0.6 }],
      prepare: () => prepareDecode(name),
    }),
  ),
]
