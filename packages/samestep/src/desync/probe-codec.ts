import { assert } from '../base/assert.ts'
import { BitReader } from '../base/bit-reader.ts'
import { BitWriter } from '../base/bit-writer.ts'
import type { StructField } from '../sim/schema/index.ts'
import type { ProbeAnswer, ProbeAsk, ProbeKind } from '../wire/messages/desync-probes.ts'
import { probeKinds } from '../wire/messages/desync-probes.ts'

/** A question, of whichever kind. */
export type Probe = { [K in ProbeKind]: { readonly kind: K; readonly ask: ProbeAsk<K> } }[ProbeKind]

type AnyStruct = StructField<object>

/** The bytes of a question. */
export function encodeAsk({ kind, ask }: Probe): Uint8Array {
  return encode(probeKinds[kind].ask as unknown as AnyStruct, ask, kind)
}

/** @throws WireError for anything but the bytes of a question of that kind. */
export function decodeAsk(kind: ProbeKind, bytes: Uint8Array): Probe {
  return { kind, ask: decode(probeKinds[kind].ask as unknown as AnyStruct, bytes) } as Probe
}

/** The bytes of an answer. */
export function encodeAnswer<K extends ProbeKind>(kind: K, answer: ProbeAnswer<K>): Uint8Array {
  return encode(probeKinds[kind].answer as unknown as AnyStruct, answer, kind)
}

/** @throws WireError for anything but the bytes of an answer of that kind. */
export function decodeAnswer<K extends ProbeKind>(kind: K, bytes: Uint8Array): ProbeAnswer<K> {
  return decode(probeKinds[kind].answer as unknown as AnyStruct, bytes) as ProbeAnswer<K>
}

const writer = new BitWriter(256)
const reader = new BitReader()

function encode(field: AnyStruct, value: object, kind: ProbeKind): Uint8Array {
  assert(field.accepts(value), `A probe of kind ${kind} that does not fit its own fields`)
  writer.reset()
  field.write(writer, value)
  return writer.finish()
}

function decode(field: AnyStruct, bytes: Uint8Array): object {
  reader.reset(bytes)
  const value = field.read(reader)
  reader.end()
  return value
}
