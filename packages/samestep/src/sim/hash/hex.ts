import { WireError } from '../../base/errors.ts'

const hexOfByte = Array.from({ length: 256 }, (_none, byte) => byte.toString(16).padStart(2, '0'))
const hexPattern = /^(?:[0-9a-f]{2})*$/

/** `bytes` as lower-case hexadecimal digits, two per byte. */
export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (let index = 0; index < bytes.length; index++) text += hexOfByte[bytes[index]!]
  return text
}

/** The inverse of {@link toHex}. Throws `SS_WIRE_NOT_CANONICAL` for any other spelling. */
export function fromHex(text: string): Uint8Array {
  if (!hexPattern.test(text)) {
    throw new WireError(
      'SS_WIRE_NOT_CANONICAL',
      0,
      'Cannot read hexadecimal bytes: not pairs of lower-case digits',
    )
  }
  const bytes = new Uint8Array(text.length / 2)
  for (let index = 0; index < bytes.length; index++) {
    bytes[index] = (digitAt(text, 2 * index) << 4) | digitAt(text, 2 * index + 1)
  }
  return bytes
}

function digitAt(text: string, index: number): number {
  const unit = text.charCodeAt(index)
  return unit < 0x3a ? unit - 0x30 : unit - 0x57
}
