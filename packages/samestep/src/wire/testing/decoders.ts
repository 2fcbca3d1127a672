/**
 * Every decoder of the wire as one function from bytes to bytes: decode, then encode what came out. Each
 * accepts only canonical bytes, so it gives its input back or throws a `WireError`; tests and the fuzzer
 * hold all of them to that.
 */

import { BitReader } from '../../base/bit-reader.ts'
import { BitWriter } from '../../base/bit-writer.ts'
import { WireError } from '../../base/errors.ts'
import { fromHex } from '../../sim/hash/hex.ts'
import { decodeMessage, encodeMessage } from '../messages/messages.ts'
import { readAction, writeAction } from '../messages/room-actions.ts'
import { BundleCodec } from '../ticks/bundle-codec.ts'
import { readClientTurn, turnSlotsMax, writeClientTurn } from '../ticks/client-turn.ts'
import type { InputLayout } from '../ticks/input-layout.ts'
import { readRelayBundles, writeBundlePart, writeRelayBundles } from '../ticks/relay-bundles.ts'
import { SlotDelta } from '../ticks/slot-delta.ts'
import { slotOf } from './slot-of.ts'
import type { BundleVector, TurnVector, WireVectors } from './vectors.ts'

/** A decoder and its encoder. */
export interface DecoderTarget {
  readonly name: string
  /** Bytes that are accepted, to start from. */
  readonly seeds: readonly Uint8Array[]
  /** Decodes and encodes again. Throws a `WireError` for bytes that are refused. */
  recode(bytes: Uint8Array): Uint8Array
  /** False where the end of the bytes is the end of the last part, so that less of it is legal too. */
  readonly isSelfDelimiting: boolean
}

const out = new BitWriter()
const reader = new BitReader()

const messageTarget = (vectors: WireVectors): DecoderTarget => ({
  name: 'control message',
  seeds: vectors.messages.map(({ hex }) => fromHex(hex)),
  recode: (bytes) => {
    const { name, body } = decodeMessage(bytes)
    return encodeMessage(name, body as never)
  },
  isSelfDelimiting: true,
})

/** The second step of reading `ClientAct`: which action its fields are. */
const actionTarget = (vectors: WireVectors): DecoderTarget => ({
  name: 'action of ClientAct',
  seeds: vectors.messages
    .filter(({ message }) => message === 'ClientAct')
    .map(({ hex }) => fromHex(hex)),
  recode: (bytes) => {
    const { name, body } = decodeMessage(bytes)
    if (name !== 'ClientAct') throw new WireError('SS_WIRE_UNKNOWN', 0, `Cannot accept a ${name}`)
    return encodeMessage(name, writeAction(readAction(body)))
  },
  isSelfDelimiting: true,
})

/** What a decoder of bundles is made for. */
type BundleShape = Pick<BundleVector, 'title' | 'seatCount' | 'layout' | 'previous'>

function bundleTarget(shape: BundleShape, seeds: readonly Uint8Array[]): DecoderTarget {
  const codec = new BundleCodec(shape.seatCount, shape.layout)
  const previous = Uint32Array.from(shape.previous.flat())
  const slots = new Uint32Array(previous.length)
  const missing = new Uint8Array(shape.seatCount)
  return {
    name: `bundle: ${shape.title}`,
    seeds,
    recode: (bytes) => {
      slots.set(previous)
      reader.reset(bytes)
      const content = codec.decode(reader, slots, missing)
      reader.end()
      out.reset()
      codec.encode(out, content, previous, slots, missing)
      return out.finish()
    },
    isSelfDelimiting: true,
  }
}

/** As many seats and slots as there can be, of every width. */
const crowdedLayout: InputLayout = Array.from({ length: 32 }, (_, index) =>
  slotOf(index + 1, index % 2, index % 3 === 0),
)

function crowdedBundles(): DecoderTarget {
  const seatCount = 64
  const row = crowdedLayout.map(({ initial }) => initial)
  const previous = Array.from({ length: seatCount }, () => row)
  const seeds = [fromHex('00')]
  return bundleTarget({ title: 'crowded', seatCount, layout: crowdedLayout, previous }, seeds)
}

const relayBundlesTarget = (vectors: WireVectors): DecoderTarget => ({
  name: 'RelayBundles',
  seeds: vectors.relayBundles.map(({ hex }) => fromHex(hex)),
  recode: (bytes) => {
    const { firstTick, isExact, control, bundles, part } = readRelayBundles(bytes, 300)
    out.reset()
    if (part === undefined) {
      const bundleAt = (tick: number): Uint8Array => bundles[tick - firstTick] as Uint8Array
      writeRelayBundles(out, firstTick, bundles.length, bundleAt, control, isExact)
    } else {
      const whole = new Uint8Array(part.totalBytes)
      const [bytesOfPart] = bundles as [Uint8Array]
      whole.set(bytesOfPart, part.start)
      const end = part.start + bytesOfPart.byteLength
      writeBundlePart(out, firstTick, whole, part.start, end, control)
    }
    return out.finish()
  },
  isSelfDelimiting: false,
})

function turnTarget(shape: Pick<TurnVector, 'title' | 'layout' | 'near' | 'hex'>): DecoderTarget {
  const delta = new SlotDelta(shape.layout)
  const scratch = new Uint32Array(turnSlotsMax(delta))
  return {
    name: `ClientTurn: ${shape.title}`,
    seeds: [fromHex(shape.hex)],
    recode: (bytes) => {
      const turn = readClientTurn(bytes, delta, shape.near, scratch)
      out.reset()
      writeClientTurn(out, delta, turn)
      return out.finish()
    },
    isSelfDelimiting: true,
  }
}

/** All decoders of the wire, started from the golden vectors. */
export function wireDecoders(vectors: WireVectors): DecoderTarget[] {
  const bundles = vectors.bundles.map((vector) => bundleTarget(vector, [fromHex(vector.hex)]))
  return [
    messageTarget(vectors),
    actionTarget(vectors),
    ...bundles,
    crowdedBundles(),
    relayBundlesTarget(vectors),
    ...vectors.clientTurns.map(turnTarget),
  ]
}
