import { contentNameFault } from '../../sim/game/definition/content.ts'
import { toHex } from '../../sim/hash/hex.ts'
import type { ContentList } from '../../wire/messages/match-config.ts'

/**
 * What is wrong with a list of files; `undefined` if nothing is. A valid list names each file once,
 * in ascending sequence.
 */
export function contentListFault(content: ContentList): string | undefined {
  let before = ''
  for (const { name, hash } of content) {
    if (contentNameFault(name) !== undefined || name !== name.normalize('NFC')) {
      return 'a name that no file can have'
    }
    if (hash.byteLength !== 32) return 'a hash that is no SHA-256'
    if (name <= before) return 'names out of sequence'
    before = name
  }
  return undefined
}

/** A file that differs between a joining client and the match. */
export interface ContentDifference {
  readonly name: string
  /** The start of its hash on each side; `none` where the file is missing. */
  readonly theirs: string
  readonly ours: string
}

/** The files in which two lists differ, sorted by name. */
export function contentDifferences(theirs: ContentList, ours: ContentList): ContentDifference[] {
  const hashes = (content: ContentList) =>
    new Map(content.map(({ name, hash }) => [name, toHex(hash)]))
  const [yours, mine] = [hashes(theirs), hashes(ours)]
  const names = [...new Set([...mine.keys(), ...yours.keys()])].sort()
  return names
    .map((name) => ({ name, theirs: yours.get(name) ?? none, ours: mine.get(name) ?? none }))
    .filter((file) => file.theirs !== file.ours)
    .map((file) => ({ name: file.name, theirs: brief(file.theirs), ours: brief(file.ours) }))
}

const none = 'none'

/** Enough of a hash to tell two builds apart by eye. */
function brief(hash: string): string {
  return hash.slice(0, 8)
}

/**
 * Names the files that differ, at least one and as many as fit, and says how many more there are.
 * `bytesMax` bounds the whole text in UTF-8 bytes, as `length` counts them.
 */
export function describeDifferences(
  differences: readonly ContentDifference[],
  bytesMax: number,
  length: (text: string) => number,
): string {
  let told = ''
  let count = 0
  for (const difference of differences) {
    const next = `${told}${told === '' ? '' : '; '}${describe(difference)}`
    const left = differences.length - count - 1
    if (count > 0 && length(next + andMore(left)) > bytesMax) break
    told = next
    count += 1
  }
  return told + andMore(differences.length - count)
}

function andMore(count: number): string {
  return count === 0 ? '' : `; and ${count} more`
}

function describe({ name, theirs, ours }: ContentDifference): string {
  if (theirs === none) return `'${name}' is missing`
  if (ours === none) return `'${name}' is not in the match`
  return `'${name}' differs`
}
