/**
 * UTF-8, strict in both directions and without the platform's TextEncoder: that one writes a
 * replacement character for half a surrogate pair, so that two texts would get the same bytes.
 */
import type { BitWriter } from './bit-writer.ts'
import { UsageError, WireError } from './errors.ts'

/** How many bytes `text` takes in UTF-8. Throws `SS_BAD_VALUE` for half a surrogate pair. */
export function utf8Length(text: string): number {
  let length = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) length += 1
    else if (unit < 0x800) length += 2
    else if (unit < 0xd800 || unit > 0xdfff) length += 3
    else {
      pairAt(text, index++)
      length += 4
    }
  }
  return length
}

/** Whether every surrogate of `text` has its other half, so that it has a UTF-8 form at all. */
export function isWellFormed(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0xd800 || unit > 0xdfff) continue
    if (unit > 0xdbff || !isLowSurrogate(text.charCodeAt(++index))) return false
  }
  return true
}

/** `text` in UTF-8. Throws `SS_BAD_VALUE` for half a surrogate pair. */
export function encodeUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(utf8Length(text))
  let at = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) {
      bytes[at++] = unit
    } else if (unit < 0x800) {
      bytes[at++] = 0xc0 | (unit >>> 6)
      bytes[at++] = 0x80 | (unit & 0x3f)
    } else if (unit < 0xd800 || unit > 0xdfff) {
      bytes[at++] = 0xe0 | (unit >>> 12)
      bytes[at++] = 0x80 | ((unit >>> 6) & 0x3f)
      bytes[at++] = 0x80 | (unit & 0x3f)
    } else {
      const point = pairAt(text, index++)
      bytes[at++] = 0xf0 | (point >>> 18)
      bytes[at++] = 0x80 | ((point >>> 12) & 0x3f)
      bytes[at++] = 0x80 | ((point >>> 6) & 0x3f)
      bytes[at++] = 0x80 | (point & 0x3f)
    }
  }
  return bytes
}

/** Appends `text` in UTF-8, without its length. Throws `SS_BAD_VALUE` for half a surrogate pair. */
export function writeUtf8(out: BitWriter, text: string): void {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0x80) {
      // Names are mostly ASCII; the first other character hands the rest to the general way.
      out.bytes(encodeUtf8(index === 0 ? text : text.slice(index)))
      return
    }
    out.bits(unit, 8)
  }
}

/** Long texts are put together from pieces of this many units: small enough for one call. */
const pieceUnits = 512
const piece = new Uint16Array(pieceUnits)

/**
 * The text whose UTF-8 form is `bytes` from `start` to before `end`. Throws a {@link WireError} for
 * everything that {@link encodeUtf8} does not write: overlong forms, surrogates, code points beyond
 * U+10FFFF, stray or missing continuation bytes.
 */
export function decodeUtf8(bytes: Uint8Array, start = 0, end: number = bytes.length): string {
  let text = ''
  let used = 0
  let at = start
  while (at < end) {
    const first = bytes[at]!
    if (used > pieceUnits - 2) {
      text += pieceText(used)
      used = 0
    }
    if (first < 0x80) {
      piece[used++] = first
      at++
      continue
    }
    const size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
    const point = pointAt(bytes, at, size, start, end)
    if (point >= 0x1_0000) {
      piece[used++] = 0xd7c0 + (point >>> 10)
      piece[used++] = 0xdc00 | (point & 0x3ff)
    } else {
      piece[used++] = point
    }
    at += size
  }
  return text + pieceText(used)
}

function pieceText(units: number): string {
  // The declaration wants number[], the engine takes any array-like.
  return String.fromCharCode.apply(null, piece.subarray(0, units) as unknown as number[])
}

/** The code point in the `size` bytes at `at`, all rules checked. */
function pointAt(bytes: Uint8Array, at: number, size: number, start: number, end: number): number {
  const first = bytes[at]!
  // 0x80…0xbf continue nothing, 0xc0 and 0xc1 are always overlong, from 0xf5 on it is too large.
  if (first < 0xc2 || first > 0xf4) fail(at - start, 'a byte that begins no character')
  if (at + size > end) {
    throw new WireError(
      'SS_WIRE_TRUNCATED',
      at - start,
      'Cannot read a text: it ends within a character',
    )
  }
  let point = first & (0x7f >>> size)
  for (let index = 1; index < size; index++) {
    const next = bytes[at + index]!
    if ((next & 0xc0) !== 0x80) fail(at + index - start, 'a character that breaks off')
    point = (point << 6) | (next & 0x3f)
  }
  if (size === 3 && point < 0x800) fail(at - start, 'an overlong character')
  if (size === 4 && point < 0x1_0000) fail(at - start, 'an overlong character')
  if (point >= 0xd800 && point <= 0xdfff) fail(at - start, 'half a surrogate pair')
  if (point > 0x10_ffff) fail(at - start, 'a code point beyond U+10FFFF')
  return point
}

function fail(offset: number, what: string): never {
  throw new WireError('SS_WIRE_NOT_CANONICAL', offset, `Cannot read a text: it has ${what}`)
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** The code point of the surrogate pair at `index`. */
function pairAt(text: string, index: number): number {
  const high = text.charCodeAt(index)
  const low = text.charCodeAt(index + 1)
  if (high > 0xdbff || !isLowSurrogate(low)) {
    throw new UsageError(
      'SS_BAD_VALUE',
      `Cannot encode a text: unit ${index} is half a surrogate pair; it must be well-formed Unicode`,
    )
  }
  return 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00)
}
