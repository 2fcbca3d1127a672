import { WireError } from '../base/errors.ts'
import type { RecordEntry } from './entries.ts'
import { entryFrameBytesMax, groupBytesMax } from './limits.ts'
import { MatchHistory } from './match-history.ts'
import type { RecordItem } from './reader.ts'

/**
 * The matches of one or several files, as far as their groups of entries are complete. A group that was
 * torn off counts for nothing: whoever wrote it died before anybody heard of what it says.
 */
export class MatchHistories {
  readonly #byId = new Map<string, MatchHistory>()
  /** Of the file that is read now, by number. */
  #current: (MatchHistory | undefined)[] = []
  #group: RecordEntry[] = []
  #groupMatch = 0
  #groupBytes = 0

  /** All matches by their ids, ended ones included. */
  get byId(): ReadonlyMap<string, MatchHistory> {
    return this.#byId
  }

  /** Another file begins. What it says of a match replaces what older ones said. */
  startFile(): void {
    this.#current = []
    this.#group = []
    this.#groupBytes = 0
  }

  /**
   * Takes in the next entry of the file.
   *
   * @throws WireError for what cannot be said of a match: then nothing is known of that one.
   */
  add({ entry, match, isLast }: RecordItem): void {
    if (this.#group.length > 0 && match !== this.#groupMatch) {
      throw new WireError('SS_WIRE_NOT_CANONICAL', 0, 'Cannot accept a group about two matches')
    }
    this.#groupMatch = match
    this.#group.push(entry)
    this.#groupBytes += entryFrameBytesMax + sizeOf(entry)
    if (this.#groupBytes > groupBytesMax) {
      throw new WireError('SS_WIRE_TOO_LARGE', 0, 'Cannot keep a group of so many bytes')
    }
    if (!isLast) return
    const group = this.#group
    this.#group = []
    this.#groupBytes = 0
    this.#apply(match, group)
  }

  #apply(match: number, group: readonly RecordEntry[]): void {
    const [first] = group
    let history = this.#current[match]
    let rest = group
    if (first?.name === 'match') {
      history = new MatchHistory(first.body)
      rest = group.slice(1)
    }
    if (history === undefined) {
      throw new WireError('SS_WIRE_UNKNOWN', 0, 'Cannot accept an entry of an unknown match')
    }
    // Half of a group would be a state in which the match never was.
    this.#byId.delete(history.match.id)
    for (const entry of rest) history.apply(entry)
    this.#current[match] = history
    this.#byId.set(history.match.id, history)
  }
}

function sizeOf(entry: RecordEntry): number {
  if (entry.body instanceof Uint8Array) return entry.body.byteLength
  return entry.name === 'snapshot' ? entry.body.bytes.byteLength : typicalBytes
}

/** What the fields of most entries take in memory. */
const typicalBytes = 256
