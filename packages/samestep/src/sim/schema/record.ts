import { BitReader } from '../../base/bit-reader.ts'
import { BitWriter } from '../../base/bit-writer.ts'
import type { Field } from './field.ts'

const writer = new BitWriter()
const reader = new BitReader()
const noBytes = new Uint8Array(0)

/** One value as bytes of its own: the last byte is filled with zero bits. */
export function encodeRecord<T>(field: Field<T>, value: NoInfer<T>): Uint8Array {
  writer.reset()
  field.write(writer, value)
  return writer.finish()
}

/**
 * The value that {@link encodeRecord} wrote. `bytes` must hold that one value and nothing else;
 * everything that `encodeRecord` would not have written throws a `WireError`.
 */
export function decodeRecord<T>(field: Field<T>, bytes: Uint8Array): T {
  reader.reset(bytes)
  const value = field.read(reader)
  reader.end()
  // The reader outlives this call; it must not keep a snapshot in memory.
  reader.reset(noBytes)
  return value
}
