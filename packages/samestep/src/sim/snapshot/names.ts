import { decodeUtf8 } from '../../base/utf8.ts'

/** Names that are kept: several times what one game has, a few kilobytes in all. */
const keptNames = 256

/** Longer texts are not names that come again and again. */
const keptUnitsMax = 32

const kept: string[] = new Array(keptNames).fill('')

/**
 * The text whose UTF-8 form is `bytes` from `start` to before `end`. Throws `WireError`.
 *
 * A game reads the same names again with every snapshot, and making a string costs ten times as much as
 * finding it: the last ones are kept, each at the place that its bytes lead to. What a stranger sends
 * may push them out, but can neither change them nor make this grow.
 */
export function readText(bytes: Uint8Array, start: number, end: number): string {
  let hash = 0
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x9e37_79b1)
  const place = (hash >>> 16) % keptNames
  const found = kept[place]!
  if (isSame(found, bytes, start, end)) return found
  const text = decodeUtf8(bytes, start, end)
  if (text.length <= keptUnitsMax) kept[place] = text
  return text
}

/** Whether `text` is the ASCII in these bytes. Any other text is simply decoded again. */
function isSame(text: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (text.length !== end - start) return false
  for (let index = 0; index < text.length; index++) {
    const unit = bytes[start + index]!
    if (unit >= 0x80 || unit !== text.charCodeAt(index)) return false
  }
  return true
}
