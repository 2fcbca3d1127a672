import { UsageError } from '../../../base/errors.ts'
import { nameFault } from '../../../base/text-rules.ts'
import { encodeUtf8, utf8Length } from '../../../base/utf8.ts'
import { toHex } from '../../hash/hex.ts'
import { sha256 } from '../../hash/sha256.ts'
import { contentFilesMax, contentNameBytesMax } from '../../limits.ts'

/**
 * The files besides its code that a simulation depends on, such as maps and rules: the SHA-256 of each, as
 * 64 lower-case hex digits, by a name that all machines use for it. Machines whose files differ would
 * desync, so they cannot join the same match; the one that comes later is told which file differs.
 */
export interface ContentManifest {
  readonly [name: string]: string
}

/**
 * The SHA-256 of a file's bytes, as used in a {@link ContentManifest}. Hash the bytes that the game has
 * loaded, so that the manifest lists what this machine really uses.
 *
 * @example
 * ```ts
 * const bytes = new Uint8Array(await (await fetch('maps/dunes.json')).arrayBuffer())
 * const content = { 'maps/dunes.json': hashContent(bytes) }
 * const match = await joinMatch(dots, { url, match: 'friday', content })
 * ```
 */
export function hashContent(bytes: Uint8Array): string {
  return toHex(sha256(bytes))
}

/**
 * Combines the names and hashes of many files into one hash, for games with more files than a manifest
 * holds. A mismatch then names the folder instead of the file.
 *
 * @example
 * ```ts
 * const content = { 'maps/': foldContent(hashesOfAllMaps) }
 * ```
 */
export function foldContent(files: ContentManifest): string {
  const lines = sortedContent(files).map(([name, hash]) => `${hash}  ${name}\n`)
  return hashContent(encodeUtf8(lines.join('')))
}

/** The files of a manifest in the one sequence that all machines have: by code units of the names. */
export function sortedContent(content: ContentManifest): (readonly [name: string, hash: string])[] {
  return Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1))
}

/** @throws UsageError `SS_BAD_VALUE` for what is no manifest, or too large a one. */
export function checkContent(content: ContentManifest): void {
  const fault = contentFault(content)
  if (fault !== undefined) throw new UsageError('SS_BAD_VALUE', `Cannot use this content: ${fault}`)
}

/** What is wrong with a manifest; `undefined` when nothing is. */
export function contentFault(content: unknown): string | undefined {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    return "it must be { 'maps/dunes.json': '<SHA-256 in hex>' }"
  }
  const entries = Object.entries(content)
  if (entries.length > contentFilesMax) {
    return `it has ${entries.length} files; the limit is ${contentFilesMax}: put a folder into one entry with foldContent`
  }
  for (const [name, hash] of entries) {
    const fault = contentNameFault(name)
    if (fault !== undefined) return `the name ${JSON.stringify(name.slice(0, 80))} ${fault}`
    if (typeof hash !== 'string' || !hashPattern.test(hash)) {
      return `the hash of '${name}' must be a SHA-256 in 64 lower-case hex digits`
    }
  }
  return undefined
}

/** What is wrong with the name of a file: it is shown to players, and written into logs. */
export function contentNameFault(name: string): string | undefined {
  if (utf8Length(name) > contentNameBytesMax) return `is longer than ${contentNameBytesMax} bytes`
  const fault = nameFault(name, contentNameBytesMax)
  return fault && `is refused as ${fault}`
}

const hashPattern = /^[0-9a-f]{64}$/
