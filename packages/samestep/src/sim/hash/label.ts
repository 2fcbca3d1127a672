import { UsageError } from '../../base/errors.ts'
import { encodeUtf8 } from '../../base/utf8.ts'
import { labelBytesMax } from '../limits.ts'
import type { LeafLabel } from './leaf.ts'
import { mixBytes } from './mix.ts'

/**
 * Prepares the name of a leaf. Make it once and keep it: the sync hash then only adds two numbers.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` above {@link labelBytesMax} bytes of UTF-8.
 */
export function makeLabel(text: string): LeafLabel {
  const bytes = encodeUtf8(text)
  if (bytes.length > labelBytesMax) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot make a leaf label: it is ${bytes.length} bytes long; it must be at most ${labelBytesMax}`,
    )
  }
  const seed = new Uint32Array(2)
  mixBytes(bytes, seed, 0)
  return { text, bytes, seedLo: seed[0]!, seedHi: seed[1]! }
}

/** The parts of a label that names a block of a column; `undefined` for any other text. */
export function parseLabel(
  text: string,
): { readonly part: string; readonly column: string; readonly block: number } | undefined {
  const [, part, column, block] = /^(.+)\/([^/]+)\/(0|[1-9][0-9]{0,8})$/.exec(text) ?? []
  if (part === undefined || column === undefined || block === undefined) return undefined
  return { part, column, block: Number(block) }
}
