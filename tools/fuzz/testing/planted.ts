/** Decoders with bugs behind checks that noise does not pass, to see whether the fuzzer finds them. */
import { WireError } from '../../../packages/samestep/src/base/errors.ts'
import type { FuzzTarget } from '../fuzzer.ts'

function refuse(): never {
  throw new WireError('SS_WIRE_OUT_OF_RANGE', 0, 'refused')
}

/** Five bytes in a row must be right, and each is looked at only if those before it were. */
function throwRarely(bytes: Uint8Array): undefined {
  if (bytes[0] !== 0x53) refuse()
  if (bytes[1] !== 0xa7) refuse()
  if (bytes[2] !== (bytes[0]! ^ 0x1f)) refuse()
  if (bytes[3] !== 0x31) refuse()
  if (bytes[4] === 0x9c) throw new RangeError('Invalid array length')
  return undefined
}

/** Takes a number in one byte, or a mark and two: but also small numbers in three. */
function acceptTwoForms(bytes: Uint8Array): Uint8Array {
  const [first = refuse(), low = 0, high = 0] = bytes
  if (first < 0xf0) return bytes.length === 1 ? bytes : refuse()
  if (first !== 0xff || bytes.length !== 3) refuse()
  const value = low | (high << 8)
  return value < 0xf0 ? Uint8Array.of(value) : bytes
}

/** Believes a count of four bytes. */
function believeLength(bytes: Uint8Array): undefined {
  if (bytes.length !== 4) refuse()
  const count = bytes[0]! | (bytes[1]! << 8) | (bytes[2]! << 16)
  new Uint8Array(count)
  return undefined
}

/** Does as much work as a number says. */
function believeCount(bytes: Uint8Array): undefined {
  if (bytes.length !== 3) refuse()
  let sum = 0
  for (let left = bytes[0]! | (bytes[1]! << 8) | (bytes[2]! << 16); left > 0; left--) sum += left
  if (sum < 0) refuse()
  return undefined
}

/** Nothing is wrong with it. */
function behave(bytes: Uint8Array): Uint8Array {
  if (bytes.length > 3) refuse()
  for (const byte of bytes) if (byte > 200) refuse()
  return Uint8Array.from(bytes)
}

const allocationMax = (length: number): number => 4_096 + length

/** All of them. */
export const makeTargets = (): readonly FuzzTarget[] => [
  { name: 'throws rarely', seeds: [], run: throwRarely, allocationMax },
  { name: 'accepts two forms', seeds: [Uint8Array.of(7)], run: acceptTwoForms, allocationMax },
  { name: 'believes a length', seeds: [], run: believeLength, allocationMax },
  { name: 'believes a count', seeds: [], run: believeCount, allocationMax },
  { name: 'refuses its seed', seeds: [Uint8Array.of(1, 2)], run: refuse, allocationMax },
  { name: 'behaves', seeds: [Uint8Array.of(1)], run: behave, allocationMax },
]
